/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves: --bwlimit takes the arguments that rsync's takes, and the rate stays below the limit and
 * near it.
 */
#include "tests/test.h"

#include <stdio.h>

#include "base/bwlimit.h"

static const struct {
	const char *arg;
	uint64_t rate;
} good[] = {
	{"0", 0},	    {"1", 1024},	  {"100", 102400},
	{"1.5", 1536},	    {"7.", 7168},	  {".7", 716},
	{"0.5", 512},	    {"512b", 512},	  {"1000B", 1000},
	{"1k", 1024},	    {"1KiB", 1024},	  {"1kb", 1000},
	{"1.5m", 1572864},  {"2mb", 2000000},	  {"2MiB", 2097152},
	{"1g", 1073741824}, {"0.25G", 268435456}, {"1tb", 1000000000000},
	{"2p", 1ull << 51},
};

static const char *const bad[] = {"",	 "x",	 "10x", "1e3", " 7", "-1",  ".",   "0x10",    "1kk",
				  "1bb", "1bib", "1ki", "0.4", "2b", "inf", "nan", "9999999p"};

TEST(none, arguments)
{
	uint64_t rate;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct copy_fault f = {0};

		if (bwlimit_parse(good[i].arg, &rate, &f) || rate != good[i].rate)
			fail_msg("%s: %llu %s", good[i].arg, (unsigned long long)rate, f.text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct copy_fault f = {0};

		if (!bwlimit_parse(bad[i], &rate, &f) || f.code != COPY_USAGE ||
		    !strstr(f.text, bad[i]))
			fail_msg("\"%s\" is taken, or \"%s\"", bad[i], f.text);
	}
}

/* Returns the limit in KiB that rsync passes to the program at the other end. */
static unsigned long long asked_of_rsync(const char *arg)
{
	char command[160];
	unsigned long long kib = 0;
	FILE *p;

	snprintf(command, sizeof(command),
		 "rsync -e \"sh -c 'echo \\$* >&2'\" --bwlimit='%s' x host:y 2>&1 | "
		 "sed -n 's/.*--bwlimit=//p'",
		 arg);
	p = popen(command, "r");
	assert_non_null(p);
	if (fscanf(p, "%llu", &kib) != 1)
		kib = 0;
	pclose(p);
	return kib;
}

TEST(none, as_rsync)
{
	if (system("command -v rsync >/dev/null")) {
		print_message("# rsync is not installed\n");
		skip();
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (good[i].rate >> 40 == 0 &&
		    asked_of_rsync(good[i].arg) != (good[i].rate + 512) / 1024)
			fail_msg("rsync takes %s as %llu", good[i].arg,
				 asked_of_rsync(good[i].arg));
}

/* Sends chunks of all sizes for ten minutes, each as soon as the bucket allows. */
static void spend_all(uint64_t rate, uint64_t most)
{
	uint64_t now = 12345, sent = 0, x = rate;
	const uint64_t begin = now, end = now + 600000000000;
	struct bwlimit b;

	bwlimit_begin(&b, rate, now);
	while (now < end) {
		uint64_t wait = bwlimit_wait(&b, now), chunk;

		now += wait;
		assert_int_equal(bwlimit_wait(&b, now), 0);
		x = x * 6364136223846793005 + 1442695040888963407;
		chunk = 1 + (x >> 33) % most;
		bwlimit_spend(&b, chunk);
		sent += chunk;
		assert_true((double)sent <= (double)rate * ((double)(now - begin) / 1e9 + 0.1) +
						    (double)most + 16 /* rounding */);
		now += (x >> 40) % 1000; /* work takes time too */
	}
	assert_true((double)sent >
		    0.99 * (double)rate * (double)(now - begin) / 1e9 - (double)most);
}

TEST(none, never_above_and_near)
{
	spend_all(512, 4096);
	spend_all(100 << 10, 1 << 20);
	spend_all(1000000, 1000);
	spend_all(10ull << 30, 64 << 20);
}

TEST(none, rest_is_not_saved_up)
{
	struct bwlimit b;
	uint64_t day = 86400000000000;

	bwlimit_begin(&b, 1000, 0);
	assert_int_equal(bwlimit_wait(&b, day), 0);
	bwlimit_spend(&b, 1100); /* a tenth of a second was saved */
	assert_in_range(bwlimit_wait(&b, day), 1000000000, 1000000001);
}

TEST(none, no_limit_never_waits)
{
	struct bwlimit b;

	bwlimit_begin(&b, 0, 0);
	bwlimit_spend(&b, UINT64_MAX);
	assert_int_equal(bwlimit_wait(&b, 0), 0);
}
