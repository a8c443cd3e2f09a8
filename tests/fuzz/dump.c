/* SPDX-License-Identifier: BSD-2-Clause */
/* Dumps of steering: read, walked by a packet and explained, or refused in a sentence. */
#include "fuzz.h"
#include "explain/trace.h"

#define PACKET 96

static unsigned int whole;

static void walk_all(struct steering *d, uint32_t seed)
{
	uint8_t packet[PACKET];
	struct fields p;
	size_t len;

	for (size_t i = 0; i < sizeof(packet); i++)
		packet[i] = (uint8_t)fuzz_random(&seed);
	if (fuzz_random(&seed) % 4) {
		static const uint8_t usual[] = {0x08, 0, 0x45, 0, 0, 60, 0, 0, 0, 0, 64, 6};

		memcpy(packet + 12, usual, sizeof(usual));
	}
	len = fuzz_random(&seed) % (PACKET + 1);
	fields_of_frame(&p, packet, len);
	for (uint32_t t = 0; t < d->ntables; t++) {
		struct explain_walk w = {
			.frame = fuzz_random(&seed) % 2 ? packet : NULL, .len = len, .keep = true};

		assert_int_equal(walk_run(&w, d, t, fuzz_random(&seed) % 2 ? SIDE_RX : SIDE_TX, &p),
				 0);
		json_decref(trace_json(&w, false));
		walk_free(&w);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	struct dump_error err;
	struct steering d;

	if (steering_parse(&d, (const char *)bytes, len, &err)) {
		assert_true(err.text[0]);
		return 0;
	}
	whole++;
	walk_all(&d, fuzz_hash(bytes, len));
	steering_free(&d);
	return 0;
}

/* Decapsulation may leave no byte; the text of none is empty. */
static void frame_of_no_byte(void)
{
	struct fields p = {.known = {false}};
	struct explain_walk w = {.packet = &p,
				 .changed = true,
				 .now = {.framed = true},
				 .end = WALK_LOST,
				 .lost = "the dump ends"};
	json_t *j = trace_json(&w, false);

	assert_string_equal(json_string_value(json_object_get(json_object_get(j, "end"), "frame")),
			    "");
	json_decref(j);
}

static void judge(unsigned int inputs)
{
	frame_of_no_byte();
	assert_true(whole > inputs / 10);
}

const struct fuzz_target fuzz_target = {
	.corpus = "golden/dumps/*.csv", .inputs = 6000, .judge = judge};
