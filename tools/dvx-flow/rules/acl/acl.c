/* SPDX-License-Identifier: BSD-2-Clause */
#include "acl.h"

#include <errno.h>
#include <stdlib.h>

#include "work.h"
#include "rules/arena.h"

/* Orders a class. Merges more masks while the bands are long and the budget lasts. */
static int acl_class_order(struct acl_work *w, struct acl_class *c)
{
	int ret;

	acl_masks_settle(c);
	ret = acl_levels_reduce(w, c);
	for (size_t g = ACL_GROWTH; g <= ACL_GROWTH_MOST && !ret; g *= 2) {
		size_t budget = c->cells * g + 64;

		ret = acl_merge(c, budget < ACL_CELLS ? budget : ACL_CELLS);
		if (!ret)
			ret = acl_bands_make(w, c);
		if (!ret && c->bands.path <= ACL_BAND_GOAL)
			break;
		/* More cells may be fewer masks. */
		if (ret == -E2BIG && g < ACL_GROWTH_MOST)
			ret = acl_class_work(c, 0);
	}
	if (ret == -E2BIG && acl_class_work(c, 0))
		acl_refuse(w, c->box[0].rule, "codes of its rules take too long to find");
	return ret;
}

static int acl_class_compile(struct acl_work *w, struct acl_class *c)
{
	int ret = acl_fields_make(w, c);

	if (!ret)
		ret = acl_class_order(w, c);
	return ret ? ret : acl_code_make(w, c);
}

/* Makes the list of "no hit yet", with which a class of several bands compares their answers. */
static int acl_begin_list(struct acl_work *w, const struct acl_class *c, uint32_t *out)
{
	struct acl_list l = {.n = 1,
			     .write = {{.key = ACL_BEST, .mask = UINT32_MAX, .value = ACL_NO_HIT}}};
	int ret = c->bands.bands > 1 ? acl_list_add(w->out, &l) : 0;

	*out = c->bands.bands > 1 ? (uint32_t)ret : ACL_NONE;
	return ret;
}

/* Returns the matcher that leads to a class: by version and protocol, by version, or the last. */
static int acl_class_step(const struct acl_class *c)
{
	return c->proto ? 0 : c->version ? 1 : 2;
}

static int acl_dispatch_add(struct acl_work *w, int step, const int first[ACL_CLASSES])
{
	static const struct shape shapes[] = {
		{.n = 2, .key = {KEY_PROTO, MATCH_IP_VERSION}, .mask = {0xff, 0xf}},
		{.n = 1, .key = {MATCH_IP_VERSION}, .mask = {0xf}},
		{.n = 0},
	};
	bool begun = false;
	int ret = 0;

	for (int i = 0; i < ACL_CLASSES && ret >= 0; i++) {
		const struct acl_class *c = &w->class[i];
		uint64_t both[] = {c->proto, c->version}, version[] = {c->version};
		uint32_t list;

		if (!c->used || acl_class_step(c) != step)
			continue;
		ret = begun ? 0 : acl_matcher_add(w->out, 0, &shapes[step]);
		begun = true;
		if (ret >= 0)
			ret = acl_begin_list(w, c, &list);
		if (ret >= 0)
			ret = acl_entry_add(w->out, 0, step ? version : both, list,
					    (uint32_t)first[i], ACL_NONE);
	}
	return ret < 0 ? ret : 0;
}

static int acl_classes_emit(struct acl_work *w)
{
	int first[ACL_CLASSES], ret = acl_table_add(w->out);

	for (int i = 0; i < ACL_CLASSES && ret >= 0; i++)
		first[i] = w->class[i].n ? ret = acl_class_emit(w, &w->class[i]) : (int)ACL_NONE;
	for (int step = 0; step < 3 && ret >= 0; step++)
		ret = acl_dispatch_add(w, step, first);
	return ret < 0 ? ret : acl_results_emit(w);
}

static void acl_work_free(struct acl_work *w)
{
	for (int i = 0; w->class && i < ACL_CLASSES; i++)
		acl_class_free(&w->class[i]);
	free(w->class);
	free(w->result);
	arena_free(w->memory);
}

static bool acl_names_code(const struct rule_field *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (f[i].key >= KEY_REG_C0 && f[i].key <= KEY_REG_C5)
			return true;
	return false;
}

static int acl_rule_look(struct acl_work *w, const struct rule *r)
{
	bool names = acl_names_code(r->field, r->nfields);

	for (size_t i = 0; i < r->nexcepts; i++)
		names |= acl_names_code(r->except[i].field, r->except[i].nfields);
	w->changes |= r->nchanges && acl_takes(w->rules, w->rule);
	return names ? acl_refuse(w, w->rule, "it names a register that codes are kept in") : 0;
}

/* Checks all rules of the direction, those of later tables included. */
static int acl_rules_look(struct acl_work *w)
{
	int ret = 0;

	for (w->rule = 0; w->rule < w->set->n && !ret; w->rule++)
		if (w->set->rule[w->rule].dir == w->rules->dir)
			ret = acl_rule_look(w, &w->set->rule[w->rule]);
	return ret;
}

int acl_compile(const struct acl_rules *rules, struct acl_program *out, struct acl_refusal *refusal)
{
	const struct ruleset *set = rules->set;
	struct acl_work w = {.rules = rules, .set = set, .out = out, .refusal = refusal};
	int ret;

	*out = (struct acl_program){.memory = arena_new()};
	*refusal = (struct acl_refusal){0};
	w.memory = arena_new();
	w.class = calloc(ACL_CLASSES, sizeof(*w.class));
	w.result = calloc(set->n + 1, sizeof(*w.result));
	ret = out->memory && w.memory && w.class && w.result ? acl_rules_look(&w) : -ENOMEM;
	if (!ret)
		ret = acl_classes_make(&w);
	for (int i = 0; i < ACL_CLASSES && !ret; i++)
		if (w.class[i].n)
			ret = acl_class_compile(&w, &w.class[i]);
	if (!ret)
		ret = acl_classes_emit(&w);
	acl_work_free(&w);
	if (ret)
		acl_free(out);
	return ret;
}
