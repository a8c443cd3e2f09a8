/* SPDX-License-Identifier: BSD-2-Clause */
/* Budgets of dvx-sim stat: a line CLASS COLUMN MOST for each cost that a message may not exceed. */
#include "stat.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tools/cli/message.h"

#define BUDGETS 64u
#define SLACK	1e-6 /* of sums of fractions */

static struct budget {
	unsigned int class, line;
	const struct stat_column *column;
	double most;
} budgets[BUDGETS];
static unsigned int nbudgets;

/* Returns the next word of a line, its length, and where the rest begins. */
static const char *budget_word(const char **rest, size_t *len)
{
	const char *at = *rest + strspn(*rest, " \t");

	*len = strcspn(at, " \t\r\n#");
	*rest = at + *len;
	return at;
}

/* Reads a line. Returns NULL, or what was expected at *at. */
static const char *budget_line(const char *line, struct budget *b, const char **at)
{
	const char *rest = line;
	size_t len;
	char *end;

	*at = budget_word(&rest, &len);
	b->class = stat_class_named(*at, len);
	if (b->class == STAT_CLASSES)
		return "a class of messages: send, write, read, atomic, datagram, raw, local or "
		       "receive";
	*at = budget_word(&rest, &len);
	b->column = stat_column_named(*at, len);
	if (!b->column || b->column->kind != STAT_COST)
		return "a cost: up_bytes, down_bytes, up_tlps, rnr... (dvx-sim(1) has all)";
	*at = budget_word(&rest, &len);
	b->most = strtod(*at, &end);
	if (end != *at + len || !len || !(b->most >= 0) || isinf(b->most))
		return "a number, the most that a message may cost";
	*at = budget_word(&rest, &len);
	return len ? "the end of the line" : NULL;
}

static bool budget_is_empty(const char *line)
{
	line += strspn(line, " \t\r\n");
	return !*line || *line == '#';
}

static bool budget_take(const char *path, const char *line, unsigned int number)
{
	const char *at = line, *expected;

	if (nbudgets == BUDGETS)
		expected = "at most 64 budgets";
	else
		expected = budget_line(line, &budgets[nbudgets], &at);
	if (expected) {
		message_print("%s:%u:%zu: expected %s", path, number, (size_t)(at - line) + 1,
			      expected);
		return false;
	}
	budgets[nbudgets++].line = number;
	return true;
}

bool stat_budget_read(const char *path)
{
	FILE *f = fopen(path, "re");
	unsigned int number = 0;
	size_t size = 0;
	char *line = NULL;
	bool ok = f != NULL;

	if (!f)
		message_print("can't read %s: %s", path, strerror(errno));
	while (ok && getline(&line, &size, f) >= 0) {
		number++;
		ok = budget_is_empty(line) || budget_take(path, line, number);
	}
	if (ok && ferror(f)) {
		message_print("can't read %s: %s", path, strerror(errno));
		ok = false;
	}
	free(line);
	if (f)
		fclose(f);
	return ok;
}

static const struct stat_line *budget_class(const struct stat_result *r, unsigned int class)
{
	for (size_t i = r->nqueues; i < r->nlines; i++)
		if (r->lines[i].class == class)
			return &r->lines[i];
	return NULL;
}

/* A class without messages costs nothing; a column that does not apply neither. */
unsigned int stat_budget_check(const struct stat_result *r)
{
	unsigned int over = 0;

	for (unsigned int i = 0; i < nbudgets; i++) {
		const struct budget *b = &budgets[i];
		const struct stat_line *l = budget_class(r, b->class);
		const double cost = l ? b->column->of(l).most : 0;

		if (!(cost > b->most + SLACK))
			continue;
		over++;
		message_print("over budget: %s %s is %.6g a message, the most is %.6g (line %u)",
			      stat_class_name(b->class), b->column->key, cost, b->most, b->line);
	}
	return over;
}
