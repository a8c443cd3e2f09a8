/* SPDX-License-Identifier: BSD-2-Clause */
#include "number.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DAY 86400

static uint64_t number_take(struct argp_state *state, const char *option, const char *arg,
			    uint64_t least, uint64_t most, const char *units)
{
	unsigned long long v;
	const char *unit;
	char *end;

	errno = 0;
	v = strtoull(arg, &end, 0);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit && end != arg && v <= most) {
		v <<= 10 * (unit - units + 1);
		end++;
	}
	/* strtoull() would accept signs and leading blanks. */
	if (errno || *arg < '0' || *arg > '9' || *end || v < least || v > most)
		argp_error(state, "%s takes a number from %" PRIu64 " to %" PRIu64 ", not \"%s\"",
			   option, least, most, arg);
	return v;
}

uint64_t cli_number(struct argp_state *state, const char *option, const char *arg, uint64_t least,
		    uint64_t most)
{
	return number_take(state, option, arg, least, most, "");
}

uint64_t cli_size(struct argp_state *state, const char *option, const char *arg, uint64_t least,
		  uint64_t most)
{
	return number_take(state, option, arg, least, most, "KMG");
}

double cli_seconds(struct argp_state *state, const char *option, const char *arg, double least)
{
	char *end;
	double v = strtod(arg, &end);

	if (end == arg || *end || !(v >= least && v <= DAY))
		argp_error(state, "%s takes %g to %d seconds, not \"%s\"", option, least, DAY, arg);
	return v;
}
