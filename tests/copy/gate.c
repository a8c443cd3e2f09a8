/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves: the gate drops the stranger that the manual names, from any mix of addresses. */
#include "tests/test.h"
#include <netinet/in.h>
#include <arpa/inet.h>
#include <stdio.h>

#include "gate.h"

static struct copy_gate usual;

static struct gate_source from(const struct copy_gate *g, const char *address)
{
	struct sockaddr_storage ss = {0};
	struct sockaddr_in *v4 = (struct sockaddr_in *)&ss;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&ss;

	ss.ss_family = strchr(address, ':') ? AF_INET6 : AF_INET;
	if (ss.ss_family == AF_INET6)
		assert_int_equal(inet_pton(AF_INET6, address, &v6->sin6_addr), 1);
	else
		assert_int_equal(inet_pton(AF_INET, address, &v4->sin_addr), 1);
	return gate_source(g, &ss);
}

static bool same(const struct copy_gate *g, const char *a, const char *b)
{
	struct gate_source x = from(g, a), y = from(g, b);

	return !memcmp(&x, &y, sizeof(x));
}

TEST(none, networks)
{
	struct copy_gate wide;
	struct copy_fault f = {0};

	assert_int_equal(gate_parse(&usual, GATE_STARTING, GATE_PER_SOURCE, &f), 0);
	assert_int_equal(gate_parse(&wide, "1:0:1", "4:23:13", &f), 0);
	assert_true(same(&usual, "10.0.0.1", "10.0.0.1"));
	assert_false(same(&usual, "10.0.0.1", "10.0.0.0"));
	assert_true(same(&usual, "10.0.0.1", "::ffff:10.0.0.1"));
	assert_false(same(&usual, "10.0.0.1", "a00:1::"));
	assert_true(same(&usual, "2001:db8::1", "2001:db8::ffff:0:0:2"));
	assert_false(same(&usual, "2001:db8::1", "2001:db8:0:1::1"));
	assert_true(same(&wide, "10.0.2.1", "10.0.3.255"));
	assert_false(same(&wide, "10.0.2.1", "10.0.4.1"));
	assert_true(same(&wide, "fff8::", "ffff:ffff::1"));
	assert_false(same(&wide, "fff7::", "ffff::"));
}

TEST(none, numbers)
{
	static const char *const bad[] = {"",
					  "1",
					  "1:2",
					  "1:2:3:4",
					  "1:2:3x",
					  "0:30:100",
					  "9:30:8",
					  "1:101:100",
					  "1:1:1025",
					  "-1:1:1",
					  "1:1:99999999999999999999"};
	struct copy_fault f = {0};
	struct copy_gate g;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		f.code = 0;
		if (!gate_parse(&g, bad[i], GATE_PER_SOURCE, &f))
			fail_msg("%s was taken", bad[i]);
		assert_int_equal(f.code, COPY_USAGE);
	}
	f.code = 0;
	assert_int_equal(gate_parse(&g, GATE_STARTING, "0", &f), -1);
	assert_int_equal(gate_parse(&g, GATE_STARTING, "1:33", &f), -1);
	assert_int_equal(gate_parse(&g, GATE_STARTING, "1:32:129", &f), -1);
	f.code = 0;
	assert_int_equal(gate_parse(&g, GATE_STARTING, "5", &f), 0);
	assert_int_equal(g.per_source | g.v4_bits << 8 | g.v6_bits << 16, 5 | 32 << 8 | 64 << 16);
}

/*
 * Returns the victim among n strangers, each from its own address, but the first `twins` from one.
 */
static int victim(unsigned int n, unsigned int twins, const char *comes, uint32_t chance)
{
	struct gate_source s[GATE_FULL_MAX], c = from(&usual, comes);

	for (unsigned int i = 0; i < n; i++) {
		char address[32];

		snprintf(address, sizeof(address), "127.1.%u.%u", i < twins ? 0 : i >> 8,
			 i < twins ? 0 : i & 255);
		s[i] = from(&usual, address);
	}
	return gate_victim(&usual, s, n, &c, (uint32_t[2]){chance, 7});
}

TEST(none, victims)
{
	assert_int_equal(victim(0, 0, "10.0.0.1", 0), -1);
	assert_int_equal(victim(31, 1, "10.0.0.1", 0), -1);
	/* The chance is `rate` at `start`, and certainty at `full`. */
	assert_int_not_equal(victim(32, 1, "10.0.0.1", 29), -1);
	assert_int_equal(victim(32, 1, "10.0.0.1", 30), -1);
	assert_int_not_equal(victim(80, 1, "10.0.0.1", 64), -1);
	assert_int_equal(victim(80, 1, "10.0.0.1", 65), -1);
	assert_int_not_equal(victim(128, 1, "10.0.0.1", 99), -1);
	/* The source with the most connections loses one, even if it has only one more. */
	for (uint32_t chance = 0; chance < 9; chance++)
		assert_in_range(victim(128, 2, "10.0.0.1", chance), 0, 1);
	/* If the newcomer's source has the most, it loses one of its own. */
	assert_in_range(victim(128, 2, "127.1.0.0", 0), 0, 1);
	assert_int_equal(victim(128, 1, "127.1.0.90", 0), 90);
	/* A source that has all it may have gets no more, however few there are. */
	assert_int_equal(victim(16, 15, "127.1.0.0", 99), -1);
	assert_in_range(victim(20, 16, "127.1.0.0", 99), 0, 15);
	assert_int_equal(victim(20, 16, "127.1.0.18", 99), -1);
}

TEST_GROUP(NULL, NULL)
