/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that no recogniser of dvx-prm explain reads past bytes that are odd, short or damaged:
 * each is asked about, and forced to explain, always the same dumps, whose memory ends with them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "explain.h"
#include "said.h"

#define ROUNDS 6000

static const struct recogniser *const all[] = {
	&recognise_cqe,	 &recognise_mini, &recognise_eqe, &recognise_wqe,
	&recognise_rwqe, &recognise_in,	  &recognise_out, &recognise_cap,
};

/* Beginnings that lead a recogniser on; damage and length do the rest. */
static const struct {
	size_t at;
	uint8_t bytes[8];
	size_t n;
} leads[] = {
	{56, {0x0a, 0, 0x12, 0x34, 0, 1, 0, 0xd2}, 8},	/* error completion */
	{120, {0x0a, 0, 0x12, 0x34, 0, 1, 0, 0xe2}, 8}, /* the same in 128 bytes */
	{0, {0, 0, 1, 0x0e, 0, 0, 0x11, 0x3f}, 8},	/* WQEs: large send, longer than given */
	{0, {0, 0, 1, 0x0a, 0, 0, 0x11, 0x04}, 8},
	{0, {8, 0, 1, 0x14, 0, 0, 0x11, 0x3f}, 8},
	{0, {0, 0, 1, 0x25, 0, 0, 0x11, 0x3f}, 8},
	{0, {0, 0, 1, 0x2c, 0, 0, 0x11, 0x3f}, 8},
	{0, {0, 0, 1, 0x0a, 0, 0, 0x11, 0x02}, 8},
	{0, {1, 0, 1, 0x2f, 0, 0, 0x11, 0x04}, 8},
	{0, {0x02, 0x00, 0, 0, 0, 0, 0, 0}, 8}, /* CREATE_MKEY */
	{0, {0x0a, 0x00, 0, 1, 0, 0, 0xff, 0x10}, 8},
	{0, {0x03, 0, 0, 0, 0, 0x35, 0xe6, 0xec}, 8}, /* a command's failure */
	{0, {0, 0x04, 0, 0, 0, 0, 0, 0}, 8},
	{56, {0, 0, 0x12, 0x34, 0, 1, 0, 0x2c}, 8}, /* titles of compressed completions */
	{44, {0, 0, 0x0f, 0xff, 0, 0, 0, 1}, 8},
	{120, {0, 0, 0x12, 0x34, 0, 1, 0, 0x6c}, 8}, /* a block of them */
	{16, {0x80, 0, 0, 0, 0, 4, 0, 0}, 8},	     /* an UMR's control segment */
};

static uint32_t state = 2463534242u;

static uint32_t below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % n;
}

static size_t length(void)
{
	static const size_t usual[] = {1,  4,	15,  16,  48,	63,   64,  65,
				       80, 128, 256, 272, 1008, 4096, 4112};

	return below(3) ? usual[below(sizeof(usual) / sizeof(usual[0]))] : 1 + below(600);
}

static uint8_t *damaged(size_t len)
{
	uint8_t *p = calloc(1, len);
	size_t i = below(sizeof(leads) / sizeof(leads[0])), changes = below(24);

	assert_non_null(p);
	if (leads[i].at + leads[i].n <= len)
		memcpy(p + leads[i].at, leads[i].bytes, leads[i].n);
	while (changes--)
		p[below((uint32_t)len)] = (uint8_t)below(256);
	return p;
}

static void explain_all(const struct dump *d)
{
	const struct args a = {.json = true};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct finding f;

		finding_begin(&f, d, &a);
		if (d->len >= all[i]->least) {
			all[i]->score(&f);
			all[i]->explain(&f);
		}
		assert_non_null(f.says);
		finding_end(&f);
	}
}

static void odd_bytes(void **unused)
{
	(void)unused;
	for (int i = 0; i < ROUNDS; i++) {
		struct dump d = {.line = 1, .len = length()};
		json_t *also = json_array();
		const struct args a = {.json = true};
		uint8_t *p = damaged(d.len);
		struct finding f;

		d.bytes = p;
		finding_begin(&f, &d, &a);
		recognise(&f, also);
		finding_end(&f);
		json_decref(also);
		if (!(i % 4))
			explain_all(&d);
		free(p);
	}
}

/* Words of the lines that tools write, in any order, with any damage. */
static size_t babble(char *text, size_t size)
{
	static const char *const words[] = {
		"status=",
		"12",
		"vendor err ",
		"129",
		"(synd 0x15 vend 0x81",
		" hw_synd 0/0)",
		"CREATE_QP",
		"(0x500)",
		" op_mod(0x",
		"0)",
		" failed, status ",
		"bad (0x3), ",
		"syndrome ",
		"(0x3a9c4f",
		"), err(-22)",
		"DevX x",
		" failed errno=121",
		" syndrome=",
		"wr_id 0",
		" syndrom 0x",
		"\n",
		"error",
		"exceeded",
		"99999999999999999999",
		"mlx5dv_devx_obj_create(",
		"\t",
		"\\",
		"00 11 22",
		"opcode=-1 len=-1 ",
		")(",
	};
	size_t n = 0;

	for (uint32_t i = below(40); i && n + 32 < size; i--)
		n += (size_t)snprintf(text + n, size - n, "%s",
				      words[below(sizeof(words) / sizeof(words[0]))]);
	if (n && !below(3))
		text[below((uint32_t)n)] = (char)(1 + below(255));
	return n;
}

static void odd_lines(void **unused)
{
	const struct args a = {.json = true};
	const struct dump d = {.bytes = (const uint8_t *)"", .line = 1};

	(void)unused;
	for (int i = 0; i < ROUNDS / 4; i++) {
		char room[1400];
		size_t count, len = babble(room, sizeof(room));
		char *text = malloc(len + 1);
		struct said *said;

		assert_non_null(text);
		memcpy(text, room, len);
		said = said_read(text, len, &count);
		assert_true(count <= SAID_MOST);
		for (size_t j = 0; j < count; j++) {
			struct finding f;

			finding_begin(&f, &d, &a);
			explain_said(&f, &said[j]);
			assert_true(json_array_size(f.says) > 0);
			finding_end(&f);
		}
		free(said);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(odd_bytes),
					   cmocka_unit_test(odd_lines)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
