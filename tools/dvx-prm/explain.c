/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain.h"

#include <string.h>
#include "input.h"
#include "tree.h"

static json_t *finding_json(const struct hex *hex, const struct finding *f, const json_t *also)
{
	const char *kind = f->kind ? f->kind->name : f->s ? f->s->name : NULL;
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

static const char *str(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void print_says(const json_t *o)
{
	const json_t *says = json_object_get(o, "says"), *one;
	size_t i;

	json_array_foreach ((json_t *)says, i, one) {
		printf("  %s: %s", str(one, "about"), str(one, "text"));
		if (json_object_get(one, "field"))
			printf(" (field %s)", str(one, "field"));
		putchar('\n');
	}
}

static void print_parts(const json_t *o)
{
	const json_t *parts = json_object_get(o, "parts"), *tree;
	size_t i;

	json_array_foreach ((json_t *)parts, i, tree) {
		printf("  %s at byte 0x%llx: %s\n", str(tree, "struct"),
		       (unsigned long long)json_integer_value(json_object_get(tree, "at")),
		       str(tree, "text"));
		tree_print(stdout, tree, "    ");
	}
}

static void print_list(const json_t *list, const char *before)
{
	const json_t *one;
	size_t i;

	json_array_foreach ((json_t *)list, i, one)
		printf("%s%s\n", before,
		       json_is_string(one) ? json_string_value(one) : str(one, "text"));
}

static void print_one(const struct dump *d, const json_t *o)
{
	if (d->line)
		printf("line %u: ", d->line);
	if (json_is_true(json_object_get(o, "recognised")))
		printf("%s (%s, %s)\n", str(o, "what"), str(o, "kind"), str(o, "sure"));
	else
		printf("nothing was recognised\n");
	print_says(o);
	if (json_is_true(json_object_get(o, "recognised")))
		print_list(json_object_get(o, "why"), "  why: ");
	print_list(json_object_get(o, "also_possible"), "  it could also be: ");
	print_parts(o);
	print_list(json_object_get(o, "notes"), "  note: ");
}

static size_t explain_piece(const struct hex *hex, const struct dump *d, const struct wish *wish,
			    const struct args *a, json_t *all)
{
	json_t *also = json_array(), *o;
	struct finding f;
	size_t known;

	find_out(&f, d, wish, a, also);
	o = finding_json(hex, &f, also);
	known = f.known;
	finding_end(&f);
	json_decref(also);
	if (a->json)
		json_array_append(all, o);
	else
		print_one(d, o);
	json_decref(o);
	return known;
}

static size_t explain_dump(const struct hex *hex, const struct dump *d, const struct wish *wish,
			   const struct args *a, json_t *all)
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

int cmd_explain(const struct args *a)
{
	json_t *all = json_array();
	size_t found = 0;
	struct wish wish;
	struct hex hex;
	int rc = EXIT_DONE;

	if (wish_read(&wish, a->as)) {
		json_decref(all);
		return EXIT_USAGE;
	}
	if (input_read(&hex, a->argc ? a->argv[0] : NULL, a)) {
		json_decref(all);
		return EXIT_INPUT;
	}
	for (size_t i = 0; i < hex.count; i++)
		found += explain_dump(&hex, &hex.dumps[i], &wish, a, all);
	hex_free(&hex);
	if (a->json)
		rc = json_put(json_incref(all));
	json_decref(all);
	return rc ? rc : found ? EXIT_DONE : EXIT_NO;
}
