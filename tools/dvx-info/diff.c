/* SPDX-License-Identifier: BSD-2-Clause */
#include "source.h"
#include <stdio.h>
#include <string.h>
#include "tools/cli/json.h"
#include "words.h"

struct compare {
	const struct page *p, *q; /* q is at least as long as p's layout */
	json_t *out;
};

static json_t *row(const struct page *p, const char *field, const char *meaning)
{
	return json_pack("{si ss ss ss}", "page", (int)p->type, "page_name", page_name(p->type),
			 "field", field, "meaning", meaning);
}

static void diff_put(json_t *o, const char *key, const char *value)
{
	json_object_set_new(o, key, json_string(value));
}

static int compare_leaf(const struct walk_leaf *leaf, void *ctx)
{
	struct compare *c = ctx;
	bool there = leaf->bit + leaf->width <= (uint64_t)c->q->len * 8;
	char a[512], b[512] = "(its page ends before)";
	json_t *o;

	words_leaf(a, sizeof(a), leaf, c->p->bytes);
	if (there)
		words_leaf(b, sizeof(b), leaf, c->q->bytes);
	if (there ? !strcmp(a, b) : !leaf->set)
		return 0;
	o = row(c->p, leaf->path, words_meaning(leaf->f));
	diff_put(o, "a", a);
	diff_put(o, "b", b);
	json_array_append_new(c->out, o);
	return 0;
}

static bool same_unknown(const json_t *u, const json_t *list)
{
	size_t i;
	json_t *v;

	json_array_foreach(list, i, v) if (json_equal(u, v)) return true;
	return false;
}

static void unknown_text(const json_t *list, json_int_t bit, char *buf, size_t size)
{
	size_t i;
	json_t *u;

	snprintf(buf, size, "0");
	json_array_foreach (list, i, u)
		if (json_int(u, "bit") == bit)
			snprintf(buf, size, "0x%llx", json_int(u, "value"));
}

static void unknown_row(const struct page *p, const json_t *u, const json_t *ua, const json_t *ub,
			json_t *out)
{
	char name[64], a[32], b[32];
	json_t *o;

	snprintf(name, sizeof(name), "unknown bits at 0x%llx, %lld wide", json_int(u, "bit"),
		 json_int(u, "width"));
	unknown_text(ua, json_int(u, "bit"), a, sizeof(a));
	unknown_text(ub, json_int(u, "bit"), b, sizeof(b));
	o = row(p, name, "");
	diff_put(o, "a", a);
	diff_put(o, "b", b);
	json_array_append_new(out, o);
}

static void compare_unknown(const struct page *p, const struct page *q, json_t *out)
{
	json_t *ua = words_unknown(p), *ub = words_unknown(q), *u, *both;
	size_t i;

	json_array_foreach(ua, i, u) if (!same_unknown(u, ub)) unknown_row(p, u, ua, ub, out);
	both = json_array();
	json_array_foreach(ub, i, u)
	{
		char a[32];

		unknown_text(ua, json_int(u, "bit"), a, sizeof(a));
		if (!same_unknown(u, ua) && !strcmp(a, "0"))
			unknown_row(p, u, ua, ub, both);
	}
	json_array_extend(out, both);
	json_decref(both);
	json_decref(ua);
	json_decref(ub);
}

static void swap_sides(json_t *list, size_t from)
{
	for (size_t i = from; i < json_array_size(list); i++) {
		json_t *o = json_array_get(list, i), *a = json_incref(json_object_get(o, "a"));

		json_object_set(o, "a", json_object_get(o, "b"));
		json_object_set_new(o, "b", a);
	}
}

static void compare_pages(const struct page *p, const struct page *q, json_t *out)
{
	const struct prm_struct *s = page_layout(p->type);
	/* The longer side goes first, so that fields that only one side has are seen. */
	bool turned = q->len > p->len;
	struct compare c = {turned ? q : p, turned ? p : q, out};
	size_t from = json_array_size(out);

	if (s)
		walk(s, c.p->bytes, c.p->len, compare_leaf, &c);
	if (turned)
		swap_sides(out, from);
	compare_unknown(p, q, out);
}

static void one_sided(const struct page *p, const struct page *q, json_t *out)
{
	const struct page *there = p && p->bytes ? p : q;
	json_t *o = row(there, "(the whole page)", "");

	diff_put(o, "a", p && p->bytes ? "there" : "not given");
	diff_put(o, "b", q && q->bytes ? "there" : "not given");
	json_array_append_new(out, o);
}

static void compare_type(const struct cap_source *a, const struct cap_source *b, uint16_t type,
			 json_t *out)
{
	const struct page *p = source_page(a, type), *q = source_page(b, type);
	bool pa = p && p->bytes, qb = q && q->bytes;

	if (pa && qb)
		compare_pages(p, q, out);
	else if (pa || qb)
		one_sided(p, q, out);
}

json_t *diff_sources(const struct cap_source *a, const struct cap_source *b, int only)
{
	json_t *out = json_array();

	for (size_t i = 0; i < a->count; i++)
		if (only < 0 || a->pages[i].type == only)
			compare_type(a, b, a->pages[i].type, out);
	for (size_t i = 0; i < b->count; i++)
		if ((only < 0 || b->pages[i].type == only) && !source_page(a, b->pages[i].type))
			compare_type(a, b, b->pages[i].type, out);
	return out;
}

static void print_side(char side, const struct cap_source *s)
{
	printf("%c: %s", side, s->name);
	if (*s->firmware)
		printf(" (%s, firmware %s, board %s)", s->device, s->firmware, s->board);
	putchar('\n');
}

void diff_print(const struct cap_source *a, const struct cap_source *b, const json_t *diffs)
{
	json_int_t page = -1;
	size_t i;
	json_t *d;

	print_side('A', a);
	print_side('B', b);
	json_array_foreach(diffs, i, d)
	{
		if (page != json_int(d, "page"))
			printf("%s (0x%llx)\n", json_str(d, "page_name"), json_int(d, "page"));
		page = json_int(d, "page");
		printf("  %-40s A: %-16s  B: %-16s  %s\n", json_str(d, "field"), json_str(d, "a"),
		       json_str(d, "b"), json_str(d, "meaning"));
	}
	if (!json_array_size(diffs))
		puts("No difference.");
}
