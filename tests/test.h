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

/*
 * TEST(name) { ... } defines a test; tests/main.c runs the tests of a program in the order of the
 * file. TEST_F() also runs the file's TEST_FIXTURE, {setup, teardown}, which provides *state.
 */
struct fixture {
	int (*setup)(void **state), (*teardown)(void **state);
};

struct test {
	const char *name;
	void (*run)(void **state);
	struct fixture around;
	unsigned int line;
};
void test_add(const struct test *);
void test_group(int (*setup)(void **state), int (*teardown)(void **state));

#define UNUSED __attribute__((unused))
#define TEST_WITH(name, ...)                                                                   \
	static void name(void **state);                                                        \
	__attribute__((constructor)) static void name##_add(void)                              \
	{                                                                                      \
		static const struct test name##_is = {#name, name, __VA_ARGS__, __LINE__};             \
                                                                                               \
		test_add(&name##_is);                                                                  \
	}                                                                                      \
	static void name(UNUSED void **state)
#define TEST(name)		 TEST_WITH(name, {NULL, NULL})
#define TEST_F(name)		 TEST_WITH(name, TEST_FIXTURE)
/* Defines a test with *state as its argument: TEST_ON(name, struct rig *r, {setup, teardown}). */
#define TEST_ON(name, state_arg, ...)     \
	static void name##_on(state_arg); \
	TEST_WITH(name, __VA_ARGS__)      \
	{                                 \
		name##_on(*state);        \
	}                                 \
	static void name##_on(state_arg)
/* Defines a test with *state as a TYPE *ARG; other tests can call its body, NAME_of(). */
#define TEST_OF(name, type, arg, ...)     \
	static void name##_of(type *arg); \
	TEST_WITH(name, __VA_ARGS__)      \
	{                                 \
		name##_of(*state);        \
	}                                 \
	static void name##_of(type *arg)
/* Defines setup and teardown of the whole program. */
#define TEST_GROUP(setup, teardown)                                     \
	__attribute__((constructor)) static void test_group_around(void) \
	{                                                               \
		test_group(setup, teardown);                            \
	}

#endif
