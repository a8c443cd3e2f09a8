/* SPDX-License-Identifier: BSD-2-Clause */
/* Receives slots, verifies and writes them; handle.c handles the sender's messages. */
#include "receiver.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"

#define SPINS	 200 /* polls of the queue before sleeping: about the duration of a copy */
#define SLICE_MS 250

/* --- opening and closing --- */

static int receiver_slot_done(void *arg, uint32_t number);

int receiver_import(struct receiver *r, const struct copy_msg *m)
{
	struct ticket ticket = {.n = m->name.n};
	struct copy_fault device = {0};
	int ret;

	if (r->intake.slots)
		return link_breach(r->link, r->f, "made a second pool");
	if (m->slots > r->slots || m->slot_bytes > r->slot_bytes)
		return link_breach(r->link, r->f, "made a larger pool than requested");
	memcpy(ticket.bytes, m->name.p, m->name.n);
	ret = intake_open(&r->intake, m->slots, m->slot_bytes, &ticket, &device);
	explicit_bzero(&ticket, sizeof(ticket));
	/* The device can't report that the sender gave up and freed its memory: ask the sender. */
	if (ret)
		return link_ask_cause(r->link, &device, r->f);
	report_via(r->report, engine_rc_reason(r->intake.engine));
	return 0;
}

static void receiver_open_dest(struct receiver *r, struct copy_role *role)
{
	r->dest = (struct dest){.role = role,
				.options = role->options,
				.counts = role->counts,
				.f = role->f,
				.seen = r->plan.seen,
				.slot_done = receiver_slot_done,
				.arg = r,
				.alive = role_alive(role)};
	/* Only root can change owners; other users keep their own ids, as with rsync. */
	if (geteuid())
		r->dest.options.bits &= ~(uint32_t)OPTION_OWNER;
}

int receiver_open(struct receiver *r, struct copy_role *role, const struct dest_plan *plan)
{
	struct copy_msg m = {.type = MSG_SETUP,
			     .slots = role->slots,
			     .slot_bytes = role->slot_bytes,
			     .window = role->window};
	struct ticket offer;

	*r = (struct receiver){.link = role->link,
			       .device = role->device,
			       .options = role->options,
			       .counts = role->counts,
			       .report = role->report,
			       .f = role->f,
			       .plan = *plan,
			       .slots = role->slots,
			       .slot_bytes = role->slot_bytes,
			       .intake.counts = role->counts,
			       .ring = calloc(MSG_WINDOW, sizeof(struct dest_file *))};
	receiver_open_dest(r, role);
	if (!r->ring)
		return copy_no_memory(r->f);
	if (proc_need(r->f) || engine_offer(&r->intake.engine, r->device, &offer, r->f))
		return -1;
	m.name = (struct copy_bytes){offer.bytes, (uint32_t)offer.n};
	return link_send(r->link, &m, r->f) || workers_make(&r->dest.workers, role->jobs, r->f) ? -1
												: 0;
}

/* Closes the engine before the sender destroys its mkey. */
void receiver_close(struct receiver *r)
{
	intake_stop(&r->intake); /* before the files are closed */
	/* The next copy continues parts after these failures. */
	r->dest.keep = r->f->code == COPY_PEER ||
		       (r->f->code == COPY_INTERRUPTED && r->options.bits & OPTION_PARTIAL);
	dest_abort(&r->dest);
	workers_free(r->dest.workers);
	intake_close(&r->intake);
	free(r->ring);
}

/* --- the engine --- */

static int receiver_slot_done(void *arg, uint32_t number)
{
	struct receiver *r = arg;
	struct copy_msg m = {.type = MSG_RETURN, .slot = number};

	if (--r->intake.slots[number].writing)
		return 0;
	r->intake.slots[number].busy = false;
	return link_send(r->link, &m, r->f);
}

/* Gives the workers the whole files from here on, all of one directory. Returns how many. */
static uint32_t receiver_give(struct receiver *r, uint32_t number, uint32_t from,
			      const uint8_t *bytes)
{
	struct intake_slot *slot = &r->intake.slots[number];
	struct write_piece run[WRITE_MOST];
	uint32_t n = 0;

	for (uint32_t i = from; i < slot->n && n < WRITE_MOST; i++) {
		const struct intake_piece *p = &slot->pieces[i];

		if (!write_is_whole(&r->dest, p->file, p->off, p->len) ||
		    p->file->dir != slot->pieces[from].file->dir)
			break;
		run[n++] = (struct write_piece){p->file, bytes};
		bytes += p->len;
	}
	if (!n)
		return 0;
	slot->writing++;
	return write_give(&r->dest, number, run, n) ? 0 : n;
}

/* Writes a slot that arrived. A file is the workers' until its job is settled. */
static int receiver_write_slot(struct receiver *r, uint32_t number)
{
	struct intake_slot *slot = &r->intake.slots[number];
	const uint8_t *bytes = pool_slot(&r->intake.pool, number);

	if (intake_check(&r->intake, number, r->f))
		return -1;
	r->counts->chunks++;
	slot->writing = 1;
	for (uint32_t i = 0, n; i < slot->n; i += n) {
		const struct intake_piece *p = &slot->pieces[i];

		n = receiver_give(r, number, i, bytes);
		if (r->f->code)
			return -1;
		if (!n && dest_write(&r->dest, p->file, bytes, p->len, p->off))
			return -1;
		n += !n;
		for (uint32_t k = i; k < i + n; k++)
			bytes += slot->pieces[k].len;
	}
	return receiver_slot_done(r, number);
}

/* Handles slots that have arrived. Posts new copies first, so that device and disk are busy. */
static int receiver_reap(struct receiver *r)
{
	struct copy_fault device = {0};
	uint32_t number;
	int reaped = 0, got;

	while ((got = intake_reap(&r->intake, &number, &device)) == 1) {
		reaped++;
		if (intake_post(&r->intake, r->f) < 0 || receiver_write_slot(r, number))
			return -1;
	}
	return got < 0 ? link_ask_cause(r->link, &device, r->f) : reaped;
}

/* Handles a message if there is one. If not, the sender may wait for verdicts: sends them. */
static int receiver_take_message(struct receiver *r)
{
	struct copy_msg m;
	int got;

	if (r->done)
		return 0;
	got = link_take(r->link, &m, 0, r->f);
	if (got == 1)
		return receiver_handle(r, &m) ? -1 : 1;
	if (!got && receiver_flush_verdicts(r))
		return -1;
	return got;
}

static int receiver_work(struct receiver *r, bool listen)
{
	bool full = dest_is_full(&r->dest); /* the disk is behind */
	int taken = listen && !full ? receiver_take_message(r) : 0, posted, reaped, written;

	if (taken < 0)
		return -1;
	posted = intake_post(&r->intake, r->f);
	if (posted < 0)
		return -1;
	reaped = full ? 0 : receiver_reap(r);
	written = reaped < 0 ? -1 : dest_reap(&r->dest);
	return written < 0 ? -1 : taken + posted + reaped + written;
}

static int receiver_give_up(struct receiver *r)
{
	if (r->intake.in_flight)
		return copy_fail(r->f, COPY_DEVICE, "the device has not finished a copy for %d s",
				 r->link->patience_ms / 1000);
	return copy_fail(r->f, COPY_PEER, "%s has been silent for %d s", r->link->peer,
			 r->link->patience_ms / 1000);
}

/* Sleeps until the sender, the device or a worker is ready. waited_ms counts the idle time. */
static int receiver_sleep(struct receiver *r, bool listen, int *waited_ms)
{
	bool full = dest_is_full(&r->dest);
	struct pollfd w[] = {
		{.fd = listen && !r->done && !full ? r->link->fd : -1, .events = POLLIN},
		{.fd = full || !r->intake.in_flight ? -1 : engine_fd(r->intake.engine),
		 .events = POLLIN},
		{.fd = workers_fd(r->dest.workers), .events = POLLIN}};
	int n = poll(w, 3, SLICE_MS);

	if (n < 0 && errno != EINTR)
		return copy_fail(r->f, COPY_IO, "poll: %s", strerror(errno));
	*waited_ms = n > 0 ? 0 : *waited_ms + SLICE_MS;
	if (link_stopped(r->link, r->f))
		return -1;
	/* A slow disk is no reason to give up. */
	if (workers_busy(r->dest.workers)) {
		*waited_ms = 0;
		return alive_tick(&r->dest.alive);
	}
	return *waited_ms > r->link->patience_ms ? receiver_give_up(r) : 0;
}

static bool receiver_busy(const struct receiver *r, bool listen)
{
	return (listen && !r->done) || r->intake.in_flight || r->intake.queue_n ||
	       workers_busy(r->dest.workers);
}

/* Works until DONE, or without listening until all announced data has arrived. */
static int receiver_loop(struct receiver *r, bool listen)
{
	int idle = 0, waited_ms = 0, did;
	bool armed = false;

	while (receiver_busy(r, listen)) {
		did = receiver_work(r, listen);
		if (did < 0)
			return -1;
		if (r->report)
			report_progress(r->report);
		if (did) {
			idle = waited_ms = 0;
			armed = false;
			if (link_stopped(r->link, r->f))
				return -1;
			continue;
		}
		if (r->intake.in_flight && ++idle < SPINS)
			continue;
		/* Arm only if a completion will come: it wakes the device. */
		if (!armed && r->intake.in_flight) {
			/* Then poll once more: a completion before the arming raises no event. */
			if (engine_arm(r->intake.engine, r->f))
				return -1;
			armed = true;
			continue;
		}
		if (receiver_sleep(r, listen, &waited_ms))
			return -1;
		armed = waited_ms != 0;
	}
	return 0;
}

int receiver_drain(struct receiver *r)
{
	return receiver_loop(r, false);
}

int receiver_run(struct receiver *r)
{
	struct copy_counts before = *r->counts;
	struct copy_msg m = {.type = MSG_FINISHED};

	r->done = false;
	if (receiver_loop(r, true) || receiver_flush_verdicts(r) || receiver_end_source(r) ||
	    seen_delete(&r->dest, &r->plan))
		return -1;
	m.files = r->counts->files - before.files;
	m.chunks = r->counts->chunks - before.chunks;
	m.copies = r->counts->copies - before.copies;
	return link_send(r->link, &m, r->f);
}
