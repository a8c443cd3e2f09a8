/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ACCESS_H
#define DVX_COPY_ACCESS_H

#include "base/bytes.h"
#include "key.h"

/*
 * Who may read and write what below the root: one key for all of it (--key-file), or a list
 * (--allow), a line each:
 *   key NAME FILE [until YYYY-MM-DD[THH:MM]]    UTC; FILE counts from the list's own directory
 *   read NAME [DIR]                             DIR counts from the root, and may hold blanks
 *   write NAME [DIR]                            reading as well
 * A key has one directory and one mode: what it may do to an entry does not depend on how it gets there.
 */
struct access;

/* Without a key in it, everybody who can connect has the one key's rights. */
int access_single(struct access **out, const struct key *k, int root, bool write,
		  struct copy_fault *f);
int access_load(struct access **out, const char *list, int root, struct copy_fault *f);

/* It is shared by those who serve by it; the last one frees it. */
struct access *access_hold(struct access *a);
void access_free(struct access *a);

/* Whether the key of another one is in it, too. */
bool access_has(const struct access *a, const struct access *other, const struct key *who);

/* Refuses rights that go further than those of another one: the process is confined to these. */
int access_within(const struct access *a, const struct access *other, struct copy_fault *f);

/* For link_welcome(). After it, access_check() says whether the key is still valid. */
struct key_ring access_ring(const struct access *a);
int access_check(const struct access *a, const struct key *who, struct copy_fault *f);

/* The n-th directory of a key, for confine(). False: there are no more. */
bool access_dir(const struct access *a, size_t n, int *fd, bool *write);

/* Printable name of a key, for the log; "" of the only one. */
const char *access_key_name(const struct access *a, const struct key *who);

/*
 * Where a path leads that a client asks for: the directory, which the path may not leave, and the
 * rest of the path. COPY_REFUSED if the key has no such right, COPY_AUTH if it is no longer valid.
 */
struct access_place {
	int dir;
	struct copy_bytes rest;
};
int access_find(const struct access *a, const struct key *who, bool write, struct copy_bytes path,
		struct access_place *out, struct copy_fault *f);

#endif
