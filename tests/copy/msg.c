/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves: control messages survive encoding, cut, padded or garbled ones are refused, and the way
 * of the bytes follows from the abilities of both ends.
 */
#include "tests/test.h"

#include "base/options.h"
#include "engine/way.h"
#include "wire/msg.h"

#include "copy_sample.h"

TEST(none, round_trips)
{
	uint8_t a[MSG_MAX], b[MSG_MAX];
	struct copy_fault f = {0};

	for (unsigned int t = 1; t < MSG_TYPES; t++) {
		struct copy_msg m = copy_sample(t), back;
		size_t n = msg_encode(&m, a);

		assert_int_equal(msg_decode(&back, a, n, &f), 0);
		assert_int_equal(back.type, t);
		assert_int_equal(msg_encode(&back, b), n);
		assert_memory_equal(a, b, n);
	}
}

/* A message that is cut at any byte, or one byte too long, is refused with an error. */
TEST(none, wrong_lengths)
{
	uint8_t a[MSG_MAX];

	for (unsigned int t = 1; t < MSG_TYPES; t++) {
		struct copy_msg m = copy_sample(t), back;
		size_t n = msg_encode(&m, a);

		for (size_t cut = 0; cut <= n + 1; cut++) {
			struct copy_fault f = {0};
			/*
			 * On the heap and exactly as long, so that a sanitizer sees a byte read
			 * past it.
			 */
			uint8_t *copy = calloc(1, cut ? cut : 1);

			memcpy(copy, a, cut < n ? cut : n);
			if (cut != n) {
				assert_int_equal(msg_decode(&back, copy, cut, &f), -1);
				assert_int_equal(f.code, COPY_PROTOCOL);
				assert_true(strlen(f.text) > 10);
			}
			free(copy);
		}
	}
}

static void refused(unsigned int type, size_t at, uint32_t v, const char *field)
{
	struct copy_msg m = copy_sample(type), back;
	struct copy_fault f = {0};
	uint8_t a[MSG_MAX];
	size_t n = msg_encode(&m, a);

	for (int i = 0; i < 4; i++)
		a[at + (size_t)i] = (uint8_t)(v >> 8 * i);
	assert_int_equal(msg_decode(&back, a, n, &f), -1);
	assert_non_null(strstr(f.text, field));
}

TEST(none, limits)
{
	refused(MSG_SETUP, 4, 0, "slots");
	refused(MSG_SETUP, 4, 4097, "slots");
	refused(MSG_SETUP, 8, 4095, "slot_bytes");
	refused(MSG_POOL, 12, 0x7fffffff, "name length");
	refused(MSG_HELLO, 16, 31, "name length");
	refused(MSG_DIR, 4, 256, "name length");
	refused(MSG_START, 8, OPTIONS_ALL + 1, "options");
	refused(MSG_START, 12, FSYNC_MODES, "code");
	refused(MSG_DATA, 8, (1u << 30) + 1, "len");
	refused(MSG_DATA, 16, 19, "text length");
	refused(MSG_FROM, 12, 0x80000000, "off");
	refused(MSG_FROM, 16, 31, "text length");
	refused(MSG_LINK, 4 + 4 + 32, 4096, "text length");
	refused(MSG_UP, 4, 2, "flags");
	refused(MSG_UP, 0, 0, "type");
	refused(MSG_UP, 0, MSG_TYPES, "type");
	refused(MSG_UP, 0, 0xffffffff, "type");
}

/* A peer's text can't move the terminal's cursor. */
TEST(none, quoting)
{
	char to[16];

	assert_string_equal(quote(to, sizeof(to), "a\033[2Jb\n", 7), "a\\x1b[2Jb\\x0a");
	assert_string_equal(quote(to, sizeof(to), "\xc2\x9b", 2), "\\xc2\\x9b");
	assert_true(strlen(quote(to, sizeof(to), "0123456789abcdefghi", 19)) < sizeof(to));
}

#define DMA  (WAY_EXPORTS | WAY_IMPORTS | WAY_MMO)
#define BOTH (DMA | WAY_CONNECTS)

static const struct {
	struct way_end source, receiver;
	enum way way;
	enum way_why why;
} ways[] = {
	{{BOTH, 1, 9}, {BOTH, 2, 9}, WAY_ALIAS, WHY_ONE_CHIP},
	{{WAY_EXPORTS, 1, 9}, {WAY_IMPORTS | WAY_MMO, 2, 9}, WAY_ALIAS, WHY_ONE_CHIP},
	{{BOTH, 1, 0}, {BOTH, 2, 9}, WAY_ALIAS, WHY_ONE_CHIP}, /* unknown chip: tries the alias */
	{{BOTH, 1, 9}, {BOTH, 2, 8}, WAY_RC, WHY_CHIPS},
	{{BOTH, 1, 9}, {BOTH, 1, 8}, WAY_RC, WHY_CHIPS},
	{{BOTH, 1, 9}, {BOTH, 1, 9}, WAY_RC, WHY_FUNCTION},
	{{BOTH | WAY_ONLY_RC, 1, 9}, {BOTH, 2, 9}, WAY_RC, WHY_ASKED},
	{{BOTH, 1, 9}, {BOTH | WAY_ONLY_RC, 2, 9}, WAY_RC, WHY_ASKED},
	{{BOTH, 1, 9}, {BOTH & ~WAY_MMO, 2, 9}, WAY_RC, WHY_NO_MMO},
	{{BOTH, 1, 9}, {BOTH & ~WAY_IMPORTS, 2, 9}, WAY_RC, WHY_NO_IMPORT},
	{{BOTH & ~WAY_EXPORTS, 1, 9}, {BOTH, 2, 9}, WAY_RC, WHY_NO_EXPORT},
	{{BOTH & ~(WAY_MMO | WAY_IMPORTS), 1, 9},
	 {BOTH & ~WAY_EXPORTS, 2, 9},
	 WAY_ALIAS,
	 WHY_ONE_CHIP},
	{{DMA, 1, 9}, {BOTH, 2, 8}, WAY_NONE, WHY_CHIPS},
	{{BOTH, 1, 9}, {DMA, 2, 8}, WAY_NONE, WHY_CHIPS},
	{{BOTH, 1, 9}, {BOTH | WAY_ONLY_DMA, 2, 8}, WAY_NONE, WHY_CHIPS},
	{{BOTH | WAY_ONLY_DMA, 1, 9}, {BOTH | WAY_ONLY_RC, 2, 9}, WAY_NONE, WHY_ASKED},
};

TEST(none, way_chosen)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		uint8_t travels[WAY_END_BYTES];
		struct way_end receiver;
		enum way_why why;

		way_end_put(travels, &ways[i].receiver);
		way_end_get(&receiver, travels);
		assert_int_equal(way_choose(&ways[i].source, &receiver, &why), ways[i].way);
		assert_int_equal(why, ways[i].why);
	}
}
