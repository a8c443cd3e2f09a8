/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds rules to a generated access list one by one, each where it stands in a longer list of the same
 * kind, and prints how many entries the device was given: the median, the 95th percentile, the most,
 * and apart from these how many edits built all rules anew. Usage:
 * flow_inserts STATE-FILE SHAPE RULES EDITS (acl_sets.h has the shapes)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/dvx.h>

#include "tests/flow/acl_sets.h"
#include "daemon/holder.h"

static struct holder h;

static void inserts_fault(const char *what, const struct flow_fault *f)
{
	fprintf(stderr, "flow_inserts: %s: %s\n", what, f->text);
	exit(1);
}

/* The lines of a set, and which of them are in effect. */
struct inserts {
	char **line;
	bool *there;
	size_t n;
};

static void inserts_split(struct inserts *s, char *text, size_t most)
{
	s->line = calloc(most + 1, sizeof(*s->line));
	s->there = calloc(most + 1, sizeof(*s->there));
	if (!s->line || !s->there)
		exit(1);
	for (char *p = strtok(text, "\n"); p && s->n < most; p = strtok(NULL, "\n")) {
		s->there[s->n] = true;
		s->line[s->n++] = p;
	}
}

static void inserts_apply(const struct inserts *s)
{
	struct flow_fault f = {0};
	char *text = calloc(s->n, 512);
	size_t len = 0;

	for (size_t i = 0; i < s->n && text; i++)
		if (s->there[i])
			len += (size_t)sprintf(text + len, "%s\n", s->line[i]);
	if (!text || holder_apply(&h, text, len, NULL, NULL, NULL, &f))
		inserts_fault("apply", &f);
	free(text);
}

/* Where the line stands among the rules in effect. */
static size_t inserts_place(const struct inserts *s, size_t line)
{
	size_t at = 0;

	for (size_t i = 0; i < line; i++)
		at += s->there[i];
	return at;
}

static void inserts_add(struct inserts *s, size_t line)
{
	struct flow_msg words = {.body = s->line[line], .body_len = strlen(s->line[line])};
	struct flow_fault f = {0};

	if (holder_edit(&h, NULL, (struct holder_place){inserts_place(s, line), 0}, &words, NULL,
			NULL, &f))
		inserts_fault(s->line[line], &f);
	s->there[line] = true;
}

static int inserts_by_size(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return (one > other) - (one < other);
}

static size_t inserts_pick(const struct inserts *s, struct dice *d, bool there)
{
	size_t i;

	do
		i = dice_roll(d, (uint32_t)s->n);
	while (s->there[i] != there);
	return i;
}

int main(int argc, char **argv)
{
	enum acl_shape shape = argc > 2 ? (enum acl_shape)atoi(argv[2]) : ACL_SHAPE;
	uint32_t rules = argc > 3 ? (uint32_t)atoi(argv[3]) : 100, n = 0, anew = 0;
	uint32_t edits = argc > 4 ? (uint32_t)atoi(argv[4]) : 10;
	uint32_t *written = calloc(edits + 1, sizeof(*written));
	struct dice d = {1};
	struct inserts s = {0};

	if (argc < 2 || !written || dvx_dev_open(NULL, &h.base.dev))
		return 1;
	h.state = argv[1];
	inserts_split(&s, acl_set_text(shape, rules + edits, 1), rules + edits);
	for (uint32_t i = 0; i < edits; i++)
		s.there[inserts_pick(&s, &d, true)] = false;
	inserts_apply(&s);
	for (uint32_t i = 0; i < edits; i++) {
		inserts_add(&s, inserts_pick(&s, &d, false));
		anew += h.rebuilt;
		if (!h.rebuilt)
			written[n++] = (uint32_t)h.written;
	}
	qsort(written, n, sizeof(*written), inserts_by_size);
	printf("shape %d, %u rules, %s: %u added in place, entries written: median %u, 95th "
	       "percentile "
	       "%u, most %u; %u built all anew\n",
	       (int)shape, rules, generation_cost(h.now)->compiled[RULE_IN], n,
	       n ? written[n / 2] : 0, n ? written[n * 95 / 100] : 0, n ? written[n - 1] : 0, anew);
	return 0; /* all objects end with the process */
}
