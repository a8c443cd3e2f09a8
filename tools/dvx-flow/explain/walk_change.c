/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes that entries make to the packet while it walks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "walk.h"

static bool walk_change_one(struct explain_walk *w, const struct dump_entry *e,
			    const struct packet_change *c)
{
	const char *why = NULL;
	int ret = packet_change(&w->now, c, &why);

	if (ret == -ENOMEM)
		w->err = ret;
	else if (ret)
		walk_lost(w, "the entry at 0x%llx %s: the packet is lost",
			  (unsigned long long)e->index << 6, why);
	return !ret;
}

/* Makes a list's changes. If the dump lacks it, or a rewrite is unknown, so is the packet. */
static bool walk_change_list(struct explain_walk *w, const struct dump_entry *e, int format)
{
	const struct dump_action *a = dump_rewrite_of(w->d, &w->d->rule[e->rule]);

	w->unknown = w->unknown || !a || !a->n;
	for (uint32_t i = 0; a && i < a->n; i++) {
		const struct dump_rewrite *r = &w->d->rewrite[a->first + i];
		struct packet_change c;

		if (r->prm)
			change_of_prm(&c, r->bytes);
		else
			change_of_entry(&c, r->bytes, format);
		if (c.kind == PACKET_UNKNOWN)
			w->unknown = true;
		else if (!walk_change_one(w, e, &c))
			return false;
	}
	return true;
}

/* Makes a change. A program's own list is preferred to what the library made of it. */
static bool walk_change_any(struct explain_walk *w, const struct dump_entry *e,
			    const struct packet_change *c)
{
	const struct dump_action *a =
		c->inlined ? dump_rewrite_of(w->d, &w->d->rule[e->rule]) : NULL;

	if (c->kind == PACKET_LIST || (a && a->n && w->d->rewrite[a->first].prm))
		return walk_change_list(w, e, w->d->domain[e->domain].format);
	if (c->kind != PACKET_UNKNOWN)
		return walk_change_one(w, e, c);
	w->unknown = true;
	return true;
}

/* Changes that are kept. */
#define CHANGES_MAX 4096u

static void walk_change_keep(struct explain_walk *w, const struct walk_change *new)
{
	struct walk_change *c = w->change;

	if (!w->keep || w->nchanges == CHANGES_MAX)
		return;
	if (!(w->nchanges & (w->nchanges - 1)))
		c = realloc(c, (w->nchanges ? 2ul * w->nchanges : 1) * sizeof(*c));
	if (!c) {
		w->err = -ENOMEM;
		return;
	}
	w->change = c;
	c[w->nchanges++] = *new;
}

static bool walk_change_next(const struct ste *s, unsigned int *i, int format,
			     struct packet_change *c)
{
	while (s->reader->change(s, (*i)++, format, c))
		if (c->kind != PACKET_NOTHING)
			return true;
	return false;
}

/* Makes all changes of the entry, of which c is the first. */
static bool walk_change_all(struct explain_walk *w, const struct dump_entry *e, const struct ste *s,
			    unsigned int i, struct packet_change *c)
{
	int format = w->d->domain[e->domain].format;
	struct walk_change kept = {.step = w->nsteps - 1, .before = w->now.f};
	bool on = true;

	do {
		kept.decap = kept.decap || c->kind == PACKET_REMOVE_TO;
		on = walk_change_any(w, e, c);
	} while (on && walk_change_next(s, &i, format, c));
	w->changed = true;
	if (memcmp(kept.before.value, w->now.f.value, sizeof(kept.before.value)))
		w->since = w->nsteps;
	kept.after = w->now.f;
	kept.unknown = w->unknown;
	if (on)
		walk_change_keep(w, &kept);
	return on && !w->err;
}

bool walk_act(struct explain_walk *w, const struct dump_entry *e, const struct ste *s)
{
	struct packet_change c;
	unsigned int i = 0;

	return !walk_change_next(s, &i, w->d->domain[e->domain].format, &c) ||
	       walk_change_all(w, e, s, i, &c);
}
