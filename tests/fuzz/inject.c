/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of requested faults. Each is read, or refused with a place inside the text; what is read can be
 * set, and its lines are read again as the same faults.
 */
#include "fuzz.h"

#include <stdio.h>
#include "base/inject.h"

static unsigned int accepted, refused;

static void inject_read_again(const struct inject_fault *f)
{
	struct inject_fault again[INJECT_MOST];
	struct inject_error error;
	char line[128];

	inject_print(f, line, sizeof(line));
	assert_int_equal(inject_parse(line, strlen(line), again, &error), 1);
	assert_memory_equal(f, again, sizeof(*f));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct inject_fault faults[INJECT_MOST];
	struct inject_error error = {0};
	char *text = malloc(len + !len); /* the exact size: reads behind it are found */
	int n;

	assert_non_null(text);
	memcpy(text, bytes, len);
	n = inject_parse(text, len, faults, &error);
	assert_in_range(n + 1, 0, INJECT_MOST + 1);
	if (n < 0) {
		refused++;
		assert_in_range(error.line, 1, len + 1);
		assert_in_range(error.column, 1, len + 1);
		assert_ptr_equal(strstr(error.why, "expected "), error.why);
	}
	for (int i = 0; i < n; i++)
		inject_read_again(&faults[i]);
	if (n > 0) {
		accepted++;
		assert_int_equal(inject_set(faults, (size_t)n), 0);
		assert_int_equal(inject_set(NULL, 0), 0);
	}
	free(text);
	return 0;
}

static void inject_judge(unsigned int inputs)
{
	assert_in_range(accepted, inputs / 100, inputs);
	assert_in_range(refused, inputs / 100, inputs);
}

const struct fuzz_target fuzz_target = {"fuzz/corpus/inject/*", 4000, 400, inject_judge};
