/* SPDX-License-Identifier: BSD-2-Clause */
#include "json.h"

#include <inttypes.h>
#include <stdio.h>
#include "cli.h"
#include "say.h"

int json_out(json_t *root)
{
	int err = !root || json_dumpf(root, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII) ||
		  putchar('\n') == EOF;

	json_decref(root);
	if (err && !ferror(stdout)) /* of which cli_main() tells */
		say("there is no memory for the JSON");
	return err ? EXIT_INPUT : EXIT_DONE;
}

json_t *json_number(uint64_t v)
{
	return v >> 53 ? json_sprintf("0x%" PRIx64, v) : json_integer((json_int_t)v);
}
