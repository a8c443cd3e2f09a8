/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expands a rule to the entries that hardware can compare: no ranges, no lists, one IP version
 * each.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "cubes.h"

/* An entry that is being built. */
struct alternative {
	bool inner; /* the current level */
	uint64_t value[MATCH_KEYS], mask[MATCH_KEYS];
};

/* The lists in the order in which they multiply. HOST and PORT are tried on both sides. */
enum { LIST_SRC, LIST_DST, LIST_HOST, LIST_SPORT, LIST_DPORT, LIST_PORT, LISTS };

/* What must not hold. */
struct exception {
	const struct rule_except *says;
	struct cubes list[LISTS], not [LISTS]; /* the lists, and all other values */
	struct cubes proto;		       /* all protocols but its own */
	struct cubes *field;		       /* for each of its fields, all other values */
};

struct expansion {
	const struct rule *rule;
	struct cubes list[2][LISTS]; /* of the outer headers, and of the inner ones */
	struct exception *except;
	entry_fn each;
	void *arg;
	size_t entries;
};

static int expand_emit(struct expansion *x, const struct alternative *a)
{
	uint64_t value[MATCH_KEYS];
	struct shape s = {0};

	if (++x->entries > RULE_ENTRIES_MAX)
		return -E2BIG;
	for (unsigned int k = 0; k < MATCH_KEYS; k++) {
		if (!a->mask[k])
			continue;
		s.key[s.n] = (uint8_t)k;
		s.mask[s.n] = a->mask[k];
		value[s.n++] = a->value[k];
	}
	return x->each(x->arg, &s, value);
}

static const struct rule_headers *expand_headers(const struct expansion *x,
						 const struct alternative *a)
{
	return a->inner ? x->rule->inner : &x->rule->outer;
}

/* A key of the current level. */
static unsigned int at_level(const struct alternative *a, unsigned int key)
{
	if (!a->inner)
		return key;
	return key < KEY_PER_LEVEL ? (unsigned int)KEY_INNER(key) : MATCH_INNER(key);
}

/* Adds a condition. False if no packet can meet both (src port 80, and any port 90 tried there). */
static bool both(struct alternative *a, unsigned int key, uint64_t value, uint64_t mask)
{
	if ((a->value[key] ^ value) & a->mask[key] & mask)
		return false;
	a->value[key] |= value;
	a->mask[key] |= mask;
	return true;
}

static bool both_here(struct alternative *a, unsigned int key, uint64_t value, uint64_t mask)
{
	return both(a, at_level(a, key), value, mask);
}

/* --- alternatives, one after the other ------------------------------------------------------ */

enum { SIDE_S, SIDE_D };

static unsigned int port_key(uint64_t proto, int side)
{
	if (proto == L4_TCP)
		return side == SIDE_S ? MATCH_TCP_SPORT : MATCH_TCP_DPORT;
	return side == SIDE_S ? MATCH_UDP_SPORT : MATCH_UDP_DPORT;
}

static int with_headers(struct expansion *x, const struct alternative *a);
static int with_excepts(struct expansion *x, const struct alternative *a, size_t i);

/* The inner headers follow when the outer ones are complete. */
static int level_end(struct expansion *x, const struct alternative *a)
{
	struct alternative b;

	if (a->inner || !x->rule->inner)
		return with_excepts(x, a, 0);
	b = *a;
	b.inner = true;
	return with_headers(x, &b);
}

static int with_ports(struct expansion *x, const struct alternative *a, int list);

static int with_side(struct expansion *x, const struct alternative *a, int list, int side)
{
	const struct cubes *ports = &x->list[a->inner][list];
	unsigned int key = port_key(a->value[at_level(a, KEY_PROTO)], side);
	int ret = 0;

	for (size_t i = 0; i < ports->n && !ret; i++) {
		struct alternative b = *a;

		if (both_here(&b, key, (uint64_t)ports->cube[i].value,
			      (uint64_t)ports->cube[i].mask))
			ret = with_ports(x, &b, list + 1);
	}
	return ret;
}

static int with_ports(struct expansion *x, const struct alternative *a, int list)
{
	int ret;

	while (list < LISTS && !x->list[a->inner][list].n)
		list++;
	if (list == LISTS)
		return level_end(x, a);
	ret = with_side(x, a, list, list == LIST_DPORT ? SIDE_D : SIDE_S);
	if (!ret && list == LIST_PORT)
		ret = with_side(x, a, list, SIDE_D);
	return ret;
}

static int with_l4(struct expansion *x, const struct alternative *a)
{
	static const uint64_t tcp_udp[] = {L4_TCP, L4_UDP};
	enum rule_l4 l4 = expand_headers(x, a)->l4;
	int ret = 0;

	if (l4 == L4_ANY)
		return level_end(x, a);
	for (size_t i = 0; i < 2 && !ret; i++) {
		struct alternative b = *a;

		if ((l4 == L4_TCP_OR_UDP || l4 == tcp_udp[i]) &&
		    both_here(&b, KEY_PROTO, tcp_udp[i], 0xff))
			ret = with_ports(x, &b, LIST_SPORT);
	}
	return ret;
}

static bool with_address(struct alternative *a, unsigned int first_key, uint8_t version,
			 const struct cube *c)
{
	for (unsigned int i = version == 4 ? 3 : 0; i < 4; i++)
		if (!both_here(a, first_key + i, (uint32_t)(c->value >> 32 * (3 - i)),
			       (uint32_t)(c->mask >> 32 * (3 - i))))
			return false;
	return true;
}

static int with_addresses(struct expansion *x, const struct alternative *a, int list);

static int with_each(struct expansion *x, const struct alternative *a, int list,
		     unsigned int first_key)
{
	const struct cubes *nets = &x->list[a->inner][list];
	uint8_t version = expand_headers(x, a)->ip;
	int ret = 0;

	for (size_t i = 0; i < nets->n && !ret; i++) {
		struct alternative b = *a;

		if (with_address(&b, first_key, version, &nets->cube[i]))
			ret = with_addresses(x, &b, list + 1);
	}
	return ret;
}

static int with_addresses(struct expansion *x, const struct alternative *a, int list)
{
	int ret;

	while (list <= LIST_HOST && !x->list[a->inner][list].n)
		list++;
	if (list > LIST_HOST)
		return with_l4(x, a);
	ret = with_each(x, a, list, list == LIST_DST ? MATCH_DST_127_96 : MATCH_SRC_127_96);
	if (!ret && list == LIST_HOST)
		ret = with_each(x, a, list, MATCH_DST_127_96);
	return ret;
}

static int with_version(struct expansion *x, const struct alternative *a, uint64_t version)
{
	struct alternative b = *a;

	both_here(&b, MATCH_IP_VERSION, version, 0xf);
	return with_addresses(x, &b, LIST_SRC);
}

static int with_headers(struct expansion *x, const struct alternative *a)
{
	uint8_t ip = expand_headers(x, a)->ip;
	int ret;

	if (!ip)
		return level_end(x, a);
	if (ip != RULE_IP)
		return with_version(x, a, ip);
	ret = with_version(x, a, 4);
	return ret ? ret : with_version(x, a, 6);
}

/* --- exceptions -------------------------------------------------------------------------------
 * A group of matches does not hold if its first one fails, or that holds and the second one fails,
 * and so on. Each of these is a set of entries; all of them are the rule's.
 */

/* Each cube of a key. */
static int except_key(struct expansion *x, const struct alternative *a, size_t i, unsigned int key,
		      const struct cubes * not )
{
	int ret = 0;

	for (size_t n = 0; n < not ->n && !ret; n++) {
		struct alternative b = *a;

		if (both(&b, key, (uint64_t) not ->cube[n].value, (uint64_t) not ->cube[n].mask))
			ret = with_excepts(x, &b, i + 1);
	}
	return ret;
}

/* The key of the other kind of tag, or 0 (no tag's) if this key is no kind. */
static unsigned int other_kind(unsigned int key)
{
	unsigned int level = key >= KEY_PER_LEVEL ? KEY_PER_LEVEL : 0;

	switch (key - level) {
	case KEY_CVLAN:
	case KEY_CVLAN2:
		return key + 1;
	case KEY_SVLAN:
	case KEY_SVLAN2:
		return key - 1;
	default:
		return 0;
	}
}

_Static_assert(KEY_SVLAN == KEY_CVLAN + 1 && KEY_SVLAN2 == KEY_CVLAN2 + 1 && KEY_CVLAN > 0,
	       "the kinds of a tag are side by side");

/* No device compares "not a tag of this kind" alone: there is no tag, or one of the other kind. */
static int except_kind(struct expansion *x, const struct alternative *a, size_t i, unsigned int key)
{
	unsigned int other = other_kind(key);
	struct alternative b = *a, c = *a;
	int ret = 0;

	if (both(&b, key, 0, 1) && both(&b, other, 0, 1))
		ret = with_excepts(x, &b, i + 1);
	/* no tag is of both kinds */
	if (!ret && !a->value[key] && both(&c, other, 1, 1))
		ret = with_excepts(x, &c, i + 1);
	return ret;
}

static int except_field(struct expansion *x, const struct alternative *a, size_t i, size_t f)
{
	const struct rule_field *field = &x->except[i].says->field[f];

	if (other_kind(field->key) && field->value)
		return except_kind(x, a, i, field->key);
	return except_key(x, a, i, field->key, &x->except[i].field[f]);
}

/* A value of 0 says that a header lacks; fields behind it need no such entry. */
static int except_fields(struct expansion *x, const struct alternative *a, size_t i)
{
	const struct rule_except *e = x->except[i].says;
	struct alternative b = *a;
	int ret = 0;

	for (size_t f = 0; f < e->nfields && !ret; f++) {
		const struct rule_field *field = &e->field[f];

		ret = except_field(x, &b, i, f);
		if (field->value && !field->nmore &&
		    !both(&b, field->key, field->value, field->mask))
			break;
	}
	return ret;
}

static int except_nets(struct expansion *x, const struct alternative *a, size_t i, int list,
		       unsigned int first_key)
{
	const struct cubes *not = &x->except[i].not [list];
	uint8_t version = x->except[i].says->headers.ip;
	int ret = 0;

	for (size_t n = 0; n < not ->n && !ret; n++) {
		struct alternative b = *a;

		if (!with_address(&b, first_key, version, &not ->cube[n]))
			continue;
		/* `host` must be neither address */
		ret = list == LIST_HOST && first_key == MATCH_SRC_127_96
			      ? except_nets(x, &b, i, list, MATCH_DST_127_96)
			      : with_excepts(x, &b, i + 1);
	}
	return ret;
}

static int except_addresses(struct expansion *x, const struct alternative *a, size_t i)
{
	const struct rule_headers *h = &x->except[i].says->headers;
	int ret = 0;

	if (h->src.n)
		ret = except_nets(x, a, i, LIST_SRC, MATCH_SRC_127_96);
	if (!ret && h->dst.n)
		ret = except_nets(x, a, i, LIST_DST, MATCH_DST_127_96);
	if (!ret && h->host.n)
		ret = except_nets(x, a, i, LIST_HOST, MATCH_SRC_127_96);
	return ret;
}

/* `port` must be neither. */
static int except_either_port(struct expansion *x, const struct alternative *a, size_t i,
			      uint64_t proto)
{
	const struct cubes *not = &x->except[i].not [LIST_PORT];
	unsigned int sport = at_level(a, port_key(proto, SIDE_S)),
		     dport = at_level(a, port_key(proto, SIDE_D));
	int ret = 0;

	for (size_t n = 0; n < not ->n && !ret; n++) {
		struct alternative b = *a;

		if (both(&b, sport, (uint64_t) not ->cube[n].value, (uint64_t) not ->cube[n].mask))
			ret = except_key(x, &b, i, dport, not );
	}
	return ret;
}

static int except_ports(struct expansion *x, struct alternative *a, size_t i, uint64_t proto)
{
	const struct exception *e = &x->except[i];
	int ret = 0;

	for (int side = SIDE_S; side <= SIDE_D && !ret; side++) {
		int list = side == SIDE_S ? LIST_SPORT : LIST_DPORT;
		unsigned int key = at_level(a, port_key(proto, side));

		if (!e->list[list].n)
			continue;
		ret = except_key(x, a, i, key, &e->not [list]);
		/* A tunnel's fields are compared where its port is. */
		if (e->list[list].n == 1 && !both(a, key, (uint64_t)e->list[list].cube->value,
						  (uint64_t)e->list[list].cube->mask))
			return ret;
	}
	if (!ret && e->list[LIST_PORT].n)
		ret = except_either_port(x, a, i, proto);
	return ret ? ret : except_fields(x, a, i);
}

static int except_l4(struct expansion *x, const struct alternative *a, size_t i)
{
	static const uint64_t protos[] = {L4_TCP, L4_UDP};
	enum rule_l4 l4 = x->except[i].says->headers.l4;
	int ret = except_key(x, a, i, at_level(a, KEY_PROTO), &x->except[i].proto);

	for (int p = 0; p < 2 && !ret; p++) {
		struct alternative b = *a;

		if ((l4 == L4_TCP_OR_UDP || l4 == protos[p]) &&
		    both_here(&b, KEY_PROTO, protos[p], 0xff))
			ret = except_ports(x, &b, i, protos[p]);
	}
	return ret;
}

static int with_excepts(struct expansion *x, const struct alternative *a, size_t i)
{
	const struct rule_except *e = i < x->rule->nexcepts ? x->except[i].says : NULL;
	struct alternative b = *a;
	uint64_t version;
	int ret;

	if (!e)
		return expand_emit(x, a);
	b.inner = e->inner;
	version = b.value[at_level(&b, MATCH_IP_VERSION)];
	if (e->headers.ip && version != e->headers.ip)
		return with_excepts(x, &b, i + 1);
	if (e->headers.l4 != L4_ANY)
		return except_l4(x, &b, i);
	ret = except_fields(x, &b, i);
	return ret ? ret : except_addresses(x, &b, i);
}

/* --- a rule ------------------------------------------------------------------------------------ */

/* A field may have several values. Keys of fields are of their level already. */
static int with_fields(struct expansion *x, const struct alternative *a, size_t i)
{
	const struct rule *r = x->rule;
	int ret = 0;

	while (i < r->nfields && !r->field[i].nmore)
		i++;
	if (i == r->nfields)
		return with_headers(x, a);
	for (size_t v = 0; v <= r->field[i].nmore && !ret; v++) {
		struct alternative b = *a;

		if (v) {
			b.value[r->field[i].key] = r->field[i].more[v - 1].value;
			b.mask[r->field[i].key] = r->field[i].more[v - 1].mask;
		}
		ret = with_fields(x, &b, i + 1);
	}
	return ret;
}

static int expand_lists(struct cubes list[LISTS], const struct rule_headers *h)
{
	int err = 0;

	cubes_add_nets(&list[LIST_SRC], &h->src);
	cubes_add_nets(&list[LIST_DST], &h->dst);
	cubes_add_nets(&list[LIST_HOST], &h->host);
	cubes_add_ports(&list[LIST_SPORT], &h->sport);
	cubes_add_ports(&list[LIST_DPORT], &h->dport);
	cubes_add_ports(&list[LIST_PORT], &h->port);
	for (int i = 0; i < LISTS && !err; i++)
		err = list[i].err;
	return err;
}

static void not_lists(struct exception *e, unsigned int stride)
{
	const struct rule_headers *h = &e->says->headers;

	expand_lists(e->list, h);
	cubes_not_nets(&e->not [LIST_SRC], &h -> src, stride);
	cubes_not_nets(&e->not [LIST_DST], &h -> dst, stride);
	cubes_not_nets(&e->not [LIST_HOST], &h -> host, stride);
	cubes_not_ports(&e->not [LIST_SPORT], &h -> sport, stride);
	cubes_not_ports(&e->not [LIST_DPORT], &h -> dport, stride);
	cubes_not_ports(&e->not [LIST_PORT], &h -> port, stride);
}

static void not_proto(struct exception *e, unsigned int stride)
{
	static const struct rule_value tcp_udp[] = {{L4_TCP, 0xff}, {L4_UDP, 0xff}};
	enum rule_l4 l4 = e->says->headers.l4;

	cubes_not_values(&e->proto, &tcp_udp[l4 == L4_UDP], l4 == L4_TCP_OR_UDP ? 2 : 1, 0xff,
			 stride);
}

static void not_field(struct cubes *c, const struct rule_field *f, unsigned int stride)
{
	struct rule_value *v = calloc(f->nmore + 1, sizeof(*v));

	if (!v) {
		c->err = -ENOMEM;
		return;
	}
	v[0] = (struct rule_value){f->value, f->mask};
	for (size_t i = 0; i < f->nmore; i++)
		v[i + 1] = f->more[i];
	cubes_not_values(c, v, f->nmore + 1, match_key_max(f->key), stride);
	free(v);
}

static int exception_make(struct exception *e, const struct rule_except *says, unsigned int stride)
{
	int err = 0;

	e->says = says;
	e->field = calloc(says->nfields + 1, sizeof(*e->field));
	if (!e->field)
		return -ENOMEM;
	not_lists(e, stride);
	not_proto(e, stride);
	for (size_t f = 0; f < says->nfields; f++)
		not_field(&e->field[f], &says->field[f], stride);
	for (int l = 0; l < LISTS; l++)
		err = err ? err : e->list[l].err ? e->list[l].err : e->not [l].err;
	for (size_t f = 0; f < says->nfields && !err; f++)
		err = e->field[f].err;
	return err ? err : e->proto.err;
}

static void exception_free(struct exception *e)
{
	for (int l = 0; l < LISTS; l++) {
		free(e->list[l].cube);
		free(e->not [l].cube);
	}
	for (size_t f = 0; e->field && f < e->says->nfields; f++)
		free(e->field[f].cube);
	free(e->field);
	free(e->proto.cube);
}

static int expand_excepts(struct expansion *x, unsigned int stride)
{
	size_t n = x->rule->nexcepts;
	int ret = 0;

	x->except = n ? calloc(n, sizeof(*x->except)) : NULL;
	if (n && !x->except)
		return -ENOMEM;
	for (size_t i = 0; i < n && !ret; i++)
		ret = exception_make(&x->except[i], &x->rule->except[i], stride);
	return ret;
}

static void expansion_free(struct expansion *x)
{
	for (int i = 0; i < 2 * LISTS; i++)
		free(x->list[i / LISTS][i % LISTS].cube);
	for (size_t i = 0; x->except && i < x->rule->nexcepts; i++)
		exception_free(&x->except[i]);
	free(x->except);
}

static int expand_with(const struct rule *r, unsigned int stride, entry_fn each, void *arg)
{
	struct expansion x = {.rule = r, .each = each, .arg = arg};
	struct alternative a = {0};
	int ret = expand_lists(x.list[0], &r->outer);

	if (!ret && r->inner)
		ret = expand_lists(x.list[1], r->inner);
	if (!ret)
		ret = expand_excepts(&x, stride);
	for (size_t i = 0; i < r->nfields; i++) {
		a.value[r->field[i].key] = r->field[i].value;
		a.mask[r->field[i].key] = r->field[i].mask;
	}
	if (!ret)
		ret = with_fields(&x, &a, 0);
	expansion_free(&x);
	return ret;
}

/*
 * A complement's masks end at every 4th bit, so that there are few of them: each is a matcher.
 * Rules of more entries than this take the fewest entries instead.
 */
#define FEW_MASKS     4u
#define FEW_MASKS_MAX 16384u

static int expand_count(void *arg, const struct shape *shape, const uint64_t *value)
{
	size_t *n = arg;

	(void)shape;
	(void)value;
	return ++*n > FEW_MASKS_MAX;
}

static int expand_stop(void *arg, const struct shape *shape, const uint64_t *value)
{
	(void)arg;
	(void)shape;
	(void)value;
	return 1;
}

bool rule_is_possible(const struct rule *r)
{
	return expand_with(r, 1, expand_stop, NULL) != 0;
}

int rule_expand(const struct rule *r, entry_fn each, void *arg)
{
	size_t n = 0;

	if (!r->nexcepts)
		return expand_with(r, 1, each, arg);
	if (expand_with(r, FEW_MASKS, expand_count, &n))
		return expand_with(r, 1, each, arg);
	return expand_with(r, FEW_MASKS, each, arg);
}
