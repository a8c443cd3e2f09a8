/* SPDX-License-Identifier: BSD-2-Clause */
#include "bwlimit.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SECOND	   1e9
#define BURST	   0.1	/* seconds */
#define RATE_LEAST 512	/* as rsync; less is a mistake of units */
#define RATE_MOST  1e18 /* fits into 64 bits */

/* Returns how many bytes the suffix stands for, 0 if it is unknown. */
static double bwlimit_unit(const char *suffix)
{
	static const char letters[] = "bkmgtp";
	const char *at = *suffix ? strchr(letters, *suffix | 0x20) : letters + 1;
	double base = 1024, unit = 1;

	if (!at)
		return 0;
	if (at > letters && !strcasecmp(suffix + !!*suffix, "b"))
		base = 1000;
	else if (*suffix && suffix[1] && (at == letters || strcasecmp(suffix + 1, "ib")))
		return 0;
	while (at-- > letters)
		unit *= base;
	return unit;
}

int bwlimit_parse(const char *arg, uint64_t *rate, struct copy_fault *f)
{
	size_t n = strspn(arg, "0123456789");
	double value, unit;

	if (arg[n] == '.')
		n += 1 + strspn(arg + n + 1, "0123456789");
	value = strtod(arg, NULL);
	unit = bwlimit_unit(arg + n);
	/* strtod() would also take hexadecimal numbers and exponents. */
	if (!n || (n == 1 && *arg == '.') || unit <= 0)
		return copy_fail(f, COPY_USAGE,
				 "--bwlimit=%s: a number of KiB a second, or with a suffix as 1.5m",
				 arg);
	value *= unit;
	if (value > 0 && value < RATE_LEAST)
		return copy_fail(f, COPY_USAGE,
				 "--bwlimit=%s is below 512 bytes a second; 0 is no limit", arg);
	if (value > RATE_MOST)
		return copy_fail(f, COPY_USAGE, "--bwlimit=%s is too large; 0 is no limit", arg);
	*rate = (uint64_t)value;
	return 0;
}

void bwlimit_begin(struct bwlimit *b, uint64_t rate, uint64_t now)
{
	*b = (struct bwlimit){.rate = rate, .tokens = (double)rate * BURST, .last = now};
}

uint64_t bwlimit_wait(struct bwlimit *b, uint64_t now)
{
	double rate = (double)b->rate;

	if (!b->rate)
		return 0;
	b->tokens += rate * (double)(now - b->last) / SECOND;
	if (b->tokens > rate * BURST)
		b->tokens = rate * BURST;
	b->last = now;
	return b->tokens > 0 ? 0 : (uint64_t)(-b->tokens / rate * SECOND) + 1;
}

void bwlimit_spend(struct bwlimit *b, uint64_t bytes)
{
	if (b->rate)
		b->tokens -= (double)bytes;
}
