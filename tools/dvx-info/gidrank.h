/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranks GIDs by how likely a user needs them. */
#ifndef DVX_INFO_GIDRANK_H
#define DVX_INFO_GIDRANK_H

#include <dvx/dvx.h>

struct ranked {
	struct dvx_gid gid;
	bool up; /* its port is active */
	bool ethernet;
	unsigned int rank;  /* the lower, the better */
	const char *reason; /* a clause */
};

/* Ranks n entries, of which gid, up and ethernet are set, and sorts them, the best first. */
void gid_rank(struct ranked *list, size_t n);

#endif
