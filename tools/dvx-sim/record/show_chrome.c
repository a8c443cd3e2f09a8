/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvx-sim show --chrome: a recording as Chrome's trace JSON, for ui.perfetto.dev. Each queue of the
 * device and each thread of a program is a track; a request is a slice from its WQE to its CQE, or from
 * its post to its poll.
 */
#include "tools/dvx-sim/dvx-sim.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "recording.h"
#include "src/prm/reflect.h"
#include "tools/cli/json.h"

/* A request that has begun. */
struct chrome_open {
	uint64_t value; /* the WQE's index, or wr_id */
	uint64_t id;	/* of the slice */
	const char *name;
};
struct chrome_track {
	uint64_t key[2];
	char name[64];
	uint32_t pid, tid;
	struct chrome_open *open;
	size_t n, from; /* those that have not ended: from..n */
};
struct chrome {
	const struct recording *r;
	FILE *out;
	struct chrome_track *tracks;
	size_t n;
	uint64_t slices;
	bool begun, failed;
};

/* Writes an event, and frees it. */
static void chrome_write(struct chrome *c, json_t *event)
{
	fputs(c->begun ? ",\n" : "\n", c->out);
	c->begun = true;
	c->failed |= !event || json_dumpf(event, c->out, JSON_COMPACT | JSON_ENSURE_ASCII);
	json_decref(event);
}

static void chrome_name(struct chrome *c, const char *what, uint32_t pid, uint32_t tid,
			const char *name)
{
	chrome_write(c, json_pack("{s:s, s:s, s:I, s:I, s:{s:o}}", "ph", "M", "name", what, "pid",
				  (json_int_t)pid, "tid", (json_int_t)tid, "args", "name",
				  json_text(name, strlen(name))));
}

/* Returns the track of a key, which it makes; its first event names it. NULL: out of memory. */
static struct chrome_track *chrome_track(struct chrome *c, uint32_t pid, uint64_t kind,
					 uint64_t number, const char *name)
{
	const uint64_t key[2] = {(uint64_t)pid << 32 | kind, number};
	struct chrome_track *t;

	for (t = c->tracks; t < c->tracks + c->n; t++)
		if (!memcmp(t->key, key, sizeof(key)))
			return t;
	t = realloc(c->tracks, (c->n + 1) * sizeof(*t));
	c->failed |= !t;
	if (!t)
		return NULL;
	c->tracks = t;
	t += c->n++;
	*t = (struct chrome_track){.key = {key[0], key[1]}, .pid = pid, .tid = (uint32_t)c->n};
	snprintf(t->name, sizeof(t->name), "%s", name);
	chrome_name(c, "thread_name", pid, t->tid, name);
	return t;
}

static struct chrome_track *chrome_queue(struct chrome *c, uint32_t pid, unsigned int vhca,
					 unsigned int ring, uint32_t number)
{
	char name[64];

	snprintf(name, sizeof(name), "%s 0x%x %s", recorded_queue(ring), number,
		 recorded_ring(ring));
	return chrome_track(c, pid, 16 + ring, (uint64_t)vhca << 32 | number, name);
}

/* Returns the track on which an event is drawn. */
static struct chrome_track *chrome_track_of(struct chrome *c, const struct record_head *h)
{
	const struct record_wqe *w = record_body(h);
	const struct record_cqe *q = record_body(h);
	const struct record_retry *y = record_body(h);
	char name[64];

	switch (h->kind) {
	case RECORD_WQE:
		return chrome_queue(c, h->pid, w->vhca, w->ring, w->queue);
	case RECORD_RETRY:
		return chrome_queue(c, h->pid, y->vhca, RECORD_SQ, y->queue);
	case RECORD_CQE:
		snprintf(name, sizeof(name), "cq 0x%x", q->cq);
		return chrome_track(c, h->pid, h->kind, (uint64_t)q->vhca << 32 | q->cq, name);
	case RECORD_DOORBELL:
		return chrome_track(c, h->pid, h->kind, 0, "doorbells");
	case RECORD_EQE:
		return chrome_track(c, h->pid, h->kind, 0, "events");
	case RECORD_COMMAND:
		if (((const struct record_command *)record_body(h))->vhca != RECORD_NO_VHCA)
			return chrome_track(c, h->pid, h->kind, 0, "commands");
		/* fall through */
	default:
		snprintf(name, sizeof(name), "thread %u", h->tid);
		return chrome_track(c, h->pid, 0, h->tid, name);
	}
}

static const char *chrome_title(const struct record_head *h)
{
	const struct record_wqe *w = record_body(h);
	const struct record_command *cmd = record_body(h);

	if (h->kind == RECORD_COMMAND)
		return prm_opcode_name(cmd->opcode);
	if (h->kind == RECORD_WQE && !strcmp(w->layout, "wqe_ctrl_seg") && w->kept >= 4)
		return prm_wqe_opcode_name(((const uint8_t *)(w + 1))[3]);
	if (h->kind == RECORD_WQE)
		return w->layout;
	if (h->kind == RECORD_CQE)
		return prm_cqe_opcode_name(((const struct record_cqe *)record_body(h))->bytes[63] >>
					   4);
	if (h->kind == RECORD_EQE)
		return prm_event_name(((const struct record_eqe *)record_body(h))->bytes[1]);
	if (h->kind == RECORD_POST)
		return recorded_opcode(record_body(h));
	return recorded_kind(h);
}

static json_t *chrome_event(const struct chrome *c, const struct record_head *h, const char *ph,
			    const char *name, uint32_t tid)
{
	return json_pack("{s:s, s:o, s:s, s:f, s:I, s:I}", "ph", ph, "name",
			 json_text(name, strlen(name)), "cat", recorded_kind(h), "ts",
			 (double)(h->ns - c->r->reader.file->began) / 1e3, "pid",
			 (json_int_t)h->pid, "tid", (json_int_t)tid);
}

/* Writes the name of an event: of a call, its first word. */
static void chrome_point_title(const struct record_head *h, char *title, size_t size)
{
	const char *call = (const char *)((const struct record_call *)record_body(h) + 1);

	if (h->kind == RECORD_CALL)
		snprintf(title, size, "%.*s", (int)strcspn(call, " "), call);
	else
		snprintf(title, size, "%s", chrome_title(h));
}

static void chrome_point(struct chrome *c, const struct record_head *h,
			 const struct chrome_track *t)
{
	static char text[RECORDED_TEXT];
	char title[64];
	json_t *j, *args = json_object();

	chrome_point_title(h, title, sizeof(title));
	j = chrome_event(c, h, h->took ? "X" : "i", title, t->tid);
	if (h->took)
		json_object_set_new(j, "dur", json_real(h->took / 1e3));
	else
		json_object_set_new(j, "s", json_string("t"));
	recorded_text(h, false, text, sizeof(text));
	json_object_set_new(args, "text", json_text(text, strlen(text)));
	if (recorded_text(h, true, text, sizeof(text)))
		json_object_set_new(args, "reply", json_text(text, strlen(text)));
	json_object_set_new(j, "args", args);
	chrome_write(c, j);
}

/* --- slices of requests ------------------------------------------------------------------------ */

static void chrome_slice(struct chrome *c, const struct record_head *h, const char *ph,
			 const struct chrome_track *t, const struct chrome_open *o)
{
	json_t *j = chrome_event(c, h, ph, o->name, t->tid);

	json_object_set_new(j, "id", json_integer((json_int_t)o->id));
	json_object_set_new(j, "cat", json_string(t->name));
	chrome_write(c, j);
}

static void chrome_open(struct chrome *c, const struct record_head *h, struct chrome_track *t,
			uint64_t value, const char *name)
{
	struct chrome_open *more = t->open;

	if (t->n > t->from && t->open[t->n - 1].value == value && h->kind == RECORD_WQE)
		return; /* fetched again */
	if (!(t->n & (t->n - 1)))
		more = realloc(t->open, (t->n ? 2 * t->n : 1) * sizeof(*more));
	c->failed |= !more;
	if (!more)
		return;
	t->open = more;
	more[t->n] = (struct chrome_open){value, ++c->slices, name};
	chrome_slice(c, h, "b", t, &more[t->n++]);
}

/* Ends all requests up to the one of this value. Returns false if there is none. */
static bool chrome_close(struct chrome *c, const struct record_head *h, struct chrome_track *t,
			 uint64_t value)
{
	size_t at = t->from;

	while (at < t->n && t->open[at].value != value)
		at++;
	if (at == t->n)
		return false;
	for (; t->from <= at; t->from++)
		chrome_slice(c, h, "e", t, &t->open[t->from]);
	return true;
}

static void chrome_close_cqe(struct chrome *c, const struct record_head *h)
{
	const struct record_cqe *q = record_body(h);
	const struct prm_struct *s = prm_find_struct("cqe64");
	const unsigned int opcode = q->bytes[63] >> 4;
	uint64_t qpn = 0, index = 0;
	struct chrome_track *t;

	if (opcode != PRM_CQE_OPCODE_REQ && opcode != PRM_CQE_OPCODE_REQ_ERR)
		return;
	prm_field_get(s, q->bytes, sizeof(q->bytes), "qpn", &qpn);
	prm_field_get(s, q->bytes, sizeof(q->bytes), "wqe_counter", &index);
	t = chrome_queue(c, h->pid, q->vhca, RECORD_SQ, (uint32_t)qpn);
	if (t)
		chrome_close(c, h, t, index);
}

/* A failed completion has no opcode: it is a send's if one has its wr_id. */
static void chrome_close_polled(struct chrome *c, const struct record_head *h)
{
	const struct record_completion *p = record_body(h);
	struct chrome_track *t;

	for (unsigned int ring = RECORD_SQ; ring <= RECORD_RQ; ring++) {
		if (!p->status && (ring == RECORD_RQ) != record_is_receive(p->opcode))
			continue;
		t = chrome_queue(c, h->pid, 0, ring, p->qp);
		if (t && chrome_close(c, h, t, p->wr_id))
			break;
	}
}

static void chrome_request(struct chrome *c, const struct record_head *h)
{
	const struct record_wqe *w = record_body(h);
	const struct record_post *p = record_body(h);
	struct chrome_track *t;

	if (h->kind == RECORD_CQE)
		chrome_close_cqe(c, h);
	else if (h->kind == RECORD_COMPLETION)
		chrome_close_polled(c, h);
	else if (h->kind == RECORD_WQE && !strcmp(w->layout, "wqe_ctrl_seg")) {
		t = chrome_queue(c, h->pid, w->vhca, w->ring, w->queue);
		if (t)
			chrome_open(c, h, t, w->index & 0xffff, chrome_title(h));
	} else if (h->kind == RECORD_POST && !p->err && p->ring != RECORD_SRQ) {
		t = chrome_queue(c, h->pid, 0, p->ring, p->queue);
		if (t)
			chrome_open(c, h, t, p->wr_id, chrome_title(h));
	}
}

static void chrome_all(struct chrome *c)
{
	const struct recording *r = c->r;
	const struct chrome_track *t;
	char who[300];

	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", c->out);
	for (size_t i = 0; i < r->nprocesses; i++) {
		recording_who(r, r->processes[i], who, sizeof(who));
		chrome_name(c, "process_name", r->processes[i]->pid, 0, who);
	}
	for (size_t i = 0; i < r->n && !c->failed; i++) {
		t = chrome_track_of(c, r->events[i]);
		if (t)
			chrome_point(c, r->events[i], t);
		chrome_request(c, r->events[i]);
	}
	fputs("\n]}\n", c->out);
	c->failed |= ferror(c->out);
}

bool show_chrome(const struct recording *r, const char *path)
{
	struct chrome c = {.r = r, .out = fopen(path, "we")};

	if (c.out)
		chrome_all(&c);
	if (!c.out || fclose(c.out) || c.failed) {
		message_print("can't write %s: %s", path, strerror(errno));
		c.failed = true;
	}
	for (size_t i = 0; i < c.n; i++)
		free(c.tracks[i].open);
	free(c.tracks);
	return !c.failed;
}
