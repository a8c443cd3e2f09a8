/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "dvx-flow.h"
#include "holder_priv.h"

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
	if (h->now && generation_switch(h->now, gen, f))
		return -1;
	return commit_fault(h, err, f);
}

/* Returns memory to the system, as far as libmlx5 has freed it. */
static void holder_give_back(struct holder *h)
{
	for (int d = 0; d < RULE_DIRS; d++)
		if (!generation_has(h->now, (enum rule_dir)d))
			base_tables_free_side(&h->base, (enum rule_dir)d);
	malloc_trim(0);
}

int holder_replace(struct holder *h, struct generation *gen, char *text, size_t len,
		   void (*after)(void *arg), void *arg, struct flow_fault *f)
{
	struct generation *old = h->now;

	if (holder_exchange(h, gen, text, len, f)) {
		generation_free(gen);
		free(text);
		return -1;
	}
	h->now = gen;
	free(h->text);
	h->text = text;
	h->len = len;
	h->applied++;
	h->edited = 0;
	h->rebuilt = true;
	h->written = generation_size(gen);
	if (after)
		after(arg);
	generation_free(old);
	holder_give_back(h);
	return 0;
}

static int no_queue(const struct rule *r, unsigned int n, struct flow_fault *f)
{
	uint32_t queue = rule_last_queue(r);

	flow_fault_set(f, EXIT_RULES,
		       "no queue %u, the daemon has %u (0 to %u); start it with --queues %u", queue,
		       n, n - 1, queue + 1);
	return flow_fault_at(f, r, r->queue_at);
}

static int check_queues(const struct holder *h, const struct ruleset *set, struct flow_fault *f)
{
	unsigned int n = pump_queues(h->base.pump);

	for (size_t i = 0; i < set->n; i++)
		if (rule_has_queue(&set->rule[i]) && rule_last_queue(&set->rule[i]) >= n)
			return no_queue(&set->rule[i], n, f);
	return 0;
}

static void first_mistake(void *arg, const struct mistake *m)
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

	p->ret = rules_parse(p->text, p->len, p->set, first_mistake, p->fault);
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
	ret = check_queues(h, set, f);
	if (ret)
		ruleset_free(set);
	return ret;
}

/* Parses an added rule, which may name the tables of those in effect. */
static int holder_parse_words(const struct holder *h, const struct flow_msg *words,
			      struct ruleset *more, struct flow_fault *f)
{
	int ret = rules_parse_part(words->body, words->body_len, holder_rules(h), more,
				   first_mistake, f);

	if (ret < 0)
		return flow_fault_set(f, EXIT_INPUT, "%s", strerror(-ret));
	if (!ret && !more->n)
		ret = flow_fault_set(
			f, EXIT_RULES,
			"there is no rule in this; write one, like drop in tcp dst port 22");
	if (!ret && more->n > 1)
		ret = flow_fault_set(f, EXIT_RULES,
				     "these are %zu rules; write one at a time, or apply a file",
				     more->n);
	return ret ? -1 : check_queues(h, more, f);
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

int holder_build(struct holder *h, struct ruleset *set, const uint32_t *from, built_fn built,
		 void *arg, struct generation **gen, struct flow_fault *f)
{
	struct holder_work work = {h, built, arg};
	int ret = generation_build(&h->base, set, h->now, from, holder_built, &work, gen, f);

	if (ret)
		ruleset_free(set);
	return ret;
}

static uint32_t *holder_edit_origins(const struct rules_edit *e)
{
	size_t n = edit_count(e);
	uint32_t *from = calloc(n ? n : 1, sizeof(*from));

	if (from)
		edit_origins(e, from);
	return from;
}

/* An edit of rules, and the text that results. */
struct holder_edit {
	struct rules_edit rules;
	struct source_place *place;
	char *text;
	size_t len;
	void (*after)(void *arg);
	void *arg;
	bool taken; /* the generation owns the added rules now */
};

static int holder_edit_text(struct holder *h, struct holder_edit *e, struct flow_fault *f)
{
	e->place = calloc(edit_count(&e->rules) + 1, sizeof(*e->place));
	if (e->place)
		e->text = source_edit(h->text ? h->text : "", h->len, &e->rules, e->place, &e->len);
	return e->text ? 0 : flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
}

/* Builds the edited rules beside those in effect. */
static int holder_rebuild(struct holder *h, struct holder_edit *e, struct flow_fault *f)
{
	uint32_t *from = holder_edit_origins(&e->rules);
	struct generation *gen;
	struct ruleset set;
	int ret = from ? holder_parse(h, e->text, e->len, &set, f)
		       : flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));

	if (!ret)
		ret = holder_build(h, &set, from, NULL, NULL, &gen, f);
	free(from);
	if (!ret) {
		ret = holder_replace(h, gen, e->text, e->len, e->after, e->arg, f);
		e->text = NULL;
	} else {
		/* The client has no text with such a line. */
		flow_fault_place(f);
	}
	return ret;
}

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

int holder_commit_edit(struct holder *h, struct holder_edited *e, struct flow_fault *f)
{
	int ret;

	if (holder_commit(h, e->text, e->len, f)) {
		generation_edit_undo(e->edit);
		return -1;
	}
	ret = generation_edit_finish(e->edit, &h->written, f) ? 1 : 0;
	if (e->set)
		generation_take(h->now, e->set);
	else
		generation_set_places(h->now, e->place);
	free(h->text);
	h->text = e->text;
	h->len = e->len;
	e->text = NULL;
	h->applied++;
	h->edited += e->changed;
	h->rebuilt = false;
	if (!ret && e->after)
		e->after(e->arg);
	return ret;
}

static bool holder_takes_name(const struct rules_edit *e)
{
	const char *name = e->more->n ? e->more->rule[0].name : NULL;

	for (size_t i = 0; name && i < e->set->n; i++)
		if (!(e->gone && e->gone[i]) && e->set->rule[i].name &&
		    !strcmp(e->set->rule[i].name, name))
			return true;
	return false;
}

/* Marks the tables, by direction, with rules that stay. NULL: no memory. */
static bool *holder_tables_left(const struct rules_edit *e)
{
	bool *left = calloc(RULE_DIRS * (e->set->ntables + 1), sizeof(*left));

	for (size_t i = 0; i < e->set->n && left; i++)
		if (!e->gone || !e->gone[i])
			left[RULE_DIRS * e->set->rule[i].table + e->set->rule[i].dir] = true;
	return left;
}

/*
 * Returns whether the edit changes which tables lead to which. Only the text has the name of a
 * goto's table; a table without rules, or that no rule leads to, is a mistake.
 */
static bool holder_changes_ways(const struct rules_edit *e)
{
	bool *left = holder_tables_left(e), changes = !left;

	changes |= e->more->n && e->more->rule[0].verdict == RULE_GOTO;
	for (size_t i = 0; e->gone && e->set->ntables > 1 && i < e->set->n && !changes; i++) {
		const struct rule *r = &e->set->rule[i];

		changes = e->gone[i] &&
			  (r->verdict == RULE_GOTO || !left[RULE_DIRS * r->table + r->dir]);
	}
	free(left);
	return changes;
}

/* Returns whether only a parse of all rules can find what is wrong with the edit. */
static bool holder_needs_parser(const struct rules_edit *e)
{
	return holder_takes_name(e) || holder_changes_ways(e);
}

/* Edits the tables as they are, or builds new ones. */
static int holder_change(struct holder *h, struct holder_edit *e, struct flow_fault *f)
{
	size_t arriving = e->rules.more->n;
	struct generation_change c = {.gone = e->rules.gone,
				      .more = e->rules.more->rule,
				      .before = &e->rules.at,
				      .nmore = arriving};
	struct holder_edited done = {.text = e->text,
				     .len = e->len,
				     .place = e->place,
				     .changed =
					     e->rules.set->n + 2 * arriving - edit_count(&e->rules),
				     .after = e->after,
				     .arg = e->arg};
	int ret = EDIT_REBUILD;

	if (h->now && !holder_needs_parser(&e->rules))
		ret = generation_edit_begin(h->now, &c, &done.edit, f);
	if (ret)
		return ret == EDIT_REBUILD ? holder_rebuild(h, e, f) : ret;
	ret = holder_commit_edit(h, &done, f);
	e->text = done.text;
	e->taken = ret >= 0;
	return ret ? -1 : 0;
}

int holder_edit(struct holder *h, const bool *gone, struct holder_place to,
		const struct flow_msg *words, void (*after)(void *arg), void *arg,
		struct flow_fault *f)
{
	struct ruleset more = {0};
	struct holder_edit e = {.rules = {holder_rules(h), gone, &more, to.rule, to.table},
				.after = after,
				.arg = arg};
	int ret = words ? holder_parse_words(h, words, &more, f) : 0;

	if (!ret)
		ret = holder_edit_text(h, &e, f);
	if (!ret && words) {
		more.rule[0].own = more.memory;
		more.rule[0].table = to.table;
		more.memory = NULL;
	}
	if (!ret)
		ret = holder_change(h, &e, f);
	if (e.taken)
		more.n = 0;
	ruleset_free(&more);
	free(e.place);
	free(e.text);
	return ret;
}

/*
 * Applies the committed rules. Does not write the file, so a full or read-only disk does not
 * prevent the restore.
 */
static int holder_restore_text(struct holder *h, const char *text, size_t len, struct flow_fault *f)
{
	struct generation *gen;
	struct ruleset set;

	if (holder_parse(h, text, len, &set, f) || holder_build(h, &set, NULL, NULL, NULL, &gen, f))
		return -1;
	h->text = holder_copy(text, &len);
	if (!h->text || generation_switch(gen, NULL, f)) {
		generation_free(gen);
		return h->text ? -1 : flow_fault_set(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	}
	h->len = len;
	h->now = gen;
	h->applied++;
	return 0;
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
