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
 * The table of the program's memory that lies on memfds. It is allocated whole, since a fork child
 * may not use malloc, and finds a piece without a walk. share.c's lock is held.
 */
#define PIECES 16384u /* as many as the device allows a client */

struct cfile;
struct shared_piece {
	struct interval at;	       /* first member: where the piece was when it became shared */
	LIST_ENTRY(shared_piece) link; /* in a list of share.c, or of free places */
	struct shared_piece *next;     /* next of the same hash */
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

/* Return how many pieces there are, and the sum of their bytes. */
unsigned int pieces_count(void);
uint64_t pieces_bytes(void);
uint64_t pieces_ring_bytes(void); /* without data of regions */
/* Adds a piece; there must be fewer than PIECES. The caller fills in the rest. */
struct shared_piece *piece_add(uint64_t va, uint64_t len, uint64_t inode, dev_t, bool data);
void piece_drop(struct shared_piece *);
/* Returns the first piece, or the next after `last`, that was in a range when it became shared. */
struct shared_piece *piece_over(uint64_t va, uint64_t len, const struct shared_piece *last);
/* Returns the piece whose file a mapping shows, at any address. */
struct shared_piece *piece_mapped(const struct mapping *);

#endif
