/* SPDX-License-Identifier: BSD-2-Clause */
/* Executes the tables that acl_compile() makes, on a packet's fields. */
#ifndef TESTS_ACL_RUN_H
#define TESTS_ACL_RUN_H

#include "explain/fields.h"
#include "rules/acl/acl.h"

struct acl_run;

/* Checks what every program has to keep, and prepares it. */
struct acl_run *acl_run_new(const struct acl_program *p);
void acl_run_free(struct acl_run *r);

/* The rule that decides, ACL_NONE for the default way. *path: the matchers that looked it up. */
uint32_t acl_run_packet(const struct acl_run *r, const struct fields *packet, size_t *path);

/* A packet's values that a matcher compares, by key. */
void acl_run_values(const struct fields *packet, uint64_t value[MATCH_KEYS]);

#endif
