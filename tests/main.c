/* SPDX-License-Identifier: BSD-2-Clause */
#include "test.h"
#include <unistd.h>

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

bool test_logged(int log, const char *text)
{
	char tail[4096] = "", *line;
	off_t from = lseek(log, 0, SEEK_END) - (off_t)sizeof(tail) + 1;
	ssize_t n = pread(log, tail, sizeof(tail) - 1, from > 0 ? from : 0);

	if (n <= 0)
		return false;
	tail[n - (tail[n - 1] == '\n')] = 0;
	line = strrchr(tail, '\n');
	return strstr(line ? line : tail, text);
}

int main(void)
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
	return _cmocka_run_group_tests("tests", all, ntests, group_setup, group_teardown);
}
