/* SPDX-License-Identifier: BSD-2-Clause */
#include "wire_wait.h"

#define SPIN_NS 50000u
/*
 * Longer than a tick of Linux's scheduler (4 ms): a timer that fires before the tick has to be
 * programmed, which takes 15 to 35 us in a virtual machine, while the other chip waits for this
 * CPU.
 */
#define NAP_NS	 5000000u
#define SKIP_MAX 255u

static bool habit_tries(struct habit *h)
{
	if (h->skipped++ < h->skip)
		return false;
	h->skipped = 0;
	return true;
}

static void habit_ends(struct habit *h, bool paid)
{
	if (paid)
		h->skip = 0;
	else if (h->skip < SKIP_MAX)
		h->skip = (uint8_t)(2 * h->skip + 1);
}

static void wire_spin_ends(struct wire_wait *w, bool paid)
{
	if (w->what == WIRE_CAME || w->what == WIRE_LEFT)
		habit_ends(&w->spins[w->what], paid);
	w->what = WIRE_QUIET;
}

/* Begins a wait. If the other chip shares this CPU, nothing can come while this one spins. */
static void wire_wait_begin(struct wire_wait *w, uint64_t now, enum wire_waits what)
{
	w->since = now;
	if (habit_tries(&w->spins[what]))
		w->what = what;
	else if (what == WIRE_LEFT && habit_tries(&w->naps))
		w->what = WIRE_NAPS;
}

void wire_wait_turn(struct wire_wait *w, uint64_t now, bool rang, bool came, uint64_t sent)
{
	const bool left = sent != w->sent;

	w->sent = sent;
	/* A doorbell had to wait for the wire: the program does more than wait for answers. */
	if (w->slept)
		habit_ends(&w->naps, !rang);
	w->slept = false;
	if (!came && !left)
		return;
	wire_spin_ends(w, true);
	wire_wait_begin(w, now, came ? WIRE_CAME : WIRE_LEFT);
}

uint64_t wire_wait_ns(struct wire_wait *w, uint64_t now)
{
	if (w->what == WIRE_NAPS) {
		w->what = WIRE_QUIET;
		w->slept = true;
		return NAP_NS;
	}
	if (w->what == WIRE_QUIET)
		return WIRE_WAIT_NONE;
	if (now - w->since < SPIN_NS)
		return 0;
	wire_spin_ends(w, false);
	return WIRE_WAIT_NONE;
}
