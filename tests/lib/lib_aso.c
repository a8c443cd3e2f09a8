/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Meters, first hits and tracked connections by libdvx: packets that rules judge by their results,
 * contexts as the device has them, and refusals that name the field and its limit.
 */
#include <math.h>
#include <dvx/prm/object.h>
#include "tests/test.h"
#include "lib_flow_stage.h"

#define REG "metadata_reg_c_3"

/* A rule for all packets with an ASO action, and a table behind it: one value to b, others to a. */
struct judge {
	struct stage *s;
	struct dvx_aso_queue *queue;
	struct dvx_aso *aso;
	struct dvx_flow_action *act, *go;
	struct dvx_flow_table *behind;
	struct dvx_flow_matcher *all, *result, *rest;
	struct dvx_flow_rule *rule, *other, *to_b;
};

static const struct dvx_flow_match everything;

static void judge_behind(struct judge *j, uint8_t value, uint8_t mask)
{
	struct dvx_flow_match m = {0};

	OK(dvx_flow_table_create(j->s->domain, level + 1, &j->behind));
	OK(dvx_flow_action_create_table(j->s->domain, j->behind, &j->go));
	OK(dvx_flow_match_set(&m, REG, value, mask));
	j->result = matcher(j->behind, &m, 0);
	j->rest = matcher(j->behind, &everything, 1);
	j->to_b = rule(j->result, &m, &j->s->to_b, 1);
	j->other = rule(j->rest, &everything, &j->s->to_a, 1);
}

/* Packets change object `index`; those with this result go to b. */
static void judge_open(struct judge *j, struct stage *s, enum dvx_aso_kind kind, uint32_t index,
		       uint32_t flags, uint8_t value, uint8_t mask)
{
	*j = (struct judge){.s = s};
	OK(dvx_aso_queue_create(s->f->r.dev, &j->queue));
	OK(dvx_aso_create(j->queue, kind, index + 1, &j->aso));
	OK(dvx_flow_action_create_aso(s->domain, j->aso, index, 3, flags, &j->act));
	judge_behind(j, value, mask);
	j->all = matcher(s->table, &everything, 0);
	j->rule = rule(j->all, &everything, (struct dvx_flow_action *[]){j->act, j->go}, 2);
}

static void judge_close(struct judge *j)
{
	OK(dvx_flow_rule_destroy(j->rule));
	OK(dvx_flow_matcher_destroy(j->all));
	OK(dvx_flow_rule_destroy(j->to_b));
	OK(dvx_flow_rule_destroy(j->other));
	OK(dvx_flow_matcher_destroy(j->result));
	OK(dvx_flow_matcher_destroy(j->rest));
	OK(dvx_flow_action_destroy(j->go));
	OK(dvx_flow_table_destroy(j->behind));
	OK(dvx_flow_action_destroy(j->act));
	OK(dvx_aso_destroy(j->aso));
	OK(dvx_aso_queue_destroy(j->queue));
}

static struct dvx_meter meter_of(uint32_t flags, uint64_t rate, uint64_t burst)
{
	return (struct dvx_meter){
		.size = sizeof(struct dvx_meter), .flags = flags, .rate = rate, .burst = burst};
}

/* --- meters ------------------------------------------------------------------------------------ */

/*
 * A burst of three packets at a rate that no packet of the test earns: as the last one may leave a
 * debt, four are green. The other meter of the device's object is untouched.
 */
TEST(below, meter)
{
	struct dvx_meter slow = meter_of(DVX_METER_PACKETS, 1, 3), other = slow;
	uint8_t both[2][PRM_FLOW_METER_PARAMETERS_BYTES], again[2][sizeof(both[0])];
	struct judge j;

	other.burst = 100;
	judge_open(&j, s, DVX_ASO_METERS, 3, 0, DVX_METER_GREEN, 0xff);
	OK(dvx_aso_set_meter(j.aso, 2, &other));
	OK(dvx_aso_set_meter(j.aso, 3, &slow));
	OK(dvx_aso_read(j.aso, 2, 2, both));
	for (uint16_t i = 0; i < 6; i++) {
		struct frame_spec spec = {.sport = (uint16_t)(i + 1)};

		spec_send(s->f, spec);
		inbox_gets(i < 4 ? &s->b : &s->a, spec, 0);
	}
	OK(dvx_aso_read(j.aso, 2, 2, again));
	assert_memory_equal(both[0], again[0], sizeof(again[0]));
	assert_true((int32_t)prm_flow_meter_parameters_get_c_tokens(again[1]) < 0);
	judge_close(&j);
}

/* Bytes a second of a rate as the device reads it. */
static double rate_of(uint32_t mantissa, uint32_t exponent)
{
	return 1e9 * mantissa / (double)(1ull << exponent);
}

static void rate_is_near(struct dvx_aso *aso, uint32_t flags, uint64_t rate)
{
	struct dvx_meter m = meter_of(flags, rate, 1);
	double want = flags & DVX_METER_PACKETS ? 128.0 * (double)rate : (double)rate / 8, got;
	uint8_t c[PRM_FLOW_METER_PARAMETERS_BYTES];

	OK(dvx_aso_set_meter(aso, 0, &m));
	OK(dvx_aso_read(aso, 0, 1, c));
	got = rate_of(prm_flow_meter_parameters_get_cir_mantissa(c),
		      prm_flow_meter_parameters_get_cir_exponent(c));
	if (fabs(got - want) > 0.004 * want)
		fail_msg("%llu: %g, not %g bytes a second", (unsigned long long)rate, got, want);
	assert_int_equal(prm_flow_meter_parameters_get_meter_mode(c),
			 flags & DVX_METER_PACKETS ? PRM_METER_MODE_NUM_PACKETS
						   : PRM_METER_MODE_BYTES_CALC_WITH_L2);
}

/* Each rate is within 0.4 % of what was asked for. */
TEST(below, rates)
{
	struct dvx_aso_queue *queue;
	struct dvx_aso *aso;

	OK(dvx_aso_queue_create(s->f->r.dev, &queue));
	OK(dvx_aso_create(queue, DVX_ASO_METERS, 1, &aso));
	for (uint64_t rate = 1000; rate < 2000000000000; rate += rate / 3 + 7)
		rate_is_near(aso, 0, rate);
	for (uint64_t rate = 2; rate < 1900000000; rate += rate / 3 + 1)
		rate_is_near(aso, DVX_METER_PACKETS, rate);
	OK(dvx_aso_destroy(aso));
	OK(dvx_aso_queue_destroy(queue));
}

/* The bits and bursts of the three RFCs. */
TEST(below, two_buckets)
{
	struct dvx_meter m = meter_of(0, 8000, 1000);
	uint8_t c[PRM_FLOW_METER_PARAMETERS_BYTES];
	struct dvx_aso_queue *queue;
	struct dvx_aso *aso;

	OK(dvx_aso_queue_create(s->f->r.dev, &queue));
	OK(dvx_aso_create(queue, DVX_ASO_METERS, 1, &aso));
	m.excess_burst = 2147483647;
	OK(dvx_aso_set_meter(aso, 0, &m));
	OK(dvx_aso_read(aso, 0, 1, c));
	assert_int_equal(prm_flow_meter_parameters_get_bucket_overflow(c), 1);
	assert_int_equal(prm_flow_meter_parameters_get_both_buckets_on_green(c), 0);
	assert_int_equal(prm_flow_meter_parameters_get_eir_mantissa(c), 0);
	assert_in_range(prm_flow_meter_parameters_get_cbs_mantissa(c)
				<< prm_flow_meter_parameters_get_cbs_exponent(c),
			1000, 1003);
	assert_int_equal(prm_flow_meter_parameters_get_ebs_mantissa(c), 255);
	assert_int_equal(prm_flow_meter_parameters_get_ebs_exponent(c), 23);
	m.flags = DVX_METER_PEAK;
	m.excess_rate = 16000;
	OK(dvx_aso_set_meter(aso, 0, &m));
	OK(dvx_aso_read(aso, 0, 1, c));
	assert_int_equal(prm_flow_meter_parameters_get_bucket_overflow(c), 0);
	assert_int_equal(prm_flow_meter_parameters_get_both_buckets_on_green(c), 1);
	OK(dvx_aso_destroy(aso));
	OK(dvx_aso_queue_destroy(queue));
}

/* --- hits -------------------------------------------------------------------------------------- */

/* A packet finds the bit of before, and sets it; reading keeps it, taking clears it. */
TEST(below, hit)
{
	uint8_t bits[1024];
	struct judge j;

	judge_open(&j, s, DVX_ASO_HITS, 700, 0, 1, 1);
	assert_int_equal(dvx_aso_size(j.aso), 1024);
	for (int round = 0; round < 2; round++) {
		spec_send(s->f, (struct frame_spec){0});
		inbox_gets(&s->a, (struct frame_spec){0}, 0);
		spec_send(s->f, (struct frame_spec){0});
		inbox_gets(&s->b, (struct frame_spec){0}, 0);
		for (int twice = 0; twice < 2; twice++) {
			OK(dvx_aso_read(j.aso, 698, 4, bits));
			assert_memory_equal(bits, "\0\0\1\0", 4);
		}
		OK(dvx_aso_take_hits(j.aso, 0, 1024, bits));
		assert_int_equal(bits[700], 1);
		assert_int_equal(memchr(bits, 1, sizeof(bits)) == bits + 700, 1);
	}
	OK(dvx_aso_read(j.aso, 700, 1, bits));
	assert_int_equal(bits[0], 0);
	judge_close(&j);
}

/* --- connections ------------------------------------------------------------------------------- */

static uint16_t tcp_sum(const uint8_t *ip)
{
	uint32_t len = prm_load16(ip, 2) - 20u, sum = 6 + len;

	for (uint32_t i = 12; i < 20 + len; i += 2)
		sum += prm_load16(ip, i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

/* A segment of 10.0.0.1:1000, the initiator. */
static void segment(struct frame *f, uint32_t seq, uint32_t ack, uint8_t flags)
{
	frame_build(f, (struct frame_spec){.proto = 6});
	prm_store32(f->bytes, 14 + 20 + 4, seq);
	prm_store32(f->bytes, 14 + 20 + 8, ack);
	f->bytes[14 + 20 + 13] = flags;
	prm_store16(f->bytes, 14 + 20 + 14, 0x2000);
	prm_store16(f->bytes, 14 + 20 + 16, tcp_sum(f->bytes + 14));
}

static void segment_gets(struct judge *j, struct inbox *in, uint32_t seq, uint32_t ack)
{
	struct frame f;

	segment(&f, seq, ack, 0x10);
	frame_send(j->s->f, &f);
	inbox_gets_frame(in, &f, 0);
}

/* Software decides until the connection is set; then segments within its windows are valid. */
TEST(below, connection)
{
	struct dvx_connection c = {.size = sizeof(c),
				   .syn = {1000, 8192, 7, 1},
				   .syn_ack = {5000, 10000, DVX_CONNECTION_NO_SCALE, 1}};
	uint8_t state[PRM_CONN_TRACK_ASO_BYTES];
	struct judge j;

	judge_open(&j, s, DVX_ASO_CONNECTIONS, 65, 0, DVX_CT_VALID, DVX_CT_VERDICT);
	assert_int_equal(dvx_aso_size(j.aso), 128);
	segment_gets(&j, &s->a, 1001, 5001);
	OK(dvx_aso_set_connection(j.aso, 65, &c));
	segment_gets(&j, &s->b, 1001, 5001);
	segment_gets(&j, &s->a, 1001 + 20000, 5001);
	segment_gets(&j, &s->b, 1041, 5001);
	OK(dvx_aso_read(j.aso, 65, 1, state));
	assert_int_equal(prm_conn_track_aso_get_state(state), PRM_CT_STATE_ESTABLISHED);
	assert_int_equal(prm_conn_track_aso_get_original_direction_tcp_scale(state), 0xf);
	assert_int_equal(prm_conn_track_aso_get_sack_permitted(state), 1);
	OK(dvx_aso_read(j.aso, 64, 1, state));
	assert_int_equal(prm_conn_track_aso_get_valid(state), 0);
	judge_close(&j);
}

/* --- a rule's actions --------------------------------------------------------------------------- */

/* A rule of what is sent has a meter and a rewrite, which libmlx5 takes in this order only. */
TEST(below, sent)
{
	struct dvx_meter m = meter_of(0, 1000000000, 100000);
	struct dvx_flow_rewrites list = {0};
	struct dvx_flow_action *a[3] = {0};
	struct dvx_flow_match is4 = {0};
	struct dvx_aso_queue *queue;
	struct dvx_aso *meters;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;
	struct stage_tx tx;
	struct frame want;

	stage_tx_open(&tx, s);
	dvx_flow_match_ip_version(&is4, DVX_FLOW_OUTER, 4);
	OK(dvx_aso_queue_create(s->f->r.dev, &queue));
	OK(dvx_aso_create(queue, DVX_ASO_METERS, 1, &meters));
	OK(dvx_aso_set_meter(meters, 0, &m));
	OK(dvx_flow_rewrite_mac(&list, DVX_FLOW_SRC, (const uint8_t *)"\2\0\0\0\0\x77"));
	OK(dvx_flow_action_create_modify(tx.s.domain, &list, &a[0]));
	OK(dvx_flow_action_create_aso(tx.s.domain, meters, 0, 3, 0, &a[1]));
	a[2] = tx.pass;
	mt = matcher(tx.s.table, &is4, 0);
	r = rule(mt, &is4, a, 3);
	frame_build(&want, (struct frame_spec){0});
	memcpy(want.bytes + 6, "\2\0\0\0\0\x77", 6);
	spec_send(s->f, (struct frame_spec){0});
	inbox_gets_frame(&s->a, &want, 0);
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
	for (int i = 0; i < 2; i++)
		OK(dvx_flow_action_destroy(a[i]));
	OK(dvx_aso_destroy(meters));
	OK(dvx_aso_queue_destroy(queue));
	stage_tx_close(&tx);
}

/* --- mistakes ----------------------------------------------------------------------------------- */

static void refuses_meter(struct dvx_aso *aso, struct dvx_meter m, int err, const char *a,
			  const char *b)
{
	m.size = sizeof(m);
	refused(dvx_aso_set_meter(aso, 0, &m), err, a, b);
}

TEST(below, bad_meters)
{
	struct dvx_aso_queue *queue;
	struct dvx_aso *aso, *none = NULL;

	OK(dvx_aso_queue_create(s->f->r.dev, &queue));
	refused(dvx_aso_create(queue, DVX_ASO_METERS, 0, &none), -ERANGE, "n is 0", "1 to");
	refused(dvx_aso_create(queue, (enum dvx_aso_kind)7, 1, &none), -EINVAL, "kind 7", "none");
	refused(dvx_aso_create(queue, DVX_ASO_METERS, 1u << 22, &none), -ERANGE,
		"n is 4194304 meters", "log_max_num_meter_aso");
	OK(dvx_aso_create(queue, DVX_ASO_METERS, 1, &aso));
	refuses_meter(aso, (struct dvx_meter){0}, -ERANGE, "rate is 0 bits a second", "2 to");
	refuses_meter(aso, (struct dvx_meter){.rate = 1}, -ERANGE, "rate is 1 bits", "2 to");
	refuses_meter(aso, (struct dvx_meter){.rate = 3000000000000}, -ERANGE, "rate is",
		      "2040000000000");
	refuses_meter(aso, (struct dvx_meter){.rate = UINT64_MAX, .flags = DVX_METER_PACKETS},
		      -ERANGE, "packets a second", "1992187500");
	refuses_meter(aso, (struct dvx_meter){.rate = 9, .burst = 1ul << 31}, -ERANGE,
		      "burst is 2147483648 bytes", "2147483647");
	refuses_meter(aso, (struct dvx_meter){.rate = 9, .excess_burst = 1ul << 31}, -ERANGE,
		      "excess_burst is", "2147483647");
	refuses_meter(aso, (struct dvx_meter){.rate = 9, .flags = DVX_METER_PEAK}, -ERANGE,
		      "excess_rate is 0", "a meter has");
	refuses_meter(aso, (struct dvx_meter){.rate = 9, .flags = 64}, -EINVAL, "flags 0x40",
		      "unknown");
	refused(dvx_aso_queue_destroy(queue), -EBUSY, "queue of ASO requests", "1 sets");
	OK(dvx_aso_destroy(aso));
	OK(dvx_aso_queue_destroy(queue));
}

TEST(below, bad_objects)
{
	struct dvx_connection c = {.size = sizeof(c), .syn.scale = 15};
	struct dvx_meter m = meter_of(0, 1000, 0);
	struct dvx_aso_queue *queue;
	struct dvx_aso *hits, *ct;
	uint8_t out[64];

	OK(dvx_aso_queue_create(s->f->r.dev, &queue));
	OK(dvx_aso_create(queue, DVX_ASO_HITS, 1, &hits));
	OK(dvx_aso_create(queue, DVX_ASO_CONNECTIONS, 1, &ct));
	refused(dvx_aso_set_meter(hits, 0, &m), -EINVAL, "aso has hits", "not meters");
	refused(dvx_aso_take_hits(ct, 0, 1, out), -EINVAL, "aso has connections", "not hits");
	refused(dvx_aso_read(hits, 511, 2, out), -ERANGE, "2 hits from number 511", "only 512");
	refused(dvx_aso_set_connection(ct, 64, &c), -ERANGE, "index 64", "connections, 64");
	refused(dvx_aso_set_connection(ct, 0, &c), -EINVAL, "syn.scale is 15", "0 to 14");
	c = (struct dvx_connection){.size = sizeof(c), .syn_ack.sack = 2};
	refused(dvx_aso_set_connection(ct, 0, &c), -EINVAL, "syn_ack.sack is 2", "0 or 1");
	OK(dvx_aso_destroy(hits));
	OK(dvx_aso_destroy(ct));
	OK(dvx_aso_queue_destroy(queue));
}

/* Rules that libmlx5 has no entry for, and registers that take no result. */
TEST(below, bad_actions)
{
	struct dvx_flow_action *act, *none = NULL;
	struct dvx_flow_table *root = NULL;
	struct dvx_flow_matcher *mt = matcher(s->table, &everything, 0), *in_root;
	struct dvx_flow_rule_attr attr;
	struct dvx_flow_rule *r = NULL;
	struct dvx_aso_queue *queue;
	struct dvx_aso *aso;

	OK(dvx_aso_queue_create(s->f->r.dev, &queue));
	OK(dvx_aso_create(queue, DVX_ASO_METERS, 2, &aso));
	refused(dvx_flow_action_create_aso(s->domain, aso, 2, 3, 0, &none), -ERANGE, "index 2",
		"meters, 2");
	refused(dvx_flow_action_create_aso(s->domain, aso, 0, 2, 0, &none), -EINVAL, "reg_c is 2",
		"1, 3 or 5");
	refused(dvx_flow_action_create_aso(s->domain, aso, 0, 3, DVX_FLOW_ASO_RESPONDER, &none),
		-EINVAL, "DVX_FLOW_ASO_RESPONDER", "no sides");
	refused(dvx_flow_action_create_aso(s->domain, aso, 0, 3, 2, &none), -EINVAL, "flags 0x2",
		"unknown");
	OK(dvx_flow_action_create_aso(s->domain, aso, 0, 3, 0, &act));
	refused(dvx_aso_destroy(aso), -EBUSY, "meters", "1 actions");
	attr = rule_attr(mt, &everything, (struct dvx_flow_action *[]){act, s->drop}, 2);
	if (!STAGE_FLAGS)
		refused(dvx_flow_rule_create(&attr, &r), -EOPNOTSUPP,
			"a meter with drop in an RX table", "lead to a table");
	attr = rule_attr(mt, &everything, (struct dvx_flow_action *[]){act, act, s->to_a}, 3);
	refused(dvx_flow_rule_create(&attr, &r), -EINVAL, "attr.actions[1]", "two of meter");
	OK(dvx_flow_table_create(s->domain, 0, &root));
	in_root = matcher(root, &everything, 9);
	attr = rule_attr(in_root, &everything, (struct dvx_flow_action *[]){act, s->to_a}, 2);
	refused(dvx_flow_rule_create(&attr, &r), -EOPNOTSUPP, "attr.actions[0] is a meter",
		"another level");
	OK(dvx_flow_matcher_destroy(in_root));
	OK(dvx_flow_table_destroy(root));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_action_destroy(act));
	OK(dvx_aso_destroy(aso));
	OK(dvx_aso_queue_destroy(queue));
}
