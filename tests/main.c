/* SPDX-License-Identifier: BSD-2-Clause */
#include "test.h"

#define MOST 64u

static const struct test *tests[MOST];
static size_t ntests;
static int (*group_setup)(void **), (*group_teardown)(void **);

/* Compilers choose the order in which constructors run. */
void test_add(const struct test *t)
{
	size_t i = ntests++;

	if (ntests > MOST)
		abort();
	for (; i && tests[i - 1]->line > t->line; i--)
		tests[i] = tests[i - 1];
	tests[i] = t;
}

void test_group(int (*setup)(void **), int (*teardown)(void **))
{
	group_setup = setup;
	group_teardown = teardown;
}

/* With an argument, only the tests that match it run. */
int main(int argc, char **argv)
{
	struct CMUnitTest all[MOST] = {0};

	if (!ntests) /* TAP's 1..0 is a skip */
		abort();
	for (size_t i = 0; i < ntests; i++)
		all[i] = (struct CMUnitTest){.name = tests[i]->name,
					     .test_func = tests[i]->run,
					     .setup_func = tests[i]->setup,
					     .teardown_func = tests[i]->teardown,
					     .initial_state = (void *)(uintptr_t)tests[i]->with};
	cmocka_set_test_filter(argc > 1 ? argv[1] : NULL);
	return _cmocka_run_group_tests("tests", all, ntests, group_setup, group_teardown);
}
