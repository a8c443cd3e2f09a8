/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that each packet is judged by the rules before an edit or by those after it, at each
 * moment of the edit, and that counters of rules that stay go on. The daemon's own code makes
 * random edits on the device; whenever it has inserted or deleted one entry, packets are sent whose
 * verdict the edit changes, and the slow matcher judges them by both sets. Some edits fail, because
 * the device refuses an entry or, at the end, because the state file cannot be written: these must
 * leave nothing behind. Where the device refuses to delete an entry, the rules have changed. Usage:
 * flow_edit STATE-FILE [EDITS [SEED]]
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "../unit/flow_slow.h"
#include "daemon/holder.h"
#include "explain/fields.h"
#include "diff_rig.h"

#define SETS_MAX  40
#define WITNESSES 6 /* packets of each moment */
#define IDS_MAX	  65536

static struct rig r;
static struct holder h;
static uint64_t moments, differences, in_place, rebuilt, failed, kept;
static uint64_t tally[IDS_MAX]; /* what the rule of this ID has counted */
static uint32_t written[IDS_MAX], nwritten;
static char what[512]; /* the edit */

/* --- sets --- */

struct lines {
	char line[SETS_MAX][256];
	uint32_t n;
};

static void lines_parse(const struct lines *l, struct ruleset *set, char text[TEXT_MAX * 2])
{
	size_t at = 0;

	for (uint32_t i = 0; i < l->n; i++)
		at += (size_t)sprintf(text + at, "%s\n", l->line[i]);
	text[at] = 0;
	OK(rules_parse(text, at, set, NULL, NULL));
}

static void random_line(struct dice *d, uint32_t number, char line[256])
{
	struct ruleset one;

	for (;;) {
		random_rule(d, line, 255, dice_roll(d, 5) ? "in" : "out", number);
		if (rules_parse(line, strlen(line), &one, NULL, NULL))
			continue;
		ruleset_free(&one);
		return;
	}
}

static void lines_insert(struct lines *l, uint32_t at, const char *line)
{
	memmove(l->line[at + 1], l->line[at], (l->n++ - at) * sizeof(l->line[0]));
	snprintf(l->line[at], sizeof(l->line[0]), "%s", line);
}

static void lines_delete(struct lines *l, uint32_t at)
{
	memmove(l->line[at], l->line[at + 1], (--l->n - at) * sizeof(l->line[0]));
}

/* --- a packet's fate --- */

struct fate {
	const char *counts[RULE_DIRS]; /* the rule's text, or NULL */
	int queue;
	uint32_t tag;
};

/* The directions change one after the other. */
static struct fate fate_expect(const struct ruleset *out, const struct ruleset *in,
			       const struct made_packet *p)
{
	struct fate f = {.queue = -1};
	const struct rule *rule;
	struct fields x;

	fields_of_frame(&x, p->bytes, p->len);
	rule = slow_match(out, RULE_OUT, &x);
	f.counts[RULE_OUT] = rule && rule->count ? rule->text : NULL;
	if (rule && rule->verdict == RULE_DROP)
		return f;
	fields_of_frame(&x, p->bytes, p->len < SHORTEST ? SHORTEST : p->len);
	rule = slow_match(in, RULE_IN, &x);
	f.counts[RULE_IN] = rule && rule->count ? rule->text : NULL;
	if (rule && rule->verdict == RULE_SEND) {
		f.queue = (int)rule->queue;
		f.tag = rule->tag;
	}
	return f;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool fate_same(const struct fate *a, const struct fate *b)
{
	return a->queue == b->queue && a->tag == b->tag && same_text(a->counts[0], b->counts[0]) &&
	       same_text(a->counts[1], b->counts[1]);
}

static struct dvx_flow_count *counts_now(void)
{
	struct dvx_flow_count *c = calloc(holder_rules(&h)->n + 1, sizeof(*c));
	struct flow_fault f;

	OK(generation_count(h.now, c, &f));
	return c;
}

/* Sends the packet, and finds what happened to it. */
static struct fate fate_of(const struct made_packet *p)
{
	const struct ruleset *set = holder_rules(&h);
	struct dvx_flow_count *before = counts_now(), *after;
	struct fate f = {.queue = -1};
	uint32_t tag, len;

	packets_send(&r, p, 1);
	for (int q = 0; q < QUEUES; q++) {
		for (packet_receive(&r, q, &tag, &len); tag != LAST_TAG;
		     packet_receive(&r, q, &tag, &len)) {
			f.queue = q;
			f.tag = tag;
		}
		dvx_rq_ring(r.queue[q].rq);
	}
	after = counts_now();
	for (size_t i = 0; i < set->n; i++) {
		if (after[i].packets == before[i].packets)
			continue;
		f.counts[set->rule[i].dir] = set->rule[i].text;
		tally[generation_id(h.now, i)]++;
	}
	free(before);
	free(after);
	return f;
}

/* --- moments --- */

static struct {
	bool on;
	uint32_t seen; /* moments */
	struct ruleset old, now;
	struct made_packet p[WITNESSES];
	struct fate expected[WITNESSES][4]; /* before, behind, and one direction of each */
} edit;

static void tell_fate(const char *when, const struct fate *f)
{
	printf("#   %s: queue %d, tag %u, counted in by \"%s\", out by \"%s\"\n", when, f->queue,
	       f->tag, f->counts[RULE_IN] ? f->counts[RULE_IN] : "",
	       f->counts[RULE_OUT] ? f->counts[RULE_OUT] : "");
}

static void tell(const char *when, uint32_t i, const struct fate *got)
{
	struct fields x;
	char line[256];

	if (differences++ > 3)
		return;
	fields_of_frame(&x, edit.p[i].bytes, edit.p[i].len);
	fields_line(line, sizeof(line), &x);
	printf("# %s, %s: %s\n", what, when, line);
	tell_fate("found", got);
	tell_fate("before the edit", &edit.expected[i][0]);
	tell_fate("behind it", &edit.expected[i][1]);
}

/* Whether the packets' fates are one of expected[from..to). */
static void judge(const char *when, int from, int to)
{
	for (uint32_t i = 0; i < WITNESSES; i++) {
		struct fate got = fate_of(&edit.p[i]);
		bool fine = false;

		for (int k = from; k < to; k++)
			fine |= fate_same(&got, &edit.expected[i][k]);
		if (!fine)
			tell(when, i, &got);
	}
}

/* A rule can have thousands of entries; then the first moments and some of the others are enough. */
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

/* Refusals to come: of the entry inserted after so many others, of the first one deleted. */
static struct {
	uint32_t create;
	bool destroy, committed; /* the first one after the commit */
	bool created, destroyed; /* happened */
} refuse;

int __real_state_commit(const char *path);
int __wrap_state_commit(const char *path);

int __wrap_state_commit(const char *path)
{
	refuse.committed = true;
	return __real_state_commit(path);
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

/* New rules are built where no packet comes; and until the end, nobody can read their counters. */
int __wrap_generation_edit_begin(struct generation *g, const struct generation_change *c,
				 struct generation_edit **out, struct flow_fault *f)
{
	int ret = __real_generation_edit_begin(g, c, out, f);

	edit.on &= !ret;
	return ret;
}

/* Packets that the edit matters to, if they can be found. */
static void find_witnesses(struct dice *d)
{
	uint32_t n = 0;

	for (uint32_t tries = 0; n < WITNESSES; tries++) {
		struct fate *x = edit.expected[n];

		any_packet(d, &edit.p[n]);
		x[0] = fate_expect(&edit.old, &edit.old, &edit.p[n]);
		x[1] = fate_expect(&edit.now, &edit.now, &edit.p[n]);
		x[2] = fate_expect(&edit.old, &edit.now, &edit.p[n]);
		x[3] = fate_expect(&edit.now, &edit.old, &edit.p[n]);
		n += tries > 400 || !fate_same(&x[0], &x[1]);
	}
}

/* --- edits --- */

/* An edit, as the daemon gets it, and what it makes of the lines. */
struct script {
	bool gone[SETS_MAX + 1], apply, nowhere;
	size_t at;
	char words[256];
};

static void script_add(struct script *s, struct dice *d, struct lines *l, uint32_t at,
		       uint32_t number)
{
	random_line(d, number, s->words);
	s->at = at;
	lines_insert(l, at, s->words);
}

static void script_delete(struct script *s, struct dice *d, struct lines *l, uint32_t most)
{
	for (uint32_t i = l->n; i-- > RULES_OWN;)
		if (most >= l->n || dice_roll(d, l->n) < most) {
			s->gone[i] = true;
			lines_delete(l, i);
		}
}

static void script_make(struct script *s, struct dice *d, struct lines *l, uint32_t number)
{
	uint32_t kind = l->n < 8 ? 0 : l->n > SETS_MAX - 8 ? 4 : dice_roll(d, 12);
	uint32_t at = RULES_OWN + dice_roll(d, l->n + 1 - RULES_OWN);

	*s = (struct script){.nowhere = !dice_roll(d, 10)};
	if (kind < 2) {
		script_add(s, d, l, l->n, number);
	} else if (kind < 6 && kind != 4) {
		script_add(s, d, l, at, number);
	} else if (kind < 9 && kind != 4 && at < l->n) {
		s->gone[at] = true;
		lines_delete(l, at);
		script_add(s, d, l, at, number);
	} else if (kind < 11) {
		script_delete(s, d, l, kind == 4 ? 8 : 2);
	} else {
		s->apply = true;
		script_delete(s, d, l, 2);
		random_line(d, number, s->words);
		lines_insert(l, at < l->n ? at : l->n, s->words);
	}
	snprintf(what, sizeof(what), "edit %u: %s at %zu: %.256s", number,
		 s->apply ? "apply" : "edit", s->at, s->words);
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
		ret = holder_edit(&h, s->gone, (struct holder_place){s->at, 0},
				  *s->words ? &words : NULL, NULL, NULL, &f);
	told = s->nowhere || refuse.created || refuse.destroyed;
	if (ret && !told)
		printf("# %s: %s\n", what, f.text);
	differences += ret && !told;
	kept += ret && refuse.destroyed;
	return refuse.destroyed ? 0 : ret;
}

/* The IDs of rules that came with an edit that was undone are given again. */
static void forget_undone(void)
{
	static bool known[IDS_MAX];

	memset(known, 0, sizeof(known));
	for (size_t i = 0; i < holder_rules(&h)->n; i++)
		known[generation_id(h.now, i)] = true;
	for (uint32_t id = 0; id < IDS_MAX; id++)
		tally[id] = known[id] ? tally[id] : 0;
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
	differences += want.n != holder_rules(&h)->n;
	for (size_t i = 0; i < want.n && i < holder_rules(&h)->n; i++)
		differences += strcmp(want.rule[i].text, holder_rules(&h)->rule[i].text) != 0;
	ruleset_free(&want);
}

static void one_edit(struct dice *d, struct lines *l, const char *state, uint32_t number)
{
	static char old_text[TEXT_MAX * 2], text[TEXT_MAX * 2];
	struct lines before = *l;
	struct script s;
	int ret;

	lines_parse(l, &edit.old, old_text);
	script_make(&s, d, l, number);
	lines_parse(l, &edit.now, text);
	find_witnesses(d);
	edit.on = !s.apply; /* which builds new rules */
	edit.seen = 0;
	memset(&refuse, 0, sizeof(refuse));
	refuse.create = number % 5 == 3 ? 1 + number % 4 : 0;
	refuse.destroy = number % 3 == 1;
	ret = script_run(&s, state, text);
	edit.on = false;
	memset(&refuse, 0, sizeof(refuse));
	judge("done", !ret, 1 + !ret);
	check_counters();
	check_text(ret ? old_text : text);
	if (ret)
		*l = before;
	if (ret)
		forget_undone();
	else if (!h.rebuilt)
		written[nwritten++] = (uint32_t)h.written;
	failed += ret != 0;
	in_place += !ret && !h.rebuilt;
	rebuilt += !ret && h.rebuilt;
	ruleset_free(&edit.old);
	ruleset_free(&edit.now);
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
	struct lines l = {{LAST_RULES_0, LAST_RULES_1, LAST_RULES_2}, RULES_OWN};
	struct flow_fault f = {0};
	char text[TEXT_MAX * 2];
	struct ruleset set;

	printf("1..1\n");
	rig_open(&r);
	h.base.dev = r.dev;
	h.base.pump = (struct pump *)&r;
	h.state = state;
	random_line(&d, RULES_OWN, l.line[l.n++]);
	lines_parse(&l, &set, text);
	ruleset_free(&set);
	OK(holder_apply(&h, text, strlen(text), NULL, NULL, NULL, &f));
	for (uint32_t i = 0; i < edits && differences < 8; i++)
		one_edit(&d, &l, state, RULES_OWN + 1 + i);
	generation_free(h.now);
	base_tables_free(&h.base);
	free(h.text);
	rig_close(&r);
	qsort(written, nwritten, sizeof(written[0]), by_size);
	printf("%s 1 - %u edits (%" PRIu64 " in place, %" PRIu64 " new generations, %" PRIu64
	       " undone, %" PRIu64 " with an entry that stays), packets at %" PRIu64
	       " moments, %u entries written at the 95th percentile, %" PRIu64 " differences\n",
	       differences ? "not ok" : "ok", edits, in_place, rebuilt, failed, kept, moments,
	       nwritten ? written[nwritten * 95 / 100] : 0, differences);
	return differences != 0;
}
