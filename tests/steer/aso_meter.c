/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves flow meters and first hits on their contexts alone: rates to a packet, bursts, the
 * colors of RFC 2697, 2698 and 4115 by tables, what a packet costs, the bits of flows.
 */
#include "tests/test.h"
#include <dvx/prm/flow.h>
#include <dvx/prm/object.h>
#include "steer/aso/aso.h"
#include "steer/packet.h"

#define SECOND	1000000000ull
#define PACKETS 10000u
#define R	PRM_METER_COLOR_RED
#define Y	PRM_METER_COLOR_YELLOW
#define G	PRM_METER_COLOR_GREEN
#define U	PRM_METER_COLOR_UNDEFINED

#define METER(name, ...)                     \
	uint8_t name[ASO_METER_BYTES] = {0}; \
	meter_set(name, FIELDS(__VA_ARGS__))

struct field {
	const char *name;
	uint64_t value;
};
#define FIELDS(...) ((const struct field[12]){__VA_ARGS__})

static void meter_set(uint8_t *m, const struct field *f)
{
	const struct {
		const char *name;
		void (*set)(void *, uint32_t);
	} setters[] = {
		{"bo", prm_flow_meter_parameters_set_bucket_overflow},
		{"start", prm_flow_meter_parameters_set_start_color},
		{"both", prm_flow_meter_parameters_set_both_buckets_on_green},
		{"mode", prm_flow_meter_parameters_set_meter_mode},
		{"cbs", prm_flow_meter_parameters_set_cbs_mantissa},
		{"cbs_exp", prm_flow_meter_parameters_set_cbs_exponent},
		{"cir", prm_flow_meter_parameters_set_cir_mantissa},
		{"cir_exp", prm_flow_meter_parameters_set_cir_exponent},
		{"ebs", prm_flow_meter_parameters_set_ebs_mantissa},
		{"ebs_exp", prm_flow_meter_parameters_set_ebs_exponent},
		{"eir", prm_flow_meter_parameters_set_eir_mantissa},
		{"eir_exp", prm_flow_meter_parameters_set_eir_exponent},
	};

	prm_flow_meter_parameters_set_valid(m, 1);
	prm_flow_meter_parameters_set_start_color(m, G);
	for (; f->name; f++) {
		size_t i = 0;

		while (strcmp(setters[i].name, f->name))
			i++;
		setters[i].set(m, (uint32_t)f->value);
	}
}

/*
 * For each rate, packets of odd sizes at odd times, twice as many bytes as allowed: after
 * PACKETS, what was green is the rate and the burst, to a packet.
 */
TEST(none, rates)
{
	for (uint32_t exp = 0; exp < 12; exp++) {
		for (uint32_t man = 1; man < 256; man += 51) {
			METER(m, {"cir", man}, {"cir_exp", exp}, {"cbs", 100}, {"cbs_exp", 8});
			uint64_t now = 12345678901ull, begin = now, passed = 0, sent = 0, allowed;
			uint32_t seed = 1 + man;

			for (unsigned int i = 0; i < PACKETS; i++) {
				uint32_t cost = 64 + seed % 1437;
				uint64_t gap = (uint64_t)cost * 512 / man * (1u << exp) / 1024;

				seed = seed * 1103515245u + 12345;
				now += gap ? gap : 1;
				sent += cost;
				if (aso_meter(m, U, cost, now) == G)
					passed += cost;
			}
			allowed = ((now - begin) * man >> exp) + 25600;
			if (sent < allowed)
				continue;
			assert_in_range(passed, allowed - 1501, allowed + 1501);
		}
	}
}

/* A packet each nanosecond: parts of tokens add up, though each gap brings less than one. */
TEST(none, parts_of_tokens)
{
	METER(m, {"cir", 3}, {"cir_exp", 10}, {"cbs", 64});
	uint64_t passed = 0, begin = 7 * SECOND;

	aso_meter(m, U, 64, begin);
	for (uint64_t now = begin; now < begin + 1024 * 1024; now++)
		passed += aso_meter(m, U, 1, now + 1) == G;
	assert_int_equal(passed, 3 * 1024 + 1); /* and the last one by debt */
}

struct step {
	uint64_t at; /* ns after the first */
	uint32_t cost;
	uint8_t color, result;
};

static void steps(uint8_t *m, const struct step *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t is = aso_meter(m, s[i].color, s[i].cost, SECOND + s[i].at);

		if (is != s[i].result)
			print_message("step %zu: %u\n", i, is);
		assert_int_equal(is, s[i].result);
	}
}
#define STEPS(m, ...)                                          \
	do {                                                   \
		static const struct step s_[] = {__VA_ARGS__}; \
		steps(m, s_, sizeof(s_) / sizeof(s_[0]));      \
	} while (0)

/* One rate; the excess bucket gets what the committed one has no room for. */
TEST(none, rfc2697)
{
	METER(m, {"bo", 1}, {"cir", 1}, {"cbs", 250}, {"cbs_exp", 2}, {"ebs", 125}, {"ebs_exp", 2});

	STEPS(m, {0, 600, U, G} /* C 400, E 500 */, {0, 600, U, G} /* C -200 */,
	      {0, 450, U, Y} /* E 50 */, {0, 100, U, Y} /* E -50 */, {0, 1, U, R}, {100, 1, U, R},
	      {200, 10, U, G} /* C -10 */, {1210, 0, U, G} /* C 1000 */, {1260, 0, U, G} /* E 0 */,
	      {1260, 1001, U, G}, {1260, 5, U, Y}, {1260, 1, U, R});
}

/* Without the flag, committed tokens that do not fit are lost. */
TEST(none, no_overflow)
{
	METER(m, {"cir", 1}, {"cbs", 100}, {"ebs", 100});

	STEPS(m, {0, 101, U, G}, {0, 1, U, Y} /* E -1 */, {0, 1, U, R}, {1000, 101, U, G},
	      {1000, 1, U, R});
}

/* A packet that comes yellow takes no committed tokens, and a red one stays red. */
TEST(none, rfc2697_aware)
{
	METER(m, {"bo", 1}, {"start", U}, {"cir", 1}, {"cbs", 100}, {"ebs", 100});

	STEPS(m, {0, 60, Y, Y}, {0, 60, Y, Y} /* E -20 */, {0, 60, Y, R}, {0, 10, R, R},
	      {0, 100, G, G}, {0, 40, G, G} /* C -40 */, {0, 1, U, R});
}

/* Two rates; C is the committed one, E the peak. A green packet takes from both. */
TEST(none, rfc2698)
{
	METER(m, {"both", 1}, {"start", U}, {"cir", 1}, {"cbs", 100}, {"eir", 2}, {"ebs", 150});

	STEPS(m, {0, 100, U, G} /* C 0, P 50 */, {0, 50, U, G} /* C -50, P 0 */,
	      {0, 1, U, Y} /* P -1 */, {0, 1, U, R}, {10, 19, G, Y} /* C -40, P 0 */,
	      {60, 10, Y, Y} /* C 10, P 90 */, {60, 10, G, G} /* C 0 */, {60, 1, R, R});
}

/* Two rates that add up: excess tokens come by EIR. */
TEST(none, rfc4115)
{
	METER(m, {"start", U}, {"cir", 1}, {"cbs", 100}, {"eir", 2}, {"ebs", 150});

	STEPS(m, {0, 100, U, G}, {0, 1, G, G} /* C -1 */, {0, 150, G, Y}, {0, 1, G, Y} /* E -1 */,
	      {0, 1, G, R}, {20, 20, G, G} /* C -1, E 39 */, {20, 40, Y, Y}, {20, 1, Y, R},
	      {1000, 200, G, G}, {1000, 150, Y, Y}, {1000, 1, Y, Y}, {1000, 1, R, R});
}

/* start_color decides over the packet's color, and a time from the future counts as now. */
TEST(none, contexts)
{
	METER(m, {"start", R}, {"cir", 200}, {"cbs", 255}, {"cbs_exp", 31});

	STEPS(m, {0, 1, G, R});
	prm_flow_meter_parameters_set_start_color(m, G);
	STEPS(m, {0, INT32_MAX, R, G}, {0, 1, R, G}, {0, 1, R, Y}, {0, 1, R, R});
	prm_flow_meter_parameters_set_timestamp(m, UINT64_MAX);
	STEPS(m, {1, 1, R, R}, {2, 200, R, G});
}

/* NVIDIA's own test has a burst of 0, and a rate: packets are green at this rate. */
TEST(none, no_burst)
{
	METER(m, {"bo", 1}, {"cir", 1}, {"cir_exp", 6});
	unsigned int green = 0;

	for (uint64_t at = 0; at < SECOND; at += 16000)
		green += aso_meter(m, U, 500, SECOND + at) == G;
	assert_in_range(green * 500, 15625000 * 99 / 100, 15625000 + 500);
}

TEST(none, costs)
{
	static uint8_t bytes[128];
	struct packet p = {.data = bytes, .len = 100};
	METER(m, {"mode", 0});

	p.outer = (struct packet_headers){.vlans = 1, .l3 = 18, .l3_end = 60};
	assert_int_equal(aso_meter_cost(m, &p), 42);
	p.outer.l3 = 0;
	assert_int_equal(aso_meter_cost(m, &p), 82);
	p.len = 15;
	assert_int_equal(aso_meter_cost(m, &p), 0);
	p.len = 100;
	for (uint32_t mode = 1; mode < 4; mode++) {
		static const uint32_t cost[] = {0, 100, 124, 128};

		prm_flow_meter_parameters_set_meter_mode(m, mode);
		assert_int_equal(aso_meter_cost(m, &p), cost[mode]);
	}
	assert_true(aso_meter_valid(m));
}

/* Flow n's bit is bit n % 8 of byte 63 - n / 8, as DPDK reads it. */
TEST(none, first_hits)
{
	static const unsigned int flows[] = {0, 7, 8, 200, 511};
	uint8_t context[64] = {0};

	for (size_t i = 0; i < sizeof(flows) / sizeof(flows[0]); i++) {
		assert_int_equal(aso_hit(context, flows[i], false), 0);
		assert_int_equal(aso_hit(context, flows[i], true), 0);
		assert_int_equal(aso_hit(context, flows[i], true), 1);
		assert_int_equal(aso_hit(context, flows[i], false), 1);
		assert_true(context[63 - flows[i] / 8] >> flows[i] % 8 & 1);
	}
	assert_int_equal(context[63], 0x81);
	assert_int_equal(context[0], 0x80);
}
