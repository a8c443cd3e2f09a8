/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads dumps from files and from the daemon, and finds a packet's first table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/flow.h>
#include "client.h"
#include "explain.h"

#define DUMP_SOURCE_NOTHING (-1) /* the daemon's answer is empty */

static int read_dump(struct dump_source *s, const char *text, size_t len)
{
	struct dump_error err;
	int rc = steering_parse(&s->d, text, len, &err);

	if (rc) {
		message_set_place(NULL, err.line, 0);
		if (err.line)
			message_print("%s:%u: %s", s->name, err.line, err.text);
		else
			message_print("%s: %s", s->name, rc == -EINVAL ? err.text : "no memory");
		return EXIT_INPUT;
	}
	if (s->d.unknown)
		message_print("%s:%u: a record of an unknown type; %u such records are left out",
			      s->name, s->d.unknown_line, s->d.unknown);
	return EXIT_DONE;
}

/* --- a daemon's answer ------------------------------------------------------------------------- */

/* Elements of a list in the answer, by their IDs. */
struct answer_row {
	uint64_t id;
	json_t *is;
	uint32_t first, n; /* of a list of rewrites: its place in the tables, if n is not 0 */
};

static int answer_compare(const void *a, const void *b)
{
	const struct answer_row *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Returns an element's number: of an array by its place, of a rule its ID. */
static uint64_t answer_number(json_t *element, size_t at)
{
	json_t *number = json_is_array(element) ? json_array_get(element, at)
						: json_object_get(element, "id");

	return (uint64_t)json_integer_value(number);
}

/* Returns the list's elements, sorted by their IDs. NULL: no memory. */
static struct answer_row *answer_rows(json_t *list)
{
	struct answer_row *rows = calloc(json_array_size(list) + 1, sizeof(*rows));
	json_t *element;
	size_t i;

	json_array_foreach (list, i, element)
		if (rows)
			rows[i] =
				(struct answer_row){.id = answer_number(element, 0), .is = element};
	if (rows)
		qsort(rows, json_array_size(list), sizeof(*rows), answer_compare);
	return rows;
}

static struct answer_row *answer_find(struct answer_row *rows, json_t *list, uint64_t id)
{
	struct answer_row key = {.id = id};

	return bsearch(&key, rows, json_array_size(list), sizeof(key), answer_compare);
}

/* Sets the rules' texts. An entry names one of the daemon's rules. */
static bool dump_source_read_texts(struct dump_source *s)
{
	json_t *entries = json_object_get(s->head, "entries");
	json_t *rules = json_object_get(s->head, "rules");
	json_t *objects = json_object_get(s->head, "objects");
	struct answer_row *by_entry = answer_rows(entries), *by_rule = answer_rows(rules);
	struct answer_row *by_object = answer_rows(objects);

	s->d.named = by_entry && by_rule && by_object;
	for (uint32_t i = 0; s->d.named && i < s->d.nrules; i++) {
		struct steering_rule *r = &s->d.rule[i];
		struct answer_row *pair = answer_find(by_entry, entries, r->id), *rule, *object;

		rule = pair ? answer_find(by_rule, rules, answer_number(pair->is, 1)) : NULL;
		if (!rule)
			continue;
		r->text = json_string_value(json_object_get(rule->is, "text"));
		r->leads = json_object_get(rule->is, "goto");
		object = answer_find(by_object, objects, rule->id);
		r->object = object ? json_string_value(json_array_get(object->is, 2)) : NULL;
		r->result = object ? (uint8_t)json_integer_value(json_array_get(object->is, 1)) : 0;
	}
	free(by_entry);
	free(by_rule);
	free(by_object);
	return s->d.named;
}

/* Adds the list of rewrites that the row has in hexadecimal. */
static bool answer_read_list(struct dump_source *s, struct answer_row *row)
{
	json_t *hex = json_array_get(row->is, 1);
	uint32_t n = (uint32_t)(json_string_length(hex) / 16);
	uint8_t *bytes = malloc(8 * n + 1ul);
	bool done;

	row->first = s->d.nrewrites;
	row->n = n;
	done = bytes && dump_hex_bytes(json_string_value(hex), 16ul * n, bytes) &&
	       steering_add_rewrites(&s->d, bytes, n);
	free(bytes);
	return done;
}

/* Sets the lists of rewrites that the dump lacks, and the tables behind mirrors. */
static bool dump_source_read_actions(struct dump_source *s)
{
	json_t *lists = json_object_get(s->head, "rewrites");
	json_t *mirrors = json_object_get(s->head, "mirrors");
	json_t *vports = json_object_get(s->head, "vports");
	json_t *encaps = json_object_get(s->head, "encaps");
	struct answer_row *list = answer_rows(lists), *mirror = answer_rows(mirrors);
	struct answer_row *vport = answer_rows(vports), *encap = answer_rows(encaps), *row;
	bool done = list && mirror && vport && encap;

	for (uint32_t i = 0; done && i < s->d.nactions; i++) {
		struct steering_action *a = &s->d.action[i];
		const struct steering_table *t = NULL;

		if (a->kind == ACTION_REWRITES && (row = answer_find(list, lists, a->id))) {
			done = row->n || answer_read_list(s, row);
			a->first = row->first;
			a->n = row->n;
		} else if (a->kind == ACTION_ARRAY && (row = answer_find(mirror, mirrors, a->id))) {
			t = steering_table_of(&s->d, answer_number(row->is, 1));
			a->sample = (uint32_t)answer_number(row->is, 2);
		} else if (a->type == ACTION_VPORT && (row = answer_find(vport, vports, a->id))) {
			a->arg = answer_number(row->is, 1);
		} else if ((a->type == ACTION_ENCAP_L2 || a->type == ACTION_ENCAP_L3) &&
			   (row = answer_find(encap, encaps, a->id))) {
			a->encap = json_string_value(json_array_get(row->is, 1));
		}
		a->onward = t ? (uint32_t)(t - s->d.table) + 1 : 0;
	}
	free(list);
	free(mirror);
	free(vport);
	free(encap);
	return done;
}

static void dump_source_read_option(struct dump_source *s)
{
	const json_t *option = json_object_get(s->head, "option");

	s->d.option = (uint32_t)json_integer_value(json_array_get(option, 0));
	s->d.option_parser = (uint32_t)json_integer_value(json_array_get(option, 1));
}

/* Adds the daemon's own vport. False: no memory. */
static bool dump_source_read_vport(struct dump_source *s)
{
	json_t *vport = json_object_get(s->head, "vport");
	bool done = true;

	for (uint32_t i = 0; vport && done && i < s->d.ndomains; i++) {
		struct steering_vport *row = STEERING_GROW(s->d.vport, s->d.nvports);

		done = row;
		if (row)
			*row = (struct steering_vport){
				i, (uint32_t)json_integer_value(vport),
				(uint32_t)json_integer_value(json_object_get(s->head, "vhca"))};
	}
	return done;
}

static void dump_source_read_tables(struct dump_source *s)
{
	json_t *pair;
	size_t i;

	json_array_foreach (json_object_get(s->head, "tables"), i, pair) {
		struct steering_table *t = steering_table_of(&s->d, answer_number(pair, 0));

		if (t)
			t->name = json_string_value(json_array_get(pair, 1));
	}
}

/* Requests the dump. Returns DUMP_SOURCE_NOTHING if the answer is empty. */
static int ask_daemon(struct dump_source *s, const struct args *a, json_t *request)
{
	struct flow_msg answer;
	int ret = client_once(a, request, &answer);

	memset(s, 0, sizeof(*s));
	if (ret)
		return ret;
	s->name = "the daemon's dump";
	if (!answer.body_len) {
		msg_free(&answer);
		return DUMP_SOURCE_NOTHING;
	}
	s->head = json_incref(answer.head);
	s->text = answer.body;
	s->len = answer.body_len;
	answer.body = NULL;
	msg_free(&answer);
	ret = read_dump(s, s->text, s->len);
	if (!ret && (!dump_source_read_texts(s) || !dump_source_read_actions(s) ||
		     !dump_source_read_vport(s))) {
		message_print("%s: no memory", s->name);
		ret = EXIT_INPUT;
	}
	if (!ret) {
		dump_source_read_tables(s);
		dump_source_read_option(s);
	} else {
		dump_source_close(s);
	}
	return ret;
}

int dump_source_open(struct dump_source *s, const struct args *a, const char *path)
{
	int ret;

	if (!path) {
		ret = ask_daemon(s, a, json_pack("{s:s}", "do", "dump"));
		if (ret != DUMP_SOURCE_NOTHING)
			return ret;
		message_print("the daemon holds no rules: every packet goes the default way");
		return EXIT_RULES;
	}
	memset(s, 0, sizeof(*s));
	s->name = path;
	if (file_read(path, &s->text, &s->len)) {
		s->text = NULL;
		return EXIT_INPUT;
	}
	ret = read_dump(s, s->text, s->len);
	if (ret)
		dump_source_close(s);
	return ret;
}

void dump_source_close(struct dump_source *s)
{
	steering_free(&s->d);
	json_decref(s->head);
	free(s->text);
	memset(s, 0, sizeof(*s));
}

/* Returns whether packets walk through the table. A dump's FDB tables are also of in and out. */
static bool of_direction(const struct steering *d, const struct steering_table *t,
			 struct direction dir)
{
	static const enum steering_domain_type own[RULE_DIRS] = {DOMAIN_NIC_RX, DOMAIN_NIC_TX,
								 DOMAIN_FDB};
	uint32_t type = d->domain[t->domain].type;

	return t->has[dir.side] &&
	       (type == own[dir.dir] || (type == DOMAIN_FDB && dir.dir != RULE_SWITCH));
}

/* Adds a table to those of n that are kept, the lowest level first. */
static unsigned int dump_source_add(const struct steering *d, uint32_t *table, unsigned int max,
				    unsigned int n, uint32_t i)
{
	if (n < max)
		table[n] = i;
	if (n && d->table[i].level < d->table[table[0]].level) {
		if (n < max)
			table[n] = table[0];
		table[0] = i;
	}
	return n + 1;
}

/* Finds the tables that no rule leads to. If there is none (a circle): the lowest level. */
static unsigned int dump_source_not_led(const struct steering *d, struct direction dir,
					uint32_t *table, unsigned int max)
{
	bool *led = calloc(d->ntables + 1u, sizeof(*led));
	unsigned int n = 0, all = 0;

	for (uint32_t i = 0; i < d->nentries && led; i++) {
		const struct steering_record *r = &d->entry[i];
		const struct steering_table *to;
		struct steering_entry e;

		if (r->side != dir.side)
			continue;
		steering_read_links(r, &e);
		to = steering_leads(d, r, &e);
		if (to && to != &d->table[d->matcher[d->rule[r->rule].matcher].table])
			led[to - d->table] = true;
	}
	for (uint32_t i = 0; i < d->ntables && led; i++)
		if (of_direction(d, &d->table[i], dir) && !led[i])
			n = dump_source_add(d, table, max, n, i);
	free(led);
	for (uint32_t i = 0; i < d->ntables && !n; i++)
		if (of_direction(d, &d->table[i], dir))
			all = dump_source_add(d, table, 1, all, i);
	return n ? n : all != 0;
}

static uint64_t dump_source_first(const struct dump_source *s, enum rule_dir dir)
{
	const json_t *first = json_object_get(s->head, "first_tables");

	return (uint64_t)json_integer_value(json_array_get(first, dir));
}

bool dump_source_has(const struct dump_source *s, enum rule_dir dir)
{
	return dump_source_first(s, dir);
}

unsigned int dump_source_starts(const struct dump_source *s, struct direction dir, uint32_t *table,
				unsigned int max)
{
	const struct steering_table *t;

	if (!json_object_get(s->head, "first_tables"))
		return dump_source_not_led(&s->d, dir, table, max);
	t = steering_table_of(&s->d, dump_source_first(s, dir.dir));
	if (!t || !of_direction(&s->d, t, dir))
		return 0;
	table[0] = (uint32_t)(t - s->d.table);
	return 1;
}

#define VHCA_NONE 0xffff

/* Returns whether the kernel printed it: its version has three parts, rdma-core's two. */
static bool of_kernel(const struct steering_domain *dmn)
{
	const char *dot = strchr(dmn->version, '.');

	return dot && strchr(dot + 1, '.');
}

bool dump_source_vport(const struct steering *d, uint32_t domain, uint32_t vport, struct fields *p)
{
	uint32_t i = 0;

	p->value[F_SOURCE] = 0;
	p->known[F_LOOPED] = true;
	p->value[F_LOOPED] = 0;
	if (vport == DVX_FLOW_UPLINK) /* its VHCA is 0 */
		return true;
	p->value[F_SOURCE] = VHCA_NONE;
	while (i < d->nvports && (d->vport[i].domain != domain || d->vport[i].number != vport))
		i++;
	if (i == d->nvports)
		return false;
	p->value[F_SOURCE] = d->vport[i].vhca;
	/* libmlx5's entries compare that the packet was looped back, the kernel's do not. */
	p->value[F_LOOPED] = !of_kernel(&d->domain[domain]);
	return true;
}

/* --- a packet's part of the daemon's dump ------------------------------------------------------ */

/* Returns the table that the rule leads to, if the dump lacks it; 0: none is missing. */
static uint64_t part_missing(const struct steering *d, const struct steering_rule *r)
{
	for (uint32_t i = r->first_action; i < r->first_action + r->nactions; i++)
		if (d->action[i].table && !steering_table_of(d, d->action[i].table))
			return d->action[i].table;
	return 0;
}

/* Returns whether the packet's way is in the dump. If not, *missing is the next table or 0. */
static bool part_suffices(struct dump_source *s, struct direction dir, const struct seen_packet *p,
			  uint64_t *missing)
{
	struct explain_walk w = {.frame = p->bytes, .len = p->len};
	struct fields f = p->f;
	uint32_t start;
	bool ends;

	*missing = 0;
	if (json_array_size(json_object_get(s->head, "mirrors")) ||
	    dump_source_starts(s, dir, &start, 1) != 1)
		return false;
	if (f.known[F_SOURCE] &&
	    !dump_source_vport(&s->d, s->d.table[start].domain, (uint32_t)f.value[F_SOURCE], &f))
		return false;
	ends = !walk_run(&w, &s->d, start, dir.side, &f) && w.end != WALK_LOST;
	if (ends && w.end == WALK_RULE)
		*missing = part_missing(&s->d, &s->d.rule[w.rule]);
	walk_free(&w);
	return ends && !*missing;
}

/* Returns whether packets may go on to tables of another direction. */
static bool dump_source_goes_on(const struct dump_source *s, enum rule_dir dir)
{
	return dir != RULE_IN && dump_source_has(s, RULE_SWITCH);
}

/*
 * Opens the tables that one packet meets. libmlx5 needs seconds to dump all entries of a large set
 * of rules. Where rules are compiled to many tables (doc/design/0066), the first one sends a packet
 * to the tables of its class: so explain requests the first table, then the tables behind the one
 * that it leads to. If the packet reaches still other tables, or the rules have changed, explain
 * requests all of them.
 */
int dump_source_open_for(struct dump_source *s, const struct args *a, struct direction dir,
			 const struct seen_packet *p)
{
	uint64_t from = 0, missing = 0;

	for (int asked = 0; asked < 2 && (!asked || from); asked++, from = missing) {
		int ret = ask_daemon(s, a,
				     json_pack("{s:s, s:s, s:I}", "do", "dump", "direction",
					       rule_dirs[dir.dir].name, "from", (json_int_t)from));

		if (ret == DUMP_SOURCE_NOTHING)
			break;
		if (ret || (!dump_source_goes_on(s, dir.dir) && part_suffices(s, dir, p, &missing)))
			return ret;
		dump_source_close(s);
	}
	return dump_source_open(s, a, NULL);
}
