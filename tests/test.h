/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define UNUSED __attribute__((unused))

struct test {
	const char *name;
	void (*run)(void **state);
	int (*setup)(void **state), (*teardown)(void **state);
	const void *with;
	unsigned int line;
};
void test_add(const struct test *);
void test_group(int (*setup)(void **state), int (*teardown)(void **state));
/* Returns whether the last line of a log, a memfd, contains the text. */
bool test_logged(int log, const char *text);

/*
 * TEST(fixture, name) { ... } defines a test; tests/main.c runs the tests of a program in the order
 * of the file. A fixture is a macro FIXTURE_fixture(name): FIXTURE() with the test's argument,
 * which setup leaves in *state. A fixture with more parameters takes them from TEST(). With
 * FIXTURE_WITH(), setup finds what its kind of fixture needs (`with`) in *state.
 */
#define TEST(fixture, ...) FIXTURE_##fixture(__VA_ARGS__)
#define FIXTURE(name, argument, setup, teardown) FIXTURE_WITH(name, argument, setup, teardown, NULL)
#define FIXTURE_WITH(name, argument, setup, teardown, with)                                   \
	static void name(argument);                                                           \
	static void name##_run(void **state)                                                  \
	{                                                                                     \
		name(*state);                                                                 \
	}                                                                                     \
	__attribute__((constructor)) static void name##_add(void)                             \
	{                                                                                     \
		static struct test is = {#name, name##_run, setup, teardown, with, __LINE__}; \
                                                                                              \
		test_add(&is);                                                                \
	}                                                                                     \
	static void name(UNUSED argument)
#define FIXTURE_none(name) FIXTURE(name, void *no_state, NULL, NULL)
/* Defines setup and teardown of the whole program. Its tests' *state is what setup leaves there. */
#define TEST_GROUP(setup, teardown)                                     \
	__attribute__((constructor)) static void test_group_around(void) \
	{                                                               \
		test_group(setup, teardown);                            \
	}

#endif
