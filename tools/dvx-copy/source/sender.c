/* SPDX-License-Identifier: BSD-2-Clause */
#include "sender.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alive.h"
#include "base/filter.h"
#include "base/digest.h"
#include "base/path.h"

int sender_skip(struct copy_sender *s, const struct walk_dir *dir, const char *name,
		const char *why)
{
	char path[PATH_MAX];

	return role_skip(s->role, path_join(path, dir ? dir->rel : "", name), why);
}

/* --- the pool --- */

static uint32_t sender_least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Makes a pool for this receiver only: its ticket must not give access to another one's bytes. */
int sender_need_pool(struct copy_sender *s)
{
	struct copy_msg m = {
		.type = MSG_POOL, .slots = s->pool.slots, .slot_bytes = s->pool.slot_bytes};
	struct ticket ticket;
	int ret;

	if (s->pool.mem)
		return 0;
	if (pool_make(&s->pool, m.slots, m.slot_bytes, s->f) ||
	    export_make(&s->export, s->device, &s->pool, &s->offer, &ticket, s->f))
		return -1;
	report_via(s->report, export_rc_reason(s->export));
	m.name = (struct copy_bytes){ticket.bytes, (uint32_t)ticket.n};
	ret = link_send(s->link, &m, s->f);
	explicit_bzero(&ticket, sizeof(ticket));
	return ret;
}

int sender_open(struct copy_sender *s, struct copy_role *role)
{
	struct copy_msg setup;

	*s = (struct copy_sender){.role = role,
				  .link = role->link,
				  .device = role->device,
				  .options = role->options,
				  .counts = role->counts,
				  .report = role->report,
				  .f = role->f,
				  .fd = -1,
				  .alive = role_alive(role)};
	bwlimit_begin(&s->limit, s->options.rate, clock_now_ns());
	if (proc_need(s->f) || link_expect(s->link, MSG_SETUP, &setup, s->f))
		return -1;
	s->window = sender_least(setup.window, role->window);
	s->pool.slots = sender_least(setup.slots, role->slots);
	s->pool.slot_bytes = sender_least(setup.slot_bytes, role->slot_bytes) & ~4095u;
	s->offer.n = setup.name.n;
	memcpy(s->offer.bytes, setup.name.p, setup.name.n);
	s->free_slots = calloc(s->pool.slots, sizeof(*s->free_slots));
	s->lent = calloc(s->pool.slots, sizeof(*s->lent));
	s->ring = calloc(MSG_WINDOW, sizeof(struct listed *));
	if (!s->free_slots || !s->lent || !s->ring)
		return copy_no_memory(s->f);
	for (uint32_t i = s->pool.slots; i; i--)
		s->free_slots[s->n_free++] = i - 1;
	return workers_make(&s->workers, role->jobs, s->f) ? -1 : 0;
}

void sender_close(struct copy_sender *s)
{
	if (s->walking)
		walk_stop(&s->walk);
	while (s->ring && s->n_sent != s->n_listed)
		sender_retire(s);
	if (s->fd >= 0)
		close(s->fd);
	idmap_free(&s->ids.hard);
	idmap_free(&s->ids.sent);
	export_free(s->export);
	pool_free(&s->pool);
	workers_free(s->workers);
	free(s->free_slots);
	free(s->lent);
	free(s->ring);
}

/* --- the receiver's messages --- */

void sender_retire(struct copy_sender *s)
{
	struct listed **at = &s->ring[s->n_sent++ % MSG_WINDOW], *e = *at;

	if (e->verdict & VERDICT_WANT) {
		s->wanted_files--;
		/* The estimate of bytes may have been too high. */
		if (!s->wanted_files)
			s->wanted_bytes = 0;
	}
	s->n_large -= listed_is_large(e);
	walk_release(e->dir);
	free(e->sums);
	free(e);
	*at = NULL;
}

static int take_return(struct copy_sender *s, const struct copy_msg *m)
{
	if (m->slot >= s->pool.slots || !s->lent[m->slot])
		return link_breach(s->link, s->f, "returned slot %u, which it had not", m->slot);
	s->lent[m->slot] = false;
	s->free_slots[s->n_free++] = m->slot;
	return 0;
}

static int take_verdict(struct copy_sender *s, struct listed *e, uint32_t verdict)
{
	e->verdict = verdict;
	verdict_count(s->counts, verdict, e->mode, e->size, s->options.bits & OPTION_DRY);
	s->counts->hard += !!(verdict & VERDICT_HARD);
	if (!(verdict & VERDICT_WANT))
		return 0;
	if (!S_ISREG(e->mode))
		return link_breach(s->link, s->f, "wants the data of what is no file");
	s->wanted_files++;
	s->wanted_bytes += e->size - e->from;
	return 0;
}

static int take_verdicts(struct copy_sender *s, const struct copy_msg *m)
{
	uint32_t n = m->text.n / 4;

	if (m->text.n % 4 || n > s->n_listed - s->n_judged)
		return link_breach(s->link, s->f, "judged more entries than were listed");
	for (uint32_t i = 0; i < n; i++) {
		struct listed *e = s->ring[s->n_judged % MSG_WINDOW];

		if (take_verdict(s, e, msg_verdict_get(m->text.p + 4 * i)))
			return -1;
		s->n_judged++;
		if (s->report)
			list_show(s, e);
	}
	return 0;
}

/* Takes the sums of a part that the receiver has of a file, among the entries without a verdict. */
static int take_from(struct copy_sender *s, const struct copy_msg *m)
{
	struct listed *e;

	if (m->id - s->n_judged >= s->n_listed - s->n_judged)
		return link_breach(s->link, s->f, "has part of a file that was not listed");
	e = s->ring[m->id % MSG_WINDOW];
	if (m->off > e->size || m->text.n != digest_blocks(m->off) * DIGEST_BYTES)
		return link_breach(s->link, s->f,
				   "has more of a file than there is, or more sums of it");
	free(e->sums);
	e->sums = malloc(m->text.n);
	if (!e->sums)
		return copy_no_memory(s->f);
	memcpy(e->sums, m->text.p, m->text.n);
	e->from = m->off;
	return 0;
}

static int take_finished(struct copy_sender *s, const struct copy_msg *m)
{
	s->finished = true;
	/* The receiver may have left out some that were sent. */
	s->counts->files = s->files_before + m->files;
	s->files_before = s->counts->files;
	s->counts->chunks += m->chunks;
	s->counts->copies += m->copies;
	return 0;
}

int sender_handle(struct copy_sender *s, const struct copy_msg *m)
{
	switch (m->type) {
	case MSG_RETURN:
		return take_return(s, m);
	case MSG_VERDICT:
		return take_verdicts(s, m);
	case MSG_ALIVE:
		return 0;
	case MSG_FROM:
		return take_from(s, m);
	case MSG_FINISHED:
		return take_finished(s, m);
	case MSG_NOTICE:
		if (s->report)
			report_skip(s->report, m->name, m->text);
		return 0;
	case MSG_GONE:
		s->counts->gone++;
		if (s->report)
			report_gone(s->report, m->name);
		return 0;
	default:
		return link_breach(s->link, s->f, "sent %s during a copy", msg_name(m->type));
	}
}

/* --- one source --- */

#define BUNCH 256u /* entries listed between two looks for messages */

/*
 * Entries of one directory share its descriptor, so not entries are counted, but the directories
 * that only they hold open, and the large files, of which the receiver opens parts.
 */
static bool sender_can_list(const struct copy_sender *s)
{
	const uint32_t of_walk = s->walk.depth + 1;

	return s->walking && s->n_listed - s->n_sent < MSG_WINDOW &&
	       s->walk.n_open - of_walk + s->n_large < s->window;
}

static int list_bunch(struct copy_sender *s)
{
	for (unsigned int i = 0; i < BUNCH && sender_can_list(s); i++)
		if (list_next(s))
			return -1;
	return link_flush(s->link, s->f);
}

static int sender_take_messages(struct copy_sender *s, bool wait)
{
	struct copy_msg m;
	int got;

	if (wait && (link_expect(s->link, MSG_TYPES, &m, s->f) || sender_handle(s, &m)))
		return -1;
	while ((got = link_take(s->link, &m, 0, s->f)) == 1)
		if (sender_handle(s, &m))
			return -1;
	return got;
}

/* Drops entries that need no data from the window's old end. */
static void retire_settled(struct copy_sender *s)
{
	while (s->n_sent != s->n_judged &&
	       !(s->ring[s->n_sent % MSG_WINDOW]->verdict & VERDICT_WANT))
		sender_retire(s);
}

/* --- --bwlimit --- */

/* Returns the milliseconds until data may be sent, 0 if it may be sent now. */
static int sender_pace(struct copy_sender *s)
{
	uint64_t ns = s->options.rate ? bwlimit_wait(&s->limit, clock_now_ns()) : 0;
	uint64_t ms = ns / 1000000 + (ns > 0);

	return ms < 1000 * ALIVE_SECONDS ? (int)ms : 1000 * ALIVE_SECONDS;
}

/* Waits for a message until data may be sent. The limit may be a few bytes a second. */
static int sender_wait(struct copy_sender *s)
{
	struct copy_msg m;
	int got = link_take(s->link, &m, sender_pace(s), s->f);

	if (got < 0 || (got == 1 && sender_handle(s, &m)))
		return -1;
	return alive_tick(&s->alive);
}

/*
 * Does one step. A full slot is sent at once, one that is not full when nothing more can be listed
 * or judged: small files travel in batches.
 */
static int sender_work(struct copy_sender *s)
{
	bool can_list, full;

	retire_settled(s);
	can_list = sender_can_list(s);
	full = s->wanted_bytes >= s->pool.slot_bytes || s->wanted_files >= MSG_PIECES / 2;
	if (s->n_free && s->wanted_files && (full || (!can_list && s->n_judged == s->n_listed)))
		return sender_pace(s) ? sender_wait(s) : pack_slot(s);
	if (can_list)
		return list_bunch(s);
	if (s->n_sent == s->n_listed)
		return 0;
	return sender_take_messages(s, true);
}

/* Reports the paths of -R or --files-from that the source does not have. */
static int sender_name_missing(struct copy_sender *s)
{
	struct only *only = s->options.filter ? s->options.filter->only : NULL;
	const char *path;
	size_t i = 0;

	while ((path = only_missing(only, &i)))
		if (sender_skip(s, NULL, path, "was not found in the source"))
			return -1;
	return 0;
}

int sender_send(struct copy_sender *s, const struct source_entry *e)
{
	struct copy_msg top = {
		.type = MSG_TOP, .flags = *e->name ? 0 : MSG_CONTENTS, .name = bytes_text(e->name)};
	bool into_dirs = s->options.bits & OPTION_RECURSE;

	if ((s->options.bits & OPTION_TOTALS && list_totals(s, e)) ||
	    walk_start(&s->walk, e->dir, e->entry, e->name, into_dirs, s->f))
		return -1;
	s->walking = true;
	s->walk.filter = s->options.filter;
	s->walk.one_fs = s->options.bits & OPTION_ONE_FS;
	if (link_queue(s->link, &top, s->f))
		return -1;
	while (s->walking || s->n_sent != s->n_listed) {
		if (link_stopped(s->link, s->f) || sender_take_messages(s, false) || sender_work(s))
			return -1;
		if (s->report)
			report_progress(s->report);
	}
	return sender_name_missing(s);
}

/* Returns the reason without the path, which the notice has already. */
static const char *sender_reason(const struct copy_fault *f, const char *path)
{
	const char *shown = SHOWN(path);
	const size_t n = strlen(shown);

	return !strncmp(f->text, shown, n) && !strncmp(f->text + n, ": ", 2) ? f->text + n + 2
									     : f->text;
}

int sender_lose(struct copy_sender *s, const char *path, bool others)
{
	const struct copy_msg top = {.type = MSG_TOP, .flags = MSG_LOST};
	const struct copy_fault why = *s->f;

	if (!others || (why.code != COPY_IO && why.code != COPY_REFUSED))
		return -1;
	*s->f = (struct copy_fault){0};
	return link_queue(s->link, &top, s->f) ||
			       sender_skip(s, NULL, path, sender_reason(&why, path))
		       ? -1
		       : 0;
}

int sender_done(struct copy_sender *s, bool wait)
{
	struct copy_msg m = {.type = MSG_DONE,
			     .files = s->lost.acls,
			     .chunks = s->lost.xattrs,
			     .copies = s->lost.hard};

	if (s->report)
		report_lost(s->report, &s->lost);
	s->lost = (struct copy_lost){0};
	s->finished = false;
	if (link_send(s->link, &m, s->f))
		return -1;
	/* Take nothing behind FINISHED: it may be the next request. */
	while (wait && !s->finished)
		if (link_expect(s->link, MSG_TYPES, &m, s->f) || sender_handle(s, &m))
			return -1;
	return 0;
}
