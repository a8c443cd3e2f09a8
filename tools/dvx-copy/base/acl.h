/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ACL_H
#define DVX_COPY_ACL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ACL_ACCESS  "system.posix_acl_access"
#define ACL_DEFAULT "system.posix_acl_default"

bool acl_is_name(const char *name);

/* Returns the mode without the ACL: without group bits that its mask gave to named users. */
uint32_t acl_narrow(const uint8_t *value, size_t n, uint32_t mode);

#endif
