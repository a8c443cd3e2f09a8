/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that explain's walk over libmlx5's dump finds the rule that the slow matcher finds. Writes
 * each walk's entries to FILE, which flow_ways.pl compares with the device's trace. Usage:
 * flow_explain FILE [SETS [PACKETS [SEED]]]
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "../unit/flow_slow.h"
#include "diff_rig.h"
#include "explain/walk.h"

static uint64_t walks, wrong;

struct seen {
	struct steering_dump d;
	struct view_cache *cache;
	uint32_t table;
};

static void bail(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

/*
 * Dumped entries lack their masks (48 bytes). The masks that explain finds must cover every bit of
 * a tag.
 */
static void check_masks(struct seen *s)
{
	for (uint32_t i = 0; i < s->d.nentries; i++) {
		struct ste ste;

		entry_read(s->cache, &s->d.entry[i], &ste);
		for (unsigned int k = 0; k < ste.tag_bytes; k++)
			if (ste.tag[k] & ~ste.mask[k])
				bail("a tag has bits that the matcher's mask has not");
	}
}

static void look(struct rig *r, struct seen *s)
{
	struct dump_error err;
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (!to || dvx_flow_domain_dump(r->lane[RULE_IN].domain, to) || fclose(to))
		bail("the domain cannot be dumped");
	if (steering_dump_parse(&s->d, text, len, &err)) {
		fprintf(stderr, "line %u: %s\n", err.line, err.text);
		bail("the dump cannot be read");
	}
	free(text);
	s->cache = view_cache_new(&s->d);
	for (s->table = 0; s->table < s->d.ntables; s->table++)
		if (s->d.table[s->table].level == 1)
			break;
	if (s->table == s->d.ntables || s->d.unknown)
		bail("the dump has no table of level 1, or records that are unknown");
	check_masks(s);
}

/* The file's rule that a rule of the dump belongs to. */
static const struct rule *rule_of(const struct installed *in, uint64_t id)
{
	for (size_t i = 0; i < in->npieces; i++)
		if (in->piece[i].rule_in && dvx_flow_rule_id(in->piece[i].rule_in) == id)
			return &in->set.rule[in->piece[i].rule];
	return NULL;
}

static void one_walk(struct seen *s, const struct installed *in, const struct made_packet *p,
		     FILE *out)
{
	struct explain_walk w = {.cache = s->cache};
	const struct rule *want, *got = NULL;
	struct fields f;

	fields_of_frame(&f, p->bytes, p->len < SHORTEST ? SHORTEST : p->len);
	want = slow_match(&in->set, RULE_IN, &f);
	if (walk_run(&w, &s->d, s->table, SIDE_RX, &f))
		bail("no memory");
	if (w.end == WALK_RULE)
		got = rule_of(in, s->d.rule[w.rule].id);
	if (w.end == WALK_LOST || got != want) {
		wrong++;
		printf("# %s: the rule is %s, explain says %s\n",
		       w.end == WALK_LOST ? w.lost : "another rule", want ? want->text : "none",
		       got ? got->text : "none");
	}
	if (got && got->has_tag && (!w.tagged || w.tag != got->tag))
		wrong++;
	fprintf(out, "packet");
	for (uint32_t i = 0; i < w.nsteps; i++) {
		const struct dump_entry *e = &s->d.entry[w.step[i].entry];

		if (w.step[i].kind == STEP_ENTRY)
			fprintf(out, " 0x%" PRIx64 ":%s", (uint64_t)e->index << 6,
				w.step[i].hit ? "hit" : "miss");
	}
	fprintf(out, "\n");
	walks++;
	walk_free(&w);
}

static void one_set(struct rig *r, uint64_t seed, uint32_t n, FILE *out)
{
	struct dice d = {seed * 0x9e3779b97f4a7c15ull + 1};
	struct made_packet p[BATCH];
	uint32_t tag = 0, len;
	char text[TEXT_MAX];
	struct installed in;
	struct seen s;

	file_random(&d, false, text);
	if (!file_compile(&in, text))
		bail(text);
	file_install(r, &in, &d);
	file_cut(r, &in, RULES_OWN + dice_roll(&d, (uint32_t)in.set.n - RULES_OWN + 1));
	look(r, &s);
	fprintf(out, "dump");
	for (uint32_t i = 0; i < s.d.nentries; i++)
		fprintf(out, " 0x%" PRIx64 ":%u", (uint64_t)s.d.entry[i].index << 6,
			entry_place(&s.d, &s.d.entry[i]));
	fprintf(out, "\n");
	for (uint32_t i = 0; i < n; i++) {
		any_packet(&d, &p[i]);
		one_walk(&s, &in, &p[i], out);
	}
	fprintf(out, "others %u\n", QUEUES);
	packets_send(r, p, n);
	for (int q = 0; q < QUEUES; q++, tag = 0) {
		while (tag != LAST_TAG)
			packet_receive(r, q, &tag, &len);
		dvx_rq_ring(r->queue[q].rq);
	}
	view_cache_free(s.cache);
	steering_dump_free(&s.d);
	file_uninstall(&in);
}

int main(int argc, char **argv)
{
	uint64_t sets = argc > 2 ? strtoull(argv[2], NULL, 0) : 100;
	uint32_t n = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 0) : 100;
	uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 0) : 1;
	FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
	struct rig r = {0};

	if (!out || n > BATCH)
		bail("flow_explain FILE [SETS [PACKETS (up to 256) [SEED]]]");
	rig_open(&r);
	for (uint64_t i = 0; i < sets && !wrong; i++)
		one_set(&r, seed + i, n, out);
	rig_close(&r);
	printf("%s 1 - %" PRIu64 " walks over dumps come to the rule as written, seeds %" PRIu64
	       " to %" PRIu64 "\n",
	       wrong || fclose(out) ? "not ok" : "ok", walks, seed, seed + sets - 1);
	return wrong != 0;
}
