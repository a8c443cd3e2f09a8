/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings of the device's rules (lab/check.h), each once for an object, with how often it came. */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "chip.h"
#include "kernel/cm/cm.h"
#include "lab/check.h"

#define CHECK_ROWS_MOST 1024u

struct session_checked {
	struct why_sink sink;
	struct sessions *all;
	struct lab_finding rows[CHECK_ROWS_MOST];
	unsigned int n;
	uint64_t more[FINDINGS]; /* findings without a row */
};

static bool checked_same(const struct lab_finding *a, const struct lab_finding *b)
{
	return a->kind == b->kind && a->id == b->id && !strcmp(a->object, b->object) &&
	       !strcmp(a->function, b->function);
}

/* The latest of the same kind and object are the likely ones. */
static struct lab_finding *checked_find(struct session_checked *d, const struct lab_finding *f)
{
	for (unsigned int i = d->n; i; i--)
		if (checked_same(&d->rows[i - 1], f))
			return &d->rows[i - 1];
	return NULL;
}

static void checked_found(void *ctx, const struct obj *o, const struct lab_finding *f)
{
	struct session_checked *d = ctx;
	struct lab_finding *row = checked_find(d, f);
	const struct chip_session *c;

	if (row) {
		row->at++;
		return;
	}
	if (d->n == CHECK_ROWS_MOST) {
		d->more[f->kind]++;
		return;
	}
	row = &d->rows[d->n++];
	*row = *f;
	row->at = 1;
	c = session_of(d->all, o);
	if (c) {
		row->pid = (uint32_t)c->pid;
		memcpy(row->program, c->comm, sizeof(row->program));
	}
}

static bool checked_by_cm(void *ctx, const struct vhca *v, uint32_t peer)
{
	const struct session_checked *d = ctx;

	return cm_connects(chip_cm(d->all->chip), v, peer);
}

static void session_check_start(struct chip_session *c)
{
	struct sessions *s = c->all;

	if (!s->checked)
		s->checked = calloc(1, sizeof(*s->checked));
	if (s->checked) {
		*s->checked = (struct session_checked){.all = s};
		s->checked->sink = (struct why_sink){
			.found = checked_found, .by_cm = checked_by_cm, .ctx = s->checked};
		check_start(chip_device(s->chip), &s->checked->sink);
	}
	session_reply(c, s->checked ? 0 : -ENOMEM, NULL, 0, NULL, 0);
}

static void session_check_read(struct chip_session *c)
{
	const struct session_checked *d = c->all->checked;
	struct lab_finding *rows = calloc(CHECK_ROWS_MOST + FINDINGS, sizeof(*rows));
	unsigned int n = d->n;

	if (rows)
		memcpy(rows, d->rows, n * sizeof(*rows));
	for (unsigned int kind = 0; rows && kind < FINDINGS; kind++)
		if (d->more[kind])
			rows[n++] = (struct lab_finding){.kind = kind, .n = {d->more[kind]}};
	session_reply(c, rows ? 0 : -ENOMEM, rows, n * sizeof(*rows), NULL, 0);
	free(rows);
}

void session_check(struct chip_session *c)
{
	if (c->in.m.h.len)
		session_check_start(c);
	else if (c->all->checked)
		session_check_read(c);
	else
		session_reply(c, -ENODATA, NULL, 0, NULL, 0);
}

void sessions_stop_check(struct sessions *s)
{
	if (s->checked)
		check_stop();
	free(s->checked);
	s->checked = NULL;
}
