/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdarg.h>
#include <stdio.h>

#include "dvx-flow.h"

void complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("dvx-flow: ", stderr);
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
