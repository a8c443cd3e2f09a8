/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds what a dump is: by --as, by its line, or by recognition. Finds rings of completions, too.
 */
#include "explain.h"

#include <string.h>

enum { CQE = 64 };

int wish_read(struct wanted *w, const char *as)
{
	memset(w, 0, sizeof(*w));
	if (!as)
		return 0;
	w->kind = recogniser_named(as);
	if (w->kind)
		return 0;
	w->s = need_struct(as);
	if (!w->s)
		message_print("--as is cqe, mini, wqe, rwqe, in, out, cap, eqe or the name of a "
			      "structure");
	return w->s ? 0 : -1;
}

const char *finding_sure(const struct finding *f)
{
	return f->forced ? "certain" : f->score >= SCORE_LIKELY ? "likely" : "possible";
}

/* Takes the kind that --as or the line names: nothing is guessed. */
static void take_wanted(struct finding *f, const struct wanted *asked)
{
	bool named = asked->kind || asked->s;

	f->kind = asked->kind;
	f->s = asked->s;
	if (!named && f->d->structure[0]) {
		f->s = prm_find_struct(f->d->structure);
		f->kind = f->s ? recogniser_of(f->s) : NULL;
	}
	f->forced = f->kind || f->s;
	if (f->forced)
		json_array_append_new(f->why,
				      json_pack("{s:i, s:s}", "points", 100, "text",
						named ? "--as says so" : "the line says so"));
}

static void explain_forced(struct finding *f)
{
	f->known = true;
	if (f->kind && f->d->len < f->kind->least) {
		finding_add(f, "short", NULL, "%zu bytes are too few: %s has at least %zu",
			    f->d->len, f->kind->name, f->kind->least);
		f->known = false;
	} else if (f->kind) {
		f->kind->explain(f);
	} else {
		snprintf(f->what, sizeof(f->what), "%s", f->s->name);
		finding_add(f, "what", NULL, "%s", f->s->text);
		finding_part(f, f->s, 0, f->d->len);
	}
}

static void finding_add_nothing(struct finding *f)
{
	json_t *looks = recognisers_look(), *look;
	char text[1000] = "";
	size_t i;

	json_array_foreach (looks, i, look)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? "; " : "",
			 json_string_value(look));
	json_decref(looks);
	finding_add(f, "nothing", NULL, "%s%zu bytes are none of: %s",
		    all_zero(f->d->bytes, f->d->len) ? "all 0, these " : "these ", f->d->len, text);
}

void find_out(struct finding *f, const struct dump *d, const struct wanted *asked,
	      const struct prm_args *a, json_t *also)
{
	finding_begin(f, d, a);
	take_wanted(f, asked);
	if (f->forced) {
		explain_forced(f);
		return;
	}
	f->kind = recognise(f, also);
	f->known = f->kind;
	if (f->kind)
		f->kind->explain(f);
	else
		finding_add_nothing(f);
}

/* Returns the score of these bytes as a completion, without looking at the bytes around. */
static int completion_score(const struct dump *d, const struct prm_args *a, size_t *minis)
{
	json_t *also = json_array();
	const struct recogniser *r;
	struct finding f;
	int score;

	finding_begin(&f, d, a);
	r = recognise(&f, also);
	score = r == &recognise_cqe || r == &recognise_mini ? f.score : 0;
	*minis = d->len == CQE ? cqe_minis(&f, 0) : 0;
	finding_end(&f);
	json_decref(also);
	return score;
}

static struct dump slice(const struct dump *d, size_t at, size_t len)
{
	struct dump piece = *d;

	piece.bytes += at;
	piece.base += at;
	piece.len = len < d->len - at ? len : d->len - at;
	return piece;
}

/* Replaces the entries that mini completions describe by these. */
struct dump ring_piece(const struct dump *d, size_t at, size_t entry)
{
	struct dump piece = slice(d, at, entry);
	struct finding f = {.d = &piece};
	size_t minis = entry == CQE ? cqe_minis(&f, 0) : 0;

	return minis > 1 ? slice(d, at, minis * CQE) : piece;
}

static bool is_ring(const struct dump *d, const struct prm_args *a, size_t entry)
{
	for (size_t at = 0; at < d->len;) {
		struct dump piece = slice(d, at, entry);
		size_t minis;

		if (completion_score(&piece, a, &minis) < (at ? SCORE_POSSIBLE : SCORE_LIKELY))
			return false;
		at += minis > 1 ? minis * CQE : entry;
	}
	return true;
}

size_t ring_entry(const struct dump *d, const struct prm_args *a)
{
	if (a->as || d->structure[0])
		return 0;
	for (size_t entry = CQE; entry <= 2 * CQE; entry += CQE)
		if (d->len > entry && !(d->len % entry) && is_ring(d, a, entry))
			return entry;
	return 0;
}
