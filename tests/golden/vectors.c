/* SPDX-License-Identifier: BSD-2-Clause */
#include "cases.h"

/* For each work request libdvx writes the bytes that the kept vector has, which others wrote. */
static void same_as_kept(void **state)
{
	const struct golden_case *c = *state;
	const char *dir = getenv("top_srcdir");
	struct golden_wqe theirs, ours;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/golden/wqe/%s.hex", dir ? dir : ".", c->name);
	if (golden_read(path, &theirs))
		fail_msg("%s: no vector", path);
	golden_dvx_like(c, &theirs, &ours);
	golden_compare(c->name, &theirs, &ours);
}

int main(void)
{
	struct CMUnitTest tests[GOLDEN_CASES] = {0};
	size_t i;

	for (i = 0; i < golden_count; i++) {
		tests[i].name = golden_cases[i].name;
		tests[i].test_func = same_as_kept;
		tests[i].initial_state = (void *)(uintptr_t)&golden_cases[i];
	}
	return _cmocka_run_group_tests("vectors", tests, golden_count, NULL, NULL);
}
