/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of mlx5dv_dump_dr_domain()'s lines: comma-separated, a record's type first. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "dump.h"

#define FIELDS_MAX 80 /* a rewrite has 8, and its list */
#define LIST_FIELD 8

struct dump_reader {
	struct steering_dump *d;
	struct dump_error *err;
	uint32_t line, type;
	const char *field[FIELDS_MAX];
	size_t len[FIELDS_MAX];
	unsigned int n;
};

static int __attribute__((format(printf, 2, 3))) wrong(struct dump_reader *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->err->text, sizeof(r->err->text), fmt, ap);
	va_end(ap);
	r->err->line = r->line;
	return -EINVAL;
}

/* Adds a row at the end of an array, zeroed; arrays double. */
void *dump_grow(void **rows, uint32_t *n, size_t size)
{
	if ((*n & (*n - 1)) == 0) {
		void *more = realloc(*rows, (*n ? 2 * (size_t)*n : 1) * size);

		if (!more)
			return NULL;
		*rows = more;
	}
	return memset((char *)*rows + size * (*n)++, 0, size);
}

#define GROW(r, rows, count) \
	dump_grow((void **)&(r)->d->rows, &(r)->d->count, sizeof(*(r)->d->rows))

/* --- numbers --- */

/* Returns a digit's value, or -1 if it is none. */
static int dump_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static bool explain_dump_number(const struct dump_reader *r, unsigned int at, uint64_t *v)
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

static bool number32(const struct dump_reader *r, unsigned int at, uint32_t *v)
{
	uint64_t wide;

	if (!explain_dump_number(r, at, &wide) || wide > UINT32_MAX)
		return false;
	*v = (uint32_t)wide;
	return true;
}

static void explain_dump_copy(const struct dump_reader *r, unsigned int at, char *out, size_t size)
{
	size_t len = at < r->n ? r->len[at] : 0;

	if (len >= size)
		len = size - 1;
	for (size_t i = 0; i < len; i++)
		out[i] = (char)(r->field[at][i] >= ' ' && r->field[at][i] <= '~' ? r->field[at][i]
										 : '?');
	out[len] = 0;
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

/* --- records --- */

static struct dump_domain *last_domain(struct dump_reader *r)
{
	return r->d->ndomains ? &r->d->domain[r->d->ndomains - 1] : NULL;
}

/* Reads a domain. Dumps of single tables have their domain's lines before each table. */
static int domain(struct dump_reader *r)
{
	struct dump_domain *new = last_domain(r);
	uint32_t format;
	uint64_t id;

	if (!new || !explain_dump_number(r, 1, &id) || new->id != id)
		new = GROW(r, domain, ndomains);
	if (!new)
		return -ENOMEM;
	new->format = -1;
	if (!explain_dump_number(r, 1, &new->id) || !number32(r, 2, &new->type) ||
	    new->type > DOMAIN_FDB)
		return wrong(r, "a domain (3000) needs an id and a type of 0 (NIC RX), 1 (NIC TX) "
				"or 2 (FDB)");
	explain_dump_copy(r, 5, new->version, sizeof(new->version));
	explain_dump_copy(r, 6, new->device, sizeof(new->device));
	if (r->n > 11 && number32(r, 11, &format) && format < 16)
		new->format = (int)format;
	return 0;
}

static int domain_caps(struct dump_reader *r)
{
	struct dump_domain *dmn = last_domain(r);

	if (!dmn)
		return wrong(r, "capabilities (3004) before any domain (3000)");
	if (!explain_dump_number(r, 3, &dmn->drop[SIDE_RX]) ||
	    !explain_dump_number(r, 4, &dmn->drop[SIDE_TX]))
		return wrong(r, "capabilities (3004) need two drop addresses");
	return 0;
}

static int vport(struct dump_reader *r)
{
	struct dump_vport *new;

	if (!last_domain(r))
		return wrong(r, "a vport (3003) before any domain (3000)");
	new = GROW(r, vport, nvports);
	if (!new)
		return -ENOMEM;
	new->domain = r->d->ndomains - 1;
	if (!number32(r, 2, &new->number) || !number32(r, 3, &new->vhca))
		return wrong(r, "a vport (3003) needs its number and its vhca");
	return 0;
}

static int explain_dump_skip(struct dump_reader *r)
{
	(void)r;
	return 0;
}

static int table(struct dump_reader *r)
{
	struct dump_table *new;
	uint64_t dmn;

	if (!last_domain(r))
		return wrong(r, "a table (3100) before any domain (3000)");
	new = GROW(r, table, ntables);
	if (!new)
		return -ENOMEM;
	new->domain = r->d->ndomains - 1;
	new->first = r->d->nmatchers;
	if (!explain_dump_number(r, 1, &new->id) || !explain_dump_number(r, 2, &dmn) ||
	    !number32(r, 3, &new->type) || !number32(r, 4, &new->level))
		return wrong(r, "a table (3100) needs an id, its domain, a type and a level");
	if (dmn != last_domain(r)->id)
		return wrong(r, "table 0x%llx is of domain 0x%llx, which is not the one before it",
			     (unsigned long long)new->id, (unsigned long long)dmn);
	return 0;
}

static struct dump_table *last_table(struct dump_reader *r)
{
	return r->d->ntables ? &r->d->table[r->d->ntables - 1] : NULL;
}

static int table_side(struct dump_reader *r)
{
	struct dump_table *t = last_table(r);
	enum side side = r->type == 3101 ? SIDE_RX : SIDE_TX;
	uint64_t id;

	if (!explain_dump_number(r, 1, &id) || !t || t->id != id)
		return wrong(r, "an anchor (%u) of a table that is not the one before it", r->type);
	if (!number32(r, 2, &t->anchor[side]))
		return wrong(r, "an anchor (%u) needs an index of 32 bits", r->type);
	t->has[side] = true;
	return 0;
}

static int matcher(struct dump_reader *r)
{
	struct dump_matcher *new;
	struct dump_table *t = last_table(r);
	uint64_t tbl;

	new = GROW(r, matcher, nmatchers);
	if (!new)
		return -ENOMEM;
	if (!explain_dump_number(r, 1, &new->id) || !explain_dump_number(r, 2, &tbl) ||
	    !number32(r, 3, &new->priority))
		return wrong(r, "a matcher (3200) needs an id, its table and a priority");
	if (!t || t->id != tbl)
		return wrong(r, "matcher 0x%llx is of a table that is not the one before it",
			     (unsigned long long)new->id);
	new->table = r->d->ntables - 1;
	new->first = r->d->nrules;
	t->n++;
	return 0;
}

static struct dump_matcher *last_matcher(struct dump_reader *r)
{
	return r->d->nmatchers ? &r->d->matcher[r->d->nmatchers - 1] : NULL;
}

static struct dump_matcher *own_matcher(struct dump_reader *r, unsigned int at)
{
	struct dump_matcher *m = last_matcher(r);
	uint64_t id;

	return explain_dump_number(r, at, &id) && m && m->id == id ? m : NULL;
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
	struct dump_matcher *m = own_matcher(r, 1);
	enum mask_layout layout = mask_layout(r);

	if (!m)
		return wrong(r, "a mask (%u) of a matcher that is not the one before it", r->type);
	for (unsigned int i = 2; i < r->n; i++)
		if (!dump_mask_part(&m->mask, i - 2, r->field[i], r->len[i], layout))
			return wrong(r, "part %u of a mask is no hexadecimal of up to 64 bytes",
				     i - 1);
	m->mask.known = true;
	return 0;
}

static int matcher_side(struct dump_reader *r)
{
	struct dump_matcher *m = own_matcher(r, 2);
	enum side side = r->type == 3202 ? SIDE_RX : SIDE_TX;

	if (!m)
		return wrong(r, "a side (%u) of a matcher that is not the one before it", r->type);
	if (!number32(r, 4, &m->start[side]) || !number32(r, 5, &m->end[side]))
		return wrong(r,
			     "a matcher's side (%u) needs the indices of its table and of its end",
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
	struct dump_matcher *m = last_matcher(r);
	unsigned int at = own_matcher(r, 1) ? 3 : 2;
	uint32_t rx, lookup, definer;

	if (!m)
		return wrong(r, "a builder (3204) before any matcher (3200)");
	if (!number32(r, at, &rx) || !number32(r, at + 1, &lookup) || lookup > 0xffff)
		return wrong(r, "a builder (3204) needs a side and a lookup type");
	rx = rx ? SIDE_RX : SIDE_TX;
	if (m->builders[rx] == BUILDERS_MAX)
		return wrong(r, "a matcher has more than %u builders", BUILDERS_MAX);
	m->definer[rx][m->builders[rx]] =
		number32(r, at + 2, &definer) && definer < 256 ? (int16_t)definer : -1;
	m->lookup[rx][m->builders[rx]++] = (uint16_t)lookup;
	return 0;
}

static int explain_dump_rule(struct dump_reader *r)
{
	struct dump_rule *new;

	if (!own_matcher(r, 2))
		return wrong(r, "a rule (3300) of a matcher that is not the one before it");
	new = GROW(r, rule, nrules);
	if (!new)
		return -ENOMEM;
	if (!explain_dump_number(r, 1, &new->id))
		return wrong(r, "a rule (3300) needs an id");
	new->matcher = r->d->nmatchers - 1;
	new->first = r->d->nentries;
	new->first_action = r->d->nactions;
	new->line = r->line;
	last_matcher(r)->n++;
	return 0;
}

static struct dump_rule *own_rule(struct dump_reader *r, unsigned int at)
{
	struct dump_rule *rl = r->d->nrules ? &r->d->rule[r->d->nrules - 1] : NULL;
	uint64_t id;

	return explain_dump_number(r, at, &id) && rl && rl->id == id ? rl : NULL;
}

static int explain_dump_entry(struct dump_reader *r)
{
	struct dump_rule *rl = own_rule(r, 2);
	struct dump_entry *new;

	if (!rl)
		return wrong(r, "an entry (%u) of a rule that is not the one before it", r->type);
	new = GROW(r, entry, nentries);
	if (!new)
		return -ENOMEM;
	if (!number32(r, 1, &new->index))
		return wrong(r, "an entry (%u) needs an index of 32 bits", r->type);
	if (r->n < 4 || (r->len[3] != 2 * 48 && r->len[3] != 2 * STE_BYTES))
		return wrong(r,
			     "an entry (%u) has %zu hexadecimal digits; it is 96 (no mask) or 128",
			     r->type, r->n < 4 ? 0 : r->len[3]);
	if (!dump_hex_bytes(r->field[3], r->len[3], new->bytes))
		return wrong(r, "an entry (%u) is no hexadecimal", r->type);
	new->len = (uint8_t)(r->len[3] / 2);
	new->format = r->type >= 3303;
	new->side = r->type % 2 ? SIDE_RX : SIDE_TX;
	new->rule = r->d->nrules - 1;
	new->domain = r->d->ndomains - 1;
	rl->n++;
	return 0;
}

/* Splits a misplaced field of rdma-core 28 and 29 in tags and rewrites: "3407,,ID,RULEARGUMENT". */
static void part_fields(struct dump_reader *r, const struct dump_rule *rl)
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
static int action_list(struct dump_reader *r, uint32_t at)
{
	uint32_t n = 0;

	r->d->action[at].first = r->d->nrewrites;
	if (r->type != 3402 || r->n <= LIST_FIELD || !number32(r, LIST_FIELD - 3, &n))
		return 0;
	if (n != r->n - LIST_FIELD)
		return wrong(r, "a rewrite (3402) of %u fields has %u of them", n,
			     r->n - LIST_FIELD);
	for (uint32_t i = 0; i < n; i++) {
		struct dump_rewrite *w = GROW(r, rewrite, nrewrites);
		uint64_t bits;

		if (!w)
			return -ENOMEM;
		if (!explain_dump_number(r, LIST_FIELD + i, &bits))
			return wrong(r, "an action (%u) has no number in field %u", r->type,
				     LIST_FIELD + i + 1);
		for (unsigned int k = 0; k < sizeof(w->bytes); k++)
			w->bytes[k] = (uint8_t)(bits >> (56 - 8 * k));
	}
	r->d->action[at].n = n;
	return 0;
}

static int action(struct dump_reader *r)
{
	struct dump_rule *rl = r->d->nrules ? &r->d->rule[r->d->nrules - 1] : NULL;
	struct dump_action *new;

	if (rl)
		part_fields(r, rl);
	/* Some versions print a garbled record of a modify header (3402): its type is enough. */
	if (!rl || (r->type != 3402 && !own_rule(r, 2)))
		return wrong(r, "an action (%u) of a rule that is not the one before it", r->type);
	new = GROW(r, action, nactions);
	if (!new)
		return -ENOMEM;
	new->type = r->type;
	explain_dump_number(r, 1, &new->id);
	for (unsigned int i = 3; i < r->n && new->nargs < 6; i++)
		if (!explain_dump_number(r, i, &new->arg[new->nargs++]) && r->type != 3402)
			return wrong(r, "an action (%u) has no number in field %u", r->type, i + 1);
	rl->nactions++;
	return action_list(r, r->d->nactions - 1);
}

static const struct {
	uint32_t first, last;
	int (*read)(struct dump_reader *r);
} records[] = {
	{3000, 3000, domain},
	{3001, 3002, explain_dump_skip},
	{3003, 3003, vport},
	{3004, 3004, domain_caps},
	{3005, 3005, explain_dump_skip},
	{3100, 3100, table},
	{3101, 3102, table_side},
	{3200, 3200, matcher},
	{3201, 3201, matcher_mask},
	{3202, 3203, matcher_side},
	{3204, 3204, builder},
	{3205, 3205, matcher_mask},
	{3300, 3300, explain_dump_rule},
	{3301, 3304, explain_dump_entry},
	{3400, 3499, action},
};

/* --- lines --- */

static void explain_dump_split(struct dump_reader *r, const char *line, size_t len)
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
	explain_dump_split(r, line, len);
	if (!number32(r, 0, &r->type))
		return wrong(r, "a record begins with its type, a number such as 3000");
	for (size_t i = 0; i < sizeof(records) / sizeof(records[0]); i++)
		if (r->type >= records[i].first && r->type <= records[i].last)
			return records[i].read(r);
	if (!r->d->unknown++)
		r->d->unknown_line = r->line;
	return 0;
}

static int explain_dump_compare(const void *a, const void *b, void *ctx)
{
	const struct steering_dump *d = ctx;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	const struct dump_entry *x = &d->entry[left], *y = &d->entry[right];

	if (x->domain != y->domain)
		return x->domain < y->domain ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return left < right ? -1 : left > right;
}

static int sort(struct steering_dump *d)
{
	d->by_index = calloc(d->nentries + 1u, sizeof(*d->by_index));
	if (!d->by_index)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->nentries; i++)
		d->by_index[i] = i;
	qsort_r(d->by_index, d->nentries, sizeof(*d->by_index), explain_dump_compare, d);
	return 0;
}

int steering_dump_parse(struct steering_dump *d, const char *text, size_t len,
			struct dump_error *err)
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
		rc = wrong(&r, "no domain (a line that begins with 3000) is in it");
	if (!rc)
		rc = sort(d);
	if (rc)
		steering_dump_free(d);
	return rc;
}

void steering_dump_free(struct steering_dump *d)
{
	free(d->domain);
	free(d->vport);
	free(d->table);
	free(d->matcher);
	free(d->rule);
	free(d->action);
	free(d->rewrite);
	free(d->entry);
	free(d->by_index);
	memset(d, 0, sizeof(*d));
}

const struct dump_entry *dump_entry_at(const struct steering_dump *d, uint32_t domain,
				       uint32_t index)
{
	uint32_t low = 0, high = d->nentries;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		const struct dump_entry *e = &d->entry[d->by_index[mid]];

		if (e->domain < domain || (e->domain == domain && e->index < index))
			low = mid + 1;
		else
			high = mid;
	}
	if (low < d->nentries) {
		const struct dump_entry *e = &d->entry[d->by_index[low]];

		if (e->domain == domain && e->index == index)
			return e;
	}
	return NULL;
}

const struct dump_table *dump_table_at(const struct steering_dump *d, uint32_t domain,
				       enum side side, uint32_t index)
{
	for (uint32_t i = 0; i < d->ntables; i++)
		if (d->table[i].domain == domain && d->table[i].has[side] &&
		    d->table[i].anchor[side] == index)
			return &d->table[i];
	return NULL;
}
