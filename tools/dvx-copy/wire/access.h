/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_ACCESS_H
#define DVX_COPY_ACCESS_H

#include "base/bytes.h"
#include "key.h"

/*
 * The rights to read and write below the root: one key for all of it (--key-file), or a list
 * (--allow) with these lines:
 *   key NAME FILE [until YYYY-MM-DD[THH:MM]]    UTC; FILE counts from the list's own directory
 *   read NAME [DIR]                             DIR counts from the root, and may hold blanks
 *   write NAME [DIR]                            reading as well
 * A key has one directory and one mode: its rights to an entry do not depend on the way to it.
 */
struct access;

/* Makes access from one key. Without a key, everybody who can connect has these rights. */
int access_single(struct access **out, const struct key *k, int root, bool write,
		  struct copy_fault *f);
int access_load(struct access **out, const char *list, int root, struct copy_fault *f);

/* Takes a reference; the last access_free() frees it. */
struct access *access_hold(struct access *a);
void access_free(struct access *a);

/* Whether a also has the key `who` of the other one. */
bool access_has(const struct access *a, const struct access *other, const struct key *who);

/* Fails if `a` grants rights that `other` does not: the process is confined to the latter. */
int access_within(const struct access *a, const struct access *other, struct copy_fault *f);

/* Returns the keys for the handshake. After it, access_check() checks that the key is valid. */
struct key_ring access_ring(const struct access *a);
int access_check(const struct access *a, const struct key *who, struct copy_fault *f);

/* Returns the n-th key's directory, for confine(). false: there are no more. */
bool access_dir(const struct access *a, size_t n, int *fd, bool *write);

/* Returns the printable name of a key, for the log; "" if there is only one. */
const char *access_key_name(const struct access *a, const struct key *who);

/*
 * The place that a requested path leads to: a directory, which the path may not leave, and the rest
 * of the path, which a zero follows. access_find() fails with COPY_REFUSED if the key has no right to it, with COPY_AUTH
 * if the key has expired.
 */
struct access_place {
	int dir;
	struct copy_bytes rest;
};
int access_find(const struct access *a, const struct key *who, bool write, struct copy_bytes path,
		struct access_place *out, struct copy_fault *f);

#endif
