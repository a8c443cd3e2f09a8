/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ACCOUNT_H
#define DVX_COPY_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#define ACCOUNT_ROOM 256u

/*
 * Finds the name of a user or group; groups may have any number of members. false: no such account.
 */
bool account_name(uint32_t id, bool group, char name[ACCOUNT_ROOM]);
bool account_id(const char *name, bool group, uint32_t *id);

#endif
