/* SPDX-License-Identifier: BSD-2-Clause */
#include "verdict.h"

#include <sys/stat.h>

static char verdict_way(uint32_t v, bool sending)
{
	if (v & VERDICT_HARD)
		return 'h';
	if (v & VERDICT_DATA)
		return sending ? '<' : '>';
	return v & VERDICT_MADE ? 'c' : '.';
}

static char verdict_kind(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return 'f';
	case S_IFDIR:
		return 'd';
	case S_IFLNK:
		return 'L';
	default:
		return S_ISBLK(mode) || S_ISCHR(mode) ? 'D' : 'S';
	}
}

void verdict_itemize(char to[ITEM_BYTES], uint32_t v, uint32_t mode, bool sending)
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
	to[1] = verdict_kind(mode);
	for (unsigned int i = 0; i < 9; i++)
		to[2 + i] = v & VERDICT_NEW ? '+' : v & columns[i].bit ? columns[i].letter : '.';
	to[11] = '\0';
}

void verdict_count(struct copy_counts *n, uint32_t verdict, uint32_t mode, uint64_t size, bool dry)
{
	const bool newer = verdict & VERDICT_NEWER, made = verdict & VERDICT_MADE;

	if (dry && verdict & VERDICT_DATA) {
		n->files++;
		n->bytes += size;
	}
	n->dirs += made && S_ISDIR(mode);
	n->links += made && S_ISLNK(mode);
	n->specials += made && !S_ISDIR(mode) && !S_ISLNK(mode);
	if (!S_ISREG(mode) || verdict & (VERDICT_DATA | VERDICT_HARD | VERDICT_LEFT))
		return;
	*(newer ? &n->newer : &n->same) += 1;
	*(newer ? &n->newer_bytes : &n->same_bytes) += size;
}
