/* SPDX-License-Identifier: BSD-2-Clause */
#include "words.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "dvx-info.h"

/* Fields with a bit for each value of an enumeration: bit n stands for value n. */
static const struct {
	const char *field, *names;
} masks[] = {
	{"general_obj_types", "obj_type"},
};

/* Fields with PRM codes that are neither a number nor a log2. */
static const struct {
	const char *field;
	unsigned int base;
	const char *what;
} codes[] = {
	{"gid_table_size", 8, "GIDs"},
	{"pkey_table_size", 128, "P_Keys"},
};

static bool mask_words(char *buf, size_t size, const struct prm_field *f, uint64_t value)
{
	const struct prm_enum *e = f->flags ? f->values : NULL;
	bool numbers = !e;
	size_t used = 0;

	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++)
		if (!strcmp(f->name, masks[i].field))
			e = prm_find_enum(masks[i].names);
	if (!e || !value)
		return false;
	used = (size_t)snprintf(buf, size, "0x%" PRIx64 ":", value);
	for (size_t i = 0; i < e->count && used < size; i++) {
		uint64_t v = e->values[i].value, bit = numbers ? v < 64 ? 1ull << v : 0 : v;

		if (!(value & bit))
			continue;
		value &= ~bit;
		used += (size_t)snprintf(buf + used, size - used, " %s", e->values[i].name);
	}
	if (value && used < size)
		snprintf(buf + used, size - used, " (others: 0x%" PRIx64 ")", value);
	return true;
}

static bool code_words(char *buf, size_t size, const struct prm_field *f, uint64_t value)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (!strcmp(f->name, codes[i].field) && value < 16) {
			snprintf(buf, size, "%u (%u %s)", (unsigned int)value,
				 codes[i].base << value, codes[i].what);
			return true;
		}
	return false;
}

/* Formats a "log2 of ..." field. If 0 has a special meaning, it is not taken as a logarithm. */
static bool log_words(char *buf, size_t size, const struct prm_field *f, uint64_t value)
{
	if (strncmp(f->text, "log2 ", 5) || strstr(f->text, "minus") || value > 64 || f->width == 1)
		return false;
	if (!value && strstr(f->text, "; 0:"))
		return false;
	if (value == 64)
		snprintf(buf, size, "64 (2^64)");
	else
		snprintf(buf, size, "%u (%" PRIu64 ")", (unsigned int)value, (uint64_t)1 << value);
	return true;
}

void words_value(char *buf, size_t size, const struct prm_field *f, uint64_t value)
{
	const struct prm_enum_value *v = f->flags ? NULL : prm_enum_find(f->values, value);

	if (v)
		snprintf(buf, size, "%s (%" PRIu64 ")", v->name, value);
	else if (mask_words(buf, size, f, value) || code_words(buf, size, f, value) ||
		 log_words(buf, size, f, value))
		return;
	else if (f->width == 1)
		snprintf(buf, size, "%s", value ? "yes" : "no");
	else if (f->width > 32 || strstr(f->text, "bit mask"))
		snprintf(buf, size, "0x%" PRIx64, value);
	else
		snprintf(buf, size, "%" PRIu64, value);
}

void words_leaf(char *buf, size_t size, const struct walk_leaf *leaf, const uint8_t *page)
{
	size_t used;

	if (!leaf->raw) {
		words_value(buf, size, leaf->f,
			    prm_bits_get(page, leaf->bit, (unsigned int)leaf->width));
		return;
	}
	used = (size_t)snprintf(buf, size, "0x");
	for (uint64_t i = 0; i < leaf->width / 8 && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%02x", page[leaf->bit / 8 + i]);
}

const char *words_meaning(const struct prm_field *f)
{
	return strncmp(f->text, "Supported: ", 11) ? f->text : f->text + 11;
}

/*
 * Groups of the fields of the two general pages, by a part of the field's name; the first match
 * counts.
 */
static const struct {
	const char *part, *group;
} groups[] = {
	{"roce", "transports"},
	{"uctx", "DevX"},
	{"umem", "DevX"},
	{"general_obj", "DevX"},
	{"transport_domain", "queues"},
	{"vhca_tunnel", "other VHCAs"},
	{"cross", "other VHCAs"},
	{"vhca", "other VHCAs"},
	{"allowed_object", "other VHCAs"},
	{"introspection", "other VHCAs"},
	{"shared_object", "other VHCAs"},
	{"_sf", "functions"},
	{"sf", "functions"},
	{"vport", "functions"},
	{"eswitch", "functions"},
	{"esw", "functions"},
	{"virtio", "functions"},
	{"emulation", "functions"},
	{"migrat", "functions"},
	{"_vf", "functions"},
	{"mmo", "copies and compute"},
	{"regexp", "copies and compute"},
	{"crypto", "cryptography"},
	{"dek", "cryptography"},
	{"aes", "cryptography"},
	{"tls", "cryptography"},
	{"ipsec", "cryptography"},
	{"macsec", "cryptography"},
	{"flow_counter", "steering"},
	{"flow", "steering"},
	{"flex_parser", "steering"},
	{"header_modify", "steering"},
	{"reformat", "steering"},
	{"steering", "steering"},
	{"match_definer", "steering"},
	{"geneve", "steering"},
	{"reg_c_", "steering"},
	{"format_select", "steering"},
	{"sw_owner", "steering"},
	{"atomic", "atomics"},
	{"rndv", "tag matching"},
	{"tag_matching", "tag matching"},
	{"_tm_", "tag matching"},
	{"xrq", "tag matching"},
	{"mkey", "memory"},
	{"umr", "memory"},
	{"klm", "memory"},
	{"mrw", "memory"},
	{"pg", "memory"},
	{"relaxed", "memory"},
	{"fixed_buffer", "memory"},
	{"indirection", "memory"},
	{"bsf", "memory"},
	{"sig", "memory"},
	{"sho", "memory"},
	{"ats", "memory"},
	{"device_memory", "memory"},
	{"cqe", "completions"},
	{"cq", "completions"},
	{"_eq", "events"},
	{"event", "events"},
	{"notif", "events"},
	{"srq", "queues"},
	{"rmp", "queues"},
	{"rqt", "queues"},
	{"hairpin", "queues"},
	{"strid", "queues"},
	{"wqe", "queues"},
	{"_qp", "queues"},
	{"_rq", "queues"},
	{"_sq", "queues"},
	{"_wq", "queues"},
	{"_ti", "queues"},
	{"_pd", "queues"},
	{"ts_format", "queues"},
	{"dc", "transports"},
	{"xrc", "transports"},
	{"ra_re", "transports"},
	{"rc", "transports"},
	{"uc", "transports"},
	{"ud", "transports"},
	{"retry", "transports"},
	{"ece", "transports"},
	{"apm", "transports"},
	{"mcg", "transports"},
	{"msg", "transports"},
	{"uar", "doorbells"},
	{"bf", "doorbells"},
	{"gid", "ports"},
	{"pkey", "ports"},
	{"port", "ports"},
	{"wol", "ports"},
	{"lag", "ports"},
	{"ppcnt", "counters"},
	{"count", "counters"},
	{"_cnt", "counters"},
	{"vnic_env", "counters"},
	{"frequency", "clocks"},
	{"pps", "clocks"},
	{"time", "clocks"},
};

static const char *words_group(const struct prm_struct *s, const char *path, char *buf, size_t size)
{
	const char *dot = strrchr(path, '.');
	bool general = s && !strncmp(s->name, "cmd_hca_cap", 11);

	if (dot) {
		snprintf(buf, size, "%.*s", (int)(dot - path), path);
		return buf;
	}
	for (size_t i = 0; general && i < sizeof(groups) / sizeof(groups[0]); i++)
		if (strstr(path, groups[i].part))
			return groups[i].group;
	return general ? "other" : "";
}

static json_t *unknown_json(uint64_t bit, unsigned int width, uint64_t value)
{
	return json_pack("{sI si so}", "bit", (json_int_t)bit, "width", (int)width, "value",
			 json_number(value));
}

/* Adds the bits beyond the end of the layout. */
static void unknown_tail(const struct page *p, size_t from, json_t *out)
{
	for (size_t at = from; at < p->len; at += 4) {
		unsigned int width = p->len - at < 4 ? (unsigned int)(p->len - at) * 8 : 32;
		uint64_t v = prm_bits_get(p->bytes, at * 8, width);

		if (v)
			json_array_append_new(out, unknown_json(at * 8, width, v));
	}
}

#define STRAYS 2048

json_t *words_unknown(const struct page *p)
{
	static struct stray strays[STRAYS]; /* more than a page has words */
	const struct prm_struct *s = page_layout(p->type);
	json_t *out = json_array();
	size_t n = 0, set;

	if (s)
		n = walk_strays(s, p->bytes, p->len, strays, STRAYS, &set);
	for (size_t i = 0; i < n && i < STRAYS; i++)
		json_array_append_new(
			out, unknown_json(strays[i].bit, strays[i].width, strays[i].value));
	unknown_tail(p, s ? s->bytes : 0, out);
	return out;
}

struct collect {
	const struct page *p;
	const struct prm_struct *s;
	json_t *fields;
	bool all;
};

static int collect_leaf(const struct walk_leaf *leaf, void *ctx)
{
	struct collect *c = ctx;
	char value[512], group[WALK_PATH];

	if (!leaf->set && !c->all)
		return 0;
	words_leaf(value, sizeof(value), leaf, c->p->bytes);
	json_array_append_new(c->fields,
			      json_pack("{ss ss sI si so ss ss}", "field", leaf->path, "group",
					words_group(c->s, leaf->path, group, sizeof(group)), "bit",
					(json_int_t)leaf->bit, "width", (int)leaf->width, "value",
					leaf->raw ? json_string(value) : json_number(leaf->value),
					"words", value, "meaning", words_meaning(leaf->f)));
	return 0;
}

json_t *words_page(const struct page *p, bool all)
{
	struct collect c = {.p = p, .s = page_layout(p->type), .fields = json_array(), .all = all};
	json_t *j = json_pack("{si ss ss? sI}", "type", (int)p->type, "name", page_name(p->type),
			      "layout", c.s ? c.s->name : NULL, "bytes", (json_int_t)p->len);

	if (*p->error)
		json_object_set_new(j, p->bytes ? "note" : "error", json_string(p->error));
	if (p->bytes && c.s)
		walk(c.s, p->bytes, p->len, collect_leaf, &c);
	json_object_set_new(j, "fields", c.fields);
	json_object_set_new(j, "unknown", p->bytes ? words_unknown(p) : json_array());
	if (p->bytes && c.s && p->len < c.s->bytes)
		json_object_set_new(j, "cut", json_integer(c.s->bytes));
	return j;
}
