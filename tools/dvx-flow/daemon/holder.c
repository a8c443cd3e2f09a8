/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dvx-flow.h"
#include "holder.h"

static int commit_fault(const struct holder *h, int err, struct flow_fault *f)
{
	return fault_say(f, EXIT_INPUT, "%s: %s; the rules are as they were", h->state,
			 strerror(-err));
}

/* Changes the device and the file together, the file last. */
static int holder_exchange(struct holder *h, struct generation *gen, const char *text, size_t len,
			   struct flow_fault *f)
{
	int err = state_prepare(h->state, text, len);

	if (err)
		return commit_fault(h, err, f);
	if (generation_switch(gen, h->now, f)) {
		state_abandon(h->state);
		return -1;
	}
	err = state_commit(h->state);
	if (!err)
		return 0;
	state_abandon(h->state);
	if (h->now && generation_switch(h->now, gen, f))
		return -1;
	return commit_fault(h, err, f);
}

static int holder_replace(struct holder *h, struct generation *gen, const char *text, size_t len,
			  void (*after)(void *arg), void *arg, struct flow_fault *f)
{
	struct generation *old = h->now;

	if (holder_exchange(h, gen, text, len, f)) {
		generation_free(gen);
		return -1;
	}
	h->now = gen;
	h->applied++;
	if (after)
		after(arg);
	generation_free(old);
	return 0;
}

static int no_queue(const struct rule *r, unsigned int n, struct flow_fault *f)
{
	fault_say(f, EXIT_RULES,
		  "no queue %u, the daemon has %u (0 to %u); start it with --queues %u", r->queue,
		  n, n - 1, r->queue + 1);
	return fault_at(f, r, r->queue_at);
}

static int check_queues(const struct holder *h, const struct ruleset *set, struct flow_fault *f)
{
	unsigned int n = pump_queues(h->base.pump);

	for (size_t i = 0; i < set->n; i++)
		if (set->rule[i].verdict == RULE_SEND && set->rule[i].queue >= n)
			return no_queue(&set->rule[i], n, f);
	return 0;
}

static void first_mistake(void *arg, const struct mistake *m)
{
	struct flow_fault *f = arg;

	if (f->code)
		return;
	fault_say(f, EXIT_RULES, "%s", m->text);
	f->line = m->line;
	f->column = m->column;
}

static int holder_parse(const struct holder *h, const char *text, size_t len, struct ruleset *set,
			struct flow_fault *f)
{
	int ret = rules_parse(text, len, set, first_mistake, f);

	if (ret < 0)
		return fault_say(f, EXIT_INPUT, "%s", strerror(-ret));
	if (ret)
		return -1;
	ret = check_queues(h, set, f);
	if (ret)
		ruleset_free(set);
	return ret;
}

static int holder_build(struct holder *h, const char *text, size_t len, built_fn built, void *arg,
			struct generation **gen, struct flow_fault *f)
{
	struct ruleset set;

	if (holder_parse(h, text, len, &set, f))
		return -1;
	if (!generation_build(&h->base, &set, NULL, NULL, built, arg, gen, f))
		return 0;
	ruleset_free(&set);
	return -1;
}

int holder_apply(struct holder *h, const char *text, size_t len, built_fn built, void *arg,
		 void (*after)(void *arg), struct flow_fault *f)
{
	struct generation *gen;

	if (holder_build(h, text, len, built, arg, &gen, f))
		return -1;
	return holder_replace(h, gen, text, len, after, arg, f);
}

/* Returns the text of all rules but one, each on its old line, and their old indexes. */
static char *holder_without(const struct ruleset *all, size_t rule, uint32_t **from, size_t *len)
{
	size_t room = 1, n = 0, used = 0;
	uint32_t line = 1;
	char *text;

	for (size_t i = 0; i < all->n; i++)
		room += strlen(all->rule[i].text);
	if (all->n)
		room += all->rule[all->n - 1].line;
	text = malloc(room);
	*from = calloc(all->n, sizeof(**from));
	if (!text || !*from) {
		free(text);
		free(*from);
		return NULL;
	}
	for (size_t i = 0; i < all->n; i++) {
		size_t bytes = strlen(all->rule[i].text);

		if (i == rule)
			continue;
		for (; line < all->rule[i].line; line++)
			text[used++] = '\n';
		memcpy(text + used, all->rule[i].text, bytes);
		used += bytes;
		(*from)[n++] = (uint32_t)i;
	}
	if (used)
		text[used++] = '\n';
	*len = used;
	return text;
}

int holder_delete(struct holder *h, size_t rule, void (*after)(void *arg), void *arg,
		  struct flow_fault *f)
{
	struct generation *gen;
	struct ruleset set;
	uint32_t *from;
	size_t len;
	char *text = holder_without(generation_rules(h->now), rule, &from, &len);
	int ret = -1;

	if (!text)
		return fault_say(f, EXIT_INPUT, "%s", strerror(ENOMEM));
	if (!holder_parse(h, text, len, &set, f)) {
		if (!generation_build(&h->base, &set, h->now, from, NULL, NULL, &gen, f))
			ret = holder_replace(h, gen, text, len, after, arg, f);
		ruleset_free(&set);
	}
	free(text);
	free(from);
	return ret;
}

/* Does not write the file, so a full or read-only disk does not prevent the restore. */
static int take_up(struct holder *h, const char *text, size_t len, struct flow_fault *f)
{
	struct generation *gen;

	if (holder_build(h, text, len, NULL, NULL, &gen, f))
		return -1;
	if (generation_switch(gen, NULL, f)) {
		generation_free(gen);
		return -1;
	}
	h->now = gen;
	h->applied++;
	return 0;
}

int holder_restore(struct holder *h, struct flow_fault *f)
{
	struct flow_fault why = {0};
	struct state_text s;
	int ret = state_read(h->state, &s, f);

	if (ret)
		return ret == -ENOENT ? 0 : -1;
	h->unsealed = !s.sealed;
	ret = take_up(h, s.text, s.len, &why);
	free(s.text);
	fault_place(&why);
	if (ret)
		fault_say(f, why.code,
			  "the committed rules (%.200s) can't be applied: %.300s; daemon --fresh "
			  "starts without them",
			  h->state, why.text);
	return ret;
}

void holder_free(struct holder *h)
{
	generation_free(h->now);
	base_tables_free(&h->base);
}
