/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves how a text of --set and DVX_SIM_SET is applied: all of it, or nothing. */
#include "tests/test.h"
#include "obj/profile.h"
#include "obj/vhca.h"

TEST(none, good)
{
	struct profile p = profile_bluefield2;
	char why[SETTING_WHY];

	assert_int_equal(settings_apply(&p, "dma_mmo=0,log_max_qp=7,log_max_qp=08", why), 0);
	assert_false(p.dma_mmo);
	assert_int_equal(p.log_max_qp, 8);
	assert_int_equal(settings_apply(&p, "dma_mmo=1,old_kernel=1", why), 0);
	assert_true(p.dma_mmo && p.old_kernel);
	assert_int_equal(p.log_max_cq, profile_bluefield2.log_max_cq);
}

/* A chip counts before the other settings, the last one of several; what it is replaces all. */
TEST(none, chip)
{
	struct profile p = profile_bluefield2;
	char why[SETTING_WHY];

	assert_int_equal(settings_apply(&p, "dma_mmo=1,chip=bf3,log_max_qp=9,chip=cx7", why), 0);
	assert_string_equal(p.name, "cx7");
	assert_int_equal(p.steering_format_version, 2);
	assert_int_equal(p.nfunctions, 1);
	assert_int_equal(p.log_max_qp, 9);
	assert_true(p.dma_mmo && !p.cross_vhca);
	assert_int_equal(settings_apply(&p, "chip=bf2", why), 0);
	assert_memory_equal(&p, &profile_bluefield2, sizeof(p));
}

/* Each is refused in one sentence with these words, and earlier settings are undone. */
TEST(none, bad)
{
	static const struct {
		const char *text, *words;
	} table[] = {
		{"", "\"\" is not NAME=VALUE"},
		{"dma_mmo", "\"dma_mmo\" is not NAME=VALUE"},
		{"=1", "\"=1\" is not NAME=VALUE"},
		{"dma_mmo=", "dma_mmo=: the value must be a number from 0 to 1"},
		{"dma_mmo=2", "a number from 0 to 1"},
		{"dma_mmo= 1", "a number from 0 to 1"},
		{"dma_mmo=0x1", "a number from 0 to 1"},
		{"dma_mmo=1 ", "a number from 0 to 1"},
		{"log_max_qp=6", "a number from 7 to 21"},
		{"log_max_qp=22", "a number from 7 to 21"},
		{"log_max_qp=-7", "a number from 7 to 21"},
		{"log_max_qp=263", "a number from 7 to 21"},
		{"log_max_qp=18446744073709551623", "a number from 7 to 21"},
		{"log_max_qp=99999999999999999999", "a number from 7 to 21"},
		{"log_max_msg=31", "a number from 12 to 30"}, /* 2 GiB are 2^23 packets of 256 */
		{"log_max_qp=000000000000000000000000000000000000000000000000000008",
		 "is not NAME=VALUE"},
		{"chip=cx4", "chip=cx4: the chips are cx5, cx6dx, cx7, cx8, bf2, bf3"},
		{"chip=", "chip=: the chips are cx5, cx6dx"},
		{"dma_mmo=1,", "\"\" is not NAME=VALUE"},
		{"dma_mmoo=1", "no setting \"dma_mmoo\"; there are chip, dma_mmo, "},
		{"LOG_max_qp=9", "log_max_qp, "},
		{"frob=1", "there are chip, dma_mmo, log_dma_mmo_max_size, cross_vhca"},
		{"frob=1", ", old_kernel"},
		{"%n%s%s=1", "no setting \"%n%s%s\""},
	};
	char why[SETTING_WHY], text[128];
	struct profile p = profile_bluefield2;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		assert_int_equal(settings_check(table[i].text, why), -1);
		if (!strstr(why, table[i].words))
			fail_msg("%s: %s", table[i].text, why);
		snprintf(text, sizeof(text), "allow_mkey=0,%s", table[i].text);
		assert_int_equal(settings_apply(&p, text, why), -1);
		assert_true(p.allow_mkey);
	}
}

/* The list has all settings: each default is in its range, and is the chip's own value. */
TEST(none, list)
{
	char line[128], name[32], text[64], why[SETTING_WHY];
	unsigned int value, n = 0;
	FILE *f = tmpfile();

	assert_non_null(f);
	settings_print(f);
	rewind(f);
	assert_non_null(fgets(line, sizeof(line), f));
	assert_non_null(fgets(line, sizeof(line), f));
	assert_string_equal(line,
			    "chip                         bf2  one of cx5 cx6dx cx7 cx8 bf2 bf3\n");
	while (fgets(line, sizeof(line), f) && sscanf(line, "%31s %u", name, &value) == 2) {
		struct profile p = profile_bluefield2;

		assert_true(strlen(line) <= 80);
		snprintf(text, sizeof(text), "%s=%u", name, value);
		assert_int_equal(settings_apply(&p, text, why), 0);
		assert_memory_equal(&p, &profile_bluefield2, sizeof(p));
		n++;
	}
	assert_int_equal(n, 33);
	fclose(f);
}
