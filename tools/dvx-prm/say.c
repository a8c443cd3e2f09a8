/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include "dvx-prm.h"

void say(const char *fmt, ...)
{
	va_list ap;

	fputs("dvx-prm: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

int json_put(json_t *root)
{
	int err = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);

	json_decref(root);
	putchar('\n');
	return err ? EXIT_INPUT : EXIT_DONE;
}

json_t *json_number(uint64_t v)
{
	return v >> 53 ? json_sprintf("0x%llx", (unsigned long long)v)
		       : json_integer((json_int_t)v);
}
