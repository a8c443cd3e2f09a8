/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expands the exceptions of a rule. A group of matches does not hold if its first match fails, or
 * if that holds and the second one fails, and so on. Each of these cases is a set of entries; the
 * rule gets all of them.
 */
#include <errno.h>
#include <stdlib.h>

#include "expand.h"

/* Matches that must not hold together. */
struct exception {
	const struct rule_except *source;
	struct cubes list[LISTS], others[LISTS]; /* the lists, and all other values */
	struct cubes proto;			 /* all protocols but its own */
	struct cubes *field;			 /* by field: all other values */
};

static int expand_emit(struct expansion *x, const struct alternative *a)
{
	if (++x->entries > RULE_ENTRIES_MAX)
		return -E2BIG;
	return x->each(x->arg, &a->shape, a->value);
}

/* --- later fragments ------------------------------------------------------------------------- */

/*
 * Returns whether the field is behind the IP header. A later fragment has no such field, and the
 * device compares 0: an entry of such fields needs one that is not 0, or a whole packet.
 */
static bool key_is_of_l4(unsigned int key, bool inner)
{
	if (inner)
		return key == (unsigned int)KEY_INNER(KEY_TCP_FLAGS) ||
		       (key >= MATCH_INNER(MATCH_TCP_SPORT) && key <= MATCH_INNER(MATCH_UDP_DPORT));
	return key == KEY_TCP_FLAGS || (key >= KEY_ICMP_TYPE && key <= KEY_ICMP6_CODE) ||
	       (key >= MATCH_TCP_SPORT && key <= MATCH_UDP_DPORT);
}

static int expand_except(struct expansion *x, const struct alternative *a, size_t i);
static int fragments_of(struct expansion *x, const struct alternative *a, bool inner);

/* Makes an entry for each bit that a mask leaves open: this bit is set, those above are not. */
static int with_open_bits(struct expansion *x, const struct alternative *a, unsigned int i,
			  struct alternative *none)
{
	unsigned int key = a->shape.key[i];
	uint64_t open = match_key_max(key) & ~a->shape.mask[i];
	int ret = 0;

	for (; open && !ret; open &= ~(1ull << (63 - __builtin_clzll(open)))) {
		uint64_t bit = 1ull << (63 - __builtin_clzll(open));
		struct alternative b;

		alternative_copy(&b, none);
		alternative_add(&b, key, bit, bit);
		alternative_add(none, key, 0, bit);
		ret = b.inner || !x->rule->inner ? expand_except(x, &b, x->of_value)
						 : fragments_of(x, &b, true);
	}
	return ret;
}

/* Returns whether all such fields are compared with 0, and not of whole packets alone. */
static bool takes_later(const struct alternative *a, unsigned int frag, bool inner)
{
	bool any = false;

	for (unsigned int i = 0; i < a->shape.n; i++) {
		bool l4 = key_is_of_l4(a->shape.key[i], inner);

		if ((l4 && a->value[i]) || (a->shape.key[i] == frag && !a->value[i]))
			return false;
		any |= l4;
	}
	return any;
}

static int fragments_of(struct expansion *x, const struct alternative *a, bool inner)
{
	unsigned int frag = inner ? (unsigned int)KEY_INNER(KEY_FRAGMENT) : KEY_FRAGMENT;
	struct alternative none;
	int ret = 0;

	if (takes_later(a, frag, inner)) {
		alternative_copy(&none, a);
		none.inner = inner;
		for (unsigned int i = 0; i < a->shape.n && !ret; i++)
			if (key_is_of_l4(a->shape.key[i], inner))
				ret = with_open_bits(x, a, i, &none);
		if (ret || !alternative_add(&none, frag, 0, 1))
			return ret;
		a = &none;
	}
	return inner || !x->rule->inner ? expand_except(x, a, x->of_value)
					: fragments_of(x, a, true);
}

static int expand_fragments(struct expansion *x, const struct alternative *a)
{
	return fragments_of(x, a, false);
}

/* --- exceptions ------------------------------------------------------------------------------ */

/* Expands each cube of a key. */
static int except_key(struct expansion *x, const struct alternative *a, size_t i, unsigned int key,
		      const struct cubes *others)
{
	int ret = 0;

	for (size_t n = 0; n < others->n && !ret; n++) {
		struct alternative b;

		alternative_copy(&b, a);
		if (alternative_add(&b, key, (uint64_t)cubes_at(others, n)->value,
				    (uint64_t)cubes_at(others, n)->mask))
			ret = expand_excepts(x, &b, i + 1);
	}
	return ret;
}

/* Returns the key of the other kind of tag, or 0 (no tag's) if this key is no kind. */
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

/*
 * Expands "not a tag of this kind", which no device compares alone: there is no tag, or one of the
 * other kind.
 */
static int except_kind(struct expansion *x, const struct alternative *a, size_t i, unsigned int key)
{
	unsigned int other = other_kind(key);
	struct alternative b, c;
	int ret = 0;

	alternative_copy(&b, a);
	alternative_copy(&c, a);
	if (alternative_add(&b, key, 0, 1) && alternative_add(&b, other, 0, 1))
		ret = expand_excepts(x, &b, i + 1);
	/* no tag is of both kinds */
	if (!ret && !alternative_value(a, key) && alternative_add(&c, other, 1, 1))
		ret = expand_excepts(x, &c, i + 1);
	return ret;
}

static int except_field(struct expansion *x, const struct alternative *a, size_t i, size_t f)
{
	const struct rule_field *field = &x->except[i].source->field[f];

	if (other_kind(field->key) && field->value)
		return except_kind(x, a, i, field->key);
	return except_key(x, a, i, field->key, &x->except[i].field[f]);
}

/* Adds a condition. Returns false if no packet meets it; a tag of one kind is not of the other. */
static bool alternative_has(struct alternative *a, const struct rule_field *field)
{
	const unsigned int other = other_kind(field->key);

	return !(other && field->value && alternative_value(a, other)) &&
	       alternative_add(a, field->key, field->value, field->mask);
}

/* Expands the fields. A value of 0 is a missing header; fields behind it need no entry. */
static int except_fields(struct expansion *x, const struct alternative *a, size_t i)
{
	const struct rule_except *e = x->except[i].source;
	struct alternative b;
	int ret = 0;

	alternative_copy(&b, a);
	for (size_t f = 0; f < e->nfields && !ret; f++) {
		const struct rule_field *field = &e->field[f];

		ret = except_field(x, &b, i, f);
		if (field->value && !field->nmore && !alternative_has(&b, field))
			break;
	}
	return ret;
}

static int except_nets(struct expansion *x, const struct alternative *a, size_t i, int list,
		       unsigned int first_key)
{
	const struct cubes *others = &x->except[i].others[list];
	uint8_t version = x->except[i].source->headers.ip;
	int ret = 0;

	for (size_t n = 0; n < others->n && !ret; n++) {
		struct alternative b;

		alternative_copy(&b, a);
		if (!alternative_add_net(&b, first_key, version, cubes_at(others, n)))
			continue;
		/* `host` must be neither address */
		ret = list == LIST_HOST && first_key == MATCH_SRC_127_96
			      ? except_nets(x, &b, i, list, MATCH_DST_127_96)
			      : expand_excepts(x, &b, i + 1);
	}
	return ret;
}

static int except_addresses(struct expansion *x, const struct alternative *a, size_t i)
{
	const struct rule_headers *h = &x->except[i].source->headers;
	int ret = 0;

	if (h->src.n)
		ret = except_nets(x, a, i, LIST_SRC, MATCH_SRC_127_96);
	if (!ret && h->dst.n)
		ret = except_nets(x, a, i, LIST_DST, MATCH_DST_127_96);
	if (!ret && h->host.n)
		ret = except_nets(x, a, i, LIST_HOST, MATCH_SRC_127_96);
	return ret;
}

/* Expands "not port": neither port may have the value. */
static int except_either_port(struct expansion *x, const struct alternative *a, size_t i,
			      uint64_t proto)
{
	const struct cubes *others = &x->except[i].others[LIST_PORT];
	unsigned int sport = alternative_key(a, expand_port_key(proto, SIDE_S)),
		     dport = alternative_key(a, expand_port_key(proto, SIDE_D));
	int ret = 0;

	for (size_t n = 0; n < others->n && !ret; n++) {
		struct alternative b;

		alternative_copy(&b, a);
		if (alternative_add(&b, sport, (uint64_t)cubes_at(others, n)->value,
				    (uint64_t)cubes_at(others, n)->mask))
			ret = except_key(x, &b, i, dport, others);
	}
	return ret;
}

static int except_ports(struct expansion *x, struct alternative *a, size_t i, uint64_t proto)
{
	const struct exception *e = &x->except[i];
	int ret = 0;

	for (int side = SIDE_S; side <= SIDE_D && !ret; side++) {
		int list = side == SIDE_S ? LIST_SPORT : LIST_DPORT;
		unsigned int key = alternative_key(a, expand_port_key(proto, side));

		if (!e->list[list].n)
			continue;
		ret = except_key(x, a, i, key, &e->others[list]);
		/* A tunnel's fields are compared where its port is. */
		if (e->list[list].n == 1 &&
		    !alternative_add(a, key, (uint64_t)cubes_at(&e->list[list], 0)->value,
				     (uint64_t)cubes_at(&e->list[list], 0)->mask))
			return ret;
	}
	if (!ret && e->list[LIST_PORT].n)
		ret = except_either_port(x, a, i, proto);
	return ret ? ret : except_fields(x, a, i);
}

static bool cubes_have_0(const struct cubes *c)
{
	bool has = !c->n;

	for (size_t i = 0; i < c->n; i++)
		has |= !cubes_at(c, i)->value;
	return has;
}

/*
 * Adds the group's fields; those that a later fragment lacks are 0. Returns false if no later
 * fragment can match.
 */
static bool later_fields(struct alternative *a, const struct rule_except *e, bool *any)
{
	for (size_t f = 0; f < e->nfields; f++) {
		const struct rule_field *field = &e->field[f];
		bool l4 = key_is_of_l4(field->key, e->inner);

		*any |= l4;
		if (field->nmore || (l4 && field->value) ||
		    !alternative_add(a, field->key, field->value,
				     l4 ? match_key_max(field->key) : field->mask))
			return false;
	}
	return true;
}

static bool later_ports(struct alternative *a, const struct exception *e, bool *any)
{
	uint64_t proto = alternative_value(a, alternative_key(a, KEY_PROTO));

	for (int list = LIST_SPORT; list <= LIST_PORT; list++) {
		if (!cubes_have_0(&e->list[list]))
			return false;
		*any |= e->list[list].n;
	}
	return !*any || (alternative_add_here(a, expand_port_key(proto, SIDE_S), 0, 0xffff) &&
			 alternative_add_here(a, expand_port_key(proto, SIDE_D), 0, 0xffff));
}

/* Excludes later fragments: the device compares 0, but `udp dst port 0` does not hold there. */
static int except_later(struct expansion *x, const struct alternative *a, size_t i)
{
	const struct exception *e = &x->except[i];
	struct alternative b;
	bool any = false;

	alternative_copy(&b, a);
	if (e->source->of_value || !later_ports(&b, e, &any) ||
	    !later_fields(&b, e->source, &any) || !any ||
	    !alternative_add_here(&b, KEY_FRAGMENT, 1, 1))
		return 0;
	return expand_excepts(x, &b, i + 1);
}

static int except_proto(struct expansion *x, struct alternative *a, size_t i, uint64_t proto)
{
	int ret = except_later(x, a, i);

	return ret ? ret : except_ports(x, a, i, proto);
}

static int except_l4(struct expansion *x, const struct alternative *a, size_t i)
{
	static const uint64_t protos[] = {L4_TCP, L4_UDP};
	enum rule_l4 l4 = x->except[i].source->headers.l4;
	int ret = except_key(x, a, i, alternative_key(a, KEY_PROTO), &x->except[i].proto);

	for (int p = 0; p < 2 && !ret; p++) {
		struct alternative b;

		alternative_copy(&b, a);
		if ((l4 == L4_TCP_OR_UDP || l4 == protos[p]) &&
		    alternative_add_here(&b, KEY_PROTO, protos[p], 0xff))
			ret = except_proto(x, &b, i, protos[p]);
	}
	return ret;
}

/* A bound of the work: exceptions multiply, too, even if they leave no entry together. */
#define EXCEPT_STEPS_MAX (16u * RULE_ENTRIES_MAX)

int expand_excepts(struct expansion *x, const struct alternative *a, size_t i)
{
	return i == x->of_value ? expand_fragments(x, a) : expand_except(x, a, i);
}

static int expand_except(struct expansion *x, const struct alternative *a, size_t i)
{
	const struct rule_except *e = i < x->rule->nexcepts ? x->except[i].source : NULL;
	struct alternative b;
	int ret;

	if (!e)
		return expand_emit(x, a);
	if (++x->steps > EXCEPT_STEPS_MAX)
		return -E2BIG;
	alternative_copy(&b, a);
	b.inner = e->inner;
	if (e->headers.ip &&
	    alternative_value(&b, alternative_key(&b, MATCH_IP_VERSION)) != e->headers.ip)
		return expand_excepts(x, &b, i + 1);
	if (e->headers.l4 != L4_ANY)
		return except_l4(x, &b, i);
	ret = except_fields(x, &b, i);
	ret = ret ? ret : except_later(x, &b, i);
	return ret ? ret : except_addresses(x, &b, i);
}

int expand_lists(struct cubes list[LISTS], const struct rule_headers *h)
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

/* --- what does not hold ------------------------------------------------------------------------ */

static void not_lists(struct exception *e, unsigned int stride)
{
	const struct rule_headers *h = &e->source->headers;

	expand_lists(e->list, h);
	cubes_not_nets(&e->others[LIST_SRC], &h->src, stride);
	cubes_not_nets(&e->others[LIST_DST], &h->dst, stride);
	cubes_not_nets(&e->others[LIST_HOST], &h->host, stride);
	cubes_not_ports(&e->others[LIST_SPORT], &h->sport, stride);
	cubes_not_ports(&e->others[LIST_DPORT], &h->dport, stride);
	cubes_not_ports(&e->others[LIST_PORT], &h->port, stride);
}

static void not_proto(struct exception *e, unsigned int stride)
{
	static const struct rule_value tcp_udp[] = {{L4_TCP, 0xff}, {L4_UDP, 0xff}};
	enum rule_l4 l4 = e->source->headers.l4;

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

static int exception_make(struct exception *e, const struct rule_except *source,
			  unsigned int stride)
{
	int err = 0;

	e->source = source;
	e->field = calloc(source->nfields + 1, sizeof(*e->field));
	if (!e->field)
		return -ENOMEM;
	not_lists(e, stride);
	not_proto(e, stride);
	for (size_t f = 0; f < source->nfields; f++)
		not_field(&e->field[f], &source->field[f], stride);
	for (int l = 0; l < LISTS; l++)
		err = err ? err : e->list[l].err ? e->list[l].err : e->others[l].err;
	for (size_t f = 0; f < source->nfields && !err; f++)
		err = e->field[f].err;
	return err ? err : e->proto.err;
}

static void exception_free(struct exception *e)
{
	for (int l = 0; l < LISTS; l++) {
		free(e->list[l].cube);
		free(e->others[l].cube);
	}
	for (size_t f = 0; e->field && f < e->source->nfields; f++)
		free(e->field[f].cube);
	free(e->field);
	free(e->proto.cube);
}

int excepts_make(struct expansion *x, unsigned int stride)
{
	size_t n = x->rule->nexcepts, made = 0;
	int ret = 0;

	x->except = n ? calloc(n, sizeof(*x->except)) : NULL;
	if (n && !x->except)
		return -ENOMEM;
	for (int of_value = 1; of_value >= 0; of_value--)
		for (size_t i = 0; i < n && !ret; i++)
			if (x->rule->except[i].of_value == of_value)
				ret = exception_make(&x->except[made++], &x->rule->except[i],
						     stride);
	for (size_t i = 0; i < n; i++)
		x->of_value += x->rule->except[i].of_value;
	return ret;
}

void excepts_free(struct expansion *x)
{
	for (size_t i = 0; x->except && i < x->rule->nexcepts; i++)
		exception_free(&x->except[i]);
	free(x->except);
}
