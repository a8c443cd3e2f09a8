/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of mlx5dv_dump_dr_domain()'s lines: comma-separated, a record's type first. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/prm/reflect.h"
#include "dump.h"

#define FIELDS_MAX 80 /* a rewrite has 8, and its list */
#define LIST_FIELD 8
#define ARGS_MAX   6

int dump_wrong(struct dump_reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->err->text, sizeof(r->err->text), fmt, ap);
	va_end(ap);
	r->err->line = r->line;
	return -EINVAL;
}

/* --- numbers --- */

/* Returns a digit's value, or -1 if it is none. */
static int dump_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

bool dump_hex_bytes(const char *hex, size_t len, uint8_t *out)
{
	for (size_t i = 0; i < len; i++) {
		int v = dump_hex_digit(hex[i]);

		if (v < 0)
			return false;
		out[i / 2] = (uint8_t)(i % 2 ? out[i / 2] | v : v << 4);
	}
	return true;
}

static bool dump_number(const struct dump_reader *r, unsigned int at, uint64_t *v)
{
	const char *text = at < r->n ? r->field[at] : NULL;
	size_t len = at < r->n ? r->len[at] : 0, i;
	bool hex = len > 2 && text[0] == '0' && (text[1] | 32) == 'x';
	unsigned int base = hex ? 16 : 10;

	*v = 0;
	for (i = hex ? 2 : 0; i < len; i++) {
		int digit = dump_hex_digit(text[i]);

		if (digit < 0 || (unsigned int)digit >= base ||
		    __builtin_mul_overflow(*v, base, v) ||
		    __builtin_add_overflow(*v, (unsigned int)digit, v))
			return false;
	}
	return i;
}

bool dump_number32(const struct dump_reader *r, unsigned int at, uint32_t *v)
{
	uint64_t wide;

	if (!dump_number(r, at, &wide) || wide > UINT32_MAX)
		return false;
	*v = (uint32_t)wide;
	return true;
}

static void dump_copy(const struct dump_reader *r, unsigned int at, char *out, size_t size)
{
	size_t len = at < r->n ? r->len[at] : 0;

	if (len >= size)
		len = size - 1;
	for (size_t i = 0; i < len; i++)
		out[i] = (char)(r->field[at][i] >= ' ' && r->field[at][i] <= '~' ? r->field[at][i]
										 : '?');
	out[len] = 0;
}

/* --- records --- */

bool dump_is_of(const struct dump_reader *r, unsigned int at, const void *row)
{
	uint64_t id;

	return dump_number(r, at, &id) && row && *(const uint64_t *)row == id;
}

/* Reads a domain. Dumps of single tables have their domain's lines before each table. */
static int domain(struct dump_reader *r)
{
	struct steering_domain *new = LAST(r, domain, ndomains);
	uint32_t format;

	if (!dump_is_of(r, 1, new))
		new = GROW(r, domain, ndomains);
	if (!new)
		return -ENOMEM;
	new->format = -1;
	if (!dump_number(r, 1, &new->id) || !dump_number32(r, 2, &new->type) ||
	    new->type > DOMAIN_FDB)
		return dump_wrong(
			r, "a domain (3000) needs an id and a type of 0 (NIC RX), 1 (NIC TX) "
			   "or 2 (FDB)");
	dump_copy(r, 5, new->version, sizeof(new->version));
	dump_copy(r, 6, new->device, sizeof(new->device));
	if (dump_number32(r, 11, &format) && format < 16)
		new->format = (int)format;
	return 0;
}

static int domain_caps(struct dump_reader *r)
{
	uint64_t drop;

	if (!r->d->ndomains)
		return dump_wrong(r, "capabilities (3004) before any domain (3000)");
	if (!dump_number(r, 3, &drop) || !dump_number(r, 4, &drop))
		return dump_wrong(r, "capabilities (3004) need two drop addresses");
	return 0;
}

static int vport(struct dump_reader *r)
{
	struct steering_vport *new;

	if (!r->d->ndomains)
		return dump_wrong(r, "a vport (3003) before any domain (3000)");
	new = GROW(r, vport, nvports);
	if (!new)
		return -ENOMEM;
	new->domain = r->d->ndomains - 1;
	if (!dump_number32(r, 2, &new->number) || !dump_number32(r, 3, &new->vhca))
		return dump_wrong(r, "a vport (3003) needs its number and its vhca");
	return 0;
}

static int dump_skip(struct dump_reader *r)
{
	(void)r;
	return 0;
}

static int table(struct dump_reader *r)
{
	struct steering_table *new;
	uint32_t type;
	uint64_t dmn;

	if (!r->d->ndomains)
		return dump_wrong(r, "a table (3100) before any domain (3000)");
	new = GROW(r, table, ntables);
	if (!new)
		return -ENOMEM;
	new->domain = r->d->ndomains - 1;
	new->first = r->d->nmatchers;
	if (!dump_number(r, 1, &new->id) || !dump_number(r, 2, &dmn) ||
	    !dump_number32(r, 3, &type) || !dump_number32(r, 4, &new->level))
		return dump_wrong(r, "a table (3100) needs an id, its domain, a type and a level");
	if (dmn != LAST(r, domain, ndomains)->id)
		return dump_wrong(
			r, "table 0x%llx is of domain 0x%llx, which is not the one before it",
			(unsigned long long)new->id, (unsigned long long)dmn);
	return 0;
}

static int table_side(struct dump_reader *r)
{
	struct steering_table *t = LAST(r, table, ntables);
	enum side side = r->type == 3101 ? SIDE_RX : SIDE_TX;

	if (!dump_is_of(r, 1, t))
		return dump_wrong(r, "an anchor (%u) of a table that is not the one before it",
				  r->type);
	if (!dump_number32(r, 2, &t->anchor[side]))
		return dump_wrong(r, "an anchor (%u) needs an index of 32 bits", r->type);
	t->has[side] = true;
	return 0;
}

static int matcher(struct dump_reader *r)
{
	struct steering_table *t = LAST(r, table, ntables);
	struct steering_matcher *new = GROW(r, matcher, nmatchers);
	uint64_t tbl;

	if (!new)
		return -ENOMEM;
	if (!dump_number(r, 1, &new->id) || !dump_number(r, 2, &tbl) ||
	    !dump_number32(r, 3, &new->priority))
		return dump_wrong(r, "a matcher (3200) needs an id, its table and a priority");
	if (!dump_is_of(r, 2, t))
		return dump_wrong(r, "matcher 0x%llx is of a table that is not the one before it",
				  (unsigned long long)new->id);
	new->table = r->d->ntables - 1;
	new->first = r->d->nrules;
	t->n++;
	return 0;
}

/*
 * Returns the layout of record 3201, which does not name it: parts of 64 bytes have reserved
 * fields, upstream's have not; the parts behind misc3 came with rdma-core 36.
 */
static enum mask_layout mask_layout(const struct dump_reader *r)
{
	if (r->type == 3205)
		return MASK_NOW;
	for (unsigned int i = 4; i < 7 && i < r->n; i++)
		if (r->len[i] == 2 * STE_BYTES)
			return MASK_MIRRORED;
	return r->n <= 7 ? MASK_28 : r->n == 8 ? MASK_MIRRORED : MASK_36;
}

/* Reads 3201 and 3205: outer, inner, misc, misc2, misc3, ... */
static int matcher_mask(struct dump_reader *r)
{
	struct steering_matcher *m = LAST(r, matcher, nmatchers);
	enum mask_layout layout = mask_layout(r);

	if (!dump_is_of(r, 1, m))
		return dump_wrong(r, "a mask (%u) of a matcher that is not the one before it",
				  r->type);
	for (unsigned int i = 2; i < r->n; i++)
		if (!dump_mask_part(&m->mask, i - 2, r->field[i], r->len[i], layout))
			return dump_wrong(
				r, "part %u of a mask is no hexadecimal of up to 64 bytes", i - 1);
	m->mask.known = true;
	return 0;
}

static int matcher_side(struct dump_reader *r)
{
	struct steering_matcher *m = LAST(r, matcher, nmatchers);
	enum side side = r->type == 3202 ? SIDE_RX : SIDE_TX;

	if (!dump_is_of(r, 2, m))
		return dump_wrong(r, "a side (%u) of a matcher that is not the one before it",
				  r->type);
	if (!dump_number32(r, 4, &m->start[side]) || !dump_number32(r, 5, &m->end[side]))
		return dump_wrong(
			r, "a matcher's side (%u) needs the indices of its table and of its end",
			r->type);
	m->has[side] = true;
	return 0;
}

/*
 * Reads a builder. Up to rdma-core 41 its number stands behind the matcher's ID without a comma;
 * the definer came with 34, and the kernel's records have none.
 */
static int builder(struct dump_reader *r)
{
	struct steering_matcher *m = LAST(r, matcher, nmatchers);
	unsigned int at = dump_is_of(r, 1, m) ? 3 : 2;
	uint32_t rx, lookup, definer;

	if (!m)
		return dump_wrong(r, "a builder (3204) before any matcher (3200)");
	if (!dump_number32(r, at, &rx) || !dump_number32(r, at + 1, &lookup) || lookup > 0xffff)
		return dump_wrong(r, "a builder (3204) needs a side and a lookup type");
	rx = rx ? SIDE_RX : SIDE_TX;
	if (m->view[rx])
		return dump_wrong(r, "a builder (3204) of a matcher with a key (3206)");
	if (m->builders[rx] == BUILDERS_MAX)
		return dump_wrong(r, "a matcher has more than %u builders", BUILDERS_MAX);
	m->definer[rx][m->builders[rx]] =
		dump_number32(r, at + 2, &definer) && definer < 256 ? (int16_t)definer : -1;
	m->lookup[rx][m->builders[rx]++] = (uint16_t)lookup;
	return 0;
}

static int dump_rule(struct dump_reader *r)
{
	struct steering_matcher *m = LAST(r, matcher, nmatchers);
	struct steering_rule *new;

	if (!dump_is_of(r, 2, m))
		return dump_wrong(r, "a rule (3300) of a matcher that is not the one before it");
	new = GROW(r, rule, nrules);
	if (!new)
		return -ENOMEM;
	if (!dump_number(r, 1, &new->id))
		return dump_wrong(r, "a rule (3300) needs an id");
	new->matcher = r->d->nmatchers - 1;
	new->first = r->d->nentries;
	new->first_action = r->d->nactions;
	new->line = r->line;
	m->n++;
	return 0;
}

static int dump_entry(struct dump_reader *r)
{
	struct steering_rule *rl = LAST(r, rule, nrules);
	struct steering_record *new;

	if (!dump_is_of(r, 2, rl))
		return dump_wrong(r, "an entry (%u) of a rule that is not the one before it",
				  r->type);
	new = GROW(r, entry, nentries);
	if (!new)
		return -ENOMEM;
	if (!dump_number32(r, 1, &new->index))
		return dump_wrong(r, "an entry (%u) needs an index of 32 bits", r->type);
	if (r->n < 4 || (r->len[3] != 2 * 48 && r->len[3] != 2 * STE_BYTES))
		return dump_wrong(
			r, "an entry (%u) has %zu hexadecimal digits; it is 96 (no mask) or 128",
			r->type, r->n < 4 ? 0 : r->len[3]);
	if (!dump_hex_bytes(r->field[3], r->len[3], new->bytes))
		return dump_wrong(r, "an entry (%u) is no hexadecimal", r->type);
	new->len = (uint8_t)(r->len[3] / 2);
	new->format = (uint8_t)((r->type - 3301) / 2);
	for (unsigned int i = 0; i < TEMPLATES_MAX && new->format == STEERING_HARDWARE; i++) {
		uint32_t offset;

		if (!dump_number32(r, 5 + i, &offset) || offset > UINT16_MAX)
			return dump_wrong(r, "an entry (%u) needs the offsets of five templates",
					  r->type);
		new->template[i] = (uint16_t)offset;
	}
	new->side = r->type % 2 ? SIDE_RX : SIDE_TX;
	new->rule = r->d->nrules - 1;
	new->domain = r->d->ndomains - 1;
	rl->n++;
	return 0;
}

/* --- actions --- */

/* Actions by type, from 3400 on; `arg`: which argument follows the words, -1: none. */
static const struct {
	const char *words;
	int arg;
	enum action_kind kind;
} actions[] = {
	{"encapsulates (L2), reformat", 0, ACTION_OTHER},
	{"encapsulates (L3), reformat", 0, ACTION_OTHER},
	{"rewrites headers", -1, ACTION_REWRITES},
	{"drop", -1, ACTION_ENDS},
	{"to QP", 0, ACTION_ENDS},
	{"to flow table", 0, ACTION_TABLE},
	{"counter", 0, ACTION_OTHER},
	{"tag", 0, ACTION_OTHER},
	{"to vport", 0, ACTION_ENDS},
	{"decapsulates (L2)", -1, ACTION_OTHER},
	{"decapsulates (L3)", -1, ACTION_DECAP_L3},
	{"to the TIR at", 0, ACTION_TIR},
	{"pushes VLAN", 0, ACTION_OTHER},
	{"pops a VLAN", -1, ACTION_OTHER},
	{"meter", 1, ACTION_OTHER},
	{"to sampler", 2, ACTION_ARRAY},
	{"to destination array", 0, ACTION_ARRAY},
	{"first hit object", 0, ACTION_OTHER},
	{"flow meter object", 0, ACTION_OTHER},
	{"connection tracking object", 0, ACTION_OTHER},
	{"inserts a header, reformat", 0, ACTION_OTHER},
	{"removes a header", -1, ACTION_OTHER},
	{NULL, -1, ACTION_OTHER},
	{"default miss", -1, ACTION_ENDS},
	{"to a root table, flow table", 0, ACTION_ENDS},
	{"by a range", -1, ACTION_OTHER},
	[99] = {"to the TIR", 0, ACTION_TIR},
};

/* Splits a misplaced field of rdma-core 28 and 29 in tags and rewrites: "3407,,ID,RULEARGUMENT". */
static void part_fields(struct dump_reader *r, const struct steering_rule *rl)
{
	char id[24];
	size_t n = (size_t)snprintf(id, sizeof(id), "0x%llx", (unsigned long long)rl->id);

	if (r->n != 4 || r->len[1] || r->len[3] <= n || memcmp(r->field[3], id, n))
		return;
	r->field[1] = r->field[2];
	r->len[1] = r->len[2];
	r->field[2] = r->field[3];
	r->len[2] = n;
	r->field[3] += n;
	r->len[3] -= n;
}

/* Reads a rewrite's list. rdma-core 46 and later print it last, if the device takes arguments. */
static int action_list(struct dump_reader *r, struct steering_action *a)
{
	uint32_t n = 0;

	a->first = r->d->nrewrites;
	if (a->kind != ACTION_REWRITES || r->n <= LIST_FIELD ||
	    !dump_number32(r, LIST_FIELD - 3, &n))
		return 0;
	if (n != r->n - LIST_FIELD)
		return dump_wrong(r, "a rewrite (3402) of %u fields has %u of them", n,
				  r->n - LIST_FIELD);
	for (uint32_t i = 0; i < n; i++) {
		struct steering_rewrite *w = GROW(r, rewrite, nrewrites);
		uint64_t bits;

		if (!w)
			return -ENOMEM;
		if (!dump_number(r, LIST_FIELD + i, &bits))
			return dump_wrong(r, "an action (%u) has no number in field %u", r->type,
					  LIST_FIELD + i + 1);
		prm_bits_set(w->bytes, 0, 64, bits);
	}
	a->n = n;
	return 0;
}

/* Reads the arguments that the tables need; the others are numbers, too. */
static int action_args(struct dump_reader *r, struct steering_action *a, int shown)
{
	for (int i = 0; i < ARGS_MAX && i + 3 < (int)r->n; i++) {
		uint64_t arg;

		if (!dump_number(r, (unsigned int)i + 3, &arg) && a->kind != ACTION_REWRITES)
			return dump_wrong(r, "an action (%u) has no number in field %d", r->type,
					  i + 4);
		if (i == shown) {
			a->has_arg = true;
			a->arg = arg;
		}
		if (i == 1 && a->kind == ACTION_TABLE)
			a->table = arg;
	}
	return action_list(r, a);
}

static int action(struct dump_reader *r)
{
	struct steering_rule *rl = LAST(r, rule, nrules);
	uint32_t row = r->type - 3400;
	struct steering_action *new;

	if (rl)
		part_fields(r, rl);
	/* Some versions print a garbled record of a modify header (3402): its type is enough. */
	if (!rl || (r->type != 3402 && !dump_is_of(r, 2, rl)))
		return dump_wrong(r, "an action (%u) of a rule that is not the one before it",
				  r->type);
	new = GROW(r, action, nactions);
	if (!new)
		return -ENOMEM;
	new->type = r->type;
	dump_number(r, 1, &new->id);
	rl->nactions++;
	if (row >= sizeof(actions) / sizeof(actions[0]))
		return action_args(r, new, -1);
	new->kind = actions[row].kind;
	new->words = actions[row].words;
	return action_args(r, new, actions[row].arg);
}

static const struct {
	uint32_t first, last;
	int (*read)(struct dump_reader *r);
} records[] = {
	{3000, 3000, domain},	    {3001, 3002, dump_skip},	{3003, 3003, vport},
	{3004, 3004, domain_caps},  {3005, 3005, dump_skip},	{3006, 3006, dump_template},
	{3100, 3100, table},	    {3101, 3102, table_side},	{3200, 3200, matcher},
	{3201, 3201, matcher_mask}, {3202, 3203, matcher_side}, {3204, 3204, builder},
	{3205, 3205, matcher_mask}, {3206, 3206, dump_key},	{3207, 3207, dump_move},
	{3300, 3300, dump_rule},    {3301, 3306, dump_entry},	{3400, 3499, action},
};

/* --- lines --- */

static void dump_split(struct dump_reader *r, const char *line, size_t len)
{
	const char *end = line + len;

	for (r->n = 0; r->n < FIELDS_MAX; r->n++) {
		const char *comma = memchr(line, ',', (size_t)(end - line));

		r->field[r->n] = line;
		while (line < (comma ? comma : end) && *line == ' ')
			r->field[r->n] = ++line;
		r->len[r->n] = (size_t)((comma ? comma : end) - line);
		if (!comma) {
			r->n++;
			return;
		}
		line = comma + 1;
	}
}

static int record(struct dump_reader *r, const char *line, size_t len)
{
	dump_split(r, line, len);
	if (!dump_number32(r, 0, &r->type))
		return dump_wrong(r, "a record begins with its type, a number such as 3000");
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		if (r->type >= records[i].first && r->type <= records[i].last)
			return records[i].read(r);
	if (!r->d->unknown++)
		r->d->unknown_line = r->line;
	return 0;
}

int steering_parse(struct steering *d, const char *text, size_t len, struct dump_error *err)
{
	struct dump_reader r = {.d = d, .err = err};
	const char *end = text + len;
	int rc = 0;

	memset(d, 0, sizeof(*d));
	memset(err, 0, sizeof(*err));
	while (text < end && !rc) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((eol ? eol : end) - text);

		r.line++;
		if (n && text[n - 1] == '\r')
			n--;
		if (n)
			rc = record(&r, text, n);
		text = eol ? eol + 1 : end;
	}
	if (!rc && !d->ndomains)
		rc = dump_wrong(&r, "no domain (a line that begins with 3000) is in it");
	if (!rc)
		rc = steering_index(d);
	if (rc)
		steering_free(d);
	return rc;
}
