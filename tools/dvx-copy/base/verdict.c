/* SPDX-License-Identifier: BSD-2-Clause */
#include "verdict.h"

#include <string.h>

static char verdict_way(uint32_t v, bool sending)
{
	if (v & VERDICT_HARD)
		return 'h';
	if (v & VERDICT_DATA)
		return sending ? '<' : '>';
	return v & VERDICT_MADE ? 'c' : '.';
}

void verdict_itemize(char to[ITEM_BYTES], uint32_t v, char kind, bool sending)
{
	static const struct {
		uint32_t bit;
		char letter;
	} columns[9] = {
		{VERDICT_SUM, 'c'},
		{VERDICT_SIZE, 's'},
		{VERDICT_TIME, 't'},
		{VERDICT_PERMS, 'p'},
		{VERDICT_OWNER, 'o'},
		{VERDICT_GROUP, 'g'},
		{0, 'u'},
		{VERDICT_ACL, 'a'},
		{VERDICT_XATTR, 'x'},
	};

	to[0] = verdict_way(v, sending);
	to[1] = kind;
	for (unsigned int i = 0; i < 9; i++)
		to[2 + i] = v & VERDICT_NEW ? '+' : v & columns[i].bit ? columns[i].letter : '.';
	to[11] = '\0';
}

void verdict_count_left(struct copy_counts *n, uint32_t verdict, uint64_t size)
{
	const bool newer = verdict & VERDICT_NEWER;

	*(newer ? &n->newer : &n->same) += 1;
	*(newer ? &n->newer_bytes : &n->same_bytes) += size;
}
