/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The headers that lead to a field. libdvx requires them in a matcher that compares an ICMP type or
 * a Geneve VNI, because an entry finds a field by its place, not by its name. All rules of a class
 * that compare the field have to name the same headers: packets with others cannot meet these
 * rules, and get the code of "any value".
 */
#include <string.h>

#include "work.h"

static bool acl_is_inner(unsigned int key)
{
	return (key >= KEY_PER_LEVEL && key <= KEY_LEVELS_END) || key >= MATCH_LEVEL_END;
}

/* Returns the same key of the outer headers. */
static unsigned int acl_outer_key(unsigned int key)
{
	if (!acl_is_inner(key))
		return key;
	return key >= MATCH_LEVEL_END ? key - MATCH_PER_LEVEL : key - KEY_PER_LEVEL;
}

static bool acl_needs_proto(unsigned int key)
{
	return (key >= MATCH_TCP_SPORT && key <= MATCH_UDP_DPORT) || key == KEY_TCP_FLAGS ||
	       (key >= KEY_ICMP_TYPE && key <= KEY_ICMP6_CODE) ||
	       (key >= KEY_GPE_VNI && key <= KEY_GENEVE_OPTION);
}

static bool acl_needs_version(unsigned int key)
{
	return acl_needs_proto(key) || (key >= KEY_PROTO && key <= KEY_FLOWLABEL) ||
	       (key >= MATCH_SRC_127_96 && key <= MATCH_DST_31_0);
}

static bool acl_needs_port(unsigned int key)
{
	return key >= KEY_GPE_VNI && key <= KEY_GENEVE_OPTION;
}

/* Finds the keys that lead to this one, in ascending order. Returns how many there are. */
static unsigned int acl_needed_keys(unsigned int key, uint8_t need[ACL_HEADERS])
{
	unsigned int k = acl_outer_key(key), n = 0;
	bool inner = acl_is_inner(key);

	if (!inner && acl_needs_proto(k))
		need[n++] = KEY_PROTO;
	if (inner && acl_needs_proto(k))
		need[n++] = KEY_INNER(KEY_PROTO);
	if (inner || acl_needs_version(k))
		need[n++] = MATCH_IP_VERSION;
	if (inner && acl_needs_version(k))
		need[n++] = MATCH_INNER(MATCH_IP_VERSION);
	return n;
}

/* --- what the rules say ----------------------------------------------------------------------- */

static bool acl_rest_value(const struct acl_rest *r, unsigned int key, uint64_t *value)
{
	for (unsigned int i = 0; i < r->n; i++)
		if (r->key[i] == key && r->mask[i] == match_key_max(key)) {
			*value = r->value[i];
			return true;
		}
	return false;
}

/* Returns the value that all packets of the class have under a key; 0: none. */
static uint8_t acl_class_value(const struct acl_class *c, unsigned int key)
{
	return key == MATCH_IP_VERSION ? c->version : key == KEY_PROTO ? c->proto : 0;
}

static void acl_header_note(struct acl_headers *out, unsigned int key, uint64_t value)
{
	out->key[out->n] = (uint8_t)key;
	out->value[out->n++] = value;
}

/* Finds the headers that a box names, of those that lead to a key. */
static void acl_box_headers(const struct acl_class *c, const struct acl_box *b, unsigned int key,
			    struct acl_headers *out)
{
	uint8_t need[ACL_HEADERS];
	unsigned int n = acl_needed_keys(key, need);

	memset(out, 0, sizeof(*out));
	for (unsigned int i = 0; i < n; i++) {
		uint64_t value = acl_class_value(c, need[i]);

		if (!value && !acl_rest_value(&c->rest[b->rest], need[i], &value))
			continue;
		out->narrow |= !acl_class_value(c, need[i]);
		acl_header_note(out, need[i], value);
	}
	if (c->proto != L4_UDP || !acl_needs_port(key) || b->first[ACL_DPORT] != b->last[ACL_DPORT])
		return;
	out->narrow = true;
	acl_header_note(out, MATCH_UDP_DPORT, b->first[ACL_DPORT]);
}

static bool acl_box_compares(const struct acl_class *c, const struct acl_field *f,
			     const struct acl_box *b)
{
	const struct acl_rest *r = &c->rest[b->rest];

	for (unsigned int i = 0; i < r->n; i++)
		for (unsigned int k = 0; k < f->nkeys; k++)
			if (r->key[i] == f->key[k])
				return true;
	return false;
}

int acl_headers_find(struct acl_work *w, const struct acl_class *c, const struct acl_field *f,
		     struct acl_headers *out)
{
	struct acl_headers other;
	bool found = false;

	memset(out, 0, sizeof(*out));
	if (f->port >= 0)
		acl_box_headers(c, c->box, f->key[0], out);
	for (size_t i = 0; i < c->n && f->port < 0; i++) {
		if (!acl_box_compares(c, f, &c->box[i]))
			continue;
		acl_box_headers(c, &c->box[i], f->key[0], found ? &other : out);
		if (found && memcmp(&other, out, sizeof(other)) != 0)
			return acl_refuse(w, c->box[i].rule,
					  "other headers lead to its field than in earlier rules");
		found = true;
	}
	return 0;
}
