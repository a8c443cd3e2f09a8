/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules in effect and their file, which change together. */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "dvx-flow.h"
#include "holder_priv.h"
#include "track/track.h"

/* --- parsing ----------------------------------------------------------------------------------- */

static int no_queue(const struct rule *r, unsigned int n, struct flow_fault *f)
{
	uint32_t queue = rule_last_queue(r);

	flow_fault_set(f, EXIT_RULES,
		       "no queue %u, the daemon has %u (0 to %u); start it with --queues %u", queue,
		       n, n - 1, queue + 1);
	return flow_fault_at(f, r, r->queue_at);
}

int holder_check_queues(const struct holder *h, const struct ruleset *set, struct flow_fault *f)
{
	unsigned int n = pump_queues(h->base.pump);

	for (size_t i = 0; i < set->n; i++)
		if (rule_has_queue(&set->rule[i]) && rule_last_queue(&set->rule[i]) >= n)
			return no_queue(&set->rule[i], n, f);
	return 0;
}

void holder_first_mistake(void *arg, const struct mistake *m)
{
	struct flow_fault *f = arg;

	if (f->code)
		return;
	flow_fault_set(f, EXIT_RULES, "%s", m->text);
	f->line = m->line;
	f->column = m->column;
}

struct holder_parsing {
	const char *text;
	size_t len;
	struct ruleset *set;
	struct flow_fault *fault;
	int ret;
};

static void holder_run_parser(void *arg)
{
	struct holder_parsing *p = arg;

	p->ret = rules_parse(p->text, p->len, p->set, holder_first_mistake, p->fault);
}

int holder_parse(const struct holder *h, const char *text, size_t len, struct ruleset *set,
		 struct flow_fault *f)
{
	struct holder_parsing p = {text, len, set, f, 0};
	int ret;

	pause_for(&h->base.pause, holder_run_parser, &p);
	if (p.ret < 0)
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(-p.ret));
	if (p.ret)
		return -1;
	ret = holder_check_queues(h, set, f);
	if (ret)
		ruleset_free(set);
	return ret;
}

const struct ruleset *holder_rules(const struct holder *h)
{
	static const struct ruleset none;

	return h->now ? generation_rules(h->now) : &none;
}

char *holder_copy(const char *text, size_t *len)
{
	size_t mark = rules_mark(text, *len);
	char *copy = malloc(*len - mark + 1);

	if (!copy)
		return NULL;
	*len -= mark;
	memcpy(copy, text + mark, *len);
	copy[*len] = 0;
	return copy;
}

/* --- new tables --------------------------------------------------------------------------------- */

struct holder_work {
	const struct holder *h;
	built_fn built;
	void *arg;
};

static int holder_built(void *arg, size_t done, size_t of)
{
	const struct holder_work *w = arg;

	pause_now(&w->h->base.pause);
	return w->built ? w->built(w->arg, done, of) : 0;
}

static int holder_build(struct holder *h, struct holder_change *c, struct generation **gen,
			struct flow_fault *f)
{
	struct holder_work work = {h, c->built, c->arg};

	return generation_build(&h->base, c->set, h->now, c->from, holder_built, &work, gen, f);
}

static int commit_fault(const struct holder *h, int err, struct flow_fault *f)
{
	return flow_fault_set(f, EXIT_INPUT, "%s: %s; the rules are as they were", h->state,
			      strerror(-err));
}

/* Changes the device and the file together, the file last. */
static int holder_exchange(struct holder *h, struct generation *gen, const char *text, size_t len,
			   struct flow_fault *f)
{
	struct state_tail tail;
	int err = state_prepare(h->state, text, len, &tail);

	if (err)
		return commit_fault(h, err, f);
	if (generation_switch(gen, h->now, f)) {
		state_abandon(h->state);
		return -1;
	}
	err = state_commit(h->state);
	if (!err) {
		h->tail = tail;
		return 0;
	}
	state_abandon(h->state);
	if (!h->now)
		generation_leave(gen);
	else if (generation_switch(h->now, gen, f))
		return -1;
	return commit_fault(h, err, f);
}

/* Returns memory to the system, as far as libmlx5 has freed it. */
static void holder_give_back(struct holder *h)
{
	if (!generation_tracks(h->now))
		track_free(&h->base);
	for (int d = 0; d < RULE_DIRS; d++)
		if (!generation_has(h->now, (enum rule_dir)d))
			base_tables_free_side(&h->base, (enum rule_dir)d);
	malloc_trim(0);
}

static void holder_take_text(struct holder *h, struct holder_change *c)
{
	free(h->text);
	h->text = c->text;
	h->len = c->len;
	h->applied++;
	c->text = NULL;
}

int holder_replace(struct holder *h, struct holder_change *c, struct flow_fault *f)
{
	struct generation *gen, *old = h->now;

	if (holder_build(h, c, &gen, f))
		return -1;
	if (holder_exchange(h, gen, c->text, c->len, f)) {
		generation_free(gen);
		return -1;
	}
	h->now = gen;
	holder_take_text(h, c);
	h->edited = 0;
	h->rebuilt = true;
	h->written = generation_size(gen);
	if (c->after)
		c->after(c->arg);
	generation_free(old);
	holder_give_back(h);
	return 0;
}

/* --- edits of the tables ------------------------------------------------------------------------ */

static int holder_write(struct holder *h, const char *text, size_t len)
{
	struct state_tail tail;
	int err = state_prepare(h->state, text, len, &tail);

	if (!err)
		err = state_commit(h->state);
	if (err)
		state_abandon(h->state);
	else
		h->tail = tail;
	return err;
}

/* Commits a text: appends the difference to the file, or writes the file anew. */
static int holder_commit(struct holder *h, const char *text, size_t len, struct flow_fault *f)
{
	struct journal_texts texts = {h->text, text, h->len, len};
	int err = h->text ? journal_append(h->state, &h->tail, &texts) : JOURNAL_WHOLE;

	if (err == JOURNAL_WHOLE)
		err = holder_write(h, text, len);
	return err ? commit_fault(h, err, f) : 0;
}

int holder_edit_tables(struct holder *h, struct holder_change *c, struct flow_fault *f)
{
	struct generation_edit *edit;
	int ret = generation_edit_begin(h->now, &c->edit, &edit, f);

	if (ret)
		return ret;
	if (holder_commit(h, c->text, c->len, f)) {
		generation_edit_undo(edit);
		return -1;
	}
	ret = generation_edit_finish(edit, &h->written, f);
	if (c->set)
		generation_take(h->now, c->set);
	else
		generation_set_places(h->now, c->place);
	holder_take_text(h, c);
	h->edited += c->changed;
	h->rebuilt = false;
	c->taken = true;
	if (!ret && c->after)
		c->after(c->arg);
	return ret;
}

/* --- the daemon's beginning and end -------------------------------------------------------------- */

/*
 * Applies the committed rules. Does not write the file, so a full or read-only disk does not
 * prevent the restore.
 */
static int holder_restore_text(struct holder *h, const char *text, size_t len, struct flow_fault *f)
{
	struct ruleset set;
	struct holder_change c = {.set = &set, .len = len};
	struct generation *gen;
	int ret;

	if (holder_parse(h, text, len, &set, f))
		return -1;
	c.text = holder_copy(text, &c.len);
	ret = c.text ? holder_build(h, &c, &gen, f)
		     : flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	ruleset_free(&set);
	if (!ret && generation_switch(gen, NULL, f)) {
		generation_free(gen);
		ret = -1;
	}
	if (!ret) {
		h->now = gen;
		holder_take_text(h, &c);
	}
	free(c.text);
	return ret;
}

int holder_restore(struct holder *h, struct flow_fault *f)
{
	struct flow_fault why = {0}, bare;
	struct state_text s;
	int ret = state_read(h->state, &s, f);

	if (ret)
		return ret == -ENOENT ? 0 : -1;
	h->unsealed = !s.sealed;
	h->tail = s.tail;
	ret = holder_restore_text(h, s.text, s.len, &why);
	free(s.text);
	if (!ret)
		return 0;
	bare = why;
	flow_fault_place(&why);
	flow_fault_set(f, why.code,
		       "the committed rules (%.200s) can't be applied: %.300s; daemon --fresh "
		       "starts without them",
		       h->state, why.text);
	f->line = bare.line;
	f->column = bare.column;
	return -1;
}

void holder_leave(struct holder *h)
{
	if (h->now)
		generation_detach(h->now);
}
