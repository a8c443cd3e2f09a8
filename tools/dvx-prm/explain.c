/* SPDX-License-Identifier: BSD-2-Clause */
#include "explain.h"

#include <stdlib.h>
#include "input.h"

static int explain_input(struct hex *hex, const char *path, const struct wanted *wanted,
			 const struct prm_args *a, struct explain_out *out)
{
	size_t found, len = 0;
	char *text = input_text(hex, path, &len);
	int err = text ? hex_parse_some(hex, text, len, a->words) : -1;

	if (err && !hex->none) {
		free(text);
		return EXIT_INPUT;
	}
	found = explain_text(hex, text, len, wanted, a, out);
	free(text);
	return found ? EXIT_DONE : EXIT_NO;
}

int prm_cmd_explain(const struct prm_args *a)
{
	const char *path = a->argc ? a->argv[0] : NULL;
	struct explain_out out = {.text = stdout};
	struct wanted wanted;
	struct hex hex;
	int rc;

	if (wish_read(&wanted, a->as))
		return EXIT_USAGE;
	if (a->json)
		out.all = json_array();
	rc = explain_input(&hex, path, &wanted, a, &out);
	if (rc == EXIT_INPUT) {
		json_decref(out.all);
		input_fail(&hex, path);
		return rc;
	}
	hex_free(&hex);
	return a->json && json_out(out.all) ? EXIT_INPUT : rc;
}
