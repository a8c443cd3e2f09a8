/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/flow.h>

#include "rule_json.h"

static const char *const verdicts[] = {"drop", "pass", "send", "send", "mirror", "track"};

static json_t *rule_json_vport(uint32_t vport)
{
	char name[32];

	dvx_flow_vport_name(vport, name, sizeof(name));
	return json_string(name);
}

/* Returns the vports that the rule's packets come from: "pf", "several" or "any". */
static json_t *rule_json_from(const struct rule *r)
{
	for (size_t i = 0; i < r->nfields; i++)
		if (r->field[i].key == KEY_VPORT)
			return r->field[i].nmore ? json_string("several")
						 : rule_json_vport((uint32_t)r->field[i].value);
		else if (r->ct && r->field[i].key == CT_KEY && r->field[i].mask & CT_SOURCE_MASK)
			return r->field[i].nmore ? json_string("several")
						 : rule_json_vport((uint32_t)r->field[i].value &
								   CT_SOURCE_MASK);
	return json_string("any");
}

/* Adds where the rule's packets go. */
static void rule_json_to(json_t *j, const struct ruleset *set, const struct rule *r)
{
	if (r->rss)
		json_object_set_new(
			j, "queues",
			json_pack("[I, I]", (json_int_t)r->rss->first, (json_int_t)r->rss->last));
	else if (rule_has_queue(r))
		json_object_set_new(j, "queue", json_integer(r->queue));
	else if (rule_has_vport(r))
		json_object_set_new(j, "vport", rule_json_vport(r->vport));
	if (r->verdict == RULE_GOTO)
		json_object_set_new(j, "goto", json_string(set->table[r->go].name));
	if (r->table)
		json_object_set_new(j, "table", json_string(set->table[r->table].name));
}

void rule_json(json_t *to, const struct ruleset *set, const struct rule *r)
{
	json_object_set_new(to, "line", json_integer(r->line));
	json_object_set_new(to, "direction", json_string(rule_dirs[r->dir].name));
	json_object_set_new(to, "action", json_string(verdicts[r->verdict]));
	json_object_set_new(to, "text", json_string(r->text));
	if (r->over)
		json_object_set_new(to, "over",
				    json_pack("{s:I, s:I, s:s}", "rate", (json_int_t)r->over->rate,
					      "burst", (json_int_t)r->over->burst, "unit",
					      r->over->packets ? "packets" : "bits"));
	if (r->track)
		json_object_set_new(to, "track",
				    json_pack("{s:I, s:I}", "max", (json_int_t)r->track->most,
					      "expire", (json_int_t)r->track->idle));
	if (r->expire)
		json_object_set_new(to, "expire", json_integer(r->expire));
	if (r->sample)
		json_object_set_new(to, "sample", json_integer(r->sample));
	if (rule_dirs[r->dir].to_vport)
		json_object_set_new(to, "from", rule_json_from(r));
	if (r->name)
		json_object_set_new(to, "name", json_string(r->name));
	rule_json_to(to, set, r);
	if (r->has_tag)
		json_object_set_new(to, "tag", json_integer(r->tag));
}
