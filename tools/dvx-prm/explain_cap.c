/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recognises pages of QUERY_HCA_CAP: the capability structure, with or without 16 bytes of header.
 * The type of a page is the command's op_mod and not in the page, so every layout is tried.
 */
#include "explain.h"

#include <stdlib.h>
#include <string.h>
#include "fit.h"

enum { HEADER = 16, PAGE = 4096, LEAST = 256, FEW_STRAYS = 4, CLEAR_LEAD = 1500 };

static const char general[] = "cmd_hca_cap";

/*
 * Returns where the page begins: behind the header if there is one, with status OK and syndrome 0.
 */
static size_t body_at(const struct finding *f)
{
	return f->d->len % LEAST == HEADER && all_zero(f->d->bytes, HEADER) ? HEADER : 0;
}

/* Finds the layout by the line "page 0x20 GENERAL_2" of a dump of dvx-info. */
static const struct prm_struct *labelled(const struct finding *f)
{
	unsigned long type = strtoul(f->d->label + 4, NULL, 0);

	return strncmp(f->d->label, "page ", 5) || type > 0xffff ? NULL
								 : prm_capability((uint32_t)type);
}

static void fit_pages(struct fits *fits, const struct finding *f)
{
	const struct prm_enum *types = prm_find_enum("hca_cap_type");
	size_t at = body_at(f);

	memset(fits, 0, sizeof(*fits));
	for (size_t i = 0; i < types->count; i++) {
		const struct prm_struct *s = prm_capability((uint32_t)types->values[i].value);

		if (s)
			fit_offer(fits, s, f->d->bytes + at, f->d->len - at, SIZE_MAX);
	}
}

static uint64_t explain_cap_get(const struct finding *f, const char *path)
{
	return finding_field(f, general, body_at(f), path);
}

/* Scores the first page, which is recognised by its numbers. */
static int general_score(const struct finding *f)
{
	static const struct {
		const char *path;
		uint8_t least, most;
	} ranges[] = {
		{"log_max_qp", 8, 24}, {"log_max_cq", 8, 24}, {"log_max_mkey", 8, 32},
		{"log_max_pd", 8, 24}, {"num_ports", 1, 4},   {"port_type", 0, 1},
		{"log_pg_sz", 10, 16},
	};
	int score = 0;

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		uint64_t v = explain_cap_get(f, ranges[i].path);

		score += v >= ranges[i].least && v <= ranges[i].most ? 12 : -15;
	}
	return score;
}

static bool explain_cap_is_general(const struct finding *f)
{
	const struct prm_struct *s = labelled(f);

	return s ? !strcmp(s->name, general) : general_score(f) >= SCORE_LIKELY;
}

static void weigh_fit(struct finding *f)
{
	struct fits fits;

	fit_pages(&fits, f);
	if (fits.best[0].strays > FEW_STRAYS)
		return;
	if (body_at(f) && f->d->len == PAGE + HEADER)
		finding_weigh(f, 45, "4112 bytes, the first 16 all 0: the reply of QUERY_HCA_CAP");
	else
		finding_weigh(f, fits.best[0].set > 1 ? 15 : 0,
			      "%zu bytes, as capability pages have", f->d->len);
	finding_weigh(f, fits.best[0].strays ? 10 : 15,
		      "all but %zu of its bits that are set are fields of %s", fits.best[0].strays,
		      fits.best[0].s->name);
	if (fit_lead(&fits) > CLEAR_LEAD)
		finding_weigh(f, 20, "and no other page's layout comes near");
	else
		finding_weigh(f, 0, "but other pages' layouts come near");
}

static void explain_cap_score(struct finding *f)
{
	const struct prm_struct *s = labelled(f);

	if (s)
		finding_weigh(f, 90, "the line before it names the page with %s", s->name);
	if (s || (f->d->len != LEAST && f->d->len != PAGE && f->d->len != LEAST + HEADER &&
		  f->d->len != PAGE + HEADER))
		return;
	if (explain_cap_is_general(f))
		finding_weigh(f, general_score(f),
			      "log_max_qp, log_max_cq, log_max_mkey, log_max_pd, num_ports, "
			      "port_type and "
			      "log_pg_sz "
			      "are what a device can have");
	else
		weigh_fit(f);
}

static void explain_general(struct finding *f)
{
	finding_add(f, "what", "log_max_qp",
		    "a device with up to 2^%u QPs, 2^%u CQs and 2^%u mkeys, %u port%s",
		    (unsigned int)explain_cap_get(f, "log_max_qp"),
		    (unsigned int)explain_cap_get(f, "log_max_cq"),
		    (unsigned int)explain_cap_get(f, "log_max_mkey"),
		    (unsigned int)explain_cap_get(f, "num_ports"),
		    explain_cap_get(f, "num_ports") == 1 ? "" : "s");
	finding_fact(f, "log_max_qp", explain_cap_get(f, "log_max_qp"));
	finding_fact(f, "num_ports", explain_cap_get(f, "num_ports"));
}

static void finding_add_candidates(struct finding *f, const struct fits *fits)
{
	json_t *list = json_array();

	for (size_t i = 0; i < fits->count; i++) {
		const struct fit *c = &fits->best[i];

		if (i && (c->strays > c->set || c->strays > fits->best[0].strays + 8))
			continue;
		finding_add(f, "candidate", NULL,
			    "%s: %zu of the set bits are its fields, %zu are not%s", c->s->name,
			    c->set, c->strays, i ? "" : " (the best)");
		json_array_append_new(list, json_string(c->s->name));
	}
	json_object_set_new(f->facts, "candidates", list);
	finding_add(f, "type", NULL,
		    "op_mod of the command is the page's type; if you know it, --as and the "
		    "structure's name decode it");
}

static void explain_cap_explain(struct finding *f)
{
	const struct prm_struct *s = labelled(f);
	struct fits fits;

	fit_pages(&fits, f);
	if (!s)
		s = explain_cap_is_general(f) ? prm_find_struct(general) : fits.best[0].s;
	snprintf(f->what, sizeof(f->what), "capability page (QUERY_HCA_CAP), %.48s", s->text);
	finding_fact_name(f, "page", s->name);
	if (!strcmp(s->name, general))
		explain_general(f);
	else
		finding_add(f, "what", NULL, "%s", s->text);
	if (!labelled(f) && !explain_cap_is_general(f))
		finding_add_candidates(f, &fits);
	finding_add(f, "mode", NULL,
		    "whether these are the largest possible or the current values is not in a page "
		    "either: bit 0 of op_mod says it");
	finding_part(f, s, body_at(f), f->d->len);
}

const struct recogniser recognise_cap = {
	"cap",
	"a capability page (256 or 4096 bytes, with or without 16 of header)",
	64,
	explain_cap_score,
	explain_cap_explain,
};
