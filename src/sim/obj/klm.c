/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of indirect mkeys: KLM entries of any length, KSM entries of one size, interleaved entries.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/wqe.h>
#include "mkey.h"

struct klm_list *klm_list_new(uint32_t room)
{
	struct klm_list *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->room = room;
	l->klm = calloc(room + 1, sizeof(*l->klm));
	l->raw = calloc(room + 1, KLM_BYTES);
	if (l->klm && l->raw)
		return l;
	klm_list_free(l);
	return NULL;
}

void klm_list_free(struct klm_list *l)
{
	if (!l)
		return;
	free(l->klm);
	free(l->raw);
	free(l);
}

/* Returns the length of an entry; byte_count 0 is 2 GiB, as in data segments. */
static uint64_t klm_bytes(const uint8_t *entry)
{
	uint32_t n = prm_klm_get_byte_count(entry);

	return n ? n : 1ull << 31;
}

/*
 * A write of n entries to l from `first` on. klm_entry() returns entry i as it will be afterwards.
 */
struct klm_write {
	const struct klm_list *l;
	const uint8_t *entries;
	uint32_t first, n;
};

static const uint8_t *klm_entry(const struct klm_write *w, uint32_t i)
{
	return i >= w->first && i - w->first < w->n
		       ? w->entries + (size_t)(i - w->first) * KLM_BYTES
		       : w->l->raw + (size_t)i * KLM_BYTES;
}

/*
 * Returns true if an interleaved list fits: entry 0 has the number of entries in a cycle, which
 * stand behind it; n is the number of all.
 */
static bool klm_repeated_fits(const struct klm_write *w, uint32_t n)
{
	const uint8_t *head = klm_entry(w, 0);
	const uint32_t entries = prm_umr_repeat_block_seg_get_num_entries(head);
	uint64_t sum = 0;

	if (!entries || entries >= n)
		return false;
	for (uint32_t i = 1; i <= entries; i++)
		sum += prm_umr_repeat_entry_seg_get_byte_count(klm_entry(w, i));
	return sum && sum == prm_umr_repeat_block_seg_get_byte_count(head);
}

/* Reads entries in a row. Entries that pad the list to a multiple of 4 are behind its end. */
static void klm_list_read_plain(struct klm_list *l)
{
	uint64_t at = 0;

	l->cycle = 0;
	l->n = l->used;
	for (uint32_t i = 0; i < l->n; i++) {
		const uint8_t *entry = l->raw + (size_t)i * KLM_BYTES;
		uint64_t len = klm_bytes(entry);

		l->klm[i] = (struct klm){.at = at,
					 .len = len,
					 .addr = prm_klm_get_address(entry),
					 .key = prm_klm_get_mkey(entry)};
		at += len;
	}
}

static void klm_list_read_repeated(struct klm_list *l)
{
	uint64_t at = 0;

	l->n = prm_umr_repeat_block_seg_get_num_entries(l->raw);
	for (uint32_t i = 0; i < l->n; i++) {
		const uint8_t *entry = l->raw + (size_t)(i + 1) * KLM_BYTES;
		uint64_t len = prm_umr_repeat_entry_seg_get_byte_count(entry);

		l->klm[i] = (struct klm){.at = at,
					 .len = len,
					 .addr = prm_umr_repeat_entry_seg_get_address(entry),
					 .key = prm_umr_repeat_entry_seg_get_mkey(entry),
					 .stride = prm_umr_repeat_entry_seg_get_stride(entry)};
		at += len;
	}
	l->cycle = at;
	l->repeat = prm_umr_repeat_block_seg_get_repeat_count(l->raw);
}

int klm_list_write(struct klm_list *l, uint32_t first, const void *entries, uint32_t n)
{
	const struct klm_write w = {l, entries, first, n};
	const uint32_t used = first + n > l->used ? first + n : l->used;
	bool repeated;

	if (first > l->room || n > l->room - first)
		return -EINVAL;
	repeated = prm_klm_get_mkey(klm_entry(&w, 0)) == MKEY_REPEAT;
	if (repeated && !klm_repeated_fits(&w, used))
		return -EINVAL;
	memcpy(l->raw + (size_t)first * KLM_BYTES, entries, (size_t)n * KLM_BYTES);
	l->used = used;
	if (repeated)
		klm_list_read_repeated(l);
	else
		klm_list_read_plain(l);
	return 0;
}

/* Returns the last entry that begins at or before pos. */
static const struct klm *klm_search(const struct klm_list *l, uint64_t pos)
{
	uint32_t from = 0, end = l->n;

	while (end - from > 1) {
		uint32_t mid = from + (end - from) / 2;

		if (l->klm[mid].at <= pos)
			from = mid;
		else
			end = mid;
	}
	return l->n ? &l->klm[from] : NULL;
}

/*
 * Finds a byte in a list of equal entries. [I] Entry 0 begins at start_addr, even if that is not a
 * multiple of the entries' size.
 */
static bool klm_find_equal(const struct mkey *m, uint64_t pos, uint32_t *key, uint64_t *addr,
			   uint64_t *len)
{
	const uint64_t size = 1ull << m->log_entity, i = pos >> m->log_entity;

	if (i >= m->list->n)
		return false;
	*key = m->list->klm[i].key;
	*addr = m->list->klm[i].addr + (pos & (size - 1));
	*len = size - (pos & (size - 1));
	return true;
}

bool klm_find(const struct mkey *m, uint64_t pos, uint32_t *key, uint64_t *addr, uint64_t *len)
{
	const struct klm_list *l = m->list;
	uint64_t cycle = l->cycle ? pos / l->cycle : 0, skip;
	const struct klm *k;

	if (m->mode == PRM_MKC_ACCESS_MODE_KSM)
		return klm_find_equal(m, pos, key, addr, len);
	pos -= cycle * l->cycle;
	k = klm_search(l, pos);
	if (!k || pos - k->at >= k->len || (l->cycle && cycle >= l->repeat))
		return false;
	skip = pos - k->at;
	*key = k->key;
	*addr = k->addr + cycle * k->stride + skip;
	*len = k->len - skip;
	return true;
}
