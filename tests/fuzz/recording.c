/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recordings. Each is read to its end, or refused with a place and what was expected; each event that is
 * read has a text. An input whose last byte is odd gets good sums, so that damage reaches what lies behind.
 */
#include "fuzz.h"

#include "record/record.h"
#include "tools/dvx-sim/record/recording.h"

static unsigned int events, refused;

/* Sets the sums of all events whose lengths fit. */
static void recording_mend(uint8_t *bytes, size_t len)
{
	size_t at = sizeof(struct record_file);
	struct record_head *h;

	for (; at + sizeof(*h) <= len; at += h->len) {
		h = (struct record_head *)(bytes + at);
		if (h->len < sizeof(*h) || h->len % 8 || h->len > len - at)
			break;
		h->sum = record_sum(h, h->len);
	}
}

static void recording_print(const struct record_head *h)
{
	static char text[RECORDED_TEXT];

	events++;
	assert_true(recorded_text(h, false, text, sizeof(text)));
	assert_in_range(strlen(text), 1, sizeof(text) - 1);
	if (recorded_text(h, true, text, sizeof(text)))
		assert_int_equal(h->kind, RECORD_COMMAND);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	uint8_t *file = malloc(len + !len); /* the exact size: reads behind it are found */
	const struct record_head *h;
	struct record_reader r;

	assert_non_null(file);
	memcpy(file, bytes, len);
	if (len && bytes[len - 1] & 1)
		recording_mend(file, len);
	if (record_read(&r, file, len))
		while ((h = record_next(&r)))
			recording_print(h);
	if (*r.why) {
		refused++;
		assert_ptr_equal(strstr(r.why, "offset "), r.why);
		assert_non_null(strstr(r.why, "expected "));
	}
	assert_in_range(r.at, 0, r.len > sizeof(*r.file) ? r.len : sizeof(*r.file));
	free(file);
	return 0;
}

static void recording_judge_inputs(unsigned int inputs)
{
	assert_true(events > inputs);
	assert_in_range(refused, inputs / 100, inputs);
}

const struct fuzz_target fuzz_target = {"fuzz/corpus/recording/*", 4000, 4000,
					recording_judge_inputs};
