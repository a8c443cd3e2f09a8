/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that rules steer as they are written. Random rule files are compiled, inserted into the
 * device by the unmodified libmlx5, deleted and inserted again in random order; random packets pass
 * the device, out and in; the slow matcher must agree. Every fifth file goes to the root tables,
 * with as many of its rules as fit there. Usage: flow_diff [SETS [PACKETS [SEED]]]
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include "../unit/flow_slow.h"
#include "../unit/flow_slow_change.h"
#include "diff_rig.h"

struct verdict {
	const struct rule *rule[RULE_DIRS]; /* NULL: none, or the packet did not get there */
	int queue;			    /* -1: no queue */
	uint32_t tag;
	bool changed, lost; /* lost: the rule removes a header that the packet does not have */
	uint8_t bytes[PACKET_ROOM]; /* that the queue gets */
	uint32_t len;
};

static uint64_t pairs, met, changed, in_root, differences;

/* --- packets through the device --- */

/* The first rule of the direction, and what it makes of the packet. False: it ends here. */
static bool passes(const struct installed *in, enum rule_dir dir, struct verdict *v)
{
	const struct rule *r;
	struct fields f;

	fields_of_frame(&f, v->bytes, v->len);
	r = v->rule[dir] = slow_match(&in->set, dir, &f);
	if (!r)
		return true;
	v->changed = v->changed || r->nchanges;
	if (r->verdict == RULE_DROP)
		return false;
	v->lost = !slow_change(r, v->bytes, &v->len);
	return !v->lost;
}

/* The port pads the packet between both directions. */
static struct verdict expect(const struct installed *in, const struct made_packet *p)
{
	struct verdict v = {.queue = -1, .len = p->len};
	const struct rule *r;

	memcpy(v.bytes, p->bytes, p->len);
	if (!passes(in, RULE_OUT, &v))
		return v;
	if (v.len < SHORTEST) {
		memset(v.bytes + v.len, 0, SHORTEST - v.len);
		v.len = SHORTEST;
	}
	if (!passes(in, RULE_IN, &v))
		return v;
	r = v.rule[RULE_IN];
	if (r && r->verdict == RULE_SEND) {
		v.queue = (int)r->queue;
		v.tag = r->tag;
	}
	return v;
}

struct totals {
	uint64_t packets[RULES_ALL];
};

/* Whether a queue received its expected packets in order, byte by byte. */
static bool queue_got(struct rig *r, int queue, const struct verdict *v, uint32_t n)
{
	uint32_t tag = 0, len, at = 0;
	bool same = true;

	while (tag != LAST_TAG) {
		const uint8_t *got = packet_receive(r, queue, &tag, &len);

		while (at < n && v[at].queue != queue)
			at++;
		if (tag == LAST_TAG)
			same = same && at == n;
		else
			same = same && at < n && v[at].tag == tag && v[at].len == len &&
			       !memcmp(v[at].bytes, got, len);
		at++;
	}
	dvx_rq_ring(r->queue[queue].rq);
	return same;
}

static void read_counters(struct rig *r, struct totals *t)
{
	struct dvx_flow_count count[RULES_ALL];

	OK(dvx_flow_counter_query(r->counter, 0, RULES_ALL, count));
	for (uint32_t i = 0; i < RULES_ALL; i++)
		t->packets[i] = count[i].packets;
}

/*
 * Whether the counters agree with the verdicts. A rule may count a packet that it loses or not: its
 * counter is in one of its entries, the removal in another one.
 */
static bool counted(struct rig *r, const struct installed *in, const struct totals *before,
		    const struct verdict *v, uint32_t n)
{
	struct totals after, least = *before, lost = {0};
	bool same = true;

	for (uint32_t i = 0; i < n; i++)
		for (int dir = 0; dir < RULE_DIRS; dir++) {
			const struct rule *rule = v[i].rule[dir];
			bool last = dir == RULE_IN || !v[i].rule[RULE_IN];

			if (rule && rule->count)
				(v[i].lost && last ? &lost : &least)
					->packets[rule - in->set.rule]++;
		}
	read_counters(r, &after);
	for (uint32_t i = 0; i < RULES_ALL; i++)
		same = same && after.packets[i] >= least.packets[i] &&
		       after.packets[i] - least.packets[i] <= lost.packets[i];
	return same;
}

static bool batch(struct rig *r, const struct installed *in, const struct made_packet *p,
		  uint32_t n)
{
	struct verdict v[BATCH];
	struct totals before;
	bool same;

	for (uint32_t i = 0; i < n; i++)
		v[i] = expect(in, &p[i]);
	for (uint32_t i = 0; i < n; i++)
		met += v[i].rule[RULE_IN] || v[i].rule[RULE_OUT];
	for (uint32_t i = 0; i < n; i++)
		changed += v[i].changed;
	read_counters(r, &before);
	packets_send(r, p, n);
	same = true;
	for (int i = 0; i < QUEUES; i++)
		same = queue_got(r, i, v, n) && same;
	return counted(r, in, &before, v, n) && same;
}

/* --- what differs --- */

/* Copies the text without one line. False: there is no such line. */
static bool without(const char *text, size_t line, char *shorter)
{
	size_t at = 0;

	for (*shorter = 0; *text; at++) {
		size_t len = strcspn(text, "\n") + 1;

		if (at != line)
			strncat(shorter, text, len);
		text += len;
	}
	return line < at;
}

static bool fits_root(const struct installed *in)
{
	return in->program.table[RULE_IN].n <= ROOT_MATCHERS &&
	       in->program.table[RULE_OUT].n <= ROOT_MATCHERS;
}

static bool differs(struct rig *r, const char *text, const struct made_packet *p, bool root)
{
	struct dice d = {1};
	struct installed in;
	bool same;

	if (!file_compile(&in, text))
		return false;
	/* Tags are the rules' indexes, which have changed. */
	for (size_t i = 0; i < in.set.n; i++)
		in.set.rule[i].tag = i < QUEUES ? LAST_TAG : (uint32_t)i;
	/* Fewer rules may need more matchers; below the root the difference is another one, or
	 * none. */
	in.root = root && fits_root(&in);
	file_install(r, &in, &d);
	same = batch(r, &in, p, 1);
	file_uninstall(&in);
	return !same;
}

static void report(struct rig *r, const char *text, const struct made_packet *p, uint64_t seed,
		   bool root)
{
	char now[TEXT_MAX], next[TEXT_MAX], line[256];
	struct fields f;

	snprintf(now, sizeof(now), "%s", text);
	for (size_t i = RULES_OWN; without(now, i, next); i++)
		if (differs(r, next, p, root)) {
			memcpy(now, next, sizeof(now));
			i--;
		}
	fields_of_frame(&f, p->bytes, p->len < SHORTEST ? SHORTEST : p->len);
	fields_line(line, sizeof(line), &f);
	printf("# seed %" PRIu64 ": differs for %s (%u bytes)\n# ", seed, line, p->len);
	for (uint32_t i = 0; i < p->len; i++)
		printf("%02x", p->bytes[i]);
	printf("\n# under (%s%s):\n", root ? "root tables, " : "",
	       differs(r, now, p, root) ? "smallest file" : "only after the inserts and deletes");
	for (const char *c = now; *c; c++) {
		if (c == now || c[-1] == '\n')
			printf("#   ");
		putchar(*c);
	}
}

static void find_difference(struct rig *r, const struct installed *in, const char *text,
			    const struct made_packet *p, uint32_t n, uint64_t seed)
{
	for (uint32_t i = 0; i < n; i++)
		if (!batch(r, in, &p[i], 1)) {
			if (!differences++)
				report(r, text, &p[i], seed, in->root);
			return;
		}
	differences++;
	printf("# seed %" PRIu64 ": a batch of %u differs, none of its packets alone\n", seed, n);
}

/* --- the sets --- */

static void packets(struct rig *r, const struct installed *in, const char *text, struct dice *d,
		    uint32_t n, uint64_t seed)
{
	struct made_packet p[BATCH];

	while (n) {
		uint32_t some = n < BATCH ? n : BATCH;

		for (uint32_t i = 0; i < some; i++)
			any_packet(d, &p[i]);
		if (!batch(r, in, p, some))
			find_difference(r, in, text, p, some, seed);
		pairs += some;
		n -= some;
	}
}

/* The file or, for the root, as many of its rules as fit there. */
static void compile_set(struct installed *in, char *text, bool root)
{
	OK(file_compile(in, text) ? 0 : -1);
	while (root && !fits_root(in)) {
		program_free(&in->program);
		ruleset_free(&in->set);
		text[strlen(text) - 1] = 0;
		strrchr(text, '\n')[1] = 0;
		OK(file_compile(in, text) ? 0 : -1);
	}
	in->root = root;
	in_root += root;
}

static void one_set(struct rig *r, uint64_t seed, uint32_t n)
{
	struct dice d = {seed * 0x9e3779b97f4a7c15ull + 1};
	char text[TEXT_MAX];
	struct installed in;
	size_t all;

	file_random(&d, true, seed % 5 != 0, text);
	compile_set(&in, text, seed % 5 == 0);
	file_install(r, &in, &d);
	packets(r, &in, text, &d, n - n / 3, seed);
	all = in.set.n;
	file_cut(r, &in, RULES_OWN + dice_roll(&d, (uint32_t)(all - RULES_OWN)));
	packets(r, &in, text, &d, n / 3, seed);
	in.set.n = all;
	file_uninstall(&in);
}

int main(int argc, char **argv)
{
	uint64_t sets = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
	uint32_t n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 1000;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	struct timespec start, end;
	struct rig r = {0};

	printf("1..1\n");
	rig_open(&r);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (uint64_t i = 0; i < sets && differences < 8; i++)
		one_set(&r, seed + i, n);
	clock_gettime(CLOCK_MONOTONIC, &end);
	rig_close(&r);
	printf("%s 1 - %" PRIu64 " pairs of rule file and packet (%" PRIu64 " met a rule, %" PRIu64
	       " were changed; %" PRIu64 " files in root tables), seeds %" PRIu64 " to %" PRIu64
	       ", %" PRIu64 " differences, %.1f s\n",
	       differences ? "not ok" : "ok", pairs, met, changed, in_root, seed, seed + sets - 1,
	       differences,
	       (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
	return differences != 0;
}
