/* SPDX-License-Identifier: BSD-2-Clause */
#include "acl_run.h"

#include "rules/map.h"
#include "tests/test.h"

struct acl_run {
	const struct acl_program *p;
	struct map **entry; /* [table][matcher]: hash of the values -> entry */
};

/* --- what a packet has under a key -------------------------------------------------------------- */

static const struct {
	uint8_t field, low;
} places[MATCH_KEYS] = {
#define KEY(key, path, bits, seen, low, noun) [KEY_##key] = {F_##seen, low},
#define LEVEL_KEY(key, before, after, bits, seen, low, noun) \
	[KEY_##key] = {F_##seen, low}, [KEY_INNER(KEY_##key)] = {F_INNER(F_##seen), low},
#define IMPLIED(key, before, after, bits, seen, low) \
	[MATCH_##key] = {F_##seen, low}, [MATCH_INNER(MATCH_##key)] = {F_INNER(F_##seen), low},
#include "tools/dvx-flow/rules/keys.def"
};

/* Words that mean the fields of one IP version or protocol. */
static void own_words(uint64_t v[MATCH_KEYS], unsigned int proto, unsigned int version,
		      unsigned int tcp_sport, unsigned int udp_sport)
{
	static const uint64_t versions[] = {0, 4, 6, 0};

	v[version] = versions[v[version] & 3];
	for (unsigned int i = 0; i < 2; i++) {
		if (v[proto] != L4_TCP)
			v[tcp_sport + i] = 0;
		if (v[proto] != L4_UDP)
			v[udp_sport + i] = 0;
	}
}

void acl_run_values(const struct fields *packet, uint64_t v[MATCH_KEYS])
{
	for (unsigned int k = 0; k < MATCH_KEYS; k++)
		v[k] = (uint64_t)(packet->value[places[k].field] >> places[k].low) &
		       match_key_max(k);
	own_words(v, KEY_PROTO, MATCH_IP_VERSION, MATCH_TCP_SPORT, MATCH_UDP_SPORT);
	own_words(v, KEY_INNER(KEY_PROTO), MATCH_INNER(MATCH_IP_VERSION),
		  MATCH_INNER(MATCH_TCP_SPORT), MATCH_INNER(MATCH_UDP_SPORT));
}

/* --- a program ------------------------------------------------------------------------------------ */

static uint64_t hash_of(const struct shape *s, const uint64_t *value, bool by_key)
{
	uint64_t h = 1;

	for (unsigned int i = 0; i < s->n; i++)
		h = map_mix(h, value[by_key ? s->key[i] : i] & s->mask[i]);
	return h;
}

/* No bit beside the mask, no two equal entries, only jumps forward, only lists that there are. */
static void check_matcher(const struct acl_program *p, size_t table, const struct acl_matcher *m,
			  struct map *entries)
{
	assert_true(m->n > 0);
	for (size_t e = 0; e < m->n; e++) {
		const struct acl_entry *at = &m->entry[e];
		size_t before = entries->n;

		for (unsigned int i = 0; i < m->shape->n; i++)
			assert_int_equal(at->value[i] & ~m->shape->mask[i], 0);
		assert_true(at->next == ACL_NONE || (at->next > table && at->next < p->n));
		assert_true(at->list == ACL_NONE || at->list < p->nlists);
		map_put(entries, hash_of(m->shape, at->value, false), (uint32_t)e);
		assert_int_equal(entries->n, before + 1);
	}
}

struct acl_run *acl_run_new(const struct acl_program *p)
{
	struct acl_run *r = calloc(1, sizeof(*r));

	r->p = p;
	r->entry = calloc(p->n, sizeof(*r->entry));
	for (size_t t = 0; t < p->n; t++) {
		r->entry[t] = calloc(p->table[t].n + 1, sizeof(**r->entry));
		for (size_t m = 0; m < p->table[t].n; m++)
			check_matcher(p, t, &p->table[t].matcher[m], &r->entry[t][m]);
	}
	return r;
}

void acl_run_free(struct acl_run *r)
{
	for (size_t t = 0; t < r->p->n; t++) {
		for (size_t m = 0; m < r->p->table[t].n; m++)
			map_free(&r->entry[t][m]);
		free(r->entry[t]);
	}
	free(r->entry);
	free(r);
}

/* --- a packet ------------------------------------------------------------------------------------- */

static void write_list(const struct acl_program *p, uint32_t list, uint64_t v[MATCH_KEYS])
{
	const struct acl_list *l = list == ACL_NONE ? NULL : &p->list[list];

	for (unsigned int i = 0; l && i < l->n; i++)
		v[l->write[i].key] =
			(v[l->write[i].key] & ~(uint64_t)l->write[i].mask) | l->write[i].value;
	if (l && l->copy)
		v[ACL_BEST] = v[ACL_CANDIDATE];
}

/* The first hit; *path counts the look-ups. The last matcher of a table has all packets. */
static const struct acl_entry *look_up(const struct acl_run *r, uint32_t table,
				       const uint64_t v[MATCH_KEYS], size_t *path)
{
	const struct acl_table *t = &r->p->table[table];

	for (size_t m = 0; m < t->n; m++) {
		const struct map_slot *s =
			map_get(&r->entry[table][m], hash_of(t->matcher[m].shape, v, true));

		++*path;
		if (s)
			return &t->matcher[m].entry[s->what];
	}
	fail_msg("table %u has no entry for a packet", table);
	return NULL;
}

uint32_t acl_run_packet(const struct acl_run *r, const struct fields *packet, size_t *path)
{
	uint64_t v[MATCH_KEYS];
	uint32_t table = 0;

	acl_run_values(packet, v);
	/* A program has written the registers that it reads. */
	for (unsigned int k = KEY_REG_C0; k <= KEY_REG_C5; k++)
		v[k] = 0xa5a5a5a5;
	*path = 0;
	for (;;) {
		const struct acl_entry *e = look_up(r, table, v, path);

		write_list(r->p, e->list, v);
		if (e->next == ACL_NONE)
			return e->rule;
		table = e->next;
	}
}
