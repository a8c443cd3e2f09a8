/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dvx-prm's reader of dumps and its decoder, with dumps that somebody damaged: always the same
 * ones. What is wrong shows in the build with sanitizers: the text ends where its memory ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "hex.h"
#include "src/prm/reflect.h"
#include "tree.h"

#define ROUNDS	4000
#define LONGEST 1024

static const char *const seeds[] = {
	"00000000: 0000 0000 0000 0000 0000 0000 0000 0000  ................\n"
	"00000010: 1300 5104 0d00 0123 0007 fed1            ..Q....#....\n",
	"00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n*\n"
	"00000030  00 00 51 04 08 00 01 23  00 00 00 00 00 07 fe d1  "
	"|..Q....#........|\n00000040\n",
	"0000000 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n*\n"
	"0000060 00 00 51 04 08 00 01 23 00 00 00 00 00 07 fe d1\n0000100\n",
	"0000000 0000 0000 0000 0000\n*\n0000030 0000 0451 0008 2301\n0000038\n",
	"[ 1205.503182] infiniband mlx5_0: dump_cqe:273:(pid 0): dump error cqe\n"
	"[ 1205.503183] 00000000: 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
	"[ 1205.503184] 00000010: 00 00 51 04 08 00 01 23 00 00 00 00 00 07 fe d1\n",
	"mlx5: host: got completion with error:\n00000000 00000000 00000000 00000000\n"
	"00000000 00005104 08000123 0007fed1\n",
	"static const uint8_t a[4] = {\n\t0x00, 0x11,\n\t0x22, 0x33,\n};\n\"\\x00\\x11\"\n",
	"0x7fffe000:\t0x00000000\t0x11223344\t0x00000000\t0x00000001\n",
	"00000000000000000000000000000000000000000000000000000000\n0000510408000123\n",
	"1.5 host cmd create_cq_in opcode=CREATE_CQ(0x400) cq_context={ log_cq_size=0x4 uar_page=7 "
	"} "
	"pas[3]=0x1000\n1.6 host cqe err_cqe syndrome=LOCAL_PROT_ERR(0x4) qpn=0x123\n",
};

/* What a damaged dump is made of: what the reader looks at. */
static const char alphabet[] = "0123456789abcdefx:*|>< \t\n\r,;{}\"\\.=[]()\x1b\xff";

static uint32_t state;

/* xorshift: every run has the same dumps. */
static uint32_t below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % n;
}

static char letter(void)
{
	return below(64) ? alphabet[below(sizeof(alphabet) - 1)] : (char)below(256);
}

static size_t damage(char *text, size_t len)
{
	size_t at = below((uint32_t)len), n = 1 + below(16);

	switch (below(4)) {
	case 0:
		text[at] = letter();
		return len;
	case 1:
		n = n < len - at ? n : len - at;
		memmove(text + at, text + at + n, len - at - n);
		return len - n ? len - n : 1;
	case 2:
		n = n < LONGEST - len ? n : LONGEST - len;
		memmove(text + at + n, text + at, len - at);
		for (size_t i = 0; i < n; i++)
			text[at + i] = letter();
		return len + n;
	default:
		return at + 1;
	}
}

static void decode_all(const struct hex *hex)
{
	const struct prm_struct *s = &prm_structs[below((uint32_t)prm_struct_count)];

	for (size_t i = 0; i < hex->count && i < 4; i++) {
		const struct dump *d = &hex->dumps[i];
		size_t len = d->len < LONGEST ? d->len : LONGEST;
		uint8_t *bytes = malloc(len + !len);
		json_t *tree;

		assert_non_null(bytes);
		memcpy(bytes, d->bytes, len);
		tree = tree_make(s, bytes, len, !below(16));
		assert_non_null(tree);
		json_decref(tree);
		free(bytes);
	}
}

static void read_exactly(const char *text, size_t len)
{
	static const char *const words[] = {NULL, "be", "le"};
	char *copy = malloc(len);
	struct hex hex;

	assert_non_null(copy);
	memcpy(copy, text, len);
	if (hex_parse(&hex, copy, len, words[below(3)])) {
		assert_int_not_equal(hex.error[0], 0);
	} else {
		assert_int_not_equal(hex.count, 0);
		decode_all(&hex);
	}
	hex_free(&hex);
	free(copy);
}

/* Damaged dumps are read, or refused in a sentence. */
static void damaged_dumps(void **unused)
{
	char text[LONGEST];

	(void)unused;
	state = 20261121;
	for (int i = 0; i < ROUNDS; i++) {
		const char *seed = seeds[below(sizeof(seeds) / sizeof(seeds[0]))];
		size_t len = strlen(seed);

		memcpy(text, seed, len);
		for (uint32_t n = below(8); n; n--)
			len = damage(text, len);
		read_exactly(text, len);
	}
}

/* Every structure takes every length of 0xff up to its own and past it. */
static void ones_in_every_structure(void **unused)
{
	(void)unused;
	state = 8;
	for (size_t i = 0; i < prm_struct_count; i++) {
		for (int round = 0; round < 4; round++) {
			size_t len = below(prm_structs[i].bytes + 64);
			uint8_t *bytes = malloc(len + !len);

			assert_non_null(bytes);
			memset(bytes, round % 2 ? 0xff : (int)below(256), len);
			json_decref(tree_make(&prm_structs[i], bytes, len, round > 2));
			free(bytes);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_dumps),
		cmocka_unit_test(ones_in_every_structure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
