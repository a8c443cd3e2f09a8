/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rules of dvx-flow: accepted ones compile, a rule's text parses to the same rule, and a text that is
 * parsed in parts at once gives the same rules and mistakes.
 */
#include "fuzz.h"
#include "rules/compile.h"

#include <stdio.h>

static unsigned int accepted;

/* Writes a mistake to a stream. */
static void tell(void *arg, const struct mistake *m)
{
	assert_true(m->line >= 1 && m->column >= 1 && m->width >= 1 && m->text[0]);
	fprintf(arg, "%u:%u+%u %s in %.*s\n", m->line, m->column, m->width, m->text,
		(int)m->source_len, m->source);
}

static const char *table_name(const struct ruleset *set, uint32_t table)
{
	return set->ntables ? set->table[table].name : TABLE_MAIN;
}

/* Rows without padding. */
static void same_rows(const void *a, size_t na, const void *b, size_t nb, size_t size)
{
	assert_int_equal(na, nb);
	if (na)
		assert_memory_equal(a, b, na * size);
}

static void same_nets(const struct rule_nets *a, const struct rule_nets *b)
{
	same_rows(a->net, a->n, b->net, b->n, sizeof(*a->net));
}

static void same_ports(const struct rule_ports *a, const struct rule_ports *b)
{
	same_rows(a->range, a->n, b->range, b->n, sizeof(*a->range));
}

static void same_headers(const struct rule_headers *a, const struct rule_headers *b)
{
	assert_int_equal(a->ip, b->ip);
	assert_int_equal(a->l4, b->l4);
	same_nets(&a->src, &b->src);
	same_nets(&a->dst, &b->dst);
	same_nets(&a->host, &b->host);
	same_ports(&a->sport, &b->sport);
	same_ports(&a->dport, &b->dport);
	same_ports(&a->port, &b->port);
}

static void same_fields(const struct rule_field *a, size_t na, const struct rule_field *b,
			size_t nb)
{
	assert_int_equal(na, nb);
	for (size_t i = 0; i < na; i++) {
		assert_int_equal(a[i].key, b[i].key);
		assert_int_equal(a[i].value, b[i].value);
		assert_int_equal(a[i].mask, b[i].mask);
		same_rows(a[i].more, a[i].nmore, b[i].more, b[i].nmore, sizeof(*a->more));
	}
}

static void same_excepts(const struct rule *a, const struct rule *b)
{
	assert_int_equal(a->nexcepts, b->nexcepts);
	for (size_t i = 0; i < a->nexcepts; i++) {
		const struct rule_except *x = &a->except[i], *y = &b->except[i];

		assert_int_equal(x->inner, y->inner);
		same_headers(&x->headers, &y->headers);
		same_fields(x->field, x->nfields, y->field, y->nfields);
	}
}

static void same_changes(const struct rule *a, const struct rule *b)
{
	assert_int_equal(a->nchanges, b->nchanges);
	for (size_t i = 0; i < a->nchanges; i++) {
		const struct rule_change *x = &a->change[i], *y = &b->change[i];

		assert_int_equal(x->kind, y->kind);
		assert_int_equal(x->of, y->of);
		assert_memory_equal(x->addr, y->addr, sizeof(x->addr));
		assert_int_equal(x->value, y->value);
	}
}

static void same_rss(const struct rule_rss *a, const struct rule_rss *b)
{
	assert_int_equal(!a, !b);
	if (!a)
		return;
	assert_int_equal(a->first, b->first);
	assert_int_equal(a->last, b->last);
	assert_int_equal(a->on, b->on);
	assert_int_equal(a->has_key, b->has_key);
	assert_memory_equal(a->key, b->key, sizeof(a->key));
}

/* Compares the actions of two rules. */
static void same_ends(const struct rule *a, const struct rule *b)
{
	assert_int_equal(a->verdict, b->verdict);
	assert_int_equal(a->queue, b->queue);
	same_rss(a->rss, b->rss);
	same_changes(a, b);
	assert_int_equal(a->has_tag, b->has_tag);
	assert_int_equal(a->tag, b->tag);
	assert_int_equal(a->count, b->count);
	assert_int_equal(!a->name, !b->name);
	if (a->name)
		assert_string_equal(a->name, b->name);
}

static void same_rule(const struct rule *a, const struct rule *b)
{
	assert_string_equal(a->text, b->text);
	assert_int_equal(a->dir, b->dir);
	same_headers(&a->outer, &b->outer);
	assert_int_equal(!a->inner, !b->inner);
	if (a->inner)
		same_headers(a->inner, b->inner);
	same_fields(a->field, a->nfields, b->field, b->nfields);
	same_excepts(a, b);
	same_ends(a, b);
}

/* The file that the rules' texts make. */
static char *written(const struct ruleset *set, size_t *len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);
	uint32_t in = 0;

	assert_non_null(f);
	for (size_t i = 0; i < set->n; i++) {
		if (set->rule[i].table != in)
			fprintf(f, "table %s\n", table_name(set, set->rule[i].table));
		in = set->rule[i].table;
		fprintf(f, "%s\n", set->rule[i].text);
	}
	fclose(f);
	return text;
}

static void same_set(const struct ruleset *set, const struct ruleset *other)
{
	assert_int_equal(other->n, set->n);
	for (size_t i = 0; i < set->n; i++) {
		const struct rule *a = &set->rule[i], *b = &other->rule[i];

		same_rule(a, b);
		assert_string_equal(table_name(other, b->table), table_name(set, a->table));
		assert_string_equal(table_name(other, b->go), table_name(set, a->go));
	}
}

static void again(const struct ruleset *set)
{
	struct ruleset other;
	size_t len = 0;
	char *text = written(set, &len);

	assert_int_equal(rules_parse(text, len, &other, NULL, NULL), 0);
	same_set(set, &other);
	ruleset_free(&other);
	free(text);
}

/* --- in parts ---------------------------------------------------------------------------------- */

static int parse_within(const char *text, size_t len, struct parse_limits limits,
			struct ruleset *set, char **mistakes)
{
	size_t n;
	FILE *f = open_memstream(mistakes, &n);
	int ret;

	assert_non_null(f);
	ret = rules_parse_within(text, len, &limits, set, tell, f);
	fclose(f);
	return ret;
}

static void same_places(const struct rule *a, const struct rule *b)
{
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->first_byte, b->first_byte);
	assert_int_equal(a->end_byte, b->end_byte);
	assert_memory_equal(&a->at, &b->at, sizeof(a->at));
	assert_memory_equal(&a->count_at, &b->count_at, sizeof(a->count_at));
	if (a->rss)
		assert_int_equal(a->rss->number, b->rss->number);
}

/* Parses the whole at once, and in parts of some bytes. */
static void in_parts(const char *text, size_t len, uint32_t bytes, unsigned int threads)
{
	const struct parse_limits whole = {SIZE_MAX, 1}, parts = {bytes, threads};
	struct ruleset set, other;
	char *said, *other_said;
	int ret = parse_within(text, len, whole, &set, &said);

	assert_int_equal(parse_within(text, len, parts, &other, &other_said), ret);
	assert_string_equal(said, other_said);
	assert_int_equal(set.ndefines, other.ndefines);
	assert_int_equal(set.last_table, other.last_table);
	same_set(&set, &other);
	for (size_t i = 0; i < set.n; i++)
		same_places(&set.rule[i], &other.rule[i]);
	ruleset_free(&set);
	ruleset_free(&other);
	free(said);
	free(other_said);
}

/* Lines that later ones depend on, behind some that stand alone. */
#define LINES_ALONE 7
static const char *const lines[] = {
	"drop in ipv4 src 10.0.0.0/8 tcp dst port 22 count",
	"count out udp dst port 53,67-69",
	"pass out ipv6 dst 2001:db8::/32 not udp",
	"# a comment that goes nowhere \\",
	"",
	"drop out tcp \\\n  dst port 80 # with a comment",
	"drop out tcp \\\r\n  dst port 81\r",
	"count out arp name \"one\"",
	"count out arp name two",
	"define web = 80,443",
	"define net = {\n10.0.0.0/8,\n 192.168.0.0/16 }",
	"drop in tcp dst port $web",
	"drop in src $net",
	"table two",
	"send in ipv4 goto two",
	"send in udp goto main",
	"send in to rss 0-3 on ipv4",
	"send in to rss 0-2 on ipv4",
	"drop in geneve option 0x102 type 3 7",
	"drop in geneve option 0x102 type 4 7",
	"track switch tcp",
	"mirror switch tcp to uplink",
	"drop switch ct invalid",
	"drop in dst port 99999",
	"drop in gibberish",
};

static void lines_in_parts(uint32_t state)
{
	uint32_t others[2];
	size_t len;
	char *text;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	for (int i = 0; i < 2; i++)
		others[i] = fuzz_random(&state) % (sizeof(lines) / sizeof(lines[0]));
	for (uint32_t n = fuzz_random(&state) % 32; n; n--) {
		uint32_t pick = fuzz_random(&state) % (LINES_ALONE + 3);

		fprintf(f, "%s%s", lines[pick < LINES_ALONE ? pick : others[pick & 1]],
			n == 1 && state & 64 ? "" : "\n");
	}
	fclose(f);
	in_parts(text, len, 4 + fuzz_random(&state) % 64, 2 + fuzz_random(&state) % 4);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *text = (const char *)bytes;
	uint32_t hash = fuzz_hash(bytes, len);
	struct ruleset set;
	struct program p;
	size_t wrong;

	in_parts(text, len, 4 + hash % 64, 2 + hash / 64 % 4);
	lines_in_parts(hash | 1);
	if (rules_parse(text, len, &set, NULL, NULL))
		return 0;
	accepted += set.n != 0;
	again(&set);
	if (!rules_compile(&set, &p, &wrong))
		program_free(&p);
	ruleset_free(&set);
	return 0;
}

static void judge(unsigned int inputs)
{
	assert_true(accepted > inputs / 100);
}

const struct fuzz_target fuzz_target = {
	.corpus = "fuzz/corpus/rules/*", .inputs = 4000, .judge = judge};
