/* SPDX-License-Identifier: BSD-2-Clause */
/* dvx-flow dump: prints a domain as the library does; --ste decodes each entry. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

#include "explain.h"
#include "ste.h"
#include "dvx/prm/hws.h"

static void put_line(json_t *j, const char *name, const struct prm_struct *layout, const uint8_t *p,
		     size_t len)
{
	char line[2048] = "";

	if (layout)
		prm_print_line(line, sizeof(line), layout, p, len);
	json_object_set_new(j, name, json_string(line));
}

static json_t *actions_json(const struct ste *s)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < s->nactions; i++) {
		const struct ste_action *a = &s->action[i];
		json_t *j = json_pack("{s:i}", "id", (int)a->id);

		if (a->layout)
			put_line(j, "action", a->layout, s->bytes + a->at, a->len);
		else
			json_object_set_new(j, "action",
					    json_sprintf("unknown action 0x%02x", a->id));
		json_array_append_new(list, j);
	}
	return list;
}

/* Lists the action templates of an entry of hardware steering that do something. */
static json_t *templates_json(const struct ste *s)
{
	const struct prm_struct *layout = prm_find_struct("stc");
	json_t *list = json_array();

	for (unsigned int i = 0; i < TEMPLATES_MAX; i++) {
		json_t *j = json_object();

		if (s->template[i] && prm_stc_get_action_type(s->template[i]) != PRM_STC_ACTION_NOP)
			put_line(j, "action", layout, s->template[i], TEMPLATE_BYTES);
		if (json_object_size(j))
			json_array_append(list, j);
		json_decref(j);
	}
	return list;
}

static json_t *ste_json(struct dump_source *src, const struct steering_record *r)
{
	char what[512];
	struct sentence compares = SENTENCE(what);
	struct ste s;
	json_t *j;

	ste_read(&src->d, r, &s);
	if (s.e.acts)
		sentence_add(&compares, "nothing, it only acts");
	else
		sentence_add_entry(&compares, &s.e, NULL, 0);
	j = json_pack("{s:s, s:I, s:i, s:s, s:s, s:I}", "side", r->side ? "tx" : "rx", "address",
		      (json_int_t)r->index << 6, "lookup", (int)s.e.lookup, "lookup_name",
		      s.e.lookup_name, "compares", what, "counter", (json_int_t)s.e.counter);
	if (r->format != STEERING_HARDWARE)
		json_object_update_missing_new(j, json_pack("{s:I, s:I, s:I}", "miss",
							    (json_int_t)s.e.miss, "next",
							    (json_int_t)s.e.next, "next_entries",
							    (json_int_t)s.e.next_entries));
	put_line(j, "control", s.control, r->bytes, s.control ? s.control->bytes : 0);
	put_line(j, "tag", s.tag_layout, s.tag, s.tag_bytes);
	if (s.e.known)
		put_line(j, "mask", s.tag_layout, s.mask, s.tag_bytes);
	json_object_set_new(j, "actions",
			    r->format == STEERING_HARDWARE ? templates_json(&s) : actions_json(&s));
	return j;
}

static json_t *dumpcmd_rule_json(struct dump_source *src, const struct steering_rule *r)
{
	json_t *list = json_array();
	char does[256];
	struct sentence actions = SENTENCE(does);

	sentence_add_actions(&actions, &src->d, r);
	for (uint32_t i = 0; i < r->n; i++)
		json_array_append_new(list, ste_json(src, &src->d.entry[r->first + i]));
	return json_pack("{s:I, s:s, s:o}", "rule", (json_int_t)r->id, "actions", does, "entries",
			 list);
}

static json_t *matcher_json(struct dump_source *src, const struct steering_matcher *m)
{
	json_t *rules = json_array();
	char mask[256];
	struct sentence compares = SENTENCE(mask);

	sentence_add_mask(&compares, &m->mask);
	for (uint32_t i = 0; i < m->n; i++)
		json_array_append_new(rules, dumpcmd_rule_json(src, &src->d.rule[m->first + i]));
	return json_pack("{s:I, s:I, s:s, s:o}", "matcher", (json_int_t)m->id, "priority",
			 (json_int_t)m->priority, "compares", mask, "rules", rules);
}

static json_t *table_json(struct dump_source *src, const struct steering_table *t)
{
	json_t *matchers = json_array();

	for (uint32_t i = 0; i < t->n; i++)
		json_array_append_new(matchers, matcher_json(src, &src->d.matcher[t->first + i]));
	return json_pack("{s:I, s:I, s:o}", "table", (json_int_t)t->id, "level",
			 (json_int_t)t->level, "matchers", matchers);
}

static json_t *dump_json(struct dump_source *src)
{
	static const char *const types[] = {"NIC RX", "NIC TX", "FDB"};
	json_t *domains = json_array();

	for (uint32_t i = 0; i < src->d.ndomains; i++) {
		const struct steering_domain *dmn = &src->d.domain[i];
		json_t *tables = json_array();

		for (uint32_t t = 0; t < src->d.ntables; t++)
			if (src->d.table[t].domain == i)
				json_array_append_new(tables, table_json(src, &src->d.table[t]));
		json_array_append_new(
			domains, json_pack("{s:I, s:s, s:s, s:s, s:o}", "domain",
					   (json_int_t)dmn->id, "type", types[dmn->type], "device",
					   dmn->device, "library", dmn->version, "tables", tables));
	}
	return domains;
}

/* --- for people --- */

static const char *dumpcmd_text(json_t *j, const char *key)
{
	return json_string_value(json_object_get(j, key));
}

static unsigned long long dumpcmd_number(json_t *j, const char *key)
{
	return (unsigned long long)json_integer_value(json_object_get(j, key));
}

static void print_entry(json_t *e)
{
	json_t *a;
	size_t i;

	printf("        %s entry 0x%llx (%s): %s\n", dumpcmd_text(e, "side"),
	       dumpcmd_number(e, "address"), dumpcmd_text(e, "lookup_name"),
	       dumpcmd_text(e, "compares"));
	printf("          %s\n", dumpcmd_text(e, "control"));
	if (dumpcmd_text(e, "tag")[0])
		printf("          tag  %s\n", dumpcmd_text(e, "tag"));
	if (dumpcmd_text(e, "mask") && dumpcmd_text(e, "mask")[0])
		printf("          mask %s\n", dumpcmd_text(e, "mask"));
	json_array_foreach (json_object_get(e, "actions"), i, a)
		printf("          %s\n", dumpcmd_text(a, "action"));
	if (json_object_get(e, "next"))
		printf("          hit -> 0x%llx (%llu entries), miss -> 0x%llx\n",
		       dumpcmd_number(e, "next"), dumpcmd_number(e, "next_entries"),
		       dumpcmd_number(e, "miss"));
}

static void print_table(json_t *t)
{
	json_t *m, *r, *e;
	size_t i, k, n;

	printf("  table 0x%llx of level %llu\n", dumpcmd_number(t, "table"),
	       dumpcmd_number(t, "level"));
	json_array_foreach (json_object_get(t, "matchers"), i, m) {
		printf("    matcher 0x%llx of priority %llu: %s\n", dumpcmd_number(m, "matcher"),
		       dumpcmd_number(m, "priority"), dumpcmd_text(m, "compares"));
		json_array_foreach (json_object_get(m, "rules"), k, r) {
			printf("      rule 0x%llx: %s\n", dumpcmd_number(r, "rule"),
			       dumpcmd_text(r, "actions"));
			json_array_foreach (json_object_get(r, "entries"), n, e)
				print_entry(e);
		}
	}
}

static void dumpcmd_print_dump(json_t *domains)
{
	json_t *d, *t;
	size_t i, k;

	json_array_foreach (domains, i, d) {
		printf("domain 0x%llx: %s of %s, by %s%s\n", dumpcmd_number(d, "domain"),
		       dumpcmd_text(d, "type"), dumpcmd_text(d, "device"),
		       isdigit((unsigned char)dumpcmd_text(d, "library")[0]) ? "rdma-core " : "",
		       dumpcmd_text(d, "library"));
		json_array_foreach (json_object_get(d, "tables"), k, t)
			print_table(t);
	}
}

int cmd_dump(const struct args *a)
{
	struct dump_source src;
	json_t *j;
	int ret = dump_source_open(&src, a, a->dump);

	if (ret)
		return ret;
	if (!a->ste && !a->json) {
		fwrite(src.text, 1, src.len, stdout);
		dump_source_close(&src);
		return EXIT_DONE;
	}
	j = dump_json(&src);
	if (a->json) {
		ret = json_out(j);
	} else {
		dumpcmd_print_dump(j);
		json_decref(j);
	}
	dump_source_close(&src);
	return ret;
}
