/* SPDX-License-Identifier: BSD-2-Clause */
#include "fault.h"

#include "base/inject.h"
#include "obj/device.h"
#include "roce.h"

#define OVERTAKERS 4u /* most frames that overtake one */
#define ETH_LEN	   14u
/*
 * First byte of BTH to damage. FECN and BECN are before it; the ICRC does not cover them, as
 * switches change them.
 */
#define COVERED_FROM 5u
#define BTH_QPN	     5u /* the first of its bytes in BTH */

/* Returns a random number below `of`, by xorshift64*, which is small and good enough here. */
static uint32_t fault_random(struct fault *t, uint32_t of)
{
	t->random ^= t->random >> 12;
	t->random ^= t->random << 25;
	t->random ^= t->random >> 27;
	return (uint32_t)((t->random * 0x2545f4914f6cdd1dull >> 32) * of >> 32);
}

static bool fault_hits(struct fault *t, uint32_t rate)
{
	return rate && fault_random(t, FAULT_ONE) < rate;
}

static void fault_due(struct timer *timer)
{
	struct fault *t = (struct fault *)(void *)((char *)timer - offsetof(struct fault, timer));
	const uint64_t now = t->dev->clock->now(t->dev->clock);

	while (t->late.head && t->late.head->due <= now)
		t->out(t->ctx, loop_take(&t->late));
	if (t->late.head)
		timer_set(&t->dev->timers, timer, t->late.head->due);
}

void fault_init(struct fault *t, struct device *dev, void (*out)(void *, struct frame *), void *ctx)
{
	const struct fault_rates none = {.seed = 1};

	*t = (struct fault){.dev = dev, .out = out, .ctx = ctx, .timer.fire = fault_due};
	fault_set(t, &none);
	loop_init(&t->late);
}

void fault_fini(struct fault *t)
{
	timer_cancel(&t->dev->timers, &t->timer);
	frame_free(t->held);
	t->held = NULL;
	loop_fini(&t->late);
}

void fault_set(struct fault *t, const struct fault_rates *rates)
{
	t->rates = *rates;
	t->random = rates->seed * 0x9e3779b97f4a7c15ull | 1;
}

bool fault_active(const struct fault *t)
{
	const struct fault_rates *r = &t->rates;

	return inject_active(INJECT_PACKET) || r->drop || r->dup || r->reorder || r->corrupt || r->delay;
}

bool fault_room(const struct fault *t)
{
	return loop_room(&t->late);
}

/*
 * Damages a frame: a RoCE packet in the bytes that its ICRC covers, any other frame behind its
 * addresses.
 */
static void fault_damage(struct fault *t, struct frame *f)
{
	uint32_t from = ETH_LEN, to = f->len;
	struct roce_bytes r;

	if (roce_decode(f->data, f->len, &r)) {
		from = (uint32_t)(r.bth - f->data) + COVERED_FROM;
		to = (uint32_t)(r.bth - f->data) + r.len + ROCE_ICRC;
	}
	if (from >= to)
		return;
	f->data[from + fault_random(t, to - from)] ^= (uint8_t)(1u << fault_random(t, 8));
	f->icrc_good = false;
	t->counts.corrupted++;
}

/* Returns the place behind the frames that are due before: the last one, unless delays differ. */
static struct frame **fault_place(struct fault *t, uint64_t due)
{
	struct frame **at = &t->late.head;

	if (due >= t->last) {
		t->last = due;
		return t->late.tail;
	}
	while (*at && (*at)->due <= due)
		at = &(*at)->next;
	return at;
}

/* Delays a frame. If there is no memory for the timer, the frame is not delayed. */
static void fault_delay(struct fault *t, struct frame *f, uint64_t ns)
{
	const struct frame *first = t->late.head;

	f->due = t->dev->clock->now(t->dev->clock) + ns;
	if (timer_set(&t->dev->timers, &t->timer,
		      first && first->due < f->due ? first->due : f->due)) {
		t->out(t->ctx, f);
		return;
	}
	t->counts.delayed++;
	t->dev->drops.n[DROP_FULL] += loop_put_at(&t->late, fault_place(t, f->due), f);
}

static void fault_forward(struct fault *t, struct frame *f)
{
	if (t->rates.delay)
		fault_delay(t, f, t->rates.delay);
	else
		t->out(t->ctx, f);
}

void fault_release(struct fault *t)
{
	struct frame *f = t->held;

	t->held = NULL;
	t->counts.reordered += t->overtaken;
	fault_forward(t, f);
}

static void fault_overtake(struct fault *t, struct frame *f)
{
	fault_forward(t, f);
	if (!t->held)
		return;
	t->overtaken = true;
	if (!--t->held_for)
		fault_release(t);
}

static void fault_duplicate(struct fault *t, const struct frame *f)
{
	struct frame *copy = frame_copy(f);

	if (!copy)
		return;
	t->counts.doubled++;
	fault_overtake(t, copy);
}

static void fault_drop(struct fault *t, struct frame *f)
{
	t->counts.dropped++;
	frame_free(f);
}

/* Returns the number of the QP that a RoCE packet is for; 0: another frame. */
static uint32_t fault_qpn(const struct frame *f)
{
	struct roce_bytes r;

	if (!roce_decode(f->data, f->len, &r))
		return 0;
	return (uint32_t)r.bth[BTH_QPN] << 16 | (uint32_t)r.bth[BTH_QPN + 1] << 8 |
	       r.bth[BTH_QPN + 2];
}

/* Passes a frame that meets a requested fault. */
static void fault_inject(struct fault *t, struct frame *f, const struct inject_fault *due)
{
	if (due->action == INJECT_DROP) {
		fault_drop(t, f);
		return;
	}
	if (due->action == INJECT_DELAY) {
		fault_delay(t, f, due->ns);
		return;
	}
	if (due->action == INJECT_CORRUPT)
		fault_damage(t, f);
	else
		fault_duplicate(t, f);
	fault_overtake(t, f);
}

void fault_pass(struct fault *t, struct frame *f)
{
	const struct inject_fault *due =
		inject_active(INJECT_PACKET) ? inject_count(INJECT_PACKET, fault_qpn(f)) : NULL;

	if (due) {
		fault_inject(t, f, due);
		return;
	}
	if (fault_hits(t, t->rates.drop)) {
		fault_drop(t, f);
		return;
	}
	if (fault_hits(t, t->rates.corrupt))
		fault_damage(t, f);
	if (fault_hits(t, t->rates.dup))
		fault_duplicate(t, f);
	if (fault_hits(t, t->rates.reorder) && !t->held) {
		t->held = f;
		t->held_for = 1 + fault_random(t, OVERTAKERS);
		t->overtaken = false;
		return;
	}
	fault_overtake(t, f);
}
