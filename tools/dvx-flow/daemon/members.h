/* SPDX-License-Identifier: BSD-2-Clause */
/* Access of a group's members to a daemon, besides its user and root. */
#ifndef DVX_FLOW_MEMBERS_H
#define DVX_FLOW_MEMBERS_H

#include <stdbool.h>
#include <sys/types.h>

#include "fault.h"

#define NO_GROUP ((gid_t)-1)

/* Finds a group's number. Returns 0, or -1 with the fault if there is no such group. */
int members_find(const char *group, gid_t *out, struct flow_fault *f);
/* Returns the group that may write to the socket at this path, or NO_GROUP. */
gid_t members_of_path(const char *path);
/* Gives the socket at this path to the group. Returns 0 or -errno. */
int members_let_in(const char *path, gid_t group);
/* Returns whether the peer of a connection is in the group, first or supplementary. */
bool members_has_peer(int fd, gid_t group);

#endif
