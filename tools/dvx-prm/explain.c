/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain.h"

#include <stdlib.h>
#include "input.h"
#include "said.h"
#include "dvx-prm.h"

static json_t *explain_finding_json(const struct hex *hex, const struct finding *f,
				    const json_t *also)
{
	const char *kind = f->kind ? f->kind->name : f->s ? f->s->name : "text";
	json_t *o =
		json_pack("{s:o, s:o, s:b, s:s, s:s?, s:s?}", "input", input_json(f->d), "notes",
			  input_notes(hex, f->d), "recognised", f->known, "what", f->what, "kind",
			  f->known ? kind : NULL, "sure", f->known ? finding_sure(f) : NULL);

	json_object_set(o, "why", f->why);
	json_object_set(o, "says", f->says);
	json_object_set(o, "facts", f->facts);
	json_object_set(o, "parts", f->parts);
	json_object_set(o, "also_possible", (json_t *)also);
	return o;
}

static const char *explain_str(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void print_says(const json_t *o)
{
	const json_t *says = json_object_get(o, "says"), *one;
	size_t i;

	json_array_foreach ((json_t *)says, i, one) {
		printf("  %s: %s", explain_str(one, "about"), explain_str(one, "text"));
		if (json_object_get(one, "field"))
			printf(" (field %s)", explain_str(one, "field"));
		putchar('\n');
	}
}

static void print_parts(const json_t *o)
{
	const json_t *parts = json_object_get(o, "parts"), *tree;
	size_t i;

	json_array_foreach ((json_t *)parts, i, tree) {
		printf("  %s at byte 0x%llx: %s\n", explain_str(tree, "struct"),
		       (unsigned long long)json_integer_value(json_object_get(tree, "at")),
		       explain_str(tree, "text"));
		tree_print(stdout, tree, "    ");
	}
}

static void print_list(const json_t *list, const char *before)
{
	const json_t *one;
	size_t i;

	json_array_foreach ((json_t *)list, i, one)
		printf("%s%s\n", before,
		       json_is_string(one) ? json_string_value(one) : explain_str(one, "text"));
}

static void explain_print_one(const struct dump *d, const json_t *o)
{
	if (d->line)
		printf("line %u: ", d->line);
	if (json_is_true(json_object_get(o, "recognised")))
		printf("%s (%s, %s)\n", explain_str(o, "what"), explain_str(o, "kind"),
		       explain_str(o, "sure"));
	else
		printf("nothing was recognised\n");
	print_says(o);
	if (json_is_true(json_object_get(o, "recognised")))
		print_list(json_object_get(o, "why"), "  why: ");
	print_list(json_object_get(o, "also_possible"), "  it could also be: ");
	print_parts(o);
	print_list(json_object_get(o, "notes"), "  note: ");
}

/* What was found, for a person or for a program. */
static void explain_put(const struct hex *hex, const struct finding *f, const json_t *also,
			const struct prm_args *a, json_t *all)
{
	json_t *o = explain_finding_json(hex, f, also);

	if (a->json)
		json_array_append(all, o);
	else
		explain_print_one(f->d, o);
	json_decref(o);
}

static size_t explain_piece(const struct hex *hex, const struct dump *d, const struct wish *wish,
			    const struct prm_args *a, json_t *all)
{
	json_t *also = json_array();
	struct finding f;
	size_t known;

	find_out(&f, d, wish, a, also);
	explain_put(hex, &f, also, a, all);
	known = f.known;
	finding_end(&f);
	json_decref(also);
	return known;
}

static size_t explain_dump(const struct hex *hex, const struct dump *d, const struct wish *wish,
			   const struct prm_args *a, json_t *all)
{
	size_t entry = ring_entry(d, a), found = 0;

	if (!entry)
		return explain_piece(hex, d, wish, a, all);
	for (size_t at = 0; at < d->len;) {
		struct dump piece = ring_piece(d, at, entry);

		found += explain_piece(hex, &piece, wish, a, all);
		at += piece.len;
	}
	return found;
}

static size_t explain_line(const struct hex *hex, const struct said *s, const struct prm_args *a,
			   json_t *all)
{
	struct dump d = {.bytes = (const uint8_t *)"", .line = s->line, .form = "a line of text"};
	json_t *also = json_array();
	struct finding f;

	snprintf(d.label, sizeof(d.label), "%s", s->text);
	finding_begin(&f, &d, a);
	explain_said(&f, s);
	explain_put(hex, &f, also, a, all);
	finding_end(&f);
	json_decref(also);
	return 1;
}

/* Dumps, and lines that report a failure without one, in the order of the input. */
static size_t explain_all(const struct hex *hex, const struct said *said, size_t lines,
			  const struct wish *wish, const struct prm_args *a, json_t *all)
{
	size_t found = 0, i = 0, l = 0;

	while (i < hex->count || l < lines)
		if (l == lines || (i < hex->count && hex->dumps[i].line < said[l].line))
			found += explain_dump(hex, &hex->dumps[i++], wish, a, all);
		else
			found += explain_line(hex, &said[l++], a, all);
	return found;
}

/* With --as the input holds dumps only. */
static struct said *explain_read_lines(const struct hex *hex, const char *text, size_t len,
				       const struct prm_args *a, size_t *count)
{
	bool binary = hex->count && !hex->dumps[0].line;

	*count = 0;
	return a->as || binary || !text ? NULL : said_read(text, len, count);
}

int prm_cmd_explain(const struct prm_args *a)
{
	const char *path = a->argc ? a->argv[0] : NULL;
	struct said *said;
	size_t found, lines, len = 0;
	struct wish wish;
	struct hex hex;
	json_t *all;
	char *text;
	int err, rc;

	if (wish_read(&wish, a->as))
		return EXIT_USAGE;
	err = input_load(&hex, path, a, &text, &len);
	said = explain_read_lines(&hex, text, len, a, &lines);
	free(text);
	if (err && !(hex.none && lines)) {
		input_fail(&hex, path);
		free(said);
		return EXIT_INPUT;
	}
	all = json_array();
	found = explain_all(&hex, said, lines, &wish, a, all);
	rc = a->json ? json_out(json_incref(all)) : EXIT_DONE;
	hex_free(&hex);
	free(said);
	json_decref(all);
	return rc ? rc : found ? EXIT_DONE : EXIT_NO;
}
