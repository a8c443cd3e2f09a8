/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flow meters. Two token buckets are filled in time, committed (C) and excess (E), and a packet
 * takes its cost from them. The flags of the context make it an RFC 2697, 2698 or 4115 meter.
 */
#include <dvx/prm/flow.h>
#include <dvx/prm/object.h>
#include "aso.h"
#include "steer/packet.h"

#define METER_PACKET_COST 128u /* in mode NUM_PACKETS (Linux, en/tc/meter.c) */
#define METER_IPG	  24u  /* [I] FCS 4, preamble 8, gap 12 */
#define METER_ETHERNET	  14u
#define METER_VLAN	  4u

/*
 * A bucket: tokens in bytes, and a rate of mantissa / 2^exponent bytes in a nanosecond. [I] A packet
 * may take more than there is, then the bucket is in debt: a burst of 0 lets packets pass at the
 * rate (Mellanox/pydiru, tests/test_mlx5dr_aso.py), and bursts have 31 bits (Linux, en/tc/meter.c).
 */
struct meter_bucket {
	int64_t tokens, most;
	uint32_t mantissa, exponent;
};

struct meter_buckets {
	struct meter_bucket c, e;
};

bool aso_meter_valid(const uint8_t *meter)
{
	return prm_flow_meter_parameters_get_valid(meter);
}

/* [I] Padding is no part of an IP packet; another packet's length counts behind Ethernet's header. */
static uint32_t meter_ip_length(const struct packet *p)
{
	const struct packet_headers *h = &p->outer;
	uint32_t l2 = METER_ETHERNET + METER_VLAN * h->vlans;

	if (h->l3)
		return h->l3_end - h->l3;
	return p->len > l2 ? p->len - l2 : 0;
}

uint32_t aso_meter_cost(const uint8_t *meter, const struct packet *p)
{
	switch (prm_flow_meter_parameters_get_meter_mode(meter)) {
	case PRM_METER_MODE_BYTES_IP_LENGTH:
		return meter_ip_length(p);
	case PRM_METER_MODE_BYTES_CALC_WITH_L2:
		return p->len;
	case PRM_METER_MODE_BYTES_CALC_WITH_L2_IPG:
		return p->len + METER_IPG;
	default:
		return METER_PACKET_COST;
	}
}

static int64_t meter_burst(uint64_t mantissa, uint32_t exponent)
{
	return mantissa << exponent < INT32_MAX ? (int64_t)(mantissa << exponent) : INT32_MAX;
}

static void meter_load(const uint8_t *m, struct meter_buckets *b)
{
	*b = (struct meter_buckets){
		.c = {(int32_t)prm_flow_meter_parameters_get_c_tokens(m),
		      meter_burst(prm_flow_meter_parameters_get_cbs_mantissa(m),
				  prm_flow_meter_parameters_get_cbs_exponent(m)),
		      prm_flow_meter_parameters_get_cir_mantissa(m),
		      prm_flow_meter_parameters_get_cir_exponent(m)},
		.e = {(int32_t)prm_flow_meter_parameters_get_e_tokens(m),
		      meter_burst(prm_flow_meter_parameters_get_ebs_mantissa(m),
				  prm_flow_meter_parameters_get_ebs_exponent(m)),
		      prm_flow_meter_parameters_get_eir_mantissa(m),
		      prm_flow_meter_parameters_get_eir_exponent(m)},
	};
}

/*
 * Returns the tokens of a span of time: the difference of the whole tokens up to its ends, so no
 * fraction of a token is lost, however often packets come.
 */
static int64_t meter_earned(const struct meter_bucket *b, uint64_t from, uint64_t now)
{
	__extension__ unsigned __int128 until = now, before = from;

	until = (until * b->mantissa >> b->exponent) - (before * b->mantissa >> b->exponent);
	return until < UINT32_MAX ? (int64_t)until : UINT32_MAX;
}

/* Adds the tokens of a span of time; returns those that do not fit. */
static int64_t meter_fill(struct meter_bucket *b, uint64_t from, uint64_t now, int64_t more)
{
	int64_t over;

	b->tokens += meter_earned(b, from, now) + more;
	over = b->tokens > b->most ? b->tokens - b->most : 0;
	b->tokens -= over;
	return over;
}

/*
 * [I] A new context has time 0, so its buckets are full at the first packet. A time in the future,
 * which only software writes, counts as now.
 */
static void meter_refill(const uint8_t *m, struct meter_buckets *b, uint64_t now)
{
	uint64_t from = prm_flow_meter_parameters_get_timestamp(m);
	int64_t over = meter_fill(&b->c, from < now ? from : now, now, 0);

	if (!prm_flow_meter_parameters_get_bucket_overflow(m))
		over = 0;
	meter_fill(&b->e, from < now ? from : now, now, over);
}

static bool meter_take(struct meter_bucket *b, uint32_t cost)
{
	if (b->tokens < 0)
		return false;
	b->tokens -= cost;
	return true;
}

/* RFC 2698: a packet that is green takes from both buckets, and E is the peak rate's. */
static uint8_t meter_color_both(struct meter_buckets *b, uint8_t color, uint32_t cost)
{
	if (!meter_take(&b->e, cost))
		return PRM_METER_COLOR_RED;
	return color == PRM_METER_COLOR_GREEN && meter_take(&b->c, cost) ? PRM_METER_COLOR_GREEN
									 : PRM_METER_COLOR_YELLOW;
}

/* RFC 2697 and 4115: from C, or else from E. */
static uint8_t meter_color_either(struct meter_buckets *b, uint8_t color, uint32_t cost)
{
	if (color == PRM_METER_COLOR_GREEN && meter_take(&b->c, cost))
		return PRM_METER_COLOR_GREEN;
	return meter_take(&b->e, cost) ? PRM_METER_COLOR_YELLOW : PRM_METER_COLOR_RED;
}

/* [I] The meter's start_color decides, unless it is UNDEFINED: then the packet's, GREEN by default. */
static uint8_t meter_first_color(const uint8_t *m, uint8_t color)
{
	uint32_t start = prm_flow_meter_parameters_get_start_color(m);

	if (start != PRM_METER_COLOR_UNDEFINED)
		return (uint8_t)start;
	return color == PRM_METER_COLOR_UNDEFINED ? PRM_METER_COLOR_GREEN : color;
}

uint8_t aso_meter(uint8_t *m, uint8_t color, uint32_t cost, uint64_t now)
{
	struct meter_buckets b;

	meter_load(m, &b);
	meter_refill(m, &b, now);
	color = meter_first_color(m, color);
	if (color != PRM_METER_COLOR_RED && prm_flow_meter_parameters_get_both_buckets_on_green(m))
		color = meter_color_both(&b, color, cost);
	else if (color != PRM_METER_COLOR_RED)
		color = meter_color_either(&b, color, cost);
	prm_flow_meter_parameters_set_c_tokens(m, (uint32_t)b.c.tokens);
	prm_flow_meter_parameters_set_e_tokens(m, (uint32_t)b.e.tokens);
	prm_flow_meter_parameters_set_timestamp(m, now);
	return color;
}
