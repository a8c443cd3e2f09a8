/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain.h"

#include <string.h>
#include "input.h"
#include "tree.h"

enum { ENTRY = 64 }; /* bytes of a completion in its ring */

/* What --as asks for: a kind, or a structure. */
struct wish {
	const struct recogniser *kind;
	const struct prm_struct *s;
};

static int read_wish(struct wish *w, const char *as)
{
	memset(w, 0, sizeof(*w));
	if (!as)
		return 0;
	w->kind = recogniser_named(as);
	if (w->kind)
		return 0;
	w->s = need_struct(as);
	if (!w->s)
		say("--as is cqe, wqe, in, out, cap, eqe or the name of a structure");
	return w->s ? 0 : -1;
}

/* What asked or the line itself says: no guess is made. */
static struct wish wish_of(const struct wish *asked, const struct dump *d)
{
	struct wish w = *asked;

	if (!w.kind && !w.s && d->structure[0]) {
		w.s = prm_find_struct(d->structure);
		w.kind = w.s ? recogniser_of(w.s) : NULL;
	}
	return w;
}

static const char *sure(const struct finding *f)
{
	return f->forced ? "certain" : f->score >= SCORE_LIKELY ? "likely" : "possible";
}

static bool explain_wish(struct finding *f, const struct wish *asked, const struct wish *w)
{
	bool told = asked->kind || asked->s;

	f->forced = true;
	json_array_append_new(f->why, json_pack("{s:i, s:s}", "points", 100, "text",
						told ? "--as says so" : "the line says so"));
	if (w->kind && f->d->len < w->kind->least) {
		tell(f, "short", NULL, "%zu bytes are too few: %s has at least %zu", f->d->len,
		     w->kind->name, w->kind->least);
		return false;
	}
	if (w->kind) {
		w->kind->explain(f);
	} else {
		snprintf(f->what, sizeof(f->what), "%s", w->s->name);
		tell(f, "what", NULL, "%s", w->s->text);
		part(f, w->s, 0, f->d->len);
	}
	return true;
}

static void tell_nothing(struct finding *f)
{
	json_t *looks = recognisers_look(), *look;
	char text[900] = "";
	size_t i;

	json_array_foreach(looks, i, look)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? "; " : "",
			 json_string_value(look));
	json_decref(looks);
	tell(f, "nothing", NULL, "%s%zu bytes are none of: %s",
	     all_zero(f->d->bytes, f->d->len) ? "all 0, these " : "these ", f->d->len, text);
}

/* The finding as JSON; *known tells whether it is one. */
static json_t *explain_one(const struct hex *hex, const struct dump *d, const struct wish *asked,
			   const struct args *a, bool *known)
{
	struct wish w = wish_of(asked, d);
	const struct recogniser *kind = w.kind;
	json_t *also = json_array(), *o;
	struct finding f;

	finding_begin(&f, d, a);
	if (w.kind || w.s) {
		*known = explain_wish(&f, asked, &w);
	} else {
		kind = recognise(&f, also);
		*known = kind;
		if (kind)
			kind->explain(&f);
		else
			tell_nothing(&f);
	}
	o = json_pack("{s:o, s:o, s:b, s:s, s:s?, s:s?}", "input", input_json(d), "notes",
		      input_notes(hex, d), "recognised", *known, "what", f.what, "kind",
		      *known ? kind ? kind->name : w.s->name : NULL, "sure", *known ? sure(&f) : NULL);
	json_object_set(o, "why", f.why);
	json_object_set(o, "says", f.says);
	json_object_set(o, "facts", f.facts);
	json_object_set(o, "parts", f.parts);
	json_object_set_new(o, "also_possible", also);
	finding_end(&f);
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

	json_array_foreach((json_t *)says, i, one) {
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

	json_array_foreach((json_t *)parts, i, tree) {
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

	json_array_foreach((json_t *)list, i, one)
		printf("%s%s\n", before, json_is_string(one) ? json_string_value(one) : str(one, "text"));
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

/* How sure it is that these 64 bytes are a completion. */
static int completion_score(const struct dump *d, const struct args *a)
{
	json_t *also = json_array();
	struct finding f;
	int score;

	finding_begin(&f, d, a);
	score = recognise(&f, also) == &recognise_cqe ? f.score : 0;
	finding_end(&f);
	json_decref(also);
	return score;
}

static struct dump piece_of(const struct dump *d, size_t i)
{
	struct dump piece = *d;

	piece.bytes += i * ENTRY;
	piece.base += i * ENTRY;
	piece.len = ENTRY;
	return piece;
}

/* A part of a ring: every 64 bytes of it are a completion by themselves. */
static size_t pieces_of(const struct dump *d, const struct args *a)
{
	size_t n = d->len / ENTRY;

	if (a->as || d->structure[0] || n < 2 || d->len % ENTRY)
		return 1;
	for (size_t i = 0; i < n; i++) {
		struct dump piece = piece_of(d, i);

		if (completion_score(&piece, a) < (i ? SCORE_POSSIBLE : SCORE_LIKELY))
			return 1;
	}
	return n;
}

static size_t explain_dump(const struct hex *hex, const struct dump *d, const struct wish *wish,
			   const struct args *a, json_t *all)
{
	size_t n = pieces_of(d, a), found = 0;

	for (size_t i = 0; i < n; i++) {
		struct dump piece = n > 1 ? piece_of(d, i) : *d;
		bool known;
		json_t *o = explain_one(hex, &piece, wish, a, &known);

		found += known;
		if (a->json)
			json_array_append(all, o);
		else
			print_one(&piece, o);
		json_decref(o);
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

	if (read_wish(&wish, a->as)) {
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
