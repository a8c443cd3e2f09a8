/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that the daemon puts each key where the PRM has the field of its name. */
#include "tests/test.h"
#include <dvx/prm/match.h>
#include "daemon/generation.h"
#include "prm/reflect.h"

TEST(each_key)
{
	const struct prm_struct *s = prm_find_struct("fte_match_param");

	for (unsigned int key = 0; key < MATCH_KEYS; key++) {
		const uint64_t values[] = {1, match_key_max(key),
					   0x5a5a5a5a5a5a & match_key_max(key)};
		uint64_t bit = 0;
		const struct prm_field *f = prm_find_field(s, match_keys[key].path, &bit);

		assert_non_null(f);
		/* Of a MAC the second field is next to it. */
		assert_int_equal(f->width + (strstr(f->name, "mac_47_16") ? 16 : 0),
				 match_keys[key].bits);
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			uint8_t filled[PRM_FTE_MATCH_PARAM_BYTES], named[sizeof(filled)];
			struct shape shape = {.n = 1, .key = {(uint8_t)key}};

			memset(filled, (int)i, sizeof(filled));
			memset(named, (int)i, sizeof(named));
			fill_match(filled, &shape, &values[i]);
			prm_bits_set(named, bit, match_keys[key].bits, values[i]);
			assert_memory_equal(filled, named, sizeof(filled));
		}
	}
}
