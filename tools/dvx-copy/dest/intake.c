/* SPDX-License-Identifier: BSD-2-Clause */
#include "intake.h"

#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "dest.h"

int intake_open(struct intake *in, uint32_t slots, uint32_t slot_bytes, const struct ticket *t,
		struct copy_fault *f)
{
	in->slots = calloc(slots, sizeof(*in->slots));
	in->queue = calloc(slots, sizeof(*in->queue));
	if (!in->slots || !in->queue)
		return copy_no_memory(f);
	if (pool_make(&in->pool, slots, slot_bytes, f))
		return -1;
	return engine_make(in->engine, &in->pool, t, f);
}

void intake_stop(struct intake *in)
{
	engine_free(in->engine);
	in->engine = NULL;
}

void intake_close(struct intake *in)
{
	intake_stop(in);
	for (uint32_t i = 0; in->slots && i < in->pool.slots; i++)
		free(in->slots[i].pieces);
	pool_free(&in->pool);
	free(in->slots);
	free(in->queue);
}

struct intake_slot *intake_expect(struct intake *in, const struct copy_msg *m, struct copy_fault *f)
{
	struct intake_slot *slot;

	if (m->slot >= in->pool.slots || in->slots[m->slot].busy) {
		copy_fail(f, COPY_PROTOCOL, "the sender filled slot %u, which it did not have",
			  m->slot);
		return NULL;
	}
	if (m->len > in->pool.slot_bytes) {
		copy_fail(f, COPY_PROTOCOL, "the sender sent more than its slot holds");
		return NULL;
	}
	slot = &in->slots[m->slot];
	slot->len = m->len;
	slot->crc = m->crc;
	slot->posted = slot->done = slot->n = 0;
	free(slot->pieces);
	slot->pieces = calloc(m->text.n / MSG_PIECE_BYTES, sizeof(*slot->pieces));
	if (!slot->pieces) {
		copy_no_memory(f);
		return NULL;
	}
	return slot;
}

void intake_queue(struct intake *in, struct intake_slot *slot)
{
	uint32_t number = (uint32_t)(slot - in->slots);

	slot->busy = true;
	in->queue[(in->queue_from + in->queue_n++) % in->pool.slots] = number;
}

/* Posts copies. A slot that is longer than engine_max() takes several. */
int intake_post(struct intake *in, struct copy_fault *f)
{
	int posted = 0, ok = 1;

	while (in->queue_n) {
		uint32_t number = in->queue[in->queue_from];
		struct intake_slot *slot = &in->slots[number];
		uint32_t n = slot->len - slot->posted;

		if (n > engine_max(in->engine))
			n = engine_max(in->engine);
		ok = engine_post(in->engine, number,
				 (size_t)number * in->pool.slot_bytes + slot->posted, n, f);
		if (ok != 1)
			break;
		posted++;
		slot->posted += n;
		if (slot->posted == slot->len) {
			in->queue_from = (in->queue_from + 1) % in->pool.slots;
			in->queue_n--;
		}
	}
	if (posted)
		engine_ring(in->engine);
	in->in_flight += (uint32_t)posted;
	in->counts->copies += (uint32_t)posted;
	return ok < 0 ? -1 : posted;
}

/* Finds a completed slot. All copies of a slot but the last have engine_max() bytes. */
int intake_reap(struct intake *in, uint32_t *number, struct copy_fault *device)
{
	struct intake_slot *slot;
	uint32_t left, max;
	int got;

	do {
		got = engine_poll(in->engine, number, device);
		if (got != 1)
			return got;
		slot = &in->slots[*number];
		left = slot->len - slot->done;
		max = engine_max(in->engine);
		slot->done += left < max ? left : max;
		in->in_flight--;
	} while (slot->done != slot->len);
	return 1;
}

int intake_check(const struct intake *in, uint32_t number, struct copy_fault *f)
{
	const struct intake_slot *slot = &in->slots[number];
	const struct intake_piece *first = &slot->pieces[0], *last = &slot->pieces[slot->n - 1];
	uint32_t crc = slot_crc(pool_slot(&in->pool, number), slot->len, in->counts);
	const char *name = first->file->name;

	if (crc == slot->crc)
		return 0;
	if (first->file != last->file)
		return copy_fail(
			f, COPY_INTEGRITY,
			"%u pieces, of %s and other files, arrived changed: CRC32C 0x%08x, "
			"sent as 0x%08x",
			slot->n, SHOWN(name), crc, slot->crc);
	return copy_fail(f, COPY_INTEGRITY,
			 "bytes %llu to %llu of %s arrived changed: CRC32C 0x%08x, sent as 0x%08x",
			 (unsigned long long)first->off,
			 (unsigned long long)(last->off + last->len - 1), SHOWN(name), crc,
			 slot->crc);
}
