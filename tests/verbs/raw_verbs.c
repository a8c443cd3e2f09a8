/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves raw packet QPs through unmodified libibverbs and libmlx5: packets from one context's QP
 * arrive at another's, with the completions that verbs programs read. */
#include "tests/test.h"
#include "raw_end.h"

#include <errno.h>
#include <time.h>

TEST(none, capabilities)
{
	struct ibv_context *ctx = open_device();
	struct ibv_device_attr_ex d = {0};

	assert_int_equal(ibv_query_device_ex(ctx, NULL, &d), 0);
	assert_true(d.raw_packet_caps & IBV_RAW_PACKET_CAP_IP_CSUM);
	assert_true(d.raw_packet_caps & IBV_RAW_PACKET_CAP_CVLAN_STRIPPING);
	assert_true(d.orig_attr.device_cap_flags & IBV_DEVICE_RAW_IP_CSUM);
	assert_int_equal(d.rss_caps.supported_qpts, 1 << IBV_QPT_RAW_PACKET);
	assert_true(d.rss_caps.rx_hash_function & IBV_RX_HASH_FUNC_TOEPLITZ);
	assert_true(d.max_wq_type_rq > 0);
	assert_int_equal(d.tso_caps.max_tso, 1 << 18);
	assert_int_equal(d.tso_caps.supported_qpts, 1 << IBV_QPT_RAW_PACKET);
	assert_int_equal(ibv_close_device(ctx), 0);
}

TEST(none, states)
{
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS};
	struct ibv_qp_init_attr init;
	struct end a;

	end_open(&a, 0);
	assert_int_equal(ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_RTS);
	attr.qp_state = IBV_QPS_ERR;
	assert_int_equal(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), 0);
	assert_int_equal(ibv_query_qp(a.qp, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_ERR);
	attr.qp_state = IBV_QPS_RTS;
	assert_int_equal(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), EINVAL);
	attr.qp_state = IBV_QPS_RESET;
	assert_int_equal(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), 0);
	attr.qp_state = IBV_QPS_INIT;
	assert_int_equal(ibv_modify_qp(a.qp, &attr, IBV_QP_STATE), EINVAL); /* it needs the port */
	to_rts(a.qp);
	end_close(&a);
}

/* Without a receiver, sends complete all the same. */
TEST(none, into_the_void)
{
	struct ibv_wc wc;
	struct end a;

	end_open(&a, 0);
	for (unsigned int i = 0; i < 2 * DEPTH; i++) {
		post_send(&a, i, make_udp(slot_out(&a, i), mac_b, 1, 64), IBV_SEND_IP_CSUM);
		poll_ok(a.scq, i, &wc);
	}
	end_close(&a);
}

static void on_ends(void (*test)(struct end *a, struct end *b), uint32_t flags, uint32_t tag)
{
	struct ibv_flow *flow;
	struct end a, b;

	end_open(&a, 0);
	end_open(&b, flags);
	flow = steer(b.qp, mac_b, tag);
	assert_non_null(flow);
	test(&a, &b);
	assert_int_equal(ibv_destroy_flow(flow), 0);
	end_close(&a);
	end_close(&b);
}

/* A test of two contexts: b's queue pair, with these flags, gets the packets to mac_b, tagged. */
#define FIXTURE_ends(name, flags, tag)                       \
	static void name##_on(struct end *a, struct end *b); \
	FIXTURE_none(name)                                   \
	{                                                    \
		on_ends(name##_on, flags, tag);              \
	}                                                    \
	static void name##_on(struct end *a, struct end *b)

/* Each context receives what the other sends, byte by byte, with the tag of the rule. */
TEST(ends, between_contexts, 0, 0)
{
	struct ibv_wc wc;
	uint32_t len;

	for (unsigned int i = 0; i < 3 * DEPTH; i++) {
		post_recv(b, i, SLOT);
		len = make_udp(slot_out(a, i), mac_b, (uint16_t)i, 100 + i);
		post_send(a, i, len, i & 1 ? IBV_SEND_IP_CSUM : 0);
		poll_ok(a->scq, i, &wc);
		poll_ok(b->rcq, i, &wc);
		assert_int_equal(wc.opcode, IBV_WC_RECV);
		assert_int_equal(wc.byte_len, len);
		assert_int_equal(!!(wc.wc_flags & IBV_WC_IP_CSUM_OK), i & 1);
		assert_memory_equal(slot_in(b, i), slot_out(a, i), 24);
		assert_memory_equal(slot_in(b, i) + 42, slot_out(a, i) + 42, len - 42);
	}
}

/* ibv_cq_ex has the stripped VLAN tag, and the rule's tag. */
TEST(ends, extended_completion, IBV_QP_CREATE_CVLAN_STRIPPING, 0x1234)
{
	struct ibv_poll_cq_attr attr = {0};
	struct ibv_wc wc;
	uint8_t *p;
	int err;

	post_recv(b, 7, SLOT);
	p = slot_out(a, 0);
	make_udp(p + 4, mac_b, 9, 64);
	memmove(p, p + 4, 12);
	p[12] = 0x81;
	p[13] = 0x00;
	p[14] = 0x40;
	p[15] = 0x2a;
	post_send(a, 0, 14 + 4 + 20 + 8 + 64, 0);
	poll_ok(a->scq, 0, &wc);
	while ((err = ibv_start_poll(b->rcq_ex, &attr)) == ENOENT)
		;
	assert_int_equal(err, 0);
	assert_int_equal(b->rcq_ex->status, IBV_WC_SUCCESS);
	assert_int_equal(b->rcq_ex->wr_id, 7);
	assert_int_equal(ibv_wc_read_opcode(b->rcq_ex), IBV_WC_RECV);
	assert_int_equal(ibv_wc_read_byte_len(b->rcq_ex), 14 + 20 + 8 + 64);
	assert_int_equal(ibv_wc_read_cvlan(b->rcq_ex), 0x402a);
	assert_int_equal(ibv_wc_read_flow_tag(b->rcq_ex), 0x1234);
	ibv_end_poll(b->rcq_ex);
	assert_int_equal(slot_in(b, 7)[12], 0x08);
}

/* Inline data, and three pieces of memory, are one packet. */
TEST(ends, gathered, 0, 0)
{
	struct ibv_wc wc;
	uint32_t len;

	len = make_udp(slot_out(a, 0), mac_b, 1, 20);
	{
		struct ibv_sge sge[3] = {
			{(uintptr_t)slot_out(a, 0), 10, a->mr->lkey},
			{(uintptr_t)slot_out(a, 0) + 10, 20, a->mr->lkey},
			{(uintptr_t)slot_out(a, 0) + 30, len - 30, a->mr->lkey},
		};
		struct ibv_send_wr wr = {.sg_list = sge,
					 .num_sge = 3,
					 .opcode = IBV_WR_SEND,
					 .send_flags = IBV_SEND_SIGNALED};
		struct ibv_send_wr *bad;

		for (unsigned int i = 0; i < 2; i++) {
			post_recv(b, i, SLOT);
			wr.wr_id = i;
			wr.send_flags |= i ? (unsigned int)IBV_SEND_INLINE : 0;
			assert_int_equal(ibv_post_send(a->qp, &wr, &bad), 0);
			poll_ok(a->scq, i, &wc);
			poll_ok(b->rcq, i, &wc);
			assert_int_equal(wc.byte_len, len);
			assert_memory_equal(slot_in(b, i), slot_out(a, 0), len);
		}
	}
}

/* IBV_WR_TSO: libmlx5 puts the headers into the WQE, the device cuts; each packet's are right. */
TEST(ends, large_send, 0, 0)
{
	enum { HDR = 54, MSS = 1000, PARTS = 6, LEN = (PARTS - 1) * MSS + 333 };
	struct ibv_sge sge = {(uintptr_t)slot_out(a, 1), LEN, a->mr->lkey};
	struct ibv_send_wr wr = {.wr_id = 1,
				 .sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_TSO,
				 .send_flags = IBV_SEND_SIGNALED | IBV_SEND_IP_CSUM},
			   *bad;
	uint8_t hdr[HDR];
	struct ibv_wc wc;

	make_udp(hdr, mac_b, 7, 0);
	hdr[14 + 9] = 6;
	memcpy(hdr + 34, "\x12\x34\x00\x09\0\0\1\0\0\0\0\0\x50\x19\x10\0\0\0\0\0", 20);
	for (unsigned int i = 0; i < LEN; i++)
		slot_out(a, 1)[i] = (uint8_t)(i * 7 + (i >> 8));
	for (unsigned int i = 0; i < PARTS; i++)
		post_recv(b, i, SLOT);
	wr.tso.hdr = hdr;
	wr.tso.hdr_sz = HDR;
	wr.tso.mss = MSS;
	assert_int_equal(ibv_post_send(a->qp, &wr, &bad), 0);
	poll_ok(a->scq, 1, &wc);
	assert_int_equal(wc.opcode, IBV_WC_TSO);
	for (unsigned int i = 0; i < PARTS; i++) {
		poll_ok(b->rcq, i, &wc);
		assert_int_equal(wc.byte_len, HDR + (i < PARTS - 1 ? MSS : 333));
		assert_true(wc.wc_flags & IBV_WC_IP_CSUM_OK);
		assert_memory_equal(slot_in(b, i) + HDR, slot_out(a, 1) + i * MSS,
				    wc.byte_len - HDR);
		assert_int_equal(slot_in(b, i)[47], i < PARTS - 1 ? 0x10 : 0x19);
	}
}

/* A bad key, then a small receive: error completions, SQE and ERR; through RESET it works again. */
TEST(ends, errors, 0, 0)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_wc wc;
	uint32_t len;

	len = make_udp(slot_out(a, 0), mac_b, 1, 100);
	a->mr->lkey ^= 0xff00;
	post_send(a, 0, len, 0);
	a->mr->lkey ^= 0xff00;
	poll_one(a->scq, &wc);
	assert_int_equal(wc.status, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(ibv_query_qp(a->qp, &attr, IBV_QP_STATE, &init), 0);
	assert_int_equal(attr.qp_state, IBV_QPS_SQE);
	attr.qp_state = IBV_QPS_RESET;
	assert_int_equal(ibv_modify_qp(a->qp, &attr, IBV_QP_STATE), 0);
	to_rts(a->qp);
	post_recv(b, 3, len - 1);
	post_send(a, 0, len, 0);
	poll_ok(a->scq, 0, &wc);
	poll_one(b->rcq, &wc);
	assert_int_equal(wc.status, IBV_WC_LOC_LEN_ERR);
	assert_int_equal(wc.wr_id, 3);
}

/* Not a test: prints this machine's rate for a reader of the log. */
TEST(ends, rate, 0, 0)
{
	enum { N = 50000, BATCH = 32 };
	struct ibv_wc wc[BATCH];
	struct timespec from, to;
	unsigned int sent = 0, done = 0, got = 0;
	uint32_t len;
	double s;
	int n;

	len = make_udp(slot_out(a, 0), mac_b, 7, 64 - 42);
	for (unsigned int i = 1; i < DEPTH; i++)
		memcpy(slot_out(a, i), slot_out(a, 0), len);
	for (unsigned int i = 0; i < DEPTH; i++)
		post_recv(b, i, SLOT);
	clock_gettime(CLOCK_MONOTONIC, &from);
	while (got < N) {
		while (sent < N && sent - done < DEPTH && sent - got < DEPTH)
			post_send(a, sent++, len, IBV_SEND_IP_CSUM);
		n = ibv_poll_cq(a->scq, BATCH, wc);
		assert_true(n >= 0);
		done += (unsigned int)n;
		n = ibv_poll_cq(b->rcq, BATCH, wc);
		for (int i = 0; i < n; i++) {
			assert_int_equal(wc[i].status, IBV_WC_SUCCESS);
			post_recv(b, got++, SLOT);
		}
	}
	clock_gettime(CLOCK_MONOTONIC, &to);
	s = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	print_message("# raw packets of %u bytes from QP to QP by a rule: %.0f/s\n", len, N / s);
}
