/* SPDX-License-Identifier: BSD-2-Clause */
#include "names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define LONGEST 63

static unsigned int names_min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static char names_lower(const char *s, size_t i)
{
	return (char)tolower((unsigned char)s[i]);
}

unsigned int name_distance(const char *a, const char *b)
{
	unsigned int rows[3][LONGEST + 1];
	unsigned int *before = rows[0], *last = rows[1], *row = rows[2], *spare;
	size_t na = strnlen(a, LONGEST), nb = strnlen(b, LONGEST);

	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned int)j;
	for (size_t i = 1; i <= na; i++) {
		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned int change = names_lower(a, i - 1) != names_lower(b, j - 1);

			row[j] =
				names_min(last[j - 1] + change, names_min(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && names_lower(a, i - 1) == names_lower(b, j - 2) &&
			    names_lower(a, i - 2) == names_lower(b, j - 1))
				row[j] = names_min(row[j], before[j - 2] + 1);
		}
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[nb];
}

/*
 * Rates a candidate. A part of a longer name ("mkey") and almost its beginning ("wqe_ctlr") are
 * near, too.
 */
static unsigned int names_score(const char *wanted, const char *candidate)
{
	unsigned int d = name_distance(wanted, candidate);
	size_t n = strnlen(wanted, LONGEST);
	unsigned int reach = n < 6 ? 2 : (unsigned int)n / 3;
	char head[LONGEST + 1];

	if (n >= 3 && strstr(candidate, wanted))
		return 1 + (unsigned int)(strlen(candidate) - n) / 8;
	if (n >= 4 && strlen(candidate) > n) {
		snprintf(head, sizeof(head), "%.*s", (int)n, candidate);
		d = names_min(d, name_distance(wanted, head) + 1);
	}
	return d <= reach ? d : LONGEST;
}

void near_offer(struct near *n, const char *wanted, const char *candidate)
{
	unsigned int d = names_score(wanted, candidate);
	size_t at = n->count;

	if (d >= LONGEST)
		return;
	while (at && n->distance[at - 1] > d)
		at--;
	if (at == NAMES_NEAR)
		return;
	if (n->count < NAMES_NEAR)
		n->count++;
	for (size_t i = n->count - 1; i > at; i--) {
		n->name[i] = n->name[i - 1];
		n->distance[i] = n->distance[i - 1];
	}
	n->name[at] = candidate;
	n->distance[at] = d;
}

const char *near_text(const struct near *n, char *buf, size_t size)
{
	size_t used = 0;

	buf[0] = 0;
	for (size_t i = 0; i < n->count && used < size; i++) {
		const char *lead = !i ? " (did you mean " : i + 1 < n->count ? ", " : " or ";

		used += (size_t)snprintf(buf + used, size - used, "%s%s", lead, n->name[i]);
	}
	if (n->count && used < size)
		snprintf(buf + used, size - used, "?)");
	return buf;
}
