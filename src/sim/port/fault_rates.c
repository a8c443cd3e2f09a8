/* SPDX-License-Identifier: BSD-2-Clause */
#include "fault_rates.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAULT_ITEM 64u

enum fault_kind { FAULT_RATE, FAULT_TIME, FAULT_NUMBER };

static const struct {
	const char *name;
	enum fault_kind kind;
	size_t at;
} fault_words[] = {
	{"drop", FAULT_RATE, offsetof(struct fault_rates, drop)},
	{"dup", FAULT_RATE, offsetof(struct fault_rates, dup)},
	{"reorder", FAULT_RATE, offsetof(struct fault_rates, reorder)},
	{"corrupt", FAULT_RATE, offsetof(struct fault_rates, corrupt)},
	{"delay", FAULT_TIME, offsetof(struct fault_rates, delay)},
	{"seed", FAULT_NUMBER, offsetof(struct fault_rates, seed)},
};
#define FAULT_WORDS (sizeof(fault_words) / sizeof(fault_words[0]))

static const struct {
	const char *name;
	double ns;
} fault_units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

static const char *const fault_wants[] = {
	[FAULT_RATE] = "a share of packets from 0 to 1, or with %",
	[FAULT_TIME] = "a time up to 60s, with ns, us, ms or s",
	[FAULT_NUMBER] = "a number that is not 0",
};

/* Parses a number as strtod() does. It must begin with a digit: no sign, no space, no "nan". */
static const char *fault_number(const char *text, double *v)
{
	char *end;

	if (*text < '0' || *text > '9' || text[1] == 'x')
		return NULL;
	*v = strtod(text, &end);
	return end;
}

static int fault_rate(const char *text, void *to)
{
	double v;
	const char *end = fault_number(text, &v);
	uint32_t rate;

	if (end && !strcmp(end, "%"))
		v /= 100;
	else if (!end || *end)
		return -1;
	if (!(v >= 0 && v <= 1))
		return -1;
	rate = (uint32_t)(v * FAULT_ONE + .5);
	memcpy(to, &rate, sizeof(rate));
	return 0;
}

static int fault_time(const char *text, void *to)
{
	double v;
	const char *end = fault_number(text, &v);
	uint64_t ns;

	for (size_t i = 0; end && i < sizeof(fault_units) / sizeof(fault_units[0]); i++) {
		if (strcmp(end, fault_units[i].name) ||
		    !(v * fault_units[i].ns <= (double)FAULT_DELAY_MOST))
			continue;
		ns = (uint64_t)(v * fault_units[i].ns);
		memcpy(to, &ns, sizeof(ns));
		return 0;
	}
	return -1;
}

static int fault_seed(const char *text, void *to)
{
	uint64_t v;
	char *end;

	errno = 0;
	v = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || !v)
		return -1;
	memcpy(to, &v, sizeof(v));
	return 0;
}

static int fault_item(struct fault_rates *r, const char *item, size_t len, char *why)
{
	static int (*const parse[])(const char *, void *) = {
		[FAULT_RATE] = fault_rate, [FAULT_TIME] = fault_time, [FAULT_NUMBER] = fault_seed};
	char text[FAULT_ITEM], *value;

	snprintf(text, sizeof(text), "%.*s", (int)(len < sizeof(text) ? len : sizeof(text)), item);
	value = strchr(text, '=');
	if (value)
		*value++ = 0;
	for (size_t i = 0; value && i < FAULT_WORDS; i++) {
		enum fault_kind kind = fault_words[i].kind;

		if (strcmp(text, fault_words[i].name))
			continue;
		if (len < sizeof(text) && !parse[kind](value, (char *)r + fault_words[i].at))
			return 0;
		snprintf(why, FAULT_WHY, "%s must be %s, not \"%.40s\"", text, fault_wants[kind],
			 value);
		return -1;
	}
	snprintf(why, FAULT_WHY,
		 "\"%.40s\" is none of drop=P, dup=P, reorder=P, corrupt=P, delay=T, seed=N", text);
	return -1;
}

int fault_rates_parse(struct fault_rates *rates, const char *text, char why[FAULT_WHY])
{
	struct fault_rates r = {.seed = 1};

	for (;;) {
		size_t len = strcspn(text, ",");

		if (fault_item(&r, text, len, why))
			return -1;
		if (!text[len])
			break;
		text += len + 1;
	}
	*rates = r;
	return 0;
}
