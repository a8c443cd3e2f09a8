/* SPDX-License-Identifier: BSD-2-Clause */
#include "receiver.h"
#include "base/proc.h"
#include "write.h"

#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "seen.h"

#define SPINS	 200 /* polls of the queue before sleeping: about the duration of a copy */
#define SLICE_MS 250

static struct copy_bytes receiver_text(const char *s)
{
	return (struct copy_bytes){(const uint8_t *)s, (uint32_t)strlen(s)};
}

/* --- opening and closing --- */

static int receiver_slot_done(void *arg, uint32_t number);

static int receiver_skip(void *arg, const char *path, const char *why)
{
	struct receiver *r = arg;
	struct copy_msg m = {
		.type = MSG_NOTICE, .name = receiver_text(path), .text = receiver_text(why)};

	if (!r->report)
		return link_queue(r->link, &m, r->f);
	report_skip(r->report, m.name, m.text);
	return 0;
}

static int receiver_gone(void *arg, const char *path)
{
	struct receiver *r = arg;
	struct copy_msg m = {.type = MSG_GONE, .name = receiver_text(path)};

	r->counts->gone++;
	if (!r->report)
		return link_queue(r->link, &m, r->f);
	report_gone(r->report, m.name);
	return 0;
}

static int receiver_alive(void *arg)
{
	struct receiver *r = arg;
	struct copy_msg m = {.type = MSG_ALIVE};

	return link_send(r->link, &m, r->f);
}

static int receiver_import(struct receiver *r, uint32_t slots, uint32_t slot_bytes,
			   const struct ticket *ticket)
{
	struct copy_fault device = {0};

	/* A sender that gave up, or died, has freed its memory: the device can't say that. */
	if (intake_open(&r->intake, slots, slot_bytes, ticket, &device))
		return link_ask_cause(r->link, &device, r->f);
	report_via(r->report, engine_says(r->intake.engine));
	return 0;
}

int receiver_open(struct receiver *r, uint32_t slots, uint32_t slot_bytes)
{
	struct copy_msg m = {
		.type = MSG_SETUP, .slots = slots, .slot_bytes = slot_bytes, .window = r->window};
	struct ticket offer, ticket;
	int ret;

	r->intake.counts = r->dest.counts = r->counts;
	r->dest.options = r->options;
	r->dest.skip = receiver_skip;
	r->dest.seen = r->plan.seen;
	r->dest.gone = receiver_gone;
	r->dest.slot_done = receiver_slot_done;
	r->dest.arg = r;
	r->dest.most = m.window + m.window / 2;
	r->dest.alive = (struct alive){.tell = receiver_alive, .arg = r};
	r->ring = calloc(MSG_WINDOW, sizeof(struct dest_file *));
	if (!r->ring)
		return copy_fail(r->f, COPY_IO, "out of memory");
	if (workers_make(&r->dest.workers, r->jobs, r->f) || proc_need(r->f) ||
	    engine_offer(&r->intake.engine, r->device, &offer, r->f))
		return -1;
	m.name = (struct copy_bytes){offer.bytes, (uint32_t)offer.n};
	if (link_send(r->link, &m, r->f) || link_expect(r->link, MSG_POOL, &m, r->f))
		return -1;
	if (m.slots > slots || m.slot_bytes > slot_bytes)
		return copy_fail(r->f, COPY_PROTOCOL, "%s made a larger pool than requested",
				 r->link->peer);
	memcpy(ticket.bytes, m.name.p, m.name.n);
	ticket.n = m.name.n;
	ret = receiver_import(r, m.slots, m.slot_bytes, &ticket);
	explicit_bzero(&ticket, sizeof(ticket));
	return ret;
}

/* The alias is destroyed before the sender destroys its mkey. */
void receiver_close(struct receiver *r)
{
	intake_stop(&r->intake); /* before the files are closed */
	/* What arrived of a large file is taken up by the next copy. */
	r->dest.keep = r->f->code == COPY_PEER ||
		       (r->f->code == COPY_INTERRUPTED && r->options.bits & OPTION_PARTIAL);
	dest_abort(&r->dest);
	workers_free(r->dest.workers);
	intake_close(&r->intake);
	free(r->ring);
}

/* --- verdicts --- */

static int flush_verdicts(struct receiver *r)
{
	struct copy_msg m = {.type = MSG_VERDICT, .text = {r->verdicts, 4 * r->n_verdicts}};

	if (!r->n_verdicts)
		return 0;
	r->n_verdicts = 0;
	return link_send(r->link, &m, r->f);
}

static int judge(struct receiver *r, const struct dest_found *found)
{
	uint32_t number = r->n_entries++;
	struct copy_msg from = {.type = MSG_FROM, .id = number, .off = found->from};

	if (found->from && link_queue(r->link, &from, r->f))
		return -1;
	msg_verdict_put(r->verdicts + 4 * r->n_verdicts++, found->verdict);
	if (r->ring[number % MSG_WINDOW])
		return copy_fail(r->f, COPY_PROTOCOL, "%s listed more than %u entries at once",
				 r->link->peer, MSG_WINDOW);
	r->ring[number % MSG_WINDOW] = found->file;
	return r->n_verdicts == MSG_VERDICTS ? flush_verdicts(r) : 0;
}

static char kind_of(const struct copy_msg *m)
{
	switch (m->type) {
	case MSG_DIR:
		return 'd';
	case MSG_FILE:
		return 'f';
	case MSG_LINK:
		return 'L';
	default:
		return S_ISBLK(m->mode) || S_ISCHR(m->mode) ? 'D' : 'S';
	}
}

/* dir is where the entry lies; a new directory is its own. */
static void show(struct receiver *r, const struct copy_msg *m, const struct dest_dir *dir,
		 const struct dest_found *found)
{
	char path[PATH_MAX], name[NAME_MAX + 1], target[PATH_MAX];

	if (!r->report || !report_wants_items(r->report))
		return;
	memcpy(name, m->name.p, m->name.n);
	name[m->name.n] = '\0';
	if (m->type == MSG_LINK)
		memcpy(target, m->text.p, m->text.n);
	target[m->type == MSG_LINK ? m->text.n : 0] = '\0';
	if (m->type == MSG_DIR)
		strcpy(path, dir->path);
	else
		dest_path(path, dir, m->name.n ? name : r->dest.top);
	report_item(r->report, found->verdict, kind_of(m), path,
		    m->type == MSG_LINK ? target : NULL);
}

/* --- what the sender says --- */

static int receiver_drain(struct receiver *r);

/* The sender has sent all of the source before; its last data may be on its way. */
static int end_source(struct receiver *r)
{
	if (r->top_waits) /* it could not be listed */
		seen_fail(&r->dest);
	else if (r->dest.now && (receiver_drain(r) || dest_finish(&r->dest, r->f)))
		return -1;
	r->top_waits = false;
	return 0;
}

/* The sums so far of the source that comes next. */
static int take_totals(struct receiver *r, const struct copy_msg *m)
{
	if (!r->report)
		return 0;
	if (!r->counting)
		report_source(r->report);
	r->counting = true;
	report_want(r->report, m->files, m->size);
	return 0;
}

static int take_top(struct receiver *r, const struct copy_msg *m)
{
	if (end_source(r))
		return -1;
	r->counting = false;
	memcpy(r->top_name, m->name.p, m->name.n);
	r->top_name[m->name.n] = '\0';
	r->top = *m;
	r->top.name.p = (const uint8_t *)r->top_name;
	/* A sender must not choose what is overwritten in DEST. */
	if (r->expect && strcmp(r->expect, r->top_name) != 0 &&
	    fnmatch(r->expect, r->top_name, FNM_PERIOD) != 0)
		return copy_fail(r->f, COPY_PROTOCOL, "%s sent \"%s\" instead of \"%s\"",
				 r->link->peer, QUOTED(r->top_name, strlen(r->top_name)),
				 QUOTED(r->expect, strlen(r->expect)));
	r->top_waits = true;
	return 0;
}

static int begin_source(struct receiver *r, const struct copy_msg *m)
{
	if (!r->top_waits)
		return 0;
	r->top_waits = false;
	return dest_begin(&r->dest, &r->plan, &r->top, m->type == MSG_DIR, r->f);
}

static int receiver_entry(struct receiver *r, const struct copy_msg *m)
{
	struct dest_found found = {0};
	struct dest *d = &r->dest;
	int bad = begin_source(r, m);

	if (bad)
		return -1;
	switch (m->type) {
	case MSG_DIR:
		bad = dest_add_dir(d, m, &found, r->f);
		break;
	case MSG_FILE:
		bad = dest_add_file(d, m, &found, r->f);
		break;
	case MSG_LINK:
		bad = dest_add_link(d, m, &found, r->f);
		break;
	default:
		bad = dest_add_special(d, m, &found, r->f);
		break;
	}
	if (bad)
		return -1;
	show(r, m, d->now, &found);
	return judge(r, &found);
}

/* Each file's pieces come in order, up to the last; then its place in the window is free. */
static int take_piece(struct receiver *r, const struct msg_piece *p, struct intake_slot *slot)
{
	struct dest_file **at = &r->ring[p->entry % MSG_WINDOW], *file = *at;

	if (!file || r->n_entries - p->entry > MSG_WINDOW || r->n_entries == p->entry)
		return copy_fail(r->f, COPY_PROTOCOL, "%s sent data outside of a file",
				 r->link->peer);
	if (p->flags > (PIECE_LAST | PIECE_BROKEN))
		return copy_fail(r->f, COPY_PROTOCOL, "%s sent a piece with unknown flags",
				 r->link->peer);
	if (dest_expect(file, p, r->f))
		return -1;
	if (p->len)
		slot->pieces[slot->n++] =
			(struct intake_piece){file, p->off, p->len, file->pieces - 1};
	if (!(p->flags & PIECE_LAST))
		return 0;
	*at = NULL;
	return dest_end_file(&r->dest, file, p->flags & PIECE_BROKEN, r->f);
}

static int take_pieces(struct receiver *r, const struct copy_msg *m, struct intake_slot *slot)
{
	uint64_t sum = 0;

	for (uint32_t at = 0; at < m->text.n; at += MSG_PIECE_BYTES) {
		struct msg_piece p;

		msg_piece_get(&p, m->text.p + at);
		sum += p.len;
		if (sum > m->len)
			break;
		if (take_piece(r, &p, slot))
			return -1;
	}
	return sum == m->len ? 0
			     : copy_fail(r->f, COPY_PROTOCOL, "%s miscounted the pieces of a slot",
					 r->link->peer);
}

static int take_data(struct receiver *r, const struct copy_msg *m)
{
	struct intake_slot none = {0}, *slot = &none;

	if (m->text.n % MSG_PIECE_BYTES)
		return copy_fail(r->f, COPY_PROTOCOL, "%s sent half a piece", r->link->peer);
	if (m->len && !(slot = intake_expect(&r->intake, m, r->f)))
		return -1;
	if (take_pieces(r, m, slot))
		return -1;
	if (m->len)
		intake_queue(&r->intake, slot);
	return 0;
}

static int take_done(struct receiver *r, const struct copy_msg *m)
{
	const struct copy_lost lost = {.acls = m->files, .xattrs = m->chunks, .hard = m->copies};

	if (r->report)
		report_lost(r->report, &lost);
	r->done = true;
	return 0;
}

static int receiver_obey(struct receiver *r, const struct copy_msg *m)
{
	switch (m->type) {
	case MSG_TOTALS:
		return take_totals(r, m);
	case MSG_TOP:
		return take_top(r, m);
	case MSG_OWNER:
		return dest_add_owner(&r->dest, m, r->f);
	case MSG_XATTR:
		return dest_add_xattr(&r->dest, m, r->f);
	case MSG_DIR:
	case MSG_FILE:
	case MSG_LINK:
	case MSG_SPECIAL:
		return receiver_entry(r, m);
	case MSG_KEEP:
		return dest_keep(&r->dest, m, r->f);
	case MSG_UP:
		return dest_up(&r->dest, m, r->f);
	case MSG_DATA:
		return take_data(r, m);
	case MSG_ALIVE:
		return 0;
	case MSG_NOTICE:
		if (r->report)
			report_skip(r->report, m->name, m->text);
		return 0;
	case MSG_DONE:
		return take_done(r, m);
	default:
		return copy_fail(r->f, COPY_PROTOCOL, "%s sent %s during a copy", r->link->peer,
				 msg_name(m->type));
	}
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

/* Whole files from here on that the workers write, of one directory: how many. */
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
	return write_give(&r->dest, number, run, n, r->f) ? 0 : n;
}

/* A file that the workers write must not be looked at until that is settled. */
static int finish_slot(struct receiver *r, uint32_t number)
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
		if (!n && dest_write(&r->dest, p->file, p->number, bytes, p->len, p->off, r->f))
			return -1;
		n += !n;
		for (uint32_t k = i; k < i + n; k++)
			bytes += slot->pieces[k].len;
	}
	return receiver_slot_done(r, number);
}

/* New copies are posted before the disk writes, so that both are busy. */
static int receiver_reap(struct receiver *r)
{
	struct copy_fault device = {0};
	uint32_t number;
	int reaped = 0, got;

	while ((got = intake_reap(&r->intake, &number, &device)) == 1) {
		reaped++;
		if (intake_post(&r->intake, r->f) < 0 || finish_slot(r, number))
			return -1;
	}
	return got < 0 ? link_ask_cause(r->link, &device, r->f) : reaped;
}

/* Takes one message if there is one. If there is none, the sender waits for verdicts. */
static int receiver_hear(struct receiver *r)
{
	struct copy_msg m;
	int got;

	if (r->done)
		return 0;
	got = link_take(r->link, &m, 0, r->f);
	if (got == 1)
		return receiver_obey(r, &m) ? -1 : 1;
	if (!got && flush_verdicts(r))
		return -1;
	return got;
}

static int receiver_work(struct receiver *r, bool listen)
{
	int heard = listen ? receiver_hear(r) : 0, posted, reaped, written;

	if (heard < 0)
		return -1;
	posted = intake_post(&r->intake, r->f);
	if (posted < 0)
		return -1;
	reaped = receiver_reap(r);
	written = reaped < 0 ? -1 : dest_reap(&r->dest, r->f);
	return written < 0 ? -1 : heard + posted + reaped + written;
}

static int out_of_patience(struct receiver *r)
{
	if (r->intake.in_flight)
		return copy_fail(r->f, COPY_DEVICE, "the device has not finished a copy for %d s",
				 r->link->patience_ms / 1000);
	return copy_fail(r->f, COPY_PEER, "%s has been silent for %d s", r->link->peer,
			 r->link->patience_ms / 1000);
}

static int receiver_stopped(struct receiver *r)
{
	if (r->stop && *r->stop)
		return copy_fail(r->f, COPY_INTERRUPTED, "interrupted; finished files stay");
	return 0;
}

/* Sleeps until the sender or the device has something. waited_ms counts the idle time. */
static int sleep_for_news(struct receiver *r, bool listen, int *waited_ms)
{
	struct pollfd w[] = {{.fd = listen && !r->done ? r->link->fd : -1, .events = POLLIN},
			     {.fd = engine_fd(r->intake.engine), .events = POLLIN},
			     {.fd = workers_fd(r->dest.workers), .events = POLLIN}};
	int n = poll(w, 3, SLICE_MS);

	if (n < 0 && errno != EINTR)
		return copy_fail(r->f, COPY_IO, "poll: %s", strerror(errno));
	*waited_ms = n > 0 ? 0 : *waited_ms + SLICE_MS;
	if (receiver_stopped(r))
		return -1;
	/* A disk takes its time. */
	if (r->dest.flying_files) {
		*waited_ms = 0;
		return alive_tick(&r->dest.alive);
	}
	return *waited_ms > r->link->patience_ms ? out_of_patience(r) : 0;
}

static bool receiver_busy(const struct receiver *r, bool listen)
{
	return (listen && !r->done) || r->intake.in_flight || r->intake.queue_n ||
	       r->dest.flying_files;
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
			if (receiver_stopped(r))
				return -1;
			continue;
		}
		if (r->intake.in_flight && ++idle < SPINS)
			continue;
		if (!armed) {
			/* Poll once more: a completion before the arming raises no event. */
			if (engine_arm(r->intake.engine, r->f))
				return -1;
			armed = true;
			continue;
		}
		if (sleep_for_news(r, listen, &waited_ms))
			return -1;
		armed = waited_ms != 0;
	}
	return 0;
}

static int receiver_drain(struct receiver *r)
{
	return receiver_loop(r, false);
}

int receiver_run(struct receiver *r)
{
	struct copy_counts before = *r->counts;
	struct copy_msg m = {.type = MSG_FINISHED};

	r->done = false;
	if (receiver_loop(r, true) || flush_verdicts(r) || end_source(r) ||
	    seen_delete(&r->dest, &r->plan, r->f))
		return -1;
	m.files = r->counts->files - before.files;
	m.chunks = r->counts->chunks - before.chunks;
	m.copies = r->counts->copies - before.copies;
	return link_send(r->link, &m, r->f);
}
