/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_VERDICT_H
#define DVX_COPY_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "options.h"

/* The receiver's answer for an entry: whether it wants the data, and what differs. */
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

/*
 * Counts an entry of this mode and size by its verdict: what was or, in a dry run, would be made.
 * Hard links are counted when they are made, and files when they have their names.
 */
void verdict_count(struct copy_counts *n, uint32_t verdict, uint32_t mode, uint64_t size, bool dry);

#define ITEM_BYTES 12

/* Formats a verdict like rsync's --itemize-changes: ">f+++++++++". mode is stat()'s. */
void verdict_itemize(char to[ITEM_BYTES], uint32_t verdict, uint32_t mode, bool sending);

#endif
