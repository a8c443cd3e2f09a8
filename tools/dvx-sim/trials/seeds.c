/* SPDX-License-Identifier: BSD-2-Clause */
/* run --seeds: runs a command once for each seed of a hostile device, and prints how many fail. */
#include "many.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include "tools/cli/json.h"

#define LIMIT (60 * MANY_SECOND)

static bool seeds_failed(const struct many_run *r)
{
	return r->end != MANY_EXITED || r->code;
}

/* Prints each end that the runs have, with its seeds. */
static void seeds_print(const struct many_run *runs, size_t n, size_t failed)
{
	char how[64], other[64];

	for (size_t i = 0; i < n; i++) {
		bool first = true;

		many_describe(&runs[i], how, sizeof(how));
		for (size_t j = 0; j < i && first; j++) {
			many_describe(&runs[j], other, sizeof(other));
			first = strcmp(how, other) != 0;
		}
		if (!first || !seeds_failed(&runs[i]))
			continue;
		printf("%s: seed", how);
		for (size_t j = i; j < n; j++) {
			many_describe(&runs[j], other, sizeof(other));
			if (!strcmp(how, other))
				printf(" %s", runs[j].hostile);
		}
		putchar('\n');
	}
	printf("%zu of %zu seeds fail (%.0f%%)\n", failed, n, 100.0 * (double)failed / (double)n);
}

static int seeds_print_json(const struct many_run *runs, size_t n, size_t failed)
{
	json_t *list = json_array();
	char how[64];

	for (size_t i = 0; i < n; i++) {
		many_describe(&runs[i], how, sizeof(how));
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:b, s:f, s:o}", "seed", runs[i].hostile,
					"result", how, "failed", seeds_failed(&runs[i]), "seconds",
					(double)runs[i].ns / MANY_SECOND, "output",
					json_text(runs[i].text, strlen(runs[i].text))));
	}
	return json_out(json_pack("{s:I, s:I, s:o}", "seeds", (json_int_t)n, "failed",
				  (json_int_t)failed, "runs", list));
}

int seeds_run(const struct sim_args *a)
{
	const size_t n = (size_t)(a->last_seed - a->seeds + 1);
	struct many_run *runs = many_new(n);
	size_t failed = 0;
	int rc;

	if (!runs)
		return EXIT_SELF;
	for (size_t i = 0; i < n; i++)
		snprintf(runs[i].hostile, sizeof(runs[i].hostile), "%" PRIu64, a->seeds + i);
	many_run_all(a, runs, n, a->hang_after ? a->hang_after * MANY_SECOND : LIMIT, seeds_failed);
	for (size_t i = 0; i < n; i++)
		failed += seeds_failed(&runs[i]);
	rc = failed ? EXIT_NO : EXIT_DONE;
	if (!a->json)
		seeds_print(runs, n, failed);
	else if (seeds_print_json(runs, n, failed))
		rc = EXIT_SELF;
	many_free(runs, n);
	return rc;
}
