/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that each packet is judged by the rules before an edit or by those after it, at each
 * moment of the edit, and that counters of rules that stay go on. The daemon's own code makes
 * random edits on the device; whenever it has inserted or deleted one entry, packets are sent whose
 * verdict the edit changes, and the slow matcher judges them by both sets. Some edits fail, because
 * the device refuses an entry or, at the end, because the state file cannot be written: these must
 * leave nothing behind. Where the device refuses to delete an entry, the rules have changed. Each
 * third seed has named tables, mirrors and rules that spread, the next one rules that are compiled to
 * codes. Usage:
 * edit STATE-FILE [EDITS [SEED]]
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "tests/steer/flow_slow.h"
#include "daemon/generation_priv.h"
#include "daemon/holder.h"
#include "explain/fields.h"
#include "diff_rig.h"
#include "flow_edit_lines.h"
#include "flow_edit_result.h"

#define WITNESSES 6 /* packets sent at each moment */
#define IDS_MAX	  65536

static struct rig r;
static struct holder h;
static uint64_t moments, differences, in_place, rebuilt, failed, kept, before_codes;
static uint64_t tally[IDS_MAX]; /* counts of the rule with this ID */
static uint32_t written[IDS_MAX], nwritten;
static char what[512]; /* description of the edit */

static struct dvx_flow_count *counts_now(void)
{
	struct dvx_flow_count *c = calloc(holder_rules(&h)->n + 1, sizeof(*c));
	struct flow_fault f;

	OK(generation_count(h.now, c, &f));
	return c;
}

/* Checks a rule that moves: it exists twice for a while, with one counter. */
static bool result_again(size_t rule)
{
	for (size_t i = 0; i < rule; i++)
		if (generation_id(h.now, i) == generation_id(h.now, rule))
			return true;
	return false;
}

/* Sends the packet, and finds what happened to it. */
static struct packet_result result_of(const struct made_packet *p)
{
	const struct ruleset *set = holder_rules(&h);
	struct dvx_flow_count *before = counts_now(), *after;
	struct packet_result f = {.tags = 0};
	uint32_t tag, len;

	packets_send(&r, p, 1);
	for (int q = 0; q < QUEUES; q++) {
		for (packet_receive(&r, q, &tag, &len); tag != LAST_TAG;
		     packet_receive(&r, q, &tag, &len)) {
			f.copies[q]++;
			f.tags += tag;
		}
		dvx_rq_ring(r.queue[q].rq);
	}
	after = counts_now();
	for (size_t i = 0; i < set->n; i++)
		if (after[i].packets != before[i].packets && !result_again(i)) {
			result_count(&f, &set->rule[i]);
			tally[generation_id(h.now, i)]++;
		}
	free(before);
	free(after);
	return f;
}

/* Forgets the IDs of rules of an undone edit: they are used again. */
static void forget_undone(void)
{
	static bool known[IDS_MAX];

	memset(known, 0, sizeof(known));
	for (size_t i = 0; i < holder_rules(&h)->n; i++)
		known[generation_id(h.now, i)] = true;
	for (uint32_t id = 0; id < IDS_MAX; id++)
		tally[id] = known[id] ? tally[id] : 0;
}

/* --- moments --- */

static struct {
	bool on;
	uint32_t seen; /* moments */
	struct ruleset old, now;
	struct made_packet p[WITNESSES];
	/* old rules, new rules, each direction's change alone */
	struct packet_result expected[WITNESSES][4];
} edit;

static void print_result(const char *when, const struct packet_result *f)
{
	printf("#   %s: to queue 0 %u times, to queue 1 %u, to either %u, tags %" PRIu64
	       ", counted in by \"%s\", out by \"%s\"\n",
	       when, f->copies[0], f->copies[1], f->spread, f->tags,
	       f->by[RULE_IN] ? f->by[RULE_IN] : "", f->by[RULE_OUT] ? f->by[RULE_OUT] : "");
}

static void print_results(const char *when, uint32_t i, const struct packet_result *got)
{
	struct fields x = {.option = RANDOM_OPTION};
	char line[256];

	if (differences++ > 3)
		return;
	fields_of_frame(&x, edit.p[i].bytes, edit.p[i].len);
	fields_line(line, sizeof(line), &x);
	printf("# %s, %s: %s\n", what, when, line);
	print_result("found", got);
	print_result("before the edit", &edit.expected[i][0]);
	print_result("behind it", &edit.expected[i][1]);
}

/* Checks that each packet's result is one of expected[from..to). */
static void judge(const char *when, int from, int to)
{
	for (uint32_t i = 0; i < WITNESSES; i++) {
		struct packet_result got = result_of(&edit.p[i]);
		bool fine = false;

		for (int k = from; k < to; k++)
			fine |= result_meets(&got, &edit.expected[i][k]);
		if (!fine)
			print_results(when, i, &got);
	}
}

/* A rule can have thousands of entries: checks the first moments and a sample. */
static void moment(const char *when)
{
	if (!edit.on)
		return;
	edit.seen++;
	if (edit.seen > 24 && edit.seen % 256)
		return;
	edit.on = false;
	moments++;
	judge(when, 0, 4);
	edit.on = true;
}

/* Refusals to make: the entry inserted after a number of others, the first one deleted. */
static struct {
	uint32_t create;
	bool destroy, committed; /* the first one after the commit */
	bool created, destroyed; /* has happened */
} refuse;

int __real_journal_append(const char *path, struct state_tail *t,
			  const struct journal_texts *texts);
int __wrap_journal_append(const char *path, struct state_tail *t,
			  const struct journal_texts *texts);

int __wrap_journal_append(const char *path, struct state_tail *t, const struct journal_texts *texts)
{
	int ret = __real_journal_append(path, t, texts);

	refuse.committed = !ret;
	return ret;
}

int __real_dvx_flow_rule_create(const struct dvx_flow_rule_attr *attr, struct dvx_flow_rule **out);
int __real_dvx_flow_rule_destroy(struct dvx_flow_rule *rule);
int __wrap_dvx_flow_rule_create(const struct dvx_flow_rule_attr *attr, struct dvx_flow_rule **out);
int __wrap_dvx_flow_rule_destroy(struct dvx_flow_rule *rule);

int __wrap_dvx_flow_rule_create(const struct dvx_flow_rule_attr *attr, struct dvx_flow_rule **out)
{
	int ret;

	if (refuse.create && !--refuse.create) {
		refuse.created = true;
		return -EIO;
	}
	ret = __real_dvx_flow_rule_create(attr, out);
	moment("an entry inserted");
	return ret;
}

int __wrap_dvx_flow_rule_destroy(struct dvx_flow_rule *rule)
{
	int ret = __real_dvx_flow_rule_destroy(rule);

	if (rule)
		moment("an entry deleted");
	if (!rule || !refuse.destroy || !refuse.committed)
		return ret;
	refuse.destroy = false;
	refuse.destroyed = true;
	return -EIO;
}

int __real_generation_edit_begin(struct generation *g, const struct generation_change *c,
				 struct generation_edit **out, struct flow_fault *f);
int __wrap_generation_edit_begin(struct generation *g, const struct generation_change *c,
				 struct generation_edit **out, struct flow_fault *f);

int __wrap_generation_edit_begin(struct generation *g, const struct generation_change *c,
				 struct generation_edit **out, struct flow_fault *f)
{
	int ret = __real_generation_edit_begin(g, c, out, f);

	edit.on &= !ret;
	return ret;
}

int __real_generation_build(struct base_tables *g, struct ruleset *set,
			    const struct generation *like, const uint32_t *from, built_fn built,
			    void *arg, struct generation **out, struct flow_fault *f);
int __wrap_generation_build(struct base_tables *g, struct ruleset *set,
			    const struct generation *like, const uint32_t *from, built_fn built,
			    void *arg, struct generation **out, struct flow_fault *f);

/* New rules are built where no packets come; until the end, their counters can't be read. */
int __wrap_generation_build(struct base_tables *g, struct ruleset *set,
			    const struct generation *like, const uint32_t *from, built_fn built,
			    void *arg, struct generation **out, struct flow_fault *f)
{
	edit.on = false;
	/* an edit that the device refused before codes was undone */
	if (h.now)
		forget_undone();
	return __real_generation_build(g, set, like, from, built, arg, out, f);
}

/* Finds packets that the edit matters to, if there are some. */
static void find_witnesses(struct dice *d)
{
	uint32_t n = 0;

	for (uint32_t tries = 0; n < WITNESSES; tries++) {
		struct packet_result *x = edit.expected[n];

		any_packet(d, &edit.p[n]);
		x[0] = result_expect(&edit.old, &edit.old, &edit.p[n]);
		x[1] = result_expect(&edit.now, &edit.now, &edit.p[n]);
		x[2] = result_expect(&edit.old, &edit.now, &edit.p[n]);
		x[3] = result_expect(&edit.now, &edit.old, &edit.p[n]);
		n += tries > 400 || !result_same(&x[0], &x[1]);
	}
}

/* --- edits --- */

/* An edit as the daemon gets it, and its effect on the lines. */
struct script {
	bool gone[SETS_MAX + 1], apply, nowhere;
	struct holder_place to;
	char words[256];
};

static void script_add(struct script *s, struct dice *d, struct lines *l, uint32_t at,
		       uint32_t number)
{
	s->to = lines_place(l, d, at);
	lines_random(l, d, s->to.table, number, s->words);
	lines_insert(l, at, s->to.table, s->words);
}

static void script_delete(struct script *s, struct dice *d, struct lines *l, uint32_t most)
{
	for (uint32_t i = l->n; i-- > RULES_OWN;)
		if (!l->stays[i] && (most >= l->n || dice_roll(d, l->n) < most)) {
			s->gone[i] = true;
			lines_delete(l, i);
		}
}

/* Writes an edit; Apply also moves a rule. */
static void script_apply(struct script *s, struct dice *d, struct lines *l, uint32_t at,
			 uint32_t number)
{
	uint32_t from = RULES_OWN + dice_roll(d, l->n - RULES_OWN);
	char line[256];

	s->apply = true;
	if (!l->stays[from] && dice_roll(d, 2)) {
		uint32_t table = l->table[from], to = from;

		while (to > RULES_OWN && l->table[to - 1] == table && dice_roll(d, 4))
			to--;
		snprintf(line, sizeof(line), "%s", l->line[from]);
		lines_delete(l, from);
		lines_insert(l, to, table, line);
	}
	if (dice_roll(d, 2))
		script_delete(s, d, l, 2);
	if (dice_roll(d, 2))
		script_add(s, d, l, at < l->n ? at : l->n, number);
}

static void script_make(struct script *s, struct dice *d, struct lines *l, uint32_t number)
{
	uint32_t kind = l->n < 8 ? 0 : l->n > l->most - 8 ? 4 : dice_roll(d, 14);
	uint32_t at = RULES_OWN + dice_roll(d, l->n + 1 - RULES_OWN);

	*s = (struct script){.nowhere = !dice_roll(d, 10)};
	if (kind < 2) {
		script_add(s, d, l, l->n, number);
	} else if (kind < 6 && kind != 4) {
		script_add(s, d, l, at, number);
	} else if (kind < 9 && kind != 4 && at < l->n && !l->stays[at]) {
		uint32_t table = l->table[at];

		s->gone[at] = true;
		lines_delete(l, at);
		lines_random(l, d, table, number, s->words);
		s->to = (struct holder_place){at, table};
		lines_insert(l, at, table, s->words);
	} else if (kind < 10) {
		script_delete(s, d, l, kind == 4 ? 8 : 2);
	} else {
		script_apply(s, d, l, at, number);
	}
	snprintf(what, sizeof(what), "edit %u: %s at %zu: %.256s", number,
		 s->apply ? "apply" : "edit", s->to.rule, s->words);
}

static int script_run(struct script *s, const char *state, const char *text)
{
	struct flow_msg words = {.body = s->words, .body_len = strlen(s->words)};
	struct flow_fault f = {0};
	bool told;
	int ret;

	h.state = s->nowhere ? "/nonexistent/state" : state;
	if (s->apply)
		ret = holder_apply(&h, text, strlen(text), NULL, NULL, NULL, &f);
	else
		ret = holder_edit(&h, s->gone, s->to, *s->words ? &words : NULL, NULL, NULL, &f);
	/* hardware steering has a definer for each mask, and as many as a file of these may need */
	told = s->nowhere || refuse.created || refuse.destroyed || strstr(f.text, NO_DEFINER);
	if (ret && !told)
		printf("# %s: %s\n", what, f.text);
	differences += ret && !told;
	kept += ret && refuse.destroyed;
	return refuse.destroyed ? 0 : ret;
}

static void check_counters(void)
{
	struct dvx_flow_count *c = counts_now();

	for (size_t i = 0; i < holder_rules(&h)->n; i++) {
		uint32_t id = generation_id(h.now, i);

		if (c[i].packets == UINT64_MAX || c[i].packets == tally[id])
			continue;
		if (differences++ < 4)
			printf("# %s: rule %u counted %" PRIu64 " packets, not %" PRIu64 "\n", what,
			       id, c[i].packets, tally[id]);
	}
	free(c);
}

static void check_text(const char *text)
{
	struct ruleset want;

	OK(rules_parse(text, strlen(text), &want, NULL, NULL));
	if (want.n != holder_rules(&h)->n) {
		printf("# %s: %zu rules are in effect, not %zu\n", what, holder_rules(&h)->n,
		       want.n);
		differences++;
	}
	for (size_t i = 0; i < want.n && i < holder_rules(&h)->n; i++) {
		const char *has = holder_rules(&h)->rule[i].text;

		if (strcmp(want.rule[i].text, has)) {
			printf("# %s: rule %zu is \"%s\", not \"%s\"\n", what, i, has,
			       want.rule[i].text);
			differences++;
		}
	}
	ruleset_free(&want);
}

/* Checks that the file has the rules in effect, whole or with edits behind it. */
static void check_state(const char *state)
{
	struct flow_fault f = {0};
	struct state_text s;
	bool same = !state_read(state, &s, &f) && s.len == h.len && !memcmp(s.text, h.text, s.len);

	if (!same)
		printf("# %s: the state file is another one: %s\n", what, f.text);
	differences += !same;
	if (!f.code)
		free(s.text);
}

static bool has_codes(void)
{
	return !strcmp(generation_cost(h.now)->compiled[RULE_IN], "codes");
}

/* The ID of the rule of each entry before an edit; 0: no rule's. */
struct entry_owner {
	uint64_t entry;
	uint32_t id;
};

static struct entry_owner *owner;
static size_t nowners;

static uint32_t owner_id(uint32_t rule)
{
	if (rule == ENTRY_ALONE)
		return 0;
	return rule < generation_rules(h.now)->n ? generation_id(h.now, rule) : UINT32_MAX;
}

static void note_owner(void *arg, uint64_t entry, uint32_t rule)
{
	(void)arg;
	owner = realloc(owner, (nowners + 1) * sizeof(*owner));
	owner[nowners++] = (struct entry_owner){entry, owner_id(rule)};
}

static int by_entry(const void *a, const void *b)
{
	const struct entry_owner *one = a, *other = b;

	return (one->entry > other->entry) - (one->entry < other->entry);
}

/* Checks that an entry which was there before the edit has the same rule, or none if that left. */
static void check_owner(void *arg, uint64_t entry, uint32_t rule)
{
	struct entry_owner now = {entry, owner_id(rule)};
	const struct entry_owner *was = bsearch(&now, owner, nowners, sizeof(*owner), by_entry);

	(void)arg;
	if (now.id != UINT32_MAX && (!was || !now.id || was->id == now.id))
		return;
	printf("# %s: an entry of rule %u is rule %u's now\n", what, was ? was->id : 0, now.id);
	differences++;
}

static void note_owners(void)
{
	nowners = 0;
	generation_entries(h.now, note_owner, NULL);
	qsort(owner, nowners, sizeof(*owner), by_entry);
}

static void one_edit(struct dice *d, struct lines *l, const char *state, uint32_t number)
{
	static char old_text[LINES_TEXT], text[LINES_TEXT];
	struct lines before = *l;
	struct script s;
	int ret;

	lines_parse(l, &edit.old, old_text);
	script_make(&s, d, l, number);
	lines_parse(l, &edit.now, text);
	find_witnesses(d);
	edit.on = true;
	edit.seen = 0;
	memset(&refuse, 0, sizeof(refuse));
	refuse.create = number % 5 == 3 ? 1 + number % 4 : 0;
	refuse.destroy = number % 3 == 1;
	note_owners();
	ret = script_run(&s, state, text);
	edit.on = false;
	if (!h.rebuilt)
		generation_entries(h.now, check_owner, NULL);
	memset(&refuse, 0, sizeof(refuse));
	judge("done", !ret, 1 + !ret);
	check_counters();
	check_text(ret ? old_text : text);
	check_state(state);
	if (ret)
		*l = before;
	if (ret)
		forget_undone();
	else if (!h.rebuilt)
		written[nwritten++] = (uint32_t)h.written;
	failed += ret != 0;
	in_place += !ret && !h.rebuilt;
	before_codes += !ret && !h.rebuilt && has_codes();
	rebuilt += !ret && h.rebuilt;
	ruleset_free(&edit.old);
	ruleset_free(&edit.now);
}

static void apply_lines(const struct lines *l)
{
	static char text[LINES_TEXT];
	struct flow_fault f = {0};
	struct ruleset set;

	lines_parse(l, &set, text);
	ruleset_free(&set);
	OK(holder_apply(&h, text, strlen(text), NULL, NULL, NULL, &f));
}

/* A rule that is added and deleted many times before codes leaves nothing behind. */
static void check_come_and_go(const struct lines *l)
{
	struct flow_msg words = {.body = "drop in ipv4 src 10.0.0.1 dst 10.1.0.1 tcp count"};
	struct flow_fault f = {0};
	bool gone[SETS_MAX + 1] = {false};
	size_t n, retired;

	h.edited = SIZE_MAX / 2; /* builds anew now, and not after one of these edits */
	apply_lines(l);
	n = holder_rules(&h)->n;
	retired = h.now->nretired;
	words.body_len = strlen(words.body);
	gone[0] = true;
	for (uint32_t i = 0; i < 3; i++) {
		OK(holder_edit(&h, NULL, (struct holder_place){0}, &words, NULL, NULL, &f));
		OK(holder_edit(&h, gone, (struct holder_place){0}, NULL, NULL, NULL, &f));
		if (h.rebuilt || h.now->nretired != retired) {
			printf("# a rule that came and went: rebuilt %d, %zu tables retired, not "
			       "%zu\n",
			       h.rebuilt, (size_t)h.now->nretired, retired);
			differences++;
		}
	}
	if (holder_rules(&h)->n != n) {
		printf("# a rule that came and went left %zu rules, not %zu\n", holder_rules(&h)->n,
		       n);
		differences++;
	}
}

/* Where the kernel uses registers that codes need, rules that had codes become a list, with a notice. */
static void check_switchdev(const struct lines *l)
{
	bool codes, refused;

	h.edited = SIZE_MAX / 2; /* forces a complete new build */
	apply_lines(l);
	codes = has_codes();
	/* as if the device had been opened in that mode */
	((struct dvx_caps *)(uintptr_t)dvx_dev_caps(r.dev))->switchdev = true;
	h.edited = SIZE_MAX / 2;
	apply_lines(l);
	refused = generation_cost(h.now)->refusal[RULE_IN].why;
	if (!has_codes() && (!codes || refused))
		return;
	printf("# in switchdev mode: codes %d, before it %d, %s refusal\n", has_codes(), codes,
	       refused ? "a" : "no");
	differences++;
}

static int by_size(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return (one > other) - (one < other);
}

int main(int argc, char **argv)
{
	const char *state = argv[1];
	uint32_t edits = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 100;
	struct dice d = {argc > 3 ? strtoull(argv[3], NULL, 0) : 1};
	struct lines l;

	printf("1..1\n");
	rig_open_by_daemon(&r, argc > 4 ? argv[4] : "sws");
	h.base.dev = r.dev;
	h.base.pump = (struct pump *)&r;
	h.base.steering = r.base.steering;
	h.base.option = r.base.option;
	h.state = state;
	lines_begin(&l, &d, (enum lines_kind)(d.state % LINES_KINDS));
	apply_lines(&l);
	for (uint32_t i = 0; i < edits && differences < 8; i++)
		one_edit(&d, &l, state, RULES_OWN + 1 + i);
	h.state = state;
	if (l.kind == LINES_CODES) {
		check_come_and_go(&l);
		check_switchdev(&l);
	}
	generation_free(h.now);
	base_tables_free(&h.base);
	base_tables_free(&r.base);
	free(h.text);
	rig_close(&r);
	qsort(written, nwritten, sizeof(written[0]), by_size);
	printf("%s 1 - %u edits (%" PRIu64 " in place, %" PRIu64 " of them before codes, %" PRIu64
	       " new generations, %" PRIu64 " undone, %" PRIu64
	       " with an entry that stays), packets at %" PRIu64
	       " moments, %u entries written at the 95th percentile, %" PRIu64 " differences\n",
	       differences ? "not ok" : "ok", edits, in_place, before_codes, rebuilt, failed, kept,
	       moments, nwritten ? written[nwritten * 95 / 100] : 0, differences);
	return differences != 0;
}
