/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_VERDICT_H
#define DVX_COPY_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

/*
 * The receiver's answer for an entry: whether it wants the data, and how its own entry differs from
 * the listed one.
 */
enum verdict {
	VERDICT_WANT = 1 << 0,
	VERDICT_NEW = 1 << 1,
	VERDICT_SUM = 1 << 2,
	VERDICT_SIZE = 1 << 3,
	VERDICT_TIME = 1 << 4,
	VERDICT_PERMS = 1 << 5,
	VERDICT_OWNER = 1 << 6,
	VERDICT_GROUP = 1 << 7,
	VERDICT_ACL = 1 << 8,
	VERDICT_XATTR = 1 << 9,
	VERDICT_HARD = 1 << 10,	 /* a hard link to an earlier entry */
	VERDICT_MADE = 1 << 11,	 /* a directory, link or special file was made or replaced */
	VERDICT_DATA = 1 << 12,	 /* the data differs: it is copied, or would be in a dry run */
	VERDICT_LEFT = 1 << 13,	 /* not copied, and the user was informed */
	VERDICT_NEWER = 1 << 14, /* skipped for -u */
};

/* Counts a file whose data is not copied: it is the same, or newer. */
void verdict_count_left(struct copy_counts *n, uint32_t verdict, uint64_t size);

#define ITEM_BYTES 12

/* Formats a verdict like rsync's --itemize-changes: ">f+++++++++". kind is one of f d L D S. */
void verdict_itemize(char to[ITEM_BYTES], uint32_t verdict, char kind, bool sending);

#endif
