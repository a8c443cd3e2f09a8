/* SPDX-License-Identifier: BSD-2-Clause */
/* Where dumps come from, and where in them a packet begins. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "explain.h"

static int read_dump(struct source *s, const char *text, size_t len)
{
	struct dump_error err;
	int rc = dump_parse(&s->d, text, len, &err);

	if (rc) {
		if (err.line)
			complain("%s:%u: %s", s->name, err.line, err.text);
		else
			complain("%s: %s", s->name, rc == -EINVAL ? err.text : "no memory");
		return EXIT_INPUT;
	}
	if (s->d.unknown)
		complain("%s:%u: a record of a type that is not known here; %u of such are left out",
			 s->name, s->d.unknown_line, s->d.unknown);
	s->cache = view_cache_new(&s->d);
	if (s->cache)
		return EXIT_DONE;
	complain("%s: no memory", s->name);
	dump_free(&s->d);
	return EXIT_INPUT;
}

int source_open(struct source *s, const struct args *a, const char *path)
{
	char *text;
	size_t len;
	int ret;

	memset(s, 0, sizeof(*s));
	(void)a;
	s->name = path;
	if (file_read(path, &text, &len))
		return EXIT_INPUT;
	ret = read_dump(s, text, len);
	free(text);
	return ret;
}

void source_close(struct source *s)
{
	view_cache_free(s->cache);
	dump_free(&s->d);
}

static bool of_side(const struct dump *d, const struct dump_table *t, enum side side)
{
	return t->has[side] && d->domain[t->domain].type != (side == SIDE_RX ? DOMAIN_NIC_TX : DOMAIN_NIC_RX);
}

/* Whether a rule of another table leads to it. */
static bool led_to(const struct dump *d, const struct dump_table *t, enum side side)
{
	for (uint32_t i = 0; i < d->nentries; i++) {
		const struct dump_entry *e = &d->entry[i];
		const struct dump_matcher *m = &d->matcher[d->rule[e->rule].matcher];
		struct ste s;

		if (e->domain != t->domain || e->side != side || &d->table[m->table] == t)
			continue;
		ste_read(&s, e, NULL);
		if (s.next_entries == 1 && ste_index(s.next) == t->anchor[side])
			return true;
	}
	return false;
}

unsigned int source_starts(const struct dump *d, enum side side, uint32_t *table, unsigned int max)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < d->ntables; i++)
		if (of_side(d, &d->table[i], side) && !led_to(d, &d->table[i], side)) {
			if (n < max)
				table[n] = i;
			n++;
		}
	return n;
}
