/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters come in blocks of 128: a bulk begins one, and single counters share one. The
 * search for a free number goes round the whole number space before it reuses a number, so that a
 * stale number stays invalid as long as possible.
 */
#include <stdlib.h>
#include "counter.h"
#include "device.h"

#define BLOCK  COUNTER_BULK_MIN
#define TOTAL  (1u << VHCA_LOG_MAX_FLOW_COUNTER)
#define BLOCKS (TOTAL / BLOCK)

struct counters {
	struct counter *block[BLOCKS];
	uint8_t live[BLOCKS]; /* counters of the block in use */
	uint32_t next, total; /* total: size of the number space, up to TOTAL */
};

struct counter *counter_find(const struct vhca *v, uint32_t id)
{
	struct counter *b = v->counters && id < TOTAL ? v->counters->block[id / BLOCK] : NULL;

	return b && b[id % BLOCK].live ? &b[id % BLOCK] : NULL;
}

void counter_hit(struct vhca *v, uint32_t id, uint32_t bytes)
{
	struct counter *c = counter_find(v, id);

	if (!c)
		return;
	c->packets++;
	c->octets += bytes;
}

/*
 * Returns true if the number is in use. Number 0 is reserved, so block 0 is never free for a bulk.
 */
static bool taken(const struct counters *cs, uint32_t id)
{
	const struct counter *b = cs->block[id / BLOCK];

	return id == 0 || (b && b[id % BLOCK].live);
}

static uint32_t find_single(const struct counters *cs)
{
	uint32_t id = cs->next % cs->total;

	for (uint32_t looked = 0; looked < cs->total;) {
		uint32_t step = cs->live[id / BLOCK] == BLOCK ? BLOCK - id % BLOCK : 1;

		if (!taken(cs, id))
			return id;
		id = (id + step) % cs->total;
		looked += step;
	}
	return 0;
}

/*
 * Finds `blocks` empty blocks in a row. The number of the first one is a multiple of a power of two
 * that is at least `blocks`.
 */
static uint32_t find_bulk(const struct counters *cs, uint32_t blocks)
{
	const uint32_t step = blocks < 2 ? 1 : 1u << (32 - __builtin_clz(blocks - 1));
	uint32_t from = (cs->next / BLOCK + step - 1) / step * step, all = cs->total / BLOCK;

	for (uint32_t looked = 0; looked < all; looked += step) {
		uint32_t at = (from + looked) % all, n = 0;

		while (at && at + blocks <= all && n < blocks && !cs->live[at + n])
			n++;
		if (n == blocks)
			return at * BLOCK;
	}
	return 0;
}

static bool make_blocks(struct counters *cs, uint32_t id, uint32_t n)
{
	for (uint32_t i = id / BLOCK; i <= (id + n - 1) / BLOCK; i++) {
		if (!cs->block[i])
			cs->block[i] = calloc(BLOCK, sizeof(struct counter));
		if (!cs->block[i])
			return false;
	}
	return true;
}

static void drop_empty(struct counters *cs, uint32_t id, uint32_t n)
{
	for (uint32_t i = id / BLOCK; i <= (id + n - 1) / BLOCK; i++) {
		if (cs->live[i])
			continue;
		free(cs->block[i]);
		cs->block[i] = NULL;
	}
}

uint32_t counter_new(struct vhca *v, uint16_t uid, uint32_t pd, uint32_t n)
{
	struct counters *cs = v->counters;
	uint32_t id;

	if (!cs) {
		cs = v->counters = calloc(1, sizeof(*cs));
		if (cs)
			cs->total = 1u << v->dev->profile->log_max_flow_counter;
	}
	id = !cs ? 0 : n == 1 ? find_single(cs) : find_bulk(cs, (n + BLOCK - 1) / BLOCK);
	if (!id)
		return 0;
	if (!make_blocks(cs, id, n)) {
		drop_empty(cs, id, n);
		return 0;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct counter *c = &cs->block[(id + i) / BLOCK][(id + i) % BLOCK];

		*c = (struct counter){.n = i ? 0 : n, .pd = pd, .uid = uid, .live = true};
		cs->live[(id + i) / BLOCK]++;
	}
	cs->next = id + n;
	return id;
}

void counter_free(struct vhca *v, uint32_t id)
{
	struct counters *cs = v->counters;
	uint32_t n = counter_find(v, id)->n;

	for (uint32_t i = 0; i < n; i++) {
		cs->block[(id + i) / BLOCK][(id + i) % BLOCK].live = false;
		cs->live[(id + i) / BLOCK]--;
	}
	drop_empty(cs, id, n);
}

uint32_t counter_next(const struct vhca *v, uint16_t uid, uint32_t from)
{
	const struct counters *cs = v->counters;
	uint32_t id = from;

	while (cs && id < TOTAL) {
		const struct counter *b = cs->block[id / BLOCK], *c = b ? &b[id % BLOCK] : NULL;

		if (c && c->live && c->n && c->uid == uid)
			return id;
		id = b ? id + 1 : (id / BLOCK + 1) * BLOCK;
	}
	return 0;
}

uint32_t counter_users(const struct vhca *v, uint32_t id)
{
	uint32_t n = counter_find(v, id)->n, users = 0;

	for (uint32_t i = 0; i < n; i++)
		users += counter_find(v, id + i)->refs;
	return users;
}

void counters_fini(struct vhca *v)
{
	for (uint32_t i = 0; v->counters && i < BLOCKS; i++)
		free(v->counters->block[i]);
	free(v->counters);
	v->counters = NULL;
}
