/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that the daemon puts each key where the PRM has the field of its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include <dvx/prm/match.h>
#include "daemon/fill.h"
#include "prm/reflect.h"

static bool is_mac(unsigned int key)
{
	return strstr(match_key_name(key), "mac_47_16") != NULL;
}

static void each_key(void **state)
{
	const struct prm_struct *s = prm_find_struct("fte_match_param");

	(void)state;
	for (unsigned int key = 0; key < MATCH_KEYS; key++) {
		uint8_t filled[PRM_FTE_MATCH_PARAM_BYTES] = {0}, named[sizeof(filled)] = {0};
		struct shape shape = {.n = 1, .key = {(uint8_t)key}};
		uint64_t bit = 0, one = 1;
		const struct prm_field *f = prm_find_field(s, match_key_name(key), &bit);

		assert_non_null(f);
		one = is_mac(key) ? 1ull << 16 : 1;
		fill_match(filled, &shape, &one);
		prm_bits_set(named, bit, f->width, 1);
		assert_memory_equal(filled, named, sizeof(filled));
		one = is_mac(key) ? ~0ull << 16 : ~0ull;
		one &= (1ull << (f->width + (is_mac(key) ? 16 : 0))) - 1;
		fill_match(filled, &shape, &one);
		prm_bits_set(named, bit, f->width, one >> (is_mac(key) ? 16 : 0));
		assert_memory_equal(filled, named, sizeof(filled));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
