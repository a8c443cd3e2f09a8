/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ACCOUNT_H
#define DVX_COPY_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#define ACCOUNT_ROOM 256u

/* Find the name or number of a user or group. false: there is no such account. */
bool account_name(uint32_t id, bool group, char name[ACCOUNT_ROOM]);
bool account_id(const char *name, bool group, uint32_t *id);

#endif
