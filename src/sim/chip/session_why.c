/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings about programs' queues (lab/why.h), and those of programs that ended with work. */
#include "session.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>
#include "chip.h"
#include "kernel/kernel.h"
#include "lab/why.h"
#include "obj/cq.h"
#include "obj/device.h"

#define WHY_ROWS_MOST (FINDINGS * (FINDING_ROWS + 1u) + SESSIONS_ENDED)

struct why_rows {
	const struct sessions *all;
	const struct chip_session *ended; /* its program has ended; NULL: of all programs */
	struct lab_finding *rows;
	unsigned int n;
	uint32_t of_kind[FINDINGS];
};

static int why_unread(void *ctx, const struct cq *cq)
{
	const struct why_rows *w = ctx;

	return kernel_cq_unread(chip_kernel(w->all->chip), cq->o.vhca, cq->o.id);
}

const struct chip_session *session_of(const struct sessions *s, const struct obj *o)
{
	const struct chip_session *c;

	for (c = s->open; o && o->uid && c; c = c->next)
		if (c->file && !c->guest && file_uid(c->file) == o->uid)
			return c;
	return NULL;
}

static void why_add(void *ctx, const struct obj *o, const struct lab_finding *f)
{
	struct why_rows *w = ctx;
	const struct chip_session *c = w->ended ? w->ended : session_of(w->all, o);
	struct lab_finding *row = &w->rows[w->n];

	if (w->of_kind[f->kind]++ >= FINDING_ROWS)
		return;
	*row = *f;
	row->ended = w->ended != NULL;
	if (c) {
		row->pid = (uint32_t)c->pid;
		memcpy(row->program, c->comm, sizeof(row->program));
	}
	w->n++;
}

/* Names the object and the program of a row that lab/ did not make. */
static void why_name(struct lab_finding *row, const struct chip_session *c, const char *object)
{
	for (size_t i = 0; object[i] && i < sizeof(row->object) - 1; i++)
		row->object[i] = (char)tolower((unsigned char)object[i]);
	row->pid = (uint32_t)c->pid;
	memcpy(row->program, c->comm, sizeof(row->program));
	snprintf(row->function, sizeof(row->function), "%s",
		 chip_device(c->chip)->vhca[c->function].name);
}

/* Appends what programs wait for that are in a call which destroys a queue. */
static void why_add_destroyed(struct why_rows *w)
{
	const struct chip_session *c;
	uint32_t number, events;
	const char *name;

	for (c = w->all->open; c; c = c->next) {
		struct lab_finding *row = &w->rows[w->n];

		name = c->file && !c->guest ? kernel_destroyed(c->file, &number, &events) : NULL;
		if (!name || w->of_kind[FINDING_ACKNOWLEDGE]++ >= FINDING_ROWS)
			continue;
		*row = (struct lab_finding){
			.kind = FINDING_ACKNOWLEDGE, .id = number, .at = events, .n = {events}};
		why_name(row, c, name);
		w->n++;
	}
}

/* Appends a row for each kind with more findings than rows. */
static void why_add_counts(struct why_rows *w)
{
	for (unsigned int kind = 0; kind < FINDINGS; kind++)
		if (w->of_kind[kind] > FINDING_ROWS)
			w->rows[w->n++] = (struct lab_finding){
				.kind = kind, .n = {w->of_kind[kind] - FINDING_ROWS}};
}

void session_why(struct chip_session *c)
{
	struct sessions *s = c->all;
	struct why_rows w = {.all = s, .rows = calloc(WHY_ROWS_MOST, sizeof(*w.rows))};
	const struct why_sink sink = {.found = why_add, .unread = why_unread, .ctx = &w};

	if (w.rows) {
		why_device(chip_device(s->chip), &sink);
		why_add_destroyed(&w);
		why_add_counts(&w);
		memcpy(w.rows + w.n, s->ended, s->nended * sizeof(*w.rows));
		w.n += s->nended;
	}
	session_reply(c, w.rows ? 0 : -ENOMEM, w.rows, w.n * sizeof(*w.rows), NULL, 0);
	free(w.rows);
}

static void why_add_ended(void *ctx, const struct obj *o, const struct lab_finding *f)
{
	const struct why_rows *w = ctx;

	if (finding_class_of(f->kind) == FINDING_WORK && w->n < SESSIONS_ENDED)
		why_add(ctx, o, f);
}

/* The oldest findings make room for those of the program that ends now. */
static void why_keep(struct sessions *s, const struct lab_finding *rows, unsigned int n)
{
	const unsigned int keep = SESSIONS_ENDED - n < s->nended ? SESSIONS_ENDED - n : s->nended;

	memmove(s->ended, s->ended + (s->nended - keep), keep * sizeof(*rows));
	memcpy(s->ended + keep, rows, n * sizeof(*rows));
	s->nended = keep + n;
}

void session_note_end(struct chip_session *c)
{
	struct lab_finding rows[SESSIONS_ENDED];
	struct why_rows w = {.all = c->all, .ended = c, .rows = rows};
	const struct why_sink sink = {
		.found = why_add_ended, .unread = why_unread, .ctx = &w, .uid = file_uid(c->file)};

	if (!sink.uid)
		return;
	why_device(chip_device(c->chip), &sink);
	why_keep(c->all, rows, w.n);
}

static void why_add_left(void *ctx, const char *name, uint32_t number)
{
	struct why_rows *w = ctx;
	struct lab_finding *row = &w->rows[w->n];

	if (w->n == SESSIONS_ENDED)
		return;
	*row = (struct lab_finding){.kind = FINDING_NOT_DESTROYED, .id = number, .ended = 1};
	why_name(row, w->ended, name);
	w->n++;
}

void session_note_left(struct chip_session *c)
{
	struct lab_finding rows[SESSIONS_ENDED];
	struct why_rows w = {.all = c->all, .ended = c, .rows = rows};

	kernel_each_object(c->file, why_add_left, &w);
	why_keep(c->all, rows, w.n);
}
