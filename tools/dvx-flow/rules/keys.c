/* SPDX-License-Identifier: BSD-2-Clause */
#include "compile.h"

#define TWICE(key, inner_key, before, after, bits, noun) \
	[key] = {before "outer" after, noun, bits},      \
	[inner_key] = {before "inner" after, noun, bits},

const struct match_key_row match_keys[MATCH_KEYS] = {
#define KEY(key, path, bits, seen, low, noun) [KEY_##key] = {path, noun, bits},
#define LEVEL_KEY(key, before, after, bits, seen, low, noun) \
	TWICE(KEY_##key, KEY_INNER(KEY_##key), before, after, bits, noun)
#define IMPLIED(key, before, after, bits, seen, low) \
	TWICE(MATCH_##key, MATCH_INNER(MATCH_##key), before, after, bits, NULL)
#include "keys.def"
};

uint64_t match_key_max(unsigned int key)
{
	return (1ull << match_keys[key].bits) - 1;
}
