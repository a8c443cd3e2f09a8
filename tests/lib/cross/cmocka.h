/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of cmocka that tests use which aarch64.sh builds for another machine. Debian has cmocka
 * for the machine it runs on; that of another architecture can't be installed without changing the
 * user's dpkg. Same names and meaning, TAP as output; a test ends at its first failed assertion.
 */
#ifndef TESTS_CROSS_CMOCKA_H
#define TESTS_CROSS_CMOCKA_H

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct CMUnitTest {
	const char *name;
	void (*test_func)(void **state);
	int (*setup_func)(void **state), (*teardown_func)(void **state);
	void *initial_state;
};

__attribute__((weak)) jmp_buf cross_failed; /* one for all files of a program */

#define print_message(...) printf("# " __VA_ARGS__)
#define fail_msg(...)                                    \
	do {                                             \
		printf("# %s:%d: ", __FILE__, __LINE__); \
		printf(__VA_ARGS__);                     \
		putchar('\n');                           \
		longjmp(cross_failed, 1);                \
	} while (0)

#define assert_true(c)                      \
	do {                                \
		if (!(c))                   \
			fail_msg("%s", #c); \
	} while (0)
#define assert_false(c)		     assert_true(!(c))
#define assert_null(p)		     assert_true(!(p))
#define assert_non_null(p)	     assert_true(p)

#define assert_int_equal(a, b)	     cross_equal((uint64_t)(a), (uint64_t)(b), #a, __FILE__, __LINE__)
#define assert_ptr_equal(a, b)	     cross_equal((uintptr_t)(a), (uintptr_t)(b), #a, __FILE__, __LINE__)
#define assert_memory_equal(a, b, n) assert_true(!memcmp(a, b, n))
#define assert_string_equal(a, b)    assert_true(!strcmp(a, b))

static inline void cross_equal(uint64_t a, uint64_t b, const char *what, const char *file, int line)
{
	if (a == b)
		return;
	printf("# %s:%d: %s is %#jx, not %#jx\n", file, line, what, (uintmax_t)a, (uintmax_t)b);
	longjmp(cross_failed, 1);
}

#define cmocka_set_test_filter(pattern) (void)(pattern)

/* Runs tests that have no fixture. */
#define _cmocka_run_group_tests(group, tests, n, up, down) cross_run(tests, n)
static inline int cross_run(const struct CMUnitTest *tests, size_t n)
{
	static int failures;
	static size_t i;
	void *state;

	printf("1..%zu\n", n);
	for (i = 0; i < n; i++) {
		if (setjmp(cross_failed)) {
			failures++;
			printf("not ok %zu - %s\n", i + 1, tests[i].name);
			continue;
		}
		state = tests[i].initial_state;
		tests[i].test_func(&state);
		printf("ok %zu - %s\n", i + 1, tests[i].name);
	}
	return failures;
}

#endif
