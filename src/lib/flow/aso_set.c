/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and writes contexts of ASO objects. */
#include <dvx/prm/flow.h>
#include "aso.h"

#define METER_BYTES	   PRM_FLOW_METER_PARAMETERS_BYTES
#define METER_PACKET_BYTES 128u /* tokens of a packet in packet mode (Linux, en/tc/meter.c) */
#define METER_NS	   1000000000u
#define METER_BURST_MOST   INT32_MAX
#define METER_BURST_FULL   (255ul << 23) /* the largest one below */
/* All but reserved bytes, as Linux writes them. */
#define METER_FIRST_MASK  0x80ffffff00000000u
#define METER_SECOND_MASK (METER_FIRST_MASK >> 32)

/* --- reading ----------------------------------------------------------------------------------- */

/* [I] DPDK: the last byte has flows 0 to 7, flow 0 in its lowest bit. */
static void lib_aso_copy_hits(const uint8_t *contexts, uint32_t first, uint32_t n, uint8_t *out)
{
	for (uint32_t i = 0; i < n; i++) {
		const uint8_t *c = contexts + (size_t)((first + i) / 512) * ASO_CONTEXT;
		uint32_t flow = (first + i) % 512;

		out[i] = c[ASO_CONTEXT - 1 - flow / 8] >> flow % 8 & 1;
	}
}

/* Reads n objects, which are all in this part; mask: bytes that become 0. */
static int lib_aso_read_part(struct dvx_aso *aso, const struct dvx_flow_part *part, uint32_t first,
			     uint32_t n, uint64_t mask, uint8_t *out)
{
	static const uint8_t zeros[ASO_CONTEXT];
	uint32_t each = aso->kind->each, begin = first / each;
	struct dvx_aso_request r = {.id = part->id + begin,
				    .n = (first + n - 1) / each - begin + 1,
				    .opmod = aso->kind->opmod,
				    .mask = mask,
				    .data = zeros};
	int err;

	r.out = malloc((size_t)r.n * ASO_CONTEXT);
	if (!r.out)
		return dvx_fail(ENOMEM, "no memory for %u contexts", r.n);
	err = dvx_aso_queue_run(aso->queue, &r);
	if (!err && aso->kind->opmod == PRM_ASO_OPMOD_FIRST_HIT)
		lib_aso_copy_hits(r.out, first % each, n, out);
	else if (!err)
		memcpy(out, r.out + (size_t)(first % each) * aso->kind->bytes,
		       (size_t)n * aso->kind->bytes);
	free(r.out);
	return err;
}

static int lib_aso_read_all(struct dvx_aso *aso, uint32_t first, uint32_t n, uint64_t mask,
			    uint8_t *out)
{
	int err = 0;

	while (n && !err) {
		uint32_t at = first;
		const struct dvx_flow_part *part = dvx_aso_part(aso, &at);
		uint32_t here = n < part->size - at ? n : part->size - at;

		err = lib_aso_read_part(aso, part, at, here, mask, out);
		out += (size_t)here * aso->kind->bytes;
		first += here;
		n -= here;
	}
	return err;
}

static int lib_aso_check_read(const struct dvx_aso *aso, const char *call, uint32_t first,
			      uint32_t n, const void *out)
{
	int err = dvx_check_not_null(call, "aso", aso, NULL);

	if (!err && n)
		err = dvx_check_not_null(call, "out", out, NULL);
	if (!err && (first > aso->size || n > aso->size - first))
		err = dvx_fail(ERANGE, "%s: %u %s from number %u, but there are only %u", call, n,
			       aso->kind->name, first, aso->size);
	return err;
}

int dvx_aso_read(struct dvx_aso *aso, uint32_t first, uint32_t n, void *out)
{
	int err = lib_aso_check_read(aso, "dvx_aso_read", first, n, out);

	return err ? err : lib_aso_read_all(aso, first, n, 0, out);
}

static int lib_aso_is(const struct dvx_aso *aso, const char *call, uint8_t opmod, const char *want)
{
	if (aso->kind->opmod == opmod)
		return 0;
	return dvx_fail(EINVAL, "%s: aso has %s, not %s", call, aso->kind->name, want);
}

int dvx_aso_take_hits(struct dvx_aso *aso, uint32_t first, uint32_t n, uint8_t *out)
{
	int err = lib_aso_check_read(aso, "dvx_aso_take_hits", first, n, out);

	if (!err)
		err = lib_aso_is(aso, "dvx_aso_take_hits", PRM_ASO_OPMOD_FIRST_HIT, "hits");
	return err ? err : lib_aso_read_all(aso, first, n, UINT64_MAX, out);
}

/* --- writing ----------------------------------------------------------------------------------- */

static int lib_aso_check_set(const struct dvx_aso *aso, const char *call, uint32_t index,
			     uint8_t opmod, const char *want)
{
	int err = dvx_check_not_null(call, "aso", aso, NULL);

	if (!err)
		err = lib_aso_is(aso, call, opmod, want);
	return err ? err : dvx_aso_check_index(aso, call, index);
}

static int lib_aso_write(struct dvx_aso *aso, uint32_t index, uint64_t mask, const uint8_t *context)
{
	const struct dvx_flow_part *part = dvx_aso_part(aso, &index);
	struct dvx_aso_request r = {.id = part->id + index / aso->kind->each,
				    .n = 1,
				    .opmod = aso->kind->opmod,
				    .mask = mask,
				    .data = context};

	return dvx_aso_queue_run(aso->queue, &r);
}

/* A mantissa of 8 bits and an exponent of 5. */
struct lib_meter_number {
	uint32_t mantissa, exponent;
};

/*
 * A rate is mantissa / 2^exponent bytes in a nanosecond: takes the largest exponent, for the most
 * bits of the mantissa.
 */
static int lib_meter_rate(const struct dvx_meter *m, const char *name, uint64_t rate, bool may_be_0,
			  struct lib_meter_number *out)
{
	bool packets = m->flags & DVX_METER_PACKETS;
	/* In units of 1/8 byte a second. */
	__extension__ unsigned __int128 want =
		(unsigned __int128)rate * (packets ? 8 * METER_PACKET_BYTES : 1);
	const uint64_t unit = 8ull * METER_NS;

	*out = (struct lib_meter_number){0};
	if (!rate && may_be_0)
		return 0;
	for (out->exponent = 31;; out->exponent--) {
		out->mantissa = (uint32_t)(((want << out->exponent) + unit / 2) / unit < 256
						   ? ((want << out->exponent) + unit / 2) / unit
						   : 256);
		if (out->mantissa < 256 || !out->exponent)
			break;
	}
	if (out->mantissa && out->mantissa < 256)
		return 0;
	return dvx_fail(ERANGE, "dvx_aso_set_meter: %s is %llu %s a second: a meter has %s", name,
			(unsigned long long)rate, packets ? "packets" : "bits",
			packets ? "1 to 1992187500" : "2 to 2040000000000");
}

/* A burst is mantissa * 2^exponent bytes: rounds up. */
static int lib_meter_burst(const struct dvx_meter *m, const char *name, uint64_t burst,
			   struct lib_meter_number *out)
{
	uint32_t each = m->flags & DVX_METER_PACKETS ? METER_PACKET_BYTES : 1;
	uint64_t bytes = burst * each < METER_BURST_FULL ? burst * each : METER_BURST_FULL;

	*out = (struct lib_meter_number){0};
	if (burst > METER_BURST_MOST / each)
		return dvx_fail(ERANGE, "dvx_aso_set_meter: %s is %llu %s: a meter has at most %u",
				name, (unsigned long long)burst, each > 1 ? "packets" : "bytes",
				METER_BURST_MOST / each);
	while ((bytes + (1ull << out->exponent) - 1) >> out->exponent > 255)
		out->exponent++;
	out->mantissa = (uint32_t)((bytes + (1ull << out->exponent) - 1) >> out->exponent);
	return 0;
}

static int lib_meter_context(const struct dvx_meter *m, uint8_t *c)
{
	struct lib_meter_number cir, cbs, eir, ebs;
	int err = lib_meter_rate(m, "rate", m->rate, false, &cir);

	if (!err)
		err = lib_meter_burst(m, "burst", m->burst, &cbs);
	if (!err)
		err = lib_meter_rate(m, "excess_rate", m->excess_rate, !(m->flags & DVX_METER_PEAK),
				     &eir);
	if (!err)
		err = lib_meter_burst(m, "excess_burst", m->excess_burst, &ebs);
	if (err)
		return err;
	prm_flow_meter_parameters_set_valid(c, 1);
	prm_flow_meter_parameters_set_bucket_overflow(c, !(m->flags & DVX_METER_PEAK));
	prm_flow_meter_parameters_set_both_buckets_on_green(c, !!(m->flags & DVX_METER_PEAK));
	prm_flow_meter_parameters_set_start_color(c, PRM_METER_COLOR_GREEN);
	prm_flow_meter_parameters_set_meter_mode(c, m->flags & DVX_METER_PACKETS
							    ? PRM_METER_MODE_NUM_PACKETS
							    : PRM_METER_MODE_BYTES_CALC_WITH_L2);
	prm_flow_meter_parameters_set_cir_mantissa(c, cir.mantissa);
	prm_flow_meter_parameters_set_cir_exponent(c, cir.exponent);
	prm_flow_meter_parameters_set_cbs_mantissa(c, cbs.mantissa);
	prm_flow_meter_parameters_set_cbs_exponent(c, cbs.exponent);
	prm_flow_meter_parameters_set_eir_mantissa(c, eir.mantissa);
	prm_flow_meter_parameters_set_eir_exponent(c, eir.exponent);
	prm_flow_meter_parameters_set_ebs_mantissa(c, ebs.mantissa);
	prm_flow_meter_parameters_set_ebs_exponent(c, ebs.exponent);
	return 0;
}

int dvx_aso_set_meter(struct dvx_aso *aso, uint32_t index, const struct dvx_meter *user)
{
	uint8_t context[ASO_CONTEXT] = {0};
	struct dvx_meter m;
	int err = dvx_struct_copy(&m, user, "dvx_aso_set_meter", "meter");

	if (!err)
		err = lib_aso_check_set(aso, "dvx_aso_set_meter", index, PRM_ASO_OPMOD_FLOW_METER,
					"meters");
	if (!err && m.flags & ~(uint32_t)(DVX_METER_PACKETS | DVX_METER_PEAK))
		err = dvx_fail(EINVAL, "dvx_aso_set_meter: meter.flags 0x%x: unknown bits",
			       m.flags);
	if (!err)
		err = lib_meter_context(&m, context + index % 2 * METER_BYTES);
	return err ? err
		   : lib_aso_write(aso, index, index % 2 ? METER_SECOND_MASK : METER_FIRST_MASK,
				   context);
}

static int lib_connection_check(const struct dvx_connection *c)
{
	const struct dvx_connection_side *sides[] = {&c->syn, &c->syn_ack};
	static const char *const names[] = {"syn", "syn_ack"};

	if (c->flags)
		return dvx_fail(EINVAL,
				"dvx_aso_set_connection: connection.flags 0x%x: unknown "
				"bits",
				c->flags);
	for (int i = 0; i < 2; i++) {
		if (sides[i]->scale > 14 && sides[i]->scale != DVX_CONNECTION_NO_SCALE)
			return dvx_fail(EINVAL,
					"dvx_aso_set_connection: connection.%s.scale is %u, not 0 "
					"to 14 or DVX_CONNECTION_NO_SCALE",
					names[i], sides[i]->scale);
		if (sides[i]->sack > 1)
			return dvx_fail(EINVAL,
					"dvx_aso_set_connection: connection.%s.sack is %u, not 0 "
					"or 1",
					names[i], sides[i]->sack);
	}
	return 0;
}

/* The state that Linux's nf_conntrack has after both packets: tcp_new(), tcp_in_window(). */
static void lib_connection_context(const struct dvx_connection *c, uint8_t *p)
{
	void *o = prm_conn_track_aso_at_original_dir(p), *r = prm_conn_track_aso_at_reply_dir(p);
	bool scaled = c->syn.scale <= 14 && c->syn_ack.scale <= 14;
	uint32_t window = c->syn_ack.window ? c->syn_ack.window : 1;

	prm_tcp_window_params_set_sent_end(o, c->syn.seq + 1);
	prm_tcp_window_params_set_reply_end(o, c->syn.seq + 1 + window);
	prm_tcp_window_params_set_max_win(o, c->syn.window ? c->syn.window : 1);
	prm_tcp_window_params_set_sent_end(r, c->syn_ack.seq + 1);
	prm_tcp_window_params_set_reply_end(r, c->syn_ack.seq + 1);
	prm_tcp_window_params_set_max_win(r, window);
	prm_tcp_window_params_set_max_ack(r, c->syn.seq + 1);
	prm_conn_track_aso_set_reply_direction_tcp_max_ack(p, 1);
	prm_conn_track_aso_set_original_direction_tcp_scale(p, scaled ? c->syn.scale : 0xf);
	prm_conn_track_aso_set_reply_direction_tcp_scale(p, scaled ? c->syn_ack.scale : 0xf);
	prm_conn_track_aso_set_last_index(p, PRM_CT_INDEX_SYNACK);
	prm_conn_track_aso_set_last_seq(p, c->syn_ack.seq);
	prm_conn_track_aso_set_last_end(p, c->syn_ack.seq + 1);
	prm_conn_track_aso_set_last_ack(p, c->syn.seq + 1);
	prm_conn_track_aso_set_last_win(p, c->syn_ack.window);
	prm_conn_track_aso_set_sack_permitted(p, c->syn.sack && c->syn_ack.sack);
	prm_conn_track_aso_set_valid(p, 1);
}

int dvx_aso_set_connection(struct dvx_aso *aso, uint32_t index, const struct dvx_connection *user)
{
	uint8_t context[ASO_CONTEXT] = {0};
	struct dvx_connection c;
	int err = dvx_struct_copy(&c, user, "dvx_aso_set_connection", "connection");

	if (!err)
		err = lib_aso_check_set(aso, "dvx_aso_set_connection", index,
					PRM_ASO_OPMOD_CONNECTION_TRACKING, "connections");
	if (!err)
		err = lib_connection_check(&c);
	if (err)
		return err;
	lib_connection_context(&c, context);
	return lib_aso_write(aso, index, UINT64_MAX, context);
}
