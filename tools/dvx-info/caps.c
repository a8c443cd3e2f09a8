/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/cli/json.h"
#include "dump.h"
#include "dvx-info.h"
#include "source.h"
#include "words.h"

static void caps_print_field(const json_t *f)
{
	if (!strcmp(json_str(f, "words"), "yes"))
		printf("    %-40s %s\n", json_str(f, "field"), json_str(f, "meaning"));
	else
		printf("    %-40s %s  %s\n", json_str(f, "field"), json_str(f, "words"),
		       json_str(f, "meaning"));
}

static bool seen_before(const json_t *fields, size_t n, const char *group)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(json_str(json_array_get(fields, i), "group"), group))
			return true;
	return false;
}

/* Prints fields by group, the groups in the order of their first field. */
static void print_fields(const json_t *fields)
{
	size_t i, j;
	json_t *f, *g;

	json_array_foreach(fields, i, f)
	{
		const char *group = json_str(f, "group");

		if (seen_before(fields, i, group))
			continue;
		if (*group)
			printf("  %s\n", group);
		json_array_foreach (fields, j, g)
			if (!strcmp(json_str(g, "group"), group))
				caps_print_field(g);
	}
}

static void print_unknown(const json_t *unknown)
{
	size_t i;
	json_t *u;

	if (!json_array_size(unknown))
		return;
	puts("  bits that no public table explains");
	json_array_foreach(unknown, i, u)
	{
		printf("    bit 0x%llx, %lld wide: 0x%llx\n", json_int(u, "bit"),
		       json_int(u, "width"), json_int(u, "value"));
	}
}

static void print_page(const json_t *p)
{
	json_t *cut = json_object_get(p, "cut");

	bool empty = !json_array_size(json_object_get(p, "fields")) &&
		     !json_array_size(json_object_get(p, "unknown"));

	printf("%s (0x%llx%s%s)",
	       *json_str(p, "name") ? json_str(p, "name") : "page without a name",
	       json_int(p, "type"), *json_str(p, "layout") ? ", " : "", json_str(p, "layout"));
	if (*json_str(p, "error")) {
		printf(": not there: %s\n", json_str(p, "error"));
		return;
	}
	puts(empty && !cut ? ": all zero" : "");
	if (*json_str(p, "note"))
		printf("  note: %s\n", json_str(p, "note"));
	if (cut)
		printf("  note: only %lld of %lld bytes are given; the rest is unknown, "
		       "not 0\n",
		       json_integer_value(json_object_get(p, "bytes")), json_integer_value(cut));
	print_fields(json_object_get(p, "fields"));
	print_unknown(json_object_get(p, "unknown"));
}

static void print_source(const json_t *s)
{
	printf("%s", json_str(s, "source"));
	if (!strcmp(json_str(s, "kind"), "dump") && *json_str(s, "device"))
		printf(", saved from %s", json_str(s, "device"));
	if (*json_str(s, "firmware"))
		printf(": firmware %s, board %s, GUID %s", json_str(s, "firmware"),
		       json_str(s, "board"), json_str(s, "guid"));
	putchar('\n');
}

struct request {
	const char *source[2];
	size_t sources;
	int page; /* -1: all */
};

/* Sorts the operands, which may come in any order: the name or number of a page, or a source. */
static int caps_parse_operands(const struct info_args *a, struct request *r)
{
	size_t want = a->diff ? 2 : 1;
	char near[200];
	uint16_t type;

	*r = (struct request){.page = -1, .source = {a->device}, .sources = a->device != NULL};
	for (int i = 0; i < a->argc; i++) {
		if (page_parse(a->argv[i], &type)) {
			if (r->page >= 0) {
				message_print("\"%s\" is a second page; only one can be shown",
					      a->argv[i]);
				return EXIT_USAGE;
			}
			r->page = type;
		} else if (r->sources < want) {
			r->source[r->sources++] = a->argv[i];
		} else {
			message_print("no capability page is called \"%s\"%s", a->argv[i],
				      page_near(a->argv[i], near, sizeof(near)));
			return EXIT_USAGE;
		}
	}
	if (a->diff && r->sources < 2) {
		message_print("--diff compares two: each a device or a dump");
		return EXIT_USAGE;
	}
	return EXIT_DONE;
}

static int save(const struct cap_source *s, const char *path)
{
	char err[512];

	if (cap_dump_save(s, path, err, sizeof(err))) {
		message_print("%s: %s", path, err);
		return EXIT_INPUT;
	}
	return EXIT_DONE;
}

static json_t *pages_json(const struct cap_source *s, const struct request *r, bool all)
{
	json_t *pages = json_array();

	for (size_t i = 0; i < s->count; i++)
		if (r->page < 0 || r->page == s->pages[i].type)
			json_array_append_new(pages, words_page(&s->pages[i], all));
	return pages;
}

static int caps_show(const struct info_args *a, const struct cap_source *s, const struct request *r)
{
	json_t *root = source_json(s), *pages = pages_json(s, r, a->all), *p;
	size_t i;

	json_object_set_new(root, "pages", pages);
	if (!json_array_size(pages)) {
		message_print("%s has no page 0x%x", s->name, (unsigned int)r->page);
		json_decref(root);
		return EXIT_INPUT;
	}
	if (a->json)
		return json_out(root);
	print_source(root);
	json_array_foreach(pages, i, p) print_page(p);
	json_decref(root);
	return EXIT_DONE;
}

static int run_diff(const struct info_args *a, const struct request *r)
{
	struct cap_source *s = calloc(2, sizeof(*s));
	int code = s ? cap_source_open(&s[0], r->source[0], r->page) : EXIT_INPUT;
	json_t *diffs, *root;

	if (!code)
		code = cap_source_open(&s[1], r->source[1], r->page);
	for (int i = 0; s && i < 2; i++)
		if (*s[i].error)
			message_print("%s", s[i].error);
	if (!code) {
		diffs = diff_sources(&s[0], &s[1], r->page);
		code = json_array_size(diffs) ? EXIT_NO : EXIT_DONE;
		if (a->json) {
			root = json_pack("{so so so}", "a", source_json(&s[0]), "b",
					 source_json(&s[1]), "differences", diffs);
			code = json_out(root) ? EXIT_INPUT : code;
		} else {
			diff_print(&s[0], &s[1], diffs);
			json_decref(diffs);
		}
	}
	for (int i = 0; s && i < 2; i++)
		cap_source_close(&s[i]);
	free(s);
	return code;
}

int info_cmd_caps(const struct info_args *a)
{
	struct request r;
	struct cap_source *s;
	int code = caps_parse_operands(a, &r);

	if (code)
		return code;
	if (a->diff)
		return run_diff(a, &r);
	s = calloc(1, sizeof(*s));
	code = s ? cap_source_open(s, r.source[0], r.page) : EXIT_INPUT;
	if (s && *s->error)
		message_print("%s", s->error);
	if (!code)
		code = a->save ? save(s, a->save) : caps_show(a, s, &r);
	if (s)
		cap_source_close(s);
	free(s);
	return code;
}
