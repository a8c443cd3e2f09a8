/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads dumps from files and from the daemon, and finds a packet's first table. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "client.h"
#include "explain.h"

/* The text of a rule of the dump. */
struct rule_name {
	uint64_t id;
	const char *text;
	bool leads; /* to another table of the rules */
};

static int read_dump(struct dump_source *s, const char *text, size_t len)
{
	struct dump_error err;
	int rc = steering_dump_parse(&s->d, text, len, &err);

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
	s->cache = view_cache_new(&s->d);
	if (s->cache)
		return EXIT_DONE;
	message_print("%s: no memory", s->name);
	return EXIT_INPUT;
}

static int compare_names(const void *a, const void *b)
{
	const struct rule_name *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Returns the rules' texts, sorted by the daemon's IDs, which do not rise with the rules' order. */
static struct rule_name *dump_source_texts(json_t *rules)
{
	struct rule_name *texts = calloc(json_array_size(rules) + 1, sizeof(*texts));
	json_t *rule;
	size_t i;

	json_array_foreach (rules, i, rule)
		if (texts)
			texts[i] = (struct rule_name){
				(uint64_t)json_integer_value(json_object_get(rule, "id")),
				json_string_value(json_object_get(rule, "text")),
				json_object_get(rule, "goto") != NULL};
	if (texts)
		qsort(texts, json_array_size(rules), sizeof(*texts), compare_names);
	return texts;
}

static int dump_source_read_names(struct dump_source *s)
{
	json_t *entries = json_object_get(s->head, "entries"), *pair;
	json_t *rules = json_object_get(s->head, "rules");
	struct rule_name *texts = dump_source_texts(rules), key = {0}, *found;
	size_t i;

	s->names = calloc(json_array_size(entries) + 1, sizeof(*s->names));
	if (!s->names || !texts) {
		free(texts);
		return EXIT_INPUT;
	}
	json_array_foreach (entries, i, pair) {
		key.id = (uint64_t)json_integer_value(json_array_get(pair, 1));
		found = bsearch(&key, texts, json_array_size(rules), sizeof(key), compare_names);
		s->names[s->nnames] = found ? *found : key;
		s->names[s->nnames++].id = (uint64_t)json_integer_value(json_array_get(pair, 0));
	}
	free(texts);
	qsort(s->names, s->nnames, sizeof(*s->names), compare_names);
	return EXIT_DONE;
}

static int compare_rewrites(const void *a, const void *b)
{
	const struct dump_rewrites *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* Reads the lists of rewrites that the dump lacks from the daemon's answer. */
static int dump_source_read_rewrites(struct dump_source *s)
{
	json_t *lists = json_object_get(s->head, "rewrites"), *pair;
	size_t n = json_array_size(lists), i, used = 0, digits = 0;
	struct dump_rewrites *rows = calloc(n + 1, sizeof(*rows));
	uint8_t *bytes;
	int ret = -1;

	json_array_foreach (lists, i, pair)
		digits += json_string_length(json_array_get(pair, 1));
	bytes = malloc(digits / 2 + 1);
	json_array_foreach (lists, i, pair) {
		size_t len = json_string_length(json_array_get(pair, 1)) / 16 * 16;

		if (!rows || !bytes ||
		    !dump_hex_bytes(json_string_value(json_array_get(pair, 1)), len, bytes + used))
			break;
		rows[i] = (struct dump_rewrites){
			.id = (uint64_t)json_integer_value(json_array_get(pair, 0)),
			.bytes = bytes + used,
			.n = (uint32_t)(len / 16)};
		used += len / 2;
	}
	if (rows && bytes && i == n) {
		qsort(rows, n, sizeof(*rows), compare_rewrites);
		ret = steering_dump_rewrites(&s->d, rows, n);
	}
	free(rows);
	free(bytes);
	if (ret)
		message_print("%s: no memory", s->name);
	return ret ? EXIT_INPUT : EXIT_DONE;
}

/* Reads the tables behind mirrors from the daemon's answer: the dump has only the address. */
static void dump_source_read_mirrors(struct dump_source *s)
{
	json_t *pair;
	size_t i;

	json_array_foreach (json_object_get(s->head, "mirrors"), i, pair)
		steering_dump_onward(&s->d, (uint64_t)json_integer_value(json_array_get(pair, 0)),
				     (uint64_t)json_integer_value(json_array_get(pair, 1)));
}

/* Reads the names of tables from the daemon's answer, if the rules are in several. */
static void dump_source_read_tables(struct dump_source *s)
{
	json_t *pair;
	size_t i;

	json_array_foreach (json_object_get(s->head, "tables"), i, pair)
		for (uint32_t t = 0; t < s->d.ntables; t++)
			if (s->d.table[t].id ==
			    (uint64_t)json_integer_value(json_array_get(pair, 0)))
				s->d.table[t].name = json_string_value(json_array_get(pair, 1));
}

static const struct rule_name *dump_source_find(const struct dump_source *s, uint64_t id)
{
	struct rule_name key = {.id = id};

	/* a file has no names, and bsearch() wants an array even of none */
	return s->nnames ? bsearch(&key, s->names, s->nnames, sizeof(key), compare_names) : NULL;
}

const char *dump_source_rule(void *source, uint64_t id)
{
	const struct rule_name *found = dump_source_find(source, id);

	return found ? found->text : NULL;
}

bool dump_source_leads(const struct dump_source *s, uint64_t id)
{
	const struct rule_name *found = dump_source_find(s, id);

	return found && found->leads;
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
	s->daemon = true;
	if (!answer.body_len) {
		msg_free(&answer);
		return DUMP_SOURCE_NOTHING;
	}
	s->head = json_incref(answer.head);
	ret = dump_source_read_names(s);
	s->text = answer.body;
	s->len = answer.body_len;
	answer.body = NULL;
	if (!ret)
		ret = read_dump(s, s->text, s->len);
	if (!ret)
		ret = dump_source_read_rewrites(s);
	if (!ret) {
		dump_source_read_mirrors(s);
		dump_source_read_tables(s);
	}
	msg_free(&answer);
	if (ret)
		dump_source_close(s);
	return ret;
}

int dump_source_open_part(struct dump_source *s, const struct args *a, enum side side,
			  uint64_t from)
{
	return ask_daemon(s, a,
			  json_pack("{s:s, s:s, s:I}", "do", "dump", "direction",
				    side == SIDE_RX ? "in" : "out", "from", (json_int_t)from));
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
	view_cache_free(s->cache);
	steering_dump_free(&s->d);
	json_decref(s->head);
	free(s->names);
	free(s->text);
	memset(s, 0, sizeof(*s));
}

static bool of_side(const struct steering_dump *d, const struct dump_table *t, enum side side)
{
	return t->has[side] &&
	       d->domain[t->domain].type != (side == SIDE_RX ? DOMAIN_NIC_TX : DOMAIN_NIC_RX);
}

/* Returns the table to which an entry leads from another one; NULL: none. */
static const struct dump_table *dump_source_led(const struct steering_dump *d, enum side side,
						const struct dump_entry *e)
{
	const struct dump_rule *r = &d->rule[e->rule];
	const struct dump_table *to;
	struct ste s;

	if (e->side != side || dump_rule_ends(d, r))
		return NULL;
	ste_read_links(&s, e);
	to = s.next_entries == 1 ? dump_table_at(d, e->domain, side, ste_index(s.next)) : NULL;
	return to == &d->table[d->matcher[r->matcher].table] ? NULL : to;
}

/* Adds a table to those of n that are kept, the lowest level first. */
static unsigned int dump_source_add(const struct steering_dump *d, uint32_t *table,
				    unsigned int max, unsigned int n, uint32_t i)
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
static unsigned int dump_source_not_led(const struct steering_dump *d, enum side side,
					uint32_t *table, unsigned int max)
{
	bool *led = calloc(d->ntables + 1u, sizeof(*led));
	unsigned int n = 0, all = 0;

	for (uint32_t i = 0; i < d->nentries && led; i++) {
		const struct dump_table *to = dump_source_led(d, side, &d->entry[i]);

		if (to)
			led[to - d->table] = true;
	}
	for (uint32_t i = 0; i < d->ntables && led; i++)
		if (of_side(d, &d->table[i], side) && !led[i])
			n = dump_source_add(d, table, max, n, i);
	free(led);
	for (uint32_t i = 0; i < d->ntables && !n; i++)
		if (of_side(d, &d->table[i], side))
			all = dump_source_add(d, table, 1, all, i);
	return n ? n : all != 0;
}

unsigned int dump_source_starts(const struct dump_source *s, enum side side, uint32_t *table,
				unsigned int max)
{
	const json_t *first = json_object_get(s->head, "first_tables");
	uint64_t id = (uint64_t)json_integer_value(
		json_array_get(first, side == SIDE_RX ? RULE_IN : RULE_OUT));

	if (!first)
		return dump_source_not_led(&s->d, side, table, max);
	for (uint32_t i = 0; i < s->d.ntables; i++)
		if (s->d.table[i].id == id && of_side(&s->d, &s->d.table[i], side)) {
			table[0] = i;
			return 1;
		}
	return 0;
}

#define WIRE_VPORT 0xffff /* its VHCA is 0, and nothing came back from inside */

/* Returns whether the kernel printed it: its version has three parts, rdma-core's two. */
static bool of_kernel(const struct dump_domain *dmn)
{
	const char *dot = strchr(dmn->version, '.');

	return dot && strchr(dot + 1, '.');
}

bool dump_source_vport(const struct steering_dump *d, uint32_t domain, uint32_t vport,
		       struct fields *p)
{
	uint32_t i = 0;

	p->value[F_SOURCE] = 0;
	p->known[F_LOOPED] = true;
	if (vport == WIRE_VPORT)
		return true;
	while (i < d->nvports && (d->vport[i].domain != domain || d->vport[i].number != vport))
		i++;
	if (i == d->nvports)
		return false;
	p->value[F_SOURCE] = d->vport[i].vhca;
	/* libmlx5's entries compare that the packet was looped back, the kernel's do not. */
	p->value[F_LOOPED] = !of_kernel(&d->domain[domain]);
	return true;
}
