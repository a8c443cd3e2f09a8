/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that damaged dumps are read, walked and told without a crash: always the same ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "explain/walk_trace.h"

#define ROUNDS 3000
#define PACKET 96

static uint32_t state = 2463534242u;

static uint32_t below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % n;
}

static char *load(const char *name, size_t *len)
{
	char path[512];
	FILE *f;
	char *text = malloc(1 << 16);

	snprintf(path, sizeof(path), "%s/tests/golden/dumps/%s", getenv("top_srcdir"), name);
	f = fopen(path, "r");
	assert_non_null(f);
	*len = fread(text, 1, 1 << 16, f);
	assert_true(*len > 100 && *len < 1 << 16);
	fclose(f);
	return text;
}

/* Lines doubled, dropped and exchanged; bytes and digits changed; a cut. */
static size_t damage(char *text, size_t len)
{
	static const char chars[] = "0123456789abcdefx,\n-";

	for (uint32_t i = below(6); i; i--) {
		size_t at = below((uint32_t)len), to = below((uint32_t)len), n = 1 + below(60);

		switch (below(4)) {
		case 0:
			text[at] = chars[below(sizeof(chars) - 1)];
			break;
		case 1:
			text[at] = (char)below(256);
			break;
		case 2:
			if (at + n < len && to + n < len)
				memmove(text + to, text + at, n);
			break;
		default:
			if (!below(8))
				len = at + 1;
			break;
		}
	}
	return len;
}

static void walk_all(const struct steering_dump *d, struct view_cache *cache)
{
	struct walk_trace trace = {.cache = cache};
	uint8_t packet[PACKET];
	struct fields p;

	for (size_t i = 0; i < sizeof(packet); i++)
		packet[i] = (uint8_t)below(256);
	if (below(4)) {
		static const uint8_t usual[] = {0x08, 0, 0x45, 0, 0, 60, 0, 0, 0, 0, 64, 6};

		memcpy(packet + 12, usual, sizeof(usual));
	}
	fields_of_frame(&p, packet, below(PACKET + 1));
	for (uint32_t t = 0; t < d->ntables; t++) {
		struct explain_walk w = {.cache = cache};

		assert_int_equal(walk_run(&w, d, t, below(2) ? SIDE_RX : SIDE_TX, &p), 0);
		json_decref(walk_trace_json(&trace, &w));
		walk_free(&w);
	}
}

static void hurt(const char *name)
{
	size_t len, n;
	char *text = load(name, &len);
	unsigned int whole = 0;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		char *copy = malloc(len);
		struct dump_error err;
		struct steering_dump d;

		memcpy(copy, text, len);
		n = damage(copy, len);
		copy = realloc(copy, n);
		if (steering_dump_parse(&d, copy, n, &err)) {
			assert_true(err.text[0]);
		} else {
			struct view_cache *cache = view_cache_new(&d);

			walk_all(&d, cache);
			view_cache_free(cache);
			steering_dump_free(&d);
			whole++;
		}
		free(copy);
	}
	print_message("# %u of %u could still be read\n", whole, ROUNDS);
	assert_true(whole > ROUNDS / 10);
	free(text);
}

static void format0(void **unused)
{
	(void)unused;
	hurt("steering_v0.csv");
}

static void format1(void **unused)
{
	(void)unused;
	hurt("steering_v1.csv");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(format0), cmocka_unit_test(format1)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
