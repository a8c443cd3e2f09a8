/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages that the preloads of a program's processes send. */
#include "dvx-check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Object files of a process, by what their addresses are above those of the file. */
struct module {
	struct module *next;
	uint32_t pid;
	uint64_t base;
	char path[CHECK_PATH];
};
static struct module *modules;

static void module_take(const struct check_module *m)
{
	struct module *new = calloc(1, sizeof(*new));

	if (!new)
		return;
	*new = (struct module){.next = modules, .pid = m->h.pid, .base = m->base};
	memcpy(new->path, m->path, sizeof(new->path) - 1);
	modules = new;
}

static const char *module_path(uint32_t pid, uint64_t base)
{
	const struct module *m = modules;

	while (m && (m->pid != pid || m->base != base))
		m = m->next;
	return m ? m->path : NULL;
}

/* Finds a place: the innermost frame that is not an inline function of verbs. */
static void place_find(struct place *p, uint32_t pid, const struct check_address *frames)
{
	for (unsigned int i = 0; i < CHECK_FRAMES; i++) {
		struct place at = {.module = module_path(pid, frames[i].base),
				   .offset = frames[i].offset};

		if (!at.offset || !at.module)
			return;
		symbol_find(at.module, at.offset, &at.symbol);
		*p = at;
		if (!at.symbol.verbs)
			return;
	}
}

static const struct found *finding_take(struct findings *all, const struct check_finding *m)
{
	struct found *rows, *f;

	if (m->kind >= CHECK_KINDS)
		return NULL;
	rows = realloc(all->rows, (all->n + 1) * sizeof(*rows));
	if (!rows)
		return NULL;
	all->rows = rows;
	f = &rows[all->n++];
	*f = (struct found){.m = *m, .count = 1};
	for (unsigned int i = 0; i < 2; i++)
		place_find(&f->place[i], m->h.pid, m->place[i]);
	f->suppressed = suppress_hits(kind_row(m->kind)->name, f->place);
	return f->suppressed ? NULL : f;
}

static void count_take(struct findings *all, const struct check_count *m)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->rows[i].m.h.pid == m->h.pid && all->rows[i].m.id == m->id)
			all->rows[i].count = m->count;
}

const struct found *findings_take(struct findings *all, const struct check_header *h)
{
	switch (h->type) {
	case CHECK_HELLO:
		all->opened = true;
		all->blind |= ((const struct check_hello *)h)->blind;
		return NULL;
	case CHECK_MODULE:
		module_take((const struct check_module *)h);
		return NULL;
	case CHECK_FINDING:
		return finding_take(all, (const struct check_finding *)h);
	case CHECK_COUNT:
		count_take(all, (const struct check_count *)h);
		return NULL;
	default:
		return NULL;
	}
}

size_t findings_count(const struct findings *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += !all->rows[i].suppressed;
	return n;
}

void findings_free(struct findings *all)
{
	struct module *m;

	free(all->rows);
	while ((m = modules)) {
		modules = m->next;
		free(m);
	}
}
