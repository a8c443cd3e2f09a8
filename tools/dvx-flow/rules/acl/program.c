/* SPDX-License-Identifier: BSD-2-Clause */
/* The program that is being made, and its cost. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"
#include "rules/arena.h"

int acl_table_add(struct acl_program *p)
{
	if (!array_grow((void **)&p->table, p->n, &p->room, sizeof(*p->table)))
		return -ENOMEM;
	p->table[p->n] = (struct acl_table){.n = 0};
	return (int)p->n++;
}

int acl_list_add(struct acl_program *p, const struct acl_list *list)
{
	if (!array_grow((void **)&p->list, p->nlists, &p->list_room, sizeof(*p->list)))
		return -ENOMEM;
	p->list[p->nlists] = *list;
	return (int)p->nlists++;
}

int acl_matcher_add(struct acl_program *p, int table, const struct shape *shape)
{
	struct acl_table *t = &p->table[table];
	struct shape *kept = arena_get(p->memory, sizeof(*kept));

	if (!kept || !array_grow((void **)&t->matcher, t->n, &t->room, sizeof(*t->matcher)))
		return -ENOMEM;
	*kept = *shape;
	t->matcher[t->n] = (struct acl_matcher){.shape = kept};
	return (int)t->n++;
}

int acl_entry_add(struct acl_program *p, int table, const uint64_t *value, uint32_t list,
		  uint32_t next, uint32_t rule)
{
	struct acl_table *t = &p->table[table];
	struct acl_matcher *m = &t->matcher[t->n - 1];
	size_t bytes = m->shape->n * sizeof(*value);
	uint64_t *kept = arena_get(p->memory, bytes + 1);

	if (!kept || !array_grow((void **)&m->entry, m->n, &m->room, sizeof(*m->entry)))
		return -ENOMEM;
	memcpy(kept, value, bytes);
	m->entry[m->n++] = (struct acl_entry){kept, list, next, rule};
	return 0;
}

int acl_all_add(struct acl_program *p, int table, uint32_t list, uint32_t next, uint32_t rule)
{
	static const struct shape all = {.n = 0};
	static const uint64_t none;
	int ret = acl_matcher_add(p, table, &all);

	return ret < 0 ? ret : acl_entry_add(p, table, &none, list, next, rule);
}

void acl_free(struct acl_program *p)
{
	for (size_t t = 0; t < p->n; t++) {
		for (size_t m = 0; m < p->table[t].n; m++)
			free(p->table[t].matcher[m].entry);
		free(p->table[t].matcher);
	}
	free(p->table);
	free(p->list);
	arena_free(p->memory);
	*p = (struct acl_program){0};
}

/* The path of packets from a table on. Tables are counted from the last one. */
struct acl_path {
	size_t longest;
	double mean;
};

static void acl_table_path(const struct acl_table *t, size_t at, struct acl_path *path)
{
	struct acl_path *p = &path[at];
	size_t entries = 0;

	for (size_t m = 0; m < t->n; m++)
		for (size_t e = 0; e < t->matcher[m].n; e++) {
			uint32_t next = t->matcher[m].entry[e].next;
			struct acl_path on = next == ACL_NONE ? (struct acl_path){0} : path[next];

			if (m + 1 + on.longest > p->longest)
				p->longest = m + 1 + on.longest;
			p->mean += (double)(m + 1) + on.mean;
			entries++;
		}
	p->mean /= entries ? (double)entries : 1;
}

int acl_cost(const struct acl_program *p, struct acl_cost *out)
{
	struct acl_path *path = calloc(p->n + 1, sizeof(*path));

	*out = (struct acl_cost){.tables = p->n, .lists = p->nlists};
	for (size_t t = p->n; path && t-- > 0;) {
		acl_table_path(&p->table[t], t, path);
		out->matchers += p->table[t].n;
		for (size_t m = 0; m < p->table[t].n; m++)
			out->entries += p->table[t].matcher[m].n;
	}
	out->longest_path = path ? path[0].longest : 0;
	out->mean_path = path ? path[0].mean : 0;
	free(path);
	return path ? 0 : -ENOMEM;
}

uint32_t acl_levels(const struct acl_program *p, uint32_t *level)
{
	uint32_t most = 0;

	memset(level, 0, p->n * sizeof(*level));
	for (size_t t = 0; t < p->n; t++)
		for (size_t m = 0; m < p->table[t].n; m++)
			for (size_t e = 0; e < p->table[t].matcher[m].n; e++) {
				uint32_t next = p->table[t].matcher[m].entry[e].next;

				if (next == ACL_NONE)
					continue;
				if (level[next] <= level[t])
					level[next] = level[t] + 1;
				most = level[next] > most ? level[next] : most;
			}
	return most;
}
