/* SPDX-License-Identifier: BSD-2-Clause */
/* Explains everything in a text, in order: dumps, and lines that report a failure. */
#include "explain.h"

#include <stdlib.h>
#include "failure.h"
#include "input.h"

static json_t *explain_finding_json(const struct hex *hex, const struct finding *f,
				    const json_t *also)
{
	const char *kind = f->kind ? f->kind->name : f->s ? f->s->name : "text";
	json_t *o =
		json_pack("{s:o, s:o, s:b, s:s, s:s?, s:s?}", "input", input_json(f->d), "notes",
			  input_notes(hex, f->d), "recognised", f->known, "what", f->what, "kind",
			  f->known ? kind : NULL, "sure", f->known ? finding_sure(f) : NULL);

	json_object_set(o, "why", f->why);
	json_object_set(o, "says", f->sentences);
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

static void print_says(FILE *out, const json_t *o)
{
	const json_t *says = json_object_get(o, "says"), *one;
	size_t i;

	json_array_foreach ((json_t *)says, i, one) {
		fprintf(out, "  %s: %s", explain_str(one, "about"), explain_str(one, "text"));
		if (json_object_get(one, "field"))
			fprintf(out, " (field %s)", explain_str(one, "field"));
		putc('\n', out);
	}
}

static void print_parts(FILE *out, const json_t *o)
{
	const json_t *parts = json_object_get(o, "parts"), *tree;
	size_t i;

	json_array_foreach ((json_t *)parts, i, tree) {
		fprintf(out, "  %s at byte 0x%llx: %s\n", explain_str(tree, "struct"),
			(unsigned long long)json_integer_value(json_object_get(tree, "at")),
			explain_str(tree, "text"));
		tree_print(out, tree, "    ");
	}
}

static void print_list(FILE *out, const json_t *list, const char *before)
{
	const json_t *one;
	size_t i;

	json_array_foreach ((json_t *)list, i, one)
		fprintf(out, "%s%s\n", before,
			json_is_string(one) ? json_string_value(one) : explain_str(one, "text"));
}

static void explain_print_one(FILE *out, const struct dump *d, const json_t *o)
{
	if (d->line)
		fprintf(out, "line %u: ", d->line);
	if (json_is_true(json_object_get(o, "recognised")))
		fprintf(out, "%s (%s, %s)\n", explain_str(o, "what"), explain_str(o, "kind"),
			explain_str(o, "sure"));
	else
		fprintf(out, "nothing was recognised\n");
	print_says(out, o);
	if (json_is_true(json_object_get(o, "recognised")))
		print_list(out, json_object_get(o, "why"), "  why: ");
	print_list(out, json_object_get(o, "also_possible"), "  it could also be: ");
	print_parts(out, o);
	print_list(out, json_object_get(o, "notes"), "  note: ");
}

/* Prints a finding as text, or adds it to the JSON. */
static void explain_put(const struct hex *hex, const struct finding *f, const json_t *also,
			struct explain_out *out)
{
	json_t *o = explain_finding_json(hex, f, also);

	if (out->all)
		json_array_append(out->all, o);
	else
		explain_print_one(out->text, f->d, o);
	json_decref(o);
}

/* Adds where the first part's layout is public. */
static void finding_add_layout(struct finding *f)
{
	const json_t *first = json_array_get(f->parts, 0);
	const struct prm_struct *s =
		first ? prm_find_struct(json_string_value(json_object_get(first, "struct"))) : NULL;

	if (s && s->kernel)
		finding_add(f, "source", NULL,
			    "layout: Linux, include/linux/mlx5, struct %s (prm/%s.prm)", s->kernel,
			    s->family);
	else if (s)
		finding_add(f, "source", NULL, "layout: prm/%s.prm names its public source",
			    s->family);
}

static size_t explain_piece(const struct hex *hex, const struct dump *d,
			    const struct wanted *wanted, const struct prm_args *a,
			    struct explain_out *out)
{
	json_t *also = json_array();
	struct finding f;
	size_t known;

	find_out(&f, d, wanted, a, also);
	if (f.known)
		finding_add_layout(&f);
	explain_put(hex, &f, also, out);
	known = f.known;
	finding_end(&f);
	json_decref(also);
	return known;
}

static size_t explain_dump(const struct hex *hex, const struct dump *d, const struct wanted *wanted,
			   const struct prm_args *a, struct explain_out *out)
{
	size_t entry = ring_entry(d, a), found = 0;

	if (!entry)
		return explain_piece(hex, d, wanted, a, out);
	for (size_t at = 0; at < d->len;) {
		struct dump piece = ring_piece(d, at, entry);

		found += explain_piece(hex, &piece, wanted, a, out);
		at += piece.len;
	}
	return found;
}

static size_t explain_line(const struct hex *hex, const struct failure *s, const struct prm_args *a,
			   struct explain_out *out)
{
	struct dump d = {.bytes = (const uint8_t *)"", .line = s->line, .form = "a line of text"};
	json_t *also = json_array();
	struct finding f;

	snprintf(d.label, sizeof(d.label), "%s", s->text);
	finding_begin(&f, &d, a);
	explain_failure(&f, s);
	explain_put(hex, &f, also, out);
	finding_end(&f);
	json_decref(also);
	return 1;
}

/* Adds a finding about input that was not understood. */
static void explain_rest(const struct hex *hex, unsigned int line, const char *about,
			 const char *text, const struct prm_args *a, struct explain_out *out)
{
	struct dump d = {.bytes = (const uint8_t *)"", .line = line, .form = "text"};
	json_t *also = json_array();
	struct finding f;

	finding_begin(&f, &d, a);
	finding_add(&f, about, NULL, "%s", text);
	explain_put(hex, &f, also, out);
	finding_end(&f);
	json_decref(also);
}

/* Reports text in which nothing was recognised. */
static void explain_nothing(const struct hex *hex, const struct prm_args *a,
			    struct explain_out *out)
{
	char text[200];

	snprintf(text, sizeof(text),
		 "none of the %zu lines is a row of a dump, and none has a form that is known; "
		 "dvx-prm(1) names the programs whose lines are",
		 hex->text_lines);
	explain_rest(hex, 0, "nothing", text, a, out);
}

/* Reports lines that are not explained, because there are too many before them. */
static void explain_lost(const struct hex *hex, size_t lost, const struct prm_args *a,
			 struct explain_out *out)
{
	char text[200];

	snprintf(text, sizeof(text),
		 "%zu more lines report failures, after %d different ones; cut the input to the "
		 "part that matters",
		 lost, FAILURE_MOST);
	explain_rest(hex, 0, "left out", text, a, out);
}

/* Explains dumps and failure lines in the order of the input. */
static size_t explain_in_order(const struct hex *hex, const struct failure *failures, size_t lines,
			       const struct wanted *wanted, const struct prm_args *a,
			       struct explain_out *out)
{
	size_t found = 0, i = 0, l = 0;

	while (i < hex->count || l < lines)
		if (l == lines || (i < hex->count && hex->dumps[i].line < failures[l].line))
			found += explain_dump(hex, &hex->dumps[i++], wanted, a, out);
		else
			found += explain_line(hex, &failures[l++], a, out);
	return found;
}

size_t explain_text(const struct hex *hex, const char *text, size_t len,
		    const struct wanted *wanted, const struct prm_args *a, struct explain_out *out)
{
	/* With --as the input consists of dumps only. */
	bool binary = hex->count && !hex->dumps[0].line, named = wanted->kind || wanted->s;
	struct failure *failures = NULL;
	size_t lines = 0, lost = 0, found;

	if (!binary && !named)
		failures = failure_read(text, len, &lines, &lost);
	found = explain_in_order(hex, failures, lines, wanted, a, out);
	if (hex->error_line)
		explain_rest(hex, hex->error_line, "broken", hex->error, a, out);
	else if (hex->none && !lines)
		explain_nothing(hex, a, out);
	if (lost)
		explain_lost(hex, lost, a, out);
	free(failures);
	return found;
}
