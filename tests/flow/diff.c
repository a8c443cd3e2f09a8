/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that rules steer as they are written. Random rule files are put on the device by the
 * unmodified libmlx5; random packets pass it, out and in; the slow matcher and the slow models must
 * agree about every byte that each queue gets, and about every counter. Of ten files, two go to the
 * root tables (as many of their rules as fit there), four are inserted, deleted and inserted again
 * in random order, three have tables, mirrors and spreads, which the daemon's code makes, and one is
 * an access list that the daemon's code makes tables of codes of. With `hws` the rules are hardware
 * steering's, whose root has too few actions for such files: their rules go below. Usage:
 * diff [SETS [PACKETS [SEED [hws]]]]
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>
#include "acl_packets.h"
#include "tests/steer/flow_slow.h"
#include "tests/steer/flow_slow_change.h"
#include "tests/steer/flow_slow_spread.h"
#include "diff_rig.h"

/* How a file's rules are put on the device. */
enum how { IN_ROOT, IN_ANY_ORDER, BY_DAEMON, AS_CODES };

#define COPIES_MAX 2u /* mirrors that a packet meets */
#define COUNTS_MAX 128u

struct verdict {
	struct slow_way way[RULE_DIRS]; /* empty: the packet did not get there */
	struct copy {
		int queue;
		uint32_t tag;
	} copy[COPIES_MAX + 1]; /* in order; the last one is changed */
	uint32_t copies;
	bool sent;	    /* the last one is not a mirror's */
	bool changed, lost; /* lost: the rule removes a header that the packet does not have */
	uint8_t bytes[PACKET_ROOM], came[PACKET_ROOM]; /* came: bytes that mirrors copy */
	uint32_t len, came_len;
};

static uint64_t pairs, met, changed, mirrored, spread, jumped, in_root, coded, codes_ways,
	differences;

/* --- packets through the device --- */

/* Walks the direction's rules, and applies the last one. Returns false if the packet ends here. */
static bool passes(const struct installed *in, enum rule_dir dir, struct verdict *v)
{
	const struct rule *r;
	struct fields f = {.option = RANDOM_OPTION};

	fields_of_frame(&f, v->bytes, v->len);
	slow_walk(&in->set, dir, &f, &v->way[dir]);
	r = v->way[dir].end;
	if (!r)
		return true;
	v->changed = v->changed || r->nchanges;
	if (r->verdict == RULE_DROP)
		return false;
	v->lost = !slow_change(r, v->bytes, &v->len);
	return !v->lost;
}

static void expect_copies(struct verdict *v)
{
	const struct slow_way *way = &v->way[RULE_IN];

	for (size_t i = 0; i < way->n; i++) {
		jumped += way->on[i]->verdict == RULE_GOTO;
		if (way->on[i]->verdict != RULE_MIRROR)
			continue;
		OK(v->copies == COPIES_MAX ? -1 : 0);
		v->copy[v->copies++] = (struct copy){(int)way->on[i]->queue, 0};
		mirrored++;
	}
}

static void expect_queue(struct verdict *v)
{
	const struct rule *r = v->way[RULE_IN].end;
	struct copy *last = &v->copy[v->copies];
	struct fields f = {.option = RANDOM_OPTION};

	if (!r || r->verdict != RULE_SEND)
		return;
	v->sent = true;
	v->copies++;
	*last = (struct copy){(int)r->queue, r->tag};
	if (!r->rss)
		return;
	spread++;
	fields_of_frame(&f, v->bytes, v->len);
	last->queue = (int)slow_spread(r->rss, &f);
}

/* The port pads the packet between both directions. */
static void expect(const struct installed *in, const struct made_packet *p, struct verdict *v)
{
	bool arrives;

	memset(v, 0, sizeof(*v));
	v->len = p->len;
	memcpy(v->bytes, p->bytes, p->len);
	if (!passes(in, RULE_OUT, v))
		return;
	if (v->len < SHORTEST) {
		memset(v->bytes + v->len, 0, SHORTEST - v->len);
		v->len = SHORTEST;
	}
	memcpy(v->came, v->bytes, v->len);
	v->came_len = v->len;
	arrives = passes(in, RULE_IN, v);
	expect_copies(v);
	if (arrives)
		expect_queue(v);
}

/* The packets of a batch that the queues get, in order. */
struct arrivals {
	struct arrival {
		int queue;
		uint32_t tag, len;
		const uint8_t *bytes;
	} one[BATCH * (COPIES_MAX + 1)];
	uint32_t n;
};

static void arrivals_of(const struct verdict *v, struct arrivals *a)
{
	for (uint32_t i = 0; i < v->copies; i++) {
		bool last = v->sent && i + 1 == v->copies;

		a->one[a->n++] =
			(struct arrival){v->copy[i].queue, v->copy[i].tag,
					 last ? v->len : v->came_len, last ? v->bytes : v->came};
	}
}

/* Returns whether a queue received its expected packets in order, byte by byte. */
static bool queue_got(struct rig *r, int queue, const struct arrivals *a)
{
	uint32_t tag = 0, len, at = 0;
	bool same = true;

	while (tag != LAST_TAG) {
		const uint8_t *got = packet_receive(r, queue, &tag, &len);

		while (at < a->n && a->one[at].queue != queue)
			at++;
		if (tag == LAST_TAG)
			same = same && at == a->n;
		else
			same = same && at < a->n && a->one[at].tag == tag &&
			       a->one[at].len == len && !memcmp(a->one[at].bytes, got, len);
		at++;
	}
	dvx_rq_ring(r->queue[queue].rq);
	return same;
}

struct totals {
	uint64_t packets[COUNTS_MAX];
};

/* Reads the counters by rule. Rules without a counter always have UINT64_MAX. */
static void read_counters(struct rig *r, const struct installed *in, struct totals *t)
{
	struct dvx_flow_count count[COUNTS_MAX] = {{0}};
	struct flow_fault f;

	if (in->held)
		OK(generation_count(in->held, count, &f));
	else
		OK(dvx_flow_counter_query(r->counter, 0, RULES_ALL, count));
	for (uint32_t i = 0; i < COUNTS_MAX; i++)
		t->packets[i] = count[i].packets;
}

static void count_rule(const struct installed *in, const struct rule *rule, struct totals *t)
{
	if (rule && rule->count)
		t->packets[rule - in->set.rule]++;
}

/*
 * Returns whether the counters agree with the verdicts. A rule may or may not count a packet that
 * it loses: its counter is in one of its entries, the removal in another one.
 */
static bool counted(struct rig *r, const struct installed *in, const struct totals *before,
		    const struct verdict *v, uint32_t n)
{
	struct totals after, least = *before, lost = {0};
	bool same = true;

	for (uint32_t i = 0; i < n; i++)
		for (int dir = 0; dir < RULE_DIRS; dir++) {
			const struct slow_way *way = &v[i].way[dir];
			bool last = dir == RULE_IN || !v[i].way[RULE_IN].end;

			for (size_t k = 0; k < way->n; k++)
				count_rule(in, way->on[k], &least);
			count_rule(in, way->end, v[i].lost && last ? &lost : &least);
		}
	read_counters(r, in, &after);
	for (uint32_t i = 0; i < COUNTS_MAX; i++)
		same = same && after.packets[i] >= least.packets[i] &&
		       after.packets[i] - least.packets[i] <= lost.packets[i];
	return same;
}

static bool batch(struct rig *r, const struct installed *in, const struct made_packet *p,
		  uint32_t n)
{
	static struct verdict v[BATCH];
	static struct arrivals a;
	struct totals before;
	bool same = true;

	a.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		expect(in, &p[i], &v[i]);
		arrivals_of(&v[i], &a);
		met += v[i].way[RULE_IN].end || v[i].way[RULE_OUT].end;
		changed += v[i].changed;
	}
	read_counters(r, in, &before);
	packets_send(r, p, n);
	for (int i = 0; i < QUEUES; i++)
		same = queue_got(r, i, &a) && same;
	return counted(r, in, &before, v, n) && same;
}

/* --- what differs --- */

/* Copies the text without one line. Returns false if there is no such line. */
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

/* Puts the file on the device. */
static void install(struct rig *r, struct installed *in, enum how how, struct dice *d)
{
	in->root = how == IN_ROOT;
	if (how == BY_DAEMON || how == AS_CODES)
		file_hold(r, in);
	else
		file_install(r, in, d);
}

static void uninstall(struct installed *in)
{
	if (in->held)
		file_drop(in);
	else
		file_uninstall(in);
}

static bool differs(struct rig *r, const char *text, const struct made_packet *p, enum how how)
{
	struct dice d = {1};
	struct installed in;
	bool same;

	if (!file_compile(&in, text))
		return false;
	/* the rig's tags are the rules' indexes, which have changed */
	for (size_t i = 0; i < in.set.n && how <= IN_ANY_ORDER; i++)
		in.set.rule[i].tag = i < QUEUES ? LAST_TAG : (uint32_t)i;
	/* Fewer rules may need more matchers; then they go below the root, where the difference is
	 * another one, or none. */
	install(r, &in, how == IN_ROOT && !fits_root(&in) ? IN_ANY_ORDER : how, &d);
	same = batch(r, &in, p, 1);
	uninstall(&in);
	return !same;
}

static void report(struct rig *r, const char *text, const struct made_packet *p, uint64_t seed,
		   enum how how)
{
	static const char *const hows[] = {"root tables, ", "", "by the daemon, ", "codes, "};
	char now[TEXT_MAX], next[TEXT_MAX], line[256];
	struct fields f = {.option = RANDOM_OPTION};

	snprintf(now, sizeof(now), "%s", text);
	for (size_t i = RULES_OWN; without(now, i, next); i++)
		if (differs(r, next, p, how)) {
			memcpy(now, next, sizeof(now));
			i--;
		}
	fields_of_frame(&f, p->bytes, p->len < SHORTEST ? SHORTEST : p->len);
	fields_line(line, sizeof(line), &f);
	printf("# seed %" PRIu64 ": differs for %s (%u bytes)\n# ", seed, line, p->len);
	for (uint32_t i = 0; i < p->len; i++)
		printf("%02x", p->bytes[i]);
	printf("\n# under (%s%s):\n", hows[how],
	       differs(r, now, p, how) ? "smallest file" : "only after the inserts and deletes");
	for (const char *c = now; *c; c++) {
		if (c == now || c[-1] == '\n')
			printf("#   ");
		putchar(*c);
	}
}

static void find_difference(struct rig *r, const struct installed *in, const char *text,
			    const struct made_packet *p, uint32_t n, uint64_t seed, enum how how)
{
	for (uint32_t i = 0; i < n; i++)
		if (!batch(r, in, &p[i], 1)) {
			if (!differences++) {
				/* two generations would attach at one place */
				if (in->held)
					generation_detach(in->held);
				report(r, text, &p[i], seed, how);
			}
			return;
		}
	differences++;
	printf("# seed %" PRIu64 ": a batch of %u differs, none of its packets alone\n", seed, n);
}

static struct rig rig;

/* --- the sets --- */

static void packets(struct rig *r, const struct installed *in, const char *text, struct dice *d,
		    uint32_t n, uint64_t seed, enum how how)
{
	struct made_packet p[BATCH];

	while (n && !differences) {
		uint32_t some = n < BATCH ? n : BATCH;

		for (uint32_t i = 0; i < some; i++)
			if (how == AS_CODES && dice_roll(d, 5))
				corner_packet(d, &in->set, &p[i]);
			else
				any_packet(d, &p[i]);
		if (!batch(r, in, p, some))
			find_difference(r, in, text, p, some, seed, how);
		pairs += some;
		n -= some;
	}
}

/* Compiles the file or, for the root, as many of its rules as fit there. */
static void compile_set(struct installed *in, char *text, enum how how)
{
	OK(file_compile(in, text) ? 0 : -1);
	while (how == IN_ROOT && !fits_root(in)) {
		program_free(&in->program);
		ruleset_free(&in->set);
		text[strlen(text) - 1] = 0;
		strrchr(text, '\n')[1] = 0;
		OK(file_compile(in, text) ? 0 : -1);
	}
}

static void any_file(struct dice *d, enum how how, char text[TEXT_MAX])
{
	if (how == BY_DAEMON)
		file_random_ways(d, text);
	else if (how == AS_CODES)
		file_random_list(d, text);
	else
		file_random(d, true, how != IN_ROOT, text);
}

static void count_codes(const struct installed *in, uint64_t ways)
{
	if (!in->held || strcmp(generation_cost(in->held)->compiled[RULE_IN], "codes") != 0)
		return;
	coded++;
	codes_ways += ways;
}

/* A device has 256 match definers at most: one for each mask, and one more for its IPv6 addresses. */
#define HARDWARE_MASKS 100u

/* Makes a random file that the device has room for, and compiles it. */
static void make_set(struct rig *r, struct installed *in, struct dice *d, enum how how,
		     char text[TEXT_MAX])
{
	for (;;) {
		any_file(d, how, text);
		compile_set(in, text, how);
		if (r->base.steering != STEERING_HWS || file_count_masks(in) <= HARDWARE_MASKS)
			return;
		program_free(&in->program);
		ruleset_free(&in->set);
	}
}

static void one_set(struct rig *r, uint64_t seed, uint32_t n)
{
	static const enum how hows[] = {IN_ROOT,      IN_ANY_ORDER, IN_ANY_ORDER, BY_DAEMON,
					AS_CODES,     IN_ROOT,	    IN_ANY_ORDER, BY_DAEMON,
					IN_ANY_ORDER, BY_DAEMON};
	struct dice d = {seed * 0x9e3779b97f4a7c15ull + 1};
	uint64_t ways = mirrored + jumped;
	enum how how = hows[seed % 10];
	bool hardware = r->base.steering == STEERING_HWS;
	char text[TEXT_MAX];
	struct installed in;
	size_t all;

	if (hardware && how == IN_ROOT)
		how = IN_ANY_ORDER;
	make_set(r, &in, &d, how, text);
	install(r, &in, how, &d);
	in_root += in.root;
	packets(r, &in, text, &d, in.held ? n : n - n / 3, seed, how);
	count_codes(&in, mirrored + jumped - ways);
	if (!in.held) {
		all = in.set.n;
		file_cut(r, &in, RULES_OWN + dice_roll(&d, (uint32_t)(all - RULES_OWN)));
		packets(r, &in, text, &d, n / 3, seed, how);
		in.set.n = all;
	}
	uninstall(&in);
}

/* Checks that packets were changed and met mirrors and tables, as the run proves nothing else. */
static bool all_there(void)
{
	return changed && mirrored && spread && jumped && (in_root || rig.base.steering) && coded &&
	       codes_ways;
}

int main(int argc, char **argv)
{
	uint64_t sets = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
	uint32_t n = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 1000;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	struct timespec start, end;
	bool fine;

	printf("1..1\n");
	rig_open_by_daemon(&rig, argc > 4 ? argv[4] : "sws");
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (uint64_t i = 0; i < sets && !differences; i++)
		one_set(&rig, seed + i, n);
	clock_gettime(CLOCK_MONOTONIC, &end);
	base_tables_free(&rig.base);
	rig_close(&rig);
	fine = !differences && (all_there() || sets < 10);
	printf("%s 1 - %" PRIu64 " pairs of rule file and packet (%" PRIu64 " met a rule, %" PRIu64
	       " were changed, %" PRIu64 " copied, %" PRIu64 " spread, %" PRIu64
	       " led to a table; %" PRIu64 " files in root tables, %" PRIu64
	       " in tables of codes, where %" PRIu64 " packets went on; %" PRIu64
	       " rules that the device refuses), seeds %" PRIu64 " to %" PRIu64 ", %" PRIu64
	       " differences, %.1f s\n",
	       fine ? "ok" : "not ok", pairs, met, changed, mirrored, spread, jumped, in_root,
	       coded, codes_ways, rig_refused, seed, seed + sets - 1, differences,
	       (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
	return !fine;
}
