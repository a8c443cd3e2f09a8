/* SPDX-License-Identifier: BSD-2-Clause */
#include "option.h"

#include <string.h>
#include "number.h"

static void option_put_number(const struct cli_option *o, uint64_t v, void *field)
{
	uint32_t small = (uint32_t)v; /* fits: o->most does */

	memcpy(field, o->bytes == sizeof(v) ? (void *)&v : (void *)&small, o->bytes);
}

void cli_take(const struct cli_option *o, const char *name, const char *arg,
	      struct argp_state *state, void *args)
{
	void *field = (char *)args + o->at;

	switch (o->kind) {
	case CLI_KIND_TRUE:
		*(bool *)field = true;
		return;
	case CLI_KIND_TEXT:
		*(const char **)field = arg;
		return;
	case CLI_KIND_NUMBER:
		option_put_number(o, cli_number(state, name, arg, o->least, o->most), field);
		return;
	case CLI_KIND_SIZE:
		option_put_number(o, cli_size(state, name, arg, o->least, o->most), field);
		return;
	case CLI_KIND_SECONDS:
		*(double *)field = cli_seconds(state, name, arg, (double)o->least / 1000);
		return;
	}
}
