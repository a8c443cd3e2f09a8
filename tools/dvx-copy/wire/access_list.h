/* SPDX-License-Identifier: BSD-2-Clause */
/* What access.c and access_list.c share: keys, and what each may do. */
#ifndef DVX_COPY_ACCESS_LIST_H
#define DVX_COPY_ACCESS_LIST_H

#include <time.h>

#include "access.h"

struct access_key {
	struct key key; /* first: access_key_of() */
	struct access_key *next;
	char *path;   /* of its directory, from the root, as the list has it; NULL: it has none */
	int dir;      /* -1: it has none */
	bool write;   /* and read */
	time_t until; /* 0: for ever */
	char id[KEY_ID], name[64];
};

struct access {
	struct access_key *keys; /* at least one */
	int root;
	unsigned int refs;
};

/* Of a key that access_ring() gave away; without one, of the only one. */
const struct access_key *access_key_of(const struct access *a, const struct key *who);

#endif
