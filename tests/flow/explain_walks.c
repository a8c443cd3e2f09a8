/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that explain's walk over libmlx5's dump finds the same rule as the slow matcher, and the
 * same resulting packet as the slow model and the device. Writes each walk's entries to FILE, which
 * ways.pl compares with the device's trace. Usage: explain_walks FILE [SETS [PACKETS [SEED]]]
 */
#include <errno.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <inttypes.h>
#include <string.h>
#include "tests/steer/flow_slow.h"
#include "tests/steer/flow_slow_change.h"
#include "diff_rig.h"
#include "explain/ste.h"
#include "explain/walk.h"

static uint64_t walks, changed, codes, wrong;

struct seen {
	struct steering d;
	uint32_t table;
};

static void bail(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(1);
}

/*
 * Checks masks, which dumped entries lack (48 bytes): those that explain finds must cover every bit
 * of a tag.
 */
static void check_masks(struct seen *s)
{
	for (uint32_t i = 0; i < s->d.nentries; i++) {
		struct ste ste;

		ste_read(&s->d, &s->d.entry[i], &ste);
		for (unsigned int k = 0; ste.e.known && k < ste.tag_bytes; k++)
			if (ste.tag[k] & ~ste.mask[k])
				bail("a tag has bits that the matcher's mask has not");
	}
}

/* Adds what the daemon sends with a dump. */
static void add_list(struct seen *s, const struct dvx_flow_action *action)
{
	struct dvx_flow_rewrites list;
	uint32_t first = s->d.nrewrites;

	if (dvx_flow_action_rewrites(action, &list))
		return;
	if (!steering_add_rewrites(&s->d, list.action[0], list.count))
		bail("no memory");
	for (uint32_t i = 0; i < s->d.nactions; i++)
		if (s->d.action[i].kind == ACTION_REWRITES &&
		    s->d.action[i].id == dvx_flow_action_id(action)) {
			s->d.action[i].first = first;
			s->d.action[i].n = list.count;
		}
}

static uint32_t option_parser(struct rig *r)
{
	const void *cap;

	OK(dvx_dev_cap_page(r->dev, PRM_HCA_CAP_TYPE_GENERAL, &cap));
	return prm_cmd_hca_cap_get_flex_parser_id_geneve_tlv_option_0(cap);
}

static void look(struct rig *r, struct seen *s, struct dvx_flow_action *const *action,
		 size_t actions)
{
	struct dump_error err;
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	if (!to || dvx_flow_domain_dump(r->lane[RULE_IN].domain, to) || fclose(to))
		bail("the domain cannot be dumped");
	if (steering_parse(&s->d, text, len, &err)) {
		fprintf(stderr, "line %u: %s\n", err.line, err.text);
		bail("the dump cannot be read");
	}
	free(text);
	s->d.option = RANDOM_OPTION;
	s->d.option_parser = option_parser(r);
	for (size_t i = 0; i < actions; i++)
		add_list(s, action[i]);
	for (s->table = 0; s->table < s->d.ntables; s->table++)
		if (s->d.table[s->table].level == 1)
			break;
	if (s->table == s->d.ntables || s->d.unknown)
		bail("the dump has no table of level 1, or records that are unknown");
	check_masks(s);
}

/* Returns the file's rule that a rule of the dump belongs to. */
static const struct rule *rule_of(const struct installed *in, uint64_t id)
{
	for (size_t i = 0; i < in->npieces; i++)
		if (in->piece[i].rule_in && dvx_flow_rule_id(in->piece[i].rule_in) == id)
			return &in->set.rule[in->piece[i].rule];
	return NULL;
}

/* The packet that a queue gets. */
struct arrival {
	int queue; /* -1: no queue gets it */
	uint32_t len;
	uint8_t bytes[PACKET_ROOM];
};

static void arrival_of(struct arrival *a, const struct explain_walk *w, const struct rule *rule)
{
	a->queue =
		w->end == WALK_RULE && rule && rule->verdict == RULE_SEND ? (int)rule->queue : -1;
	a->len = (uint32_t)w->now.len;
	memcpy(a->bytes, w->now.bytes, w->now.len);
}

/* Compares with the slow model's bytes of the same packet. */
static bool same_bytes(const struct explain_walk *w, const struct rule *rule,
		       const struct made_packet *p, uint32_t len)
{
	uint8_t bytes[PACKET_ROOM] = {0};

	memcpy(bytes, p->bytes, p->len);
	if (rule && !slow_change(rule, bytes, &len))
		return w->end == WALK_LOST;
	return w->end != WALK_LOST && len == w->now.len && !memcmp(bytes, w->now.bytes, len);
}

static void write_way(const struct seen *s, const struct explain_walk *w, FILE *out)
{
	fprintf(out, "packet");
	for (uint32_t i = 0; i < w->nsteps; i++) {
		const struct steering_record *e = &s->d.entry[w->step[i].entry];

		if (w->step[i].kind == STEP_ENTRY)
			fprintf(out, " 0x%" PRIx64 ":%s", (uint64_t)e->index << 6,
				w->step[i].hit ? "hit" : "miss");
	}
	fprintf(out, "\n");
}

static void one_walk(struct seen *s, const struct installed *in, const struct made_packet *p,
		     struct arrival *a, FILE *out)
{
	uint32_t len = p->len < SHORTEST ? SHORTEST : p->len;
	struct explain_walk w = {.frame = p->bytes, .len = len};
	const struct rule *want, *got = NULL;
	struct fields f = {.option = RANDOM_OPTION};

	fields_of_frame(&f, p->bytes, len);
	want = slow_match(&in->set, RULE_IN, &f);
	if (walk_run(&w, &s->d, s->table, SIDE_RX, &f))
		bail("no memory");
	if (w.end == WALK_RULE)
		got = rule_of(in, s->d.rule[w.rule].id);
	if (w.end != WALK_LOST ? got != want : !want || !want->nchanges) {
		wrong++;
		printf("# %s: the rule is %s, explain says %s\n",
		       w.end == WALK_LOST ? w.lost : "another rule", want ? want->text : "none",
		       got ? got->text : "none");
	} else if (!same_bytes(&w, want, p, len)) {
		wrong++;
		printf("# explain makes another packet by %s\n", want ? want->text : "no rule");
	}
	if (got && got->has_tag && (!w.tagged || w.tag != got->tag))
		wrong++;
	arrival_of(a, &w, got);
	changed += w.changed;
	write_way(s, &w, out);
	walks++;
	walk_free(&w);
}

/* Compares with the device's packets, in order and byte by byte. */
static void compare_arrivals(struct rig *r, int q, const struct arrival *a, uint32_t n)
{
	uint32_t tag = 0, len, at = 0;

	while (tag != LAST_TAG) {
		const uint8_t *got = packet_receive(r, q, &tag, &len);

		while (at < n && a[at].queue != q)
			at++;
		if (tag == LAST_TAG)
			wrong += at != n;
		else
			wrong += at == n || a[at].len != len || memcmp(a[at].bytes, got, len);
		at += at < n;
	}
	dvx_rq_ring(r->queue[q].rq);
}

#define LISTS_MAX (RULES_ALL * CHANGE_ACTIONS)

static void look_at(struct rig *r, struct seen *s, const struct installed *in)
{
	struct dvx_flow_action *action[LISTS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < RULES_ALL; i++)
		for (uint32_t k = 0; in->changes[i] && k < in->changes[i]->n; k++)
			action[n++] = in->changes[i]->action[k];
	look(r, s, action, n);
}

static void one_set(struct rig *r, uint64_t seed, uint32_t n, FILE *out)
{
	struct dice d = {seed * 0x9e3779b97f4a7c15ull + 1};
	struct made_packet p[BATCH];
	struct arrival a[BATCH];
	char text[TEXT_MAX];
	struct installed in;
	struct seen s;

	do /* a dump of format 0 does not name the flex parsers of ICMP */
		file_random(&d, false, true, text);
	while (file_one_side && strstr(text, "icmp"));
	if (!file_compile(&in, text))
		bail(text);
	file_install(r, &in, &d);
	file_cut(r, &in, RULES_OWN + dice_roll(&d, (uint32_t)in.set.n - RULES_OWN + 1));
	look_at(r, &s, &in);
	fprintf(out, "dump");
	for (uint32_t i = 0; i < s.d.nentries; i++)
		fprintf(out, " 0x%" PRIx64 ":%u", (uint64_t)s.d.entry[i].index << 6,
			steering_place(&s.d, &s.d.entry[i]));
	fprintf(out, "\n");
	for (uint32_t i = 0; i < n; i++) {
		any_packet(&d, &p[i]);
		one_walk(&s, &in, &p[i], &a[i], out);
	}
	fprintf(out, "others %u\n", QUEUES);
	packets_send(r, p, n);
	for (int q = 0; q < QUEUES; q++)
		compare_arrivals(r, q, a, n);
	steering_free(&s.d);
	file_uninstall(&in);
}

/* --- registers, as compiled rule lists use them: codes in one table, matched in the next -------- */

#define CODE_SOURCES 4u
#define CODE_RULES   (CODE_SOURCES + 3 + 16)

struct codes {
	struct dvx_flow_table *table[2];
	struct dvx_flow_matcher *matcher[4];
	struct dvx_flow_rule *rule[CODE_RULES];
	struct dvx_flow_action *go[2], *change[CODE_SOURCES + 3];
	uint32_t nmatchers, nrules, nchanges;
};

/* Sets a part of register c0 to c5. */
static void code_set(struct dvx_flow_rewrites *list, uint32_t reg, uint32_t offset, uint32_t bits,
		     uint32_t value)
{
	uint8_t *a = list->action[list->count++];

	prm_set_action_in_set_action_type(a, PRM_ACTION_TYPE_SET);
	prm_set_action_in_set_field(a, PRM_MODIFY_FIELD_METADATA_REG_C_0 + reg);
	prm_set_action_in_set_offset(a, offset);
	prm_set_action_in_set_length(a, bits & 31);
	prm_set_action_in_set_data(a, value);
}

static void code_matcher(struct codes *c, struct dvx_flow_table *t, const struct dvx_flow_match *m,
			 uint32_t priority)
{
	struct dvx_flow_matcher_attr attr = {
		.size = sizeof(attr), .match = m, .priority = priority};

	OK(dvx_flow_matcher_create(t, &attr, &c->matcher[c->nmatchers++]));
}

/* Adds a rule of the last matcher; list: rewrites before it goes on. */
static void code_rule(struct rig *r, struct codes *c, const struct dvx_flow_match *m,
		      const struct dvx_flow_rewrites *list, struct dvx_flow_action *to,
		      struct dvx_flow_action *tag)
{
	struct dvx_flow_action *actions[2] = {to, tag};
	struct dvx_flow_rule_attr attr = {.size = sizeof(attr),
					  .match = m,
					  .actions = actions,
					  .action_count = 2,
					  .matcher = c->matcher[c->nmatchers - 1]};

	if (list) {
		OK(dvx_flow_action_create_modify(r->lane[RULE_IN].domain, list,
						 &c->change[c->nchanges]));
		actions[1] = c->change[c->nchanges++];
	}
	OK(dvx_flow_rule_create(&attr, &c->rule[c->nrules++]));
}

/* By the source, sets bytes of c0 to c3, and all of c5. */
static void codes_first(struct rig *r, struct codes *c, struct dice *d)
{
	for (uint32_t i = 0; i < CODE_SOURCES; i++) {
		struct dvx_flow_rewrites list = {0};
		struct dvx_flow_match m = {0};

		OK(dvx_flow_match_ipv4(&m, DVX_FLOW_OUTER, DVX_FLOW_SRC, 0x0a000000 + i, 32));
		if (!i)
			code_matcher(c, r->lane[RULE_IN].table, &m, 0);
		for (int n = 0; n < 3; n++)
			code_set(&list, dice_roll(d, 4), 8 * dice_roll(d, 4), 8, dice_roll(d, 256));
		code_set(&list, 0, 8, 8, dice_roll(d, 3));
		code_set(&list, 5, 0, 32, dice_roll(d, UINT32_MAX));
		code_rule(r, c, &m, &list, c->go[0], NULL);
	}
}

/* By a byte of c0, copies a part of c5 to c4. */
static void codes_second(struct rig *r, struct codes *c, struct dice *d)
{
	struct dvx_flow_match any = {0};

	for (uint32_t i = 0; i < 3; i++) {
		struct dvx_flow_rewrites list = {0};
		struct dvx_flow_match m = {0};
		uint32_t bits = 1 + dice_roll(d, 32);

		OK(dvx_flow_match_set(&m, "metadata_reg_c_0", i << 8, 0xff00));
		if (!i)
			code_matcher(c, c->table[0], &m, 0);
		if (i == 2)
			code_matcher(c, c->table[0], &any, 1);
		code_set(&list, i == 2 ? 4 : 5, 8 * dice_roll(d, 4), 8, dice_roll(d, 256));
		OK(dvx_flow_rewrite_copy(&list, "metadata_reg_c_4", dice_roll(d, 33 - bits),
					 "metadata_reg_c_5", dice_roll(d, 33 - bits), bits));
		code_rule(r, c, i == 2 ? &any : &m, &list, c->go[1], NULL);
	}
}

/* By four bits of c4, sets different tags. */
static void codes_last(struct rig *r, struct codes *c, struct dice *d)
{
	uint32_t low = dice_roll(d, 29);

	for (uint32_t i = 0; i < 16; i++) {
		struct dvx_flow_match m = {0};

		OK(dvx_flow_match_set(&m, "metadata_reg_c_4", i << low, 0xfu << low));
		if (!i)
			code_matcher(c, c->table[1], &m, 0);
		code_rule(r, c, &m, NULL, r->queue[i % QUEUES].action, r->tag[QUEUES + i]);
	}
}

static void codes_open(struct rig *r, struct codes *c, struct dice *d)
{
	struct dvx_flow_domain *domain = r->lane[RULE_IN].domain;

	for (uint32_t i = 0; i < 2; i++) {
		OK(dvx_flow_table_create(domain, 2 + i, &c->table[i]));
		OK(dvx_flow_action_create_table(domain, c->table[i], &c->go[i]));
	}
	codes_first(r, c, d);
	codes_second(r, c, d);
	codes_last(r, c, d);
	OK(dvx_flow_domain_sync(domain));
}

static void codes_close(struct codes *c)
{
	while (c->nrules)
		OK(dvx_flow_rule_destroy(c->rule[--c->nrules]));
	while (c->nchanges)
		OK(dvx_flow_action_destroy(c->change[--c->nchanges]));
	while (c->nmatchers)
		OK(dvx_flow_matcher_destroy(c->matcher[--c->nmatchers]));
	for (uint32_t i = 0; i < 2; i++) {
		OK(dvx_flow_action_destroy(c->go[i]));
		OK(dvx_flow_table_destroy(c->table[i]));
	}
}

/* Returns the tag that explain expects; without the lists it must report that it does not know. */
static uint32_t code_walk(struct seen *s, const struct made_packet *p, bool lists)
{
	struct explain_walk w = {.frame = p->bytes, .len = p->len};
	struct fields f = {.option = RANDOM_OPTION};

	fields_of_frame(&f, p->bytes, p->len);
	if (walk_run(&w, &s->d, s->table, SIDE_RX, &f))
		bail("no memory");
	if (lists ? w.end != WALK_RULE || !w.tagged
		  : w.end != WALK_LOST || !strstr(w.lost, "list that the dump does not have")) {
		wrong++;
		printf("# codes: %s\n", w.end == WALK_LOST ? w.lost : "another end");
	}
	walk_free(&w);
	return w.tag;
}

static void one_code(struct rig *r, uint64_t seed, FILE *out)
{
	struct dice d = {seed * 0x9e3779b97f4a7c15ull + 1};
	struct made_packet p = {.len = SHORTEST};
	struct seen s, bare;
	struct codes c = {0};

	codes_open(r, &c, &d);
	look(r, &s, c.change, c.nchanges);
	look(r, &bare, NULL, 0);
	memcpy(p.bytes, "\2\0\0\0\0\1\2\0\0\0\0\2\x08\0\x45\0\0\x2e\0\0\0\0\x40\xfd", 24);
	p.bytes[26] = 10;
	for (uint32_t i = 0; i < CODE_SOURCES; i++) {
		uint32_t want, got, len;

		p.bytes[29] = (uint8_t)i;
		code_walk(&bare, &p, false);
		want = code_walk(&s, &p, true);
		packets_send(r, &p, 1);
		packet_receive(r, want % QUEUES, &got, &len);
		dvx_rq_ring(r->queue[want % QUEUES].rq);
		wrong += got != want;
		codes++;
	}
	steering_free(&s.d);
	steering_free(&bare.d);
	fprintf(out, "others %u\n", CODE_SOURCES * (1 + QUEUES));
	codes_close(&c);
}

int main(int argc, char **argv)
{
	uint64_t sets = argc > 2 ? strtoull(argv[2], NULL, 0) : 100;
	uint32_t n = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 0) : 100;
	uint64_t seed = argc > 4 ? strtoull(argv[4], NULL, 0) : 1;
	FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;
	struct rig r = {0};

	if (!out || n > BATCH)
		bail("explain_walks FILE [SETS [PACKETS (up to 256) [SEED]]]");
	rig_open(&r);
	for (uint64_t i = 0; i < sets && !wrong; i++)
		one_set(&r, seed + i, n, out);
	for (uint64_t i = 0; i < sets && !wrong; i++)
		one_code(&r, seed + i, out);
	rig_close(&r);
	/* The run proves nothing about changes if no walk changed a packet. */
	wrong += !changed || !codes;
	printf("%s 1 - %" PRIu64 " walks over dumps come to the rule as written, and to the bytes "
	       "that arrive: %" PRIu64 " were changed, %" PRIu64 " by registers, seeds %" PRIu64
	       " to %" PRIu64 "\n",
	       wrong || fclose(out) ? "not ok" : "ok", walks, changed, codes, seed,
	       seed + sets - 1);
	return wrong != 0;
}
