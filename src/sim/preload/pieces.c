/* SPDX-License-Identifier: BSD-2-Clause */
#include "pieces.h"

#include <stddef.h>
#include "madvise.h"

#define BUCKETS 4096u

static struct shared_piece pieces[PIECES], *by_inode[BUCKETS];
static struct piece_list unused = LIST_HEAD_INITIALIZER(unused);
static struct intervals by_address;
static unsigned int count, used; /* places from `used` on have never had a piece */
static uint64_t bytes[2];	 /* of rings, and of data */

unsigned int pieces_count(void)
{
	return count;
}

uint64_t pieces_bytes(void)
{
	return bytes[false] + bytes[true];
}

uint64_t pieces_ring_bytes(void)
{
	return bytes[false];
}

/* Returns an inode's bucket. All memfds have one dev, and inodes are numbered in order. */
static struct shared_piece **piece_bucket(uint64_t inode)
{
	return &by_inode[inode % BUCKETS];
}

struct shared_piece *piece_add(uint64_t va, uint64_t len, uint64_t inode, dev_t dev,
			       bool data)
{
	struct shared_piece *p = LIST_FIRST(&unused), **bucket = piece_bucket(inode);

	if (p)
		LIST_REMOVE(p, link);
	else
		p = &pieces[used++];
	*p = (struct shared_piece){
		.at = {va, va + len}, .next = *bucket, .inode = inode, .dev = dev, .data = data};
	*bucket = p;
	intervals_add(&by_address, &p->at);
	madvise_piece((unsigned int)(p - pieces), va, len, inode, dev);
	count++;
	bytes[data] += len;
	return p;
}

void piece_drop(struct shared_piece *p)
{
	struct shared_piece **at = piece_bucket(p->inode);

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	intervals_remove(&by_address, &p->at);
	madvise_piece((unsigned int)(p - pieces), 0, 0, 0, 0);
	LIST_INSERT_HEAD(&unused, p, link);
	count--;
	bytes[p->data] -= piece_len(p);
}

struct shared_piece *piece_over(uint64_t va, uint64_t len, const struct shared_piece *last)
{
	return (struct shared_piece *)intervals_over(&by_address, va, va + len,
						     last ? &last->at : NULL);
}

struct shared_piece *piece_mapped(const struct mapping *m)
{
	struct shared_piece *p = m->shared ? *piece_bucket(m->inode) : NULL;

	while (p && (p->inode != m->inode || p->dev != m->dev))
		p = p->next;
	return p;
}
