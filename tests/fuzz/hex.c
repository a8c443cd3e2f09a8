/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts that people give dvx-prm: dumps of many tools, lines of dvx-sim's trace, and lines of logs that
 * tell of failures. They are read, or refused in a sentence.
 */
#include "fuzz.h"
#include "explain.h"
#include "hex.h"
#include "failure.h"
#include "src/prm/reflect.h"
#include "dvx-prm.h"

#define LONGEST 1024

static void decode_all(const struct hex *hex, uint32_t h)
{
	const struct prm_struct *s = &prm_structs[h % prm_struct_count];

	for (size_t i = 0; i < hex->count && i < 4; i++) {
		const struct dump *d = &hex->dumps[i];
		size_t len = d->len < LONGEST ? d->len : LONGEST;
		uint8_t *bytes = malloc(len + !len);
		json_t *tree;

		assert_non_null(bytes);
		memcpy(bytes, d->bytes, len);
		tree = tree_make(s, bytes, len, !(h >> 8 & 15));
		assert_non_null(tree);
		json_decref(tree);
		free(bytes);
	}
}

static void read_lines(const char *text, size_t len)
{
	const struct prm_args a = {.json = true};
	const struct dump d = {.bytes = (const uint8_t *)"", .line = 1};
	size_t count, lost;
	struct failure *failures = failure_read(text, len, &count, &lost);

	assert_true(count <= FAILURE_MOST);
	for (size_t i = 0; i < count; i++) {
		struct finding f;

		finding_begin(&f, &d, &a);
		explain_failure(&f, &failures[i]);
		assert_true(json_array_size(f.sentences) > 0);
		finding_end(&f);
	}
	free(failures);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static const char *const words[] = {NULL, "be", "le"};
	uint32_t h = fuzz_hash(bytes, len);
	struct hex hex;

	if (hex_parse(&hex, (const char *)bytes, len, words[h % 3])) {
		assert_int_not_equal(hex.error[0], 0);
	} else {
		assert_int_not_equal(hex.count, 0);
		decode_all(&hex, h);
	}
	hex_free(&hex);
	read_lines((const char *)bytes, len);
	return 0;
}

const struct fuzz_target fuzz_target = {.corpus = "{fuzz/corpus/hex/*,golden/dumps/*.txt}", .inputs = 2000};
