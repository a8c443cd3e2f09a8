/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves connection tracking on its context alone: states from handshake to close, results, what
 * is left to software. tests/steer/ct_kernel.sh compares windows and resets with the kernel.
 */
#include "tests/test.h"
#include <dvx/prm/object.h>
#include "ct_traces.h"
#include "steer/aso/aso.h"

#define INITIATOR false
#define RESPONDER true
#define STATE(t)  prm_conn_track_aso_get_state((t)->context)
#define CHANGED	  (ASO_CT_VALID | ASO_CT_CHANGED)

/* Makes a connection with windows of 10000 and 20000 bytes, numbers 1001 and 5001. */
static struct ct_trace connection(void)
{
	struct ct_trace t;
	struct ct_frame f;

	ct_trace_begin(&t, 1);
	t.next[0] = 1000;
	t.next[1] = 5000;
	t.win[0] = 10000;
	t.win[1] = 20000;
	t.scaled = false;
	t.sack = false;
	ct_trace_handshake(&t, 0, &f);
	ct_trace_handshake(&t, 1, &f);
	return t;
}

static uint8_t pass(struct ct_trace *t, bool reply, uint8_t flags, uint32_t seq, uint32_t ack,
		    uint32_t len)
{
	const struct ct_tcp s = {.seq = seq, .ack = ack, .len = len, .flags = flags, .win = 10000};
	struct ct_frame f;

	ct_frame_make(t, &f, reply, &s);
	return ct_trace_model(t, &f);
}

static struct ct_trace established(void)
{
	struct ct_trace t = connection();

	assert_int_equal(pass(&t, INITIATOR, CT_ACK, 1001, 5001, 0), CHANGED);
	assert_int_equal(STATE(&t), PRM_CT_STATE_ESTABLISHED);
	return t;
}

TEST(none, from_handshake_to_close)
{
	struct ct_trace t = connection();

	assert_int_equal(STATE(&t), PRM_CT_STATE_SYN_RECV);
	assert_int_equal(pass(&t, RESPONDER, CT_ACK, 5001, 1001, 0), ASO_CT_VALID);
	assert_false(prm_conn_track_aso_get_connection_assured(t.context));
	assert_int_equal(pass(&t, INITIATOR, CT_ACK, 1001, 5001, 100), CHANGED);
	assert_true(prm_conn_track_aso_get_connection_assured(t.context));
	assert_true(prm_conn_track_aso_get_heartbeat(t.context));
	assert_true(prm_conn_track_aso_get_original_direction_tcp_data_unacked(t.context));
	assert_int_equal(pass(&t, RESPONDER, CT_ACK, 5001, 1101, 0), ASO_CT_VALID);
	assert_false(prm_conn_track_aso_get_original_direction_tcp_data_unacked(t.context));
	assert_int_equal(pass(&t, RESPONDER, CT_FIN | CT_ACK, 5001, 1101, 0), CHANGED);
	assert_int_equal(STATE(&t), PRM_CT_STATE_FIN_WAIT);
	assert_true(prm_conn_track_aso_get_reply_direction_tcp_close_initiated(t.context));
	assert_int_equal(pass(&t, INITIATOR, CT_ACK, 1101, 5002, 0), CHANGED);
	assert_int_equal(STATE(&t), PRM_CT_STATE_CLOSE_WAIT);
	assert_int_equal(pass(&t, INITIATOR, CT_FIN | CT_ACK, 1101, 5002, 0), CHANGED);
	assert_int_equal(STATE(&t), PRM_CT_STATE_LAST_ACK);
	assert_int_equal(pass(&t, RESPONDER, CT_ACK, 5002, 1102, 0), CHANGED);
	assert_int_equal(STATE(&t), PRM_CT_STATE_TIME_WAIT);
	/* a new connection of these ports is software's */
	assert_int_equal(pass(&t, INITIATOR, CT_SYN, 9000, 0, 0), ASO_CT_TRAP);
}

/* The window is 20000 bytes from 1001: its last byte, one too many, an acknowledgement too high. */
TEST(none, windows)
{
	struct ct_trace t = established();

	assert_int_equal(pass(&t, INITIATOR, CT_ACK, 1001 + 20000, 5001, 1), ASO_CT_VALID);
	t = established();
	assert_int_equal(pass(&t, INITIATOR, CT_ACK, 1002 + 20000, 6001, 1), ASO_CT_INVALID);
	assert_int_equal(pass(&t, RESPONDER, CT_ACK, 5001, 1002, 0), ASO_CT_INVALID);
	assert_int_equal(pass(&t, RESPONDER, CT_ACK, 5001, 1001, 10), ASO_CT_VALID);
	/* repeated data that was acknowledged long ago has no effect */
	assert_int_equal(pass(&t, RESPONDER, CT_ACK, 5001u - 30000u, 1001, 10), ASO_CT_VALID);
	prm_conn_track_aso_set_original_direction_tcp_liberal_enabled(t.context, 1);
	assert_int_equal(pass(&t, INITIATOR, CT_ACK, 77, 88, 1), ASO_CT_VALID);
}

/* A reset has the expected number, or the state stays; one from before is refused. */
TEST(none, resets)
{
	struct ct_trace t = established();

	assert_int_equal(pass(&t, RESPONDER, CT_RST, 5000, 0, 0), ASO_CT_INVALID);
	assert_int_equal(pass(&t, RESPONDER, CT_RST, 5100, 0, 0), ASO_CT_VALID);
	assert_int_equal(STATE(&t), PRM_CT_STATE_ESTABLISHED);
	assert_int_equal(pass(&t, RESPONDER, CT_RST, 5001, 0, 0), CHANGED);
	assert_int_equal(STATE(&t), PRM_CT_STATE_TIME_WAIT);
	assert_int_equal(prm_conn_track_aso_get_last_index(t.context), PRM_CT_INDEX_RST);
}

/* A SYN in a connection passes; the SYN-ACK that answers it is software's. */
TEST(none, handshakes_within)
{
	struct ct_trace t = established();

	assert_int_equal(pass(&t, RESPONDER, CT_SYN, 9000, 0, 0), ASO_CT_INVALID);
	assert_int_equal(pass(&t, INITIATOR, CT_SYN | CT_ACK, 9000, 5001, 0), ASO_CT_INVALID);
	assert_int_equal(pass(&t, INITIATOR, CT_SYN, 9000, 0, 0), ASO_CT_VALID);
	assert_int_equal(pass(&t, RESPONDER, CT_SYN | CT_ACK, 7000, 9002, 0), ASO_CT_VALID);
	assert_int_equal(pass(&t, INITIATOR, CT_SYN, 9000, 0, 0), ASO_CT_VALID);
	assert_int_equal(pass(&t, RESPONDER, CT_SYN | CT_ACK, 7000, 9001, 0), ASO_CT_TRAP);
	assert_int_equal(STATE(&t), PRM_CT_STATE_ESTABLISHED);
}

TEST(none, retries)
{
	struct ct_trace t = established();

	prm_conn_track_aso_set_retranmission_limit(t.context, 3);
	for (unsigned int i = 1; i < 10; i++) {
		assert_int_equal(pass(&t, INITIATOR, CT_ACK, 1001, 5001, 0), ASO_CT_VALID);
		assert_int_equal(prm_conn_track_aso_get_retransmission_counter(t.context),
				 i < 7 ? i : 7);
		assert_int_equal(prm_conn_track_aso_get_retranmission_limit_exceeded(t.context),
				 i >= 3);
	}
	pass(&t, INITIATOR, CT_ACK, 1001, 5001, 1);
	assert_int_equal(prm_conn_track_aso_get_retransmission_counter(t.context), 0);
}

/* Contexts that are not tracked, and packets that are no TCP: both leave the context. */
TEST(none, left_alone)
{
	struct ct_trace t = established(), before = t;
	struct ct_frame f;
	const struct ct_tcp s = {.seq = 1001, .ack = 5001, .flags = CT_ACK, .len = 5};
	const struct {
		unsigned int at;
		uint8_t change;
	} bad[] = {{14 + 9, 17}, {14 + 10, 1}, {34 + 13, 0x02}, {34 + 12, 0x80}, {34 + 20, 1}};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ct_frame_make(&t, &f, INITIATOR, &s);
		f.bytes[bad[i].at] ^= bad[i].change;
		assert_int_equal(ct_trace_model(&t, &f), ASO_CT_BAD);
	}
	assert_memory_equal(t.context, before.context, 64);
	prm_conn_track_aso_set_freeze_track(t.context, 1);
	assert_int_equal(pass(&t, INITIATOR, CT_ACK, 1001, 5001, 0), ASO_CT_TRAP);
	t = before;
	prm_conn_track_aso_set_valid(t.context, 0);
	assert_int_equal(pass(&t, INITIATOR, CT_ACK, 1001, 5001, 0), ASO_CT_TRAP);
	t = before;
	prm_conn_track_aso_set_state(t.context, 6);
	assert_int_equal(pass(&t, INITIATOR, CT_ACK, 1001, 5001, 0), ASO_CT_TRAP);
}
