/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys and their rights, for access.c and access_list.c. */
#ifndef DVX_COPY_ACCESS_LIST_H
#define DVX_COPY_ACCESS_LIST_H

#include <time.h>

#include "access.h"

struct access_key {
	struct key key; /* first: access_key_of() */
	struct access_key *next;
	char *path;   /* its directory, from the root, as the list has it; NULL: none */
	int dir;      /* its directory; -1: none */
	bool write;   /* implies read */
	time_t until; /* 0: for ever */
	char id[KEY_ID], name[64];
};

struct access {
	struct access_key *keys; /* at least one */
	int root;
	unsigned int refs;
};

/* Returns the entry of a key from access_ring(); without a key, the only entry. */
const struct access_key *access_key_of(const struct access *a, const struct key *who);

#endif
