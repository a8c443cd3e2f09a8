/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain.h"

#include <stdarg.h>
#include <string.h>
#include "dvx-prm.h"

/* A second guess is reported if its score is this near to the best one. */
#define NEAR 20

static const struct recogniser *const recognisers[] = {
	&recognise_cqe,	 &recognise_mini, &recognise_eqe, &recognise_wqe,
	&recognise_rwqe, &recognise_in,	  &recognise_out, &recognise_cap,
};
#define NRECOGNISERS (sizeof(recognisers) / sizeof(recognisers[0]))

static json_t *recognise_format(const char *fmt, va_list ap)
{
	char text[1024];

	vsnprintf(text, sizeof(text), fmt, ap);
	return json_string(text);
}

void finding_weigh(struct finding *f, int points, const char *fmt, ...)
{
	va_list ap;

	f->score += points;
	va_start(ap, fmt);
	json_array_append_new(f->why, json_pack("{s:i, s:o}", "points", points, "text",
						recognise_format(fmt, ap)));
	va_end(ap);
}

void finding_add(struct finding *f, const char *about, const char *field_name, const char *fmt, ...)
{
	va_list ap;
	json_t *o;

	va_start(ap, fmt);
	o = json_pack("{s:s, s:o}", "about", about, "text", recognise_format(fmt, ap));
	va_end(ap);
	if (field_name)
		json_object_set_new(o, "field", json_string(field_name));
	json_array_append_new(f->sentences, o);
}

void finding_fact(struct finding *f, const char *name, uint64_t value)
{
	json_object_set_new(f->facts, name, json_number(value));
}

void finding_fact_name(struct finding *f, const char *name, const char *text)
{
	json_object_set_new(f->facts, name, json_string(text));
}

void finding_part(struct finding *f, const struct prm_struct *s, size_t at, size_t most)
{
	size_t len = at < f->d->len ? f->d->len - at : 0;
	json_t *tree;

	if (!s || !len)
		return;
	tree = tree_make(s, f->d->bytes + at, len < most ? len : most, f->all);
	json_object_set_new(tree, "at", json_integer((json_int_t)at));
	json_array_append_new(f->parts, tree);
}

void finding_add_cause(struct finding *f, const struct prm_enum *e, uint64_t value)
{
	const struct prm_enum_value *v = prm_enum_find(e, value);

	if (v && v->cause)
		finding_add(f, "cause", NULL, "%s", v->cause);
	if (v && v->remedy)
		finding_add(f, "remedy", NULL, "%s", v->remedy);
}

uint64_t finding_field(const struct finding *f, const char *s, size_t at, const char *path)
{
	uint64_t v = 0;

	if (at >= f->d->len ||
	    prm_field_get(prm_find_struct(s), f->d->bytes + at, f->d->len - at, path, &v))
		return 0;
	return v;
}

bool all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

void finding_begin(struct finding *f, const struct dump *d, const struct prm_args *a)
{
	memset(f, 0, sizeof(*f));
	f->d = d;
	f->all = a->all;
	f->why = json_array();
	f->sentences = json_array();
	f->facts = json_object();
	f->parts = json_array();
}

void finding_end(struct finding *f)
{
	json_decref(f->why);
	json_decref(f->sentences);
	json_decref(f->facts);
	json_decref(f->parts);
}

const struct recogniser *recogniser_named(const char *name)
{
	for (size_t i = 0; i < NRECOGNISERS; i++)
		if (!strcmp(recognisers[i]->name, name))
			return recognisers[i];
	return NULL;
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n > m && !strcmp(name + n - m, end);
}

const struct recogniser *recogniser_of(const struct prm_struct *s)
{
	if (!strcmp(s->name, "cqe64") || !strcmp(s->name, "cqe128") || !strcmp(s->name, "err_cqe"))
		return &recognise_cqe;
	if (!strcmp(s->name, "eqe"))
		return &recognise_eqe;
	if (!strcmp(s->name, "wqe_ctrl_seg") || !strcmp(s->name, "mmo_wqe"))
		return &recognise_wqe;
	if (ends_in(s->name, "_in") || !strcmp(s->name, "general_obj_in_cmd_hdr"))
		return &recognise_in;
	if (ends_in(s->name, "_out") || !strcmp(s->name, "general_obj_out_cmd_hdr"))
		return &recognise_out;
	return NULL;
}

/* Returns the score of a single recogniser; f has its reasons. */
static int try_one(struct finding *f, const struct recogniser *r)
{
	f->score = 0;
	json_array_clear(f->why);
	if (f->d->len >= r->least)
		r->score(f);
	return f->score;
}

/* Finds the kind of a dump of zeros, which are never recognised, by the line before it. */
static const struct recogniser *recognise_zeros(struct finding *f)
{
	static const struct recogniser *const labelled[] = {&recognise_cap, &recognise_out};

	for (size_t i = 0; i < sizeof(labelled) / sizeof(labelled[0]); i++)
		if (*f->d->label && try_one(f, labelled[i]) > SCORE_LIKELY)
			return labelled[i];
	return NULL;
}

const struct recogniser *recognise(struct finding *f, json_t *also)
{
	const struct recogniser *best = NULL;
	int scores[NRECOGNISERS], top = SCORE_POSSIBLE - 1;

	if (all_zero(f->d->bytes, f->d->len))
		return recognise_zeros(f);
	for (size_t i = 0; i < NRECOGNISERS; i++) {
		scores[i] = try_one(f, recognisers[i]);
		if (scores[i] > top) {
			top = scores[i];
			best = recognisers[i];
		}
	}
	for (size_t i = 0; i < NRECOGNISERS; i++)
		if (best && recognisers[i] != best && scores[i] >= SCORE_POSSIBLE &&
		    scores[i] + NEAR >= top)
			json_array_append_new(also, json_string(recognisers[i]->name));
	if (best)
		try_one(f, best);
	return best;
}

json_t *recognisers_look(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < NRECOGNISERS; i++)
		json_array_append_new(list, json_string(recognisers[i]->looks));
	return list;
}
