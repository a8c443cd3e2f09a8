/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include "dvx-info.h"

void complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("dvx-info: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
}

int json_out(json_t *root)
{
	int err = !root || json_dumpf(root, stdout, JSON_INDENT(2)) || putchar('\n') == EOF ||
		  fflush(stdout);

	json_decref(root);
	if (err)
		complain("the JSON cannot be written");
	return err ? EXIT_INPUT : EXIT_DONE;
}

json_t *json_word(uint64_t v)
{
	char hex[24];

	if (v <= 1ull << 53)
		return json_integer((json_int_t)v);
	snprintf(hex, sizeof(hex), "0x%" PRIx64, v);
	return json_string(hex);
}
