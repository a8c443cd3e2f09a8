/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-info without a device: ranking of GIDs, the features' table, dumps good and bad, diffs. */
#include "tests/test.h"
#include <stdio.h>
#include "tools/dvx-info/source.h"
#include "tools/dvx-info/dump.h"
#include "tools/dvx-info/features.h"
#include "tools/dvx-info/gidrank.h"
#include "tools/dvx-info/words.h"

static struct ranked entry(const char *start, enum dvx_gid_type type, uint32_t index, bool up)
{
	struct ranked r = {
		.gid = {.index = index, .port = 1, .type = type}, .up = up, .ethernet = true};

	if (!strcmp(start, "v4")) {
		memcpy(r.gid.gid + 10, "\xff\xff\x0a\0\0\1", 6);
	} else {
		r.gid.gid[0] = (uint8_t)strtoul(start, NULL, 16);
		r.gid.gid[1] = 0x80;
	}
	return r;
}

/* Proves the order: up before down, v2 before v1, IPv4 before IPv6 before link-local. */
TEST(none, ranking)
{
	struct ranked list[] = {
		entry("fe", DVX_GID_ROCE_V1, 0, true),	  entry("fe", DVX_GID_ROCE_V2, 1, true),
		entry("v4", DVX_GID_ROCE_V1, 2, true),	  entry("v4", DVX_GID_ROCE_V2, 3, true),
		entry("20", DVX_GID_ROCE_V2, 4, true),	  entry("v4", DVX_GID_ROCE_V2, 5, false),
		entry("v4", DVX_GID_IB_ROCE_V1, 6, true),
	};
	static const uint32_t want[] = {3, 4, 1, 2, 6, 0, 5};

	gid_rank(list, 7);
	for (int i = 0; i < 7; i++) {
		assert_int_equal(list[i].gid.index, want[i]);
		assert_true(strlen(list[i].reason) > 5);
	}
}

/* Proves that each row of the features' table names a field that the tables have. */
TEST(none, feature_rows)
{
	for (size_t i = 0; i < feature_count; i++) {
		assert_ptr_equal(feature_find(features[i].name), &features[i]);
		for (const struct check *c = features[i].checks; c->what; c++) {
			uint64_t bit;

			if (!c->field || c->need != NEED_NONE)
				continue;
			if (!prm_find_field(page_layout(c->page), c->field, &bit))
				fail_msg("%s: no field %s", features[i].name, c->field);
		}
	}
	assert_ptr_equal(feature_find("MMO"), feature_find("dma_copy"));
	assert_null(feature_find(""));
	assert_null(feature_find("xr"));
}

static int parse(struct cap_source *s, const char *text, int only, char *err)
{
	memset(s, 0, sizeof(*s));
	return cap_dump_parse(s, text, strlen(text), only, err, 512);
}

/* Proves that broken dumps are refused with a sentence that names the page and the fault. */
TEST(none, refused)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"", "no line"},
		{"hello\n", "no line"},
		{"page 0x0 GENERAL\n", "page 0x0: the input is empty"},
		{"page 0x0\nnothing here\n", "page 0x0"},
		{"page 0x9999\n00000000: 00 11\n", "15 bits"},
		{"page 0x0\n00000000: 00\npage 0x0\n00000000: 00\n", "twice"},
		{"page 0x0\n00000010: 00 11 22 33\n", "not at 0"},
		{"page 0x0\n00000000: 00 1\n", "page 0x0"},
	};
	struct cap_source *s = malloc(sizeof(*s));
	char err[512];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(parse(s, bad[i].text, -1, err), -1);
		if (!strstr(err, bad[i].says))
			fail_msg("%zu: \"%s\"", i, err);
		cap_source_close(s);
	}
	free(s);
}

/* Proves that a page of another generation decodes: cut ones say so, longer ones list their bits.
 */
TEST(none, generations)
{
	struct cap_source *s = malloc(sizeof(*s));
	char err[512], text[40000], *p = text;
	json_t *j;

	assert_int_equal(parse(s, "page 0x0\n00000000: 00 00 00 00 80 00 00 07 ff\n", -1, err), 0);
	j = words_page(&s->pages[0], false);
	assert_int_equal(json_integer_value(json_object_get(j, "cut")), 256);
	assert_int_equal(json_array_size(json_object_get(j, "fields")), 2);
	json_decref(j);
	cap_source_close(s);

	p += sprintf(p, "page 0x7123\n00000000: 12 34\npage 0x0\n");
	for (int at = 0; at < 4096 + 32; at += 16)
		p += sprintf(p, "%08x: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 %s\n", at,
			     at >= 4096 ? "ff" : "00");
	assert_int_equal(parse(s, text, -1, err), 0);
	j = words_page(source_page(s, 0x7123), false);
	assert_true(json_is_null(json_object_get(j, "layout")));
	assert_int_equal(json_array_size(json_object_get(j, "unknown")), 1);
	json_decref(j);
	j = words_page(source_page(s, 0), false);
	assert_int_equal(json_array_size(json_object_get(j, "fields")), 0);
	assert_int_equal(json_array_size(json_object_get(j, "unknown")), 2);
	json_decref(j);
	cap_source_close(s);
	free(s);
}

/* Proves that a diff sees changed fields, wide ones too, unknown bits, and pages that are missing. */
TEST(none, differences)
{
	static const char wide[] =
		"page 0x1b\n00000000: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
		"00000010: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 20\n";
	struct cap_source *a = malloc(sizeof(*a)), *b = malloc(sizeof(*b));
	json_t *d, *words, *f;
	char err[512];

	assert_int_equal(
		parse(a, "page 0x0\n00000000: 00 00 00 00 80 00 00 01 00 00 00 00\n", -1, err), 0);
	assert_int_equal(parse(b,
			       "page 0x0\n00000000: 00 00 00 00 00 40 00 02 00 00 00 01\npage "
			       "0x4\n00000000: 80\n",
			       -1, err),
			 0);
	d = diff_sources(a, b, -1);
	assert_int_equal(json_array_size(d), 5);
	json_decref(d);
	d = diff_sources(b, a, 0);
	assert_int_equal(json_array_size(d), 4);
	json_decref(d);
	d = diff_sources(a, a, -1);
	assert_int_equal(json_array_size(d), 0);
	json_decref(d);
	cap_source_close(b);
	assert_int_equal(parse(b, "page 0x0\n00000000: 00 00 00 00 80 00 00 01\n"
				  "00000008: 00 00 00 00 00 15 00 00\n",
			       -1, err),
			 0);
	d = diff_sources(a, b, -1);
	assert_int_equal(json_array_size(d), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(d, 0), "a")),
			    "(its page ends before)");
	json_decref(d);
	cap_source_close(a);
	cap_source_close(b);

	assert_int_equal(parse(a, wide, -1, err), 0);
	assert_int_equal(parse(b, "page 0x1b\n00000000: 00\n", -1, err), 0);
	words = words_page(&a->pages[0], false);
	f = json_array_get(json_object_get(words, "fields"), 0);
	assert_string_equal(json_string_value(json_object_get(f, "field")), "stc_action_type");
	assert_string_equal(json_string_value(json_object_get(f, "words")),
			    "0x00000000000000000000000000000020");
	json_decref(words);
	d = diff_sources(a, b, -1);
	assert_int_equal(json_array_size(d), 1);
	json_decref(d);
	d = diff_sources(a, a, -1);
	assert_int_equal(json_array_size(d), 0);
	json_decref(d);
	cap_source_close(a);
	cap_source_close(b);
	free(a);
	free(b);
}

/* Proves that mutated dumps never crash, leak or read past their end (under the sanitizers). */
TEST(none, fuzz)
{
	static const char seed[] =
		"# dvx-info capability dump 1\n# device: mlx5_0\npage 0x0 GENERAL\n"
		"00000000: 00 00 00 00 80 00 00 01 00 00 00 00 00 15 00 00\n*\n00000100:\n"
		"page 0x7 FLOW_TABLE\n00000000: ff ff ff ff ff ff ff ff\n"
		"page 0x20 GENERAL_2\n00000000: 80 00\n";
	struct cap_source *s = malloc(sizeof(*s));
	char text[sizeof(seed)], err[512];
	unsigned int x = 12345;

	for (int round = 0; round < 1500; round++) {
		memcpy(text, seed, sizeof(seed));
		for (int k = 0; k < 1 + round % 5; k++) {
			x = x * 1103515245u + 12345u;
			text[(x >> 8) % (sizeof(seed) - 1)] =
				(x >> 4) & 1 ? (char)(x >> 20) : "0f:*p\n #x"[(x >> 20) % 9];
		}
		memset(s, 0, sizeof(*s));
		if (!cap_dump_parse(s, text, (x >> 5) % 8 ? sizeof(seed) - 1 : x % sizeof(seed),
				    round % 40, err, 512))
			for (size_t i = 0; i < s->count; i++)
				json_decref(words_page(&s->pages[i], round % 2));
		cap_source_close(s);
	}
	free(s);
}
