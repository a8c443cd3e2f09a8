/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_PIECES_H
#define SIM_PRELOAD_PIECES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>
#include "base/intervals.h"
#include "base/maps.h"

/*
 * The table of the program's memory that lies on memfds. It has a place for each piece from the
 * beginning, since a fork child may not use malloc, and finds one without a walk. share.c's lock
 * is held.
 */
#define PIECES 16384u /* as many as the device takes of a client */

struct cfile;
struct shared_piece {
	struct interval at;	       /* first: where it was when it became shared */
	LIST_ENTRY(shared_piece) link; /* share.c's; of a free one, the table's */
	struct shared_piece *next;     /* of the same hash */
	struct cfile *file;
	uint64_t inode;
	dev_t dev;
	bool data, ends, stuck, seen;
};
LIST_HEAD(piece_list, shared_piece);

static inline uint64_t piece_len(const struct shared_piece *p)
{
	return p->at.end - p->at.from;
}

/* How many there are, and the sum of their bytes. */
unsigned int pieces_count(void);
uint64_t pieces_bytes(void);
uint64_t pieces_ring_bytes(void); /* without regions */
/* There are fewer than PIECES. The caller fills in the rest. */
struct shared_piece *piece_add(uint64_t va, uint64_t len, uint64_t inode, dev_t, bool data);
void piece_drop(struct shared_piece *);
/* Those that were in a range when they became shared: the first, or the next one. */
struct shared_piece *piece_over(uint64_t va, uint64_t len, const struct shared_piece *last);
/* The one whose file a mapping shows, wherever it is now. */
struct shared_piece *piece_mapped(const struct mapping *);

#endif
