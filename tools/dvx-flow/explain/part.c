/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens the tables that one packet meets. libmlx5 needs seconds to dump all entries of a large set
 * of rules. Where rules are compiled to many tables (doc/design/0066), the first one sends a packet
 * to the tables of its class: so explain requests the first table, then the tables behind the one
 * that it leads to. If the packet reaches still other tables, or the rules have changed, explain
 * requests all of them.
 */
#include "explain.h"

#define PART_TABLE 3405u /* the record of an action that leads to a table */

static bool part_has_table(const struct steering_dump *d, uint64_t id)
{
	for (uint32_t i = 0; i < d->ntables; i++)
		if (d->table[i].id == id)
			return true;
	return false;
}

/* Returns the table that the rule leads to, if the dump lacks it; 0: none is missing. */
static uint64_t part_missing(const struct steering_dump *d, const struct dump_rule *r)
{
	for (uint32_t i = r->first_action; i < r->first_action + r->nactions; i++)
		if (d->action[i].type == PART_TABLE && d->action[i].nargs > 1 &&
		    !part_has_table(d, d->action[i].arg[1]))
			return d->action[i].arg[1];
	return 0;
}

/* Returns whether the packet's way is in the dump. If not, *missing is the next table or 0. */
static bool part_suffices(const struct dump_source *s, enum side side, const struct seen_packet *p,
			  uint64_t *missing)
{
	struct explain_walk w = {.cache = s->cache, .frame = p->bytes, .len = p->len};
	struct fields f = p->f;
	uint32_t start;
	bool ends;

	*missing = 0;
	if (json_array_size(json_object_get(s->head, "mirrors")) ||
	    dump_source_starts(s, side, &start, 1) != 1)
		return false;
	if (f.known[F_SOURCE] &&
	    !dump_source_vport(&s->d, s->d.table[start].domain, (uint32_t)f.value[F_SOURCE], &f))
		return false;
	ends = !walk_run(&w, &s->d, start, side, &f) && w.end != WALK_LOST;
	if (ends && w.end == WALK_RULE)
		*missing = part_missing(&s->d, &s->d.rule[w.rule]);
	walk_free(&w);
	return ends && !*missing;
}

int dump_source_open_for(struct dump_source *s, const struct args *a, enum side side,
			 const struct seen_packet *p)
{
	uint64_t from = 0, missing = 0;

	for (int asked = 0; asked < 2 && (!asked || from); asked++, from = missing) {
		int ret = dump_source_open_part(s, a, side, from);

		if (ret == DUMP_SOURCE_NOTHING)
			break;
		if (ret || part_suffices(s, side, p, &missing))
			return ret;
		dump_source_close(s);
	}
	return dump_source_open(s, a, NULL);
}
