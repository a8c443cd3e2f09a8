/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw receive and send queues of libdvx: completions, errors and recovery, attributes. */
#include "tests/test.h"
#include "lib_flow_rig.h"

static void way_open_inbox(struct flow_rig *f, struct way *w, struct inbox *in, uint32_t place)
{
	inbox_open(f, in, place);
	way_open(f, w, in->rxq);
}

static void way_close_inbox(struct way *w, struct inbox *in)
{
	way_close(w);
	inbox_close(in);
}

/* Lengths, checksums, user index; many times round the ring with the same rooms posted again. */
TEST(flow, completions)
{
	struct frame frame;
	struct inbox in;
	struct way w;
	uint32_t i;

	way_open_inbox(f, &w, &in, 3);
	for (i = 0; i < 5 * ROOMS; i++) {
		const void *cqe;

		frame_build(&frame, (struct frame_spec){.payload = 40 + i % 100});
		frame_send(f, &frame);
		cqe = wait_cqe(in.cq);
		assert_int_equal(dvx_rq_retire(in.rq), i % ROOMS);
		assert_false(dvx_cqe_is_error(cqe));
		assert_false(dvx_cqe_is_send(cqe));
		assert_int_equal(dvx_cqe_byte_count(cqe), frame.len);
		assert_int_equal(dvx_cqe_user_index(cqe), 0x103);
		assert_true(dvx_cqe_l3_ok(cqe));
		assert_false(dvx_cqe_vlan(cqe));
		assert_memory_equal(in.buf + (i % ROOMS) * ROOM, frame.bytes, frame.len);
		dvx_cq_pop(in.cq);
		dvx_rq_repost(in.rq);
		dvx_rq_ring(in.rq);
	}
	frame_build(&frame, (struct frame_spec){0});
	frame.bytes[24] ^= 1; /* the IPv4 header's checksum */
	frame_send(f, &frame);
	assert_false(dvx_cqe_l3_ok(wait_cqe(in.cq)));
	way_close_inbox(&w, &in);
}

/* A queue that is destroyed takes its completions along. */
TEST(flow, destroyed)
{
	struct frame frame;
	struct inbox in;
	struct way w;

	way_open_inbox(f, &w, &in, 0);
	frame_build(&frame, (struct frame_spec){0});
	frame_send(f, &frame);
	wait_cqe(in.cq);
	way_close(&w);
	OK(dvx_rxq_destroy(in.rxq));
	assert_null(dvx_cq_peek(in.cq));
	OK(dvx_cq_destroy(in.cq));
}

/* The device fills in checksums on request. */
TEST(flow, checksums)
{
	struct dvx_sq *sq = dvx_txq_ring(f->tx);
	struct frame frame, wrong;
	struct inbox in;
	struct way w;

	way_open_inbox(f, &w, &in, 0);
	frame_build(&frame, (struct frame_spec){0});
	wrong = frame;
	wrong.bytes[24] = wrong.bytes[25] = 0;
	OK(dvx_post_eth_inline(sq, wrong.bytes, DVX_ETH_HEADER, wrong.bytes + DVX_ETH_HEADER,
			       wrong.len - DVX_ETH_HEADER, ++f->sent,
			       DVX_SIGNALED | DVX_ETH_L3_CSUM | DVX_ETH_L4_CSUM));
	dvx_sq_ring(sq);
	done(f->tx_cq, sq, f->sent);
	assert_true(dvx_cqe_l3_ok(wait_cqe(in.cq)));
	assert_true(dvx_cqe_l4_ok(wait_cqe(in.cq)));
	assert_memory_equal(in.buf + 24, frame.bytes + 24, 2);
	assert_int_not_equal(prm_load16(in.buf, 40), 0);
	way_close_inbox(&w, &in);
}

/* Packets of one request arrive one by one, in order; a tag is inserted on request. */
TEST(flow, several_and_tagged)
{
	struct dvx_sq *sq = dvx_txq_ring(f->tx);
	struct dvx_sge packets[4];
	struct frame frame;
	struct inbox in;
	struct way w;
	uint32_t i;

	way_open_inbox(f, &w, &in, 0);
	if (!dvx_txq_multi(f->tx))
		skip();
	assert_int_equal(dvx_post_eth_multi(sq, packets, 0, 1, 0), -EMSGSIZE);
	frame_build(&frame, (struct frame_spec){.payload = 60});
	for (i = 0; i < 4; i++) {
		memcpy((uint8_t *)f->r.buf + 256 * i, frame.bytes, frame.len);
		packets[i] =
			(struct dvx_sge){(uintptr_t)f->r.buf + 256 * i, frame.len - i, f->r.key};
	}
	OK(dvx_post_eth_multi(sq, packets, 4, ++f->sent, DVX_SIGNALED));
	OK(dvx_post_eth_vlan(sq, 0xe123, packets, 1, ++f->sent, DVX_SIGNALED | DVX_ETH_L3_CSUM));
	dvx_sq_ring(sq);
	done(f->tx_cq, sq, f->sent - 1);
	done(f->tx_cq, sq, f->sent);
	for (i = 0; i < 5; i++) {
		const uint8_t *got = in.buf + (size_t)ROOM * dvx_rq_retire(in.rq);
		const void *cqe = wait_cqe(in.cq);

		assert_int_equal(dvx_cqe_byte_count(cqe), i < 4 ? frame.len - i : frame.len + 4);
		assert_memory_equal(got, frame.bytes, 12);
		if (i == 4)
			assert_int_equal(prm_load32(got, 12), 0x8100e123);
		dvx_cq_pop(in.cq);
	}
	way_close_inbox(&w, &in);
}

/* A large send becomes UDP packets of mss bytes, also behind a VLAN tag; with good checksums. */
TEST(flow, large)
{
	struct dvx_sq *sq = dvx_txq_ring(f->tx);
	uint8_t *mem = f->r.buf;
	struct dvx_sge sge[2] = {{(uintptr_t)mem + 300, 30, f->r.key},
				 {(uintptr_t)mem + 330, 81, f->r.key}};
	struct inbox in;
	struct way w;

	way_open_inbox(f, &w, &in, 0);
	assert_true(dvx_txq_tso(f->tx) >= 1u << 16);
	for (uint32_t i = 0; i < 111; i++)
		mem[300 + i] = (uint8_t)i;
	for (uint16_t vlan = 0; vlan < 8; vlan += 7) {
		uint32_t len = vlan ? 46 : 42, at = 0;
		struct frame frame;

		frame_build(&frame, (struct frame_spec){.vlan = vlan});
		OK(dvx_post_eth_tso(sq, frame.bytes, len, 50, sge, 2, ++f->sent,
				    DVX_SIGNALED | DVX_ETH_L3_CSUM | DVX_ETH_L4_CSUM));
		dvx_sq_ring(sq);
		done(f->tx_cq, sq, f->sent);
		for (uint32_t part = 50; at < 111; at += part) {
			const uint8_t *got = in.buf + (size_t)ROOM * dvx_rq_retire(in.rq);
			const void *cqe = wait_cqe(in.cq);

			part = 111 - at < 50 ? 111 - at : 50;
			assert_int_equal(dvx_cqe_byte_count(cqe), part < 50 ? 60 : len + part);
			assert_true(dvx_cqe_l3_ok(cqe) && dvx_cqe_l4_ok(cqe));
			assert_memory_equal(got, frame.bytes, len - 28);
			assert_int_equal(prm_load16(got, len - 4), part + 8);
			assert_memory_equal(got + len, mem + 300 + at, part);
			dvx_cq_pop(in.cq);
		}
	}
	assert_int_equal(dvx_post_eth_tso(sq, mem, 42, 0, sge, 2, 1, 0), -EMSGSIZE);
	assert_int_equal(dvx_post_eth_tso(sq, mem, 13, 50, sge, 2, 1, 0), -EMSGSIZE);
	assert_int_equal(dvx_post_eth_tso(sq, mem, 42, 50, sge, 0, 1, 0), -EMSGSIZE);
	assert_int_equal(dvx_post_eth_tso(sq, mem, 42, 50, sge, 2, 1, 1), -EBADR);
	way_close_inbox(&w, &in);
}

/* A frame is gathered from the WQE and two pieces of memory; a send queue goes round its ring. */
TEST(flow, gathered)
{
	struct dvx_sq *sq = dvx_txq_ring(f->tx);
	uint8_t *mem = f->r.buf;
	struct dvx_sge sge[2];
	struct frame frame;
	struct inbox in;
	struct way w;
	uint32_t i;

	way_open_inbox(f, &w, &in, 0);
	for (i = 0; i < 200; i++) {
		uint32_t inl = dvx_txq_inline(f->tx) + i % 40;
		struct frame_spec it = {.payload = 60 + i % 50, .sport = (uint16_t)(i + 1)};

		frame_build(&frame, it);
		memcpy(mem, frame.bytes, frame.len);
		sge[0] = (struct dvx_sge){(uintptr_t)mem + inl, 30, f->r.key};
		sge[1] =
			(struct dvx_sge){(uintptr_t)mem + inl + 30, frame.len - inl - 30, f->r.key};
		OK(dvx_post_eth(sq, mem, inl, sge, 2, ++f->sent, DVX_SIGNALED));
		dvx_sq_ring(sq);
		done(f->tx_cq, sq, f->sent);
		inbox_gets(&in, it, 0);
	}
	way_close_inbox(&w, &in);
}

/* A packet that is longer than its receive is an error, and reset() restores the queue. */
TEST(flow, too_long)
{
	struct dvx_cqe_failure why;
	struct dvx_sge small;
	struct inbox in;
	struct way w;
	uint32_t i, flushed = 0;

	way_open_inbox(f, &w, &in, 0);
	OK(dvx_rxq_reset(in.rxq));
	small = (struct dvx_sge){(uintptr_t)in.buf, 64, f->r.key};
	for (i = 0; i < 3; i++)
		OK(dvx_rq_post(in.rq, &small, 1, i));
	dvx_rq_ring(in.rq);
	spec_send(f, (struct frame_spec){0});
	assert_true(dvx_cqe_is_error(wait_cqe(in.cq)));
	dvx_cqe_error(dvx_cq_peek(in.cq), &why);
	assert_int_equal(why.syndrome, PRM_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(why.user_index, 0x100);
	assert_false(why.send);
	OK(dvx_rxq_to_err(in.rxq));
	while (flushed < 3) {
		wait_cqe(in.cq);
		dvx_rq_retire(in.rq);
		dvx_cq_pop(in.cq);
		flushed++;
	}
	OK(dvx_rxq_reset(in.rxq));
	assert_int_equal(dvx_rq_free(in.rq), ROOMS);
	small.length = ROOM;
	OK(dvx_rq_post(in.rq, &small, 1, 0));
	dvx_rq_ring(in.rq);
	spec_send(f, (struct frame_spec){.sport = 5});
	inbox_gets(&in, (struct frame_spec){.sport = 5}, 0);
	way_close_inbox(&w, &in);
}

static uint64_t drops(const struct inbox *in)
{
	uint64_t n = 99;

	OK(dvx_rxq_drops(in->rxq, &n));
	return n;
}

/* A queue's drops are the packets without a receive since its creation. */
TEST(flow, dropped)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = ROOMS};
	struct dvx_rxq_attr rx = {
		.size = sizeof(rx), .entries = ROOMS, .flags = DVX_RXQ_COUNT_DROPS};
	struct inbox in, other, plain;
	time_t end = patience_from_now();
	uint64_t n;
	struct way w;

	inbox_open_as(f, &other, 1, cq, rx);
	inbox_open(f, &plain, 2);
	inbox_open_as(f, &in, 0, cq, rx);
	way_open(f, &w, in.rxq);
	inbox_post(&in, 0, 1);
	for (uint32_t i = 0; i < 4; i++)
		spec_send(f, (struct frame_spec){.sport = 5});
	while (drops(&in) < 3)
		assert_false(patience_over(end));
	inbox_post(&in, 1, 1);
	spec_send(f, (struct frame_spec){.sport = 6});
	inbox_gets(&in, (struct frame_spec){.sport = 5}, 0);
	inbox_gets(&in, (struct frame_spec){.sport = 6}, 0);
	assert_int_equal(drops(&in), 3);
	assert_int_equal(drops(&other), 0);
	OK(dvx_rxq_reset(in.rxq));
	assert_int_equal(drops(&in), 3);
	refused(dvx_rxq_drops(plain.rxq, &n), -EINVAL, "DVX_RXQ_COUNT_DROPS", "");
	inbox_close(&plain);
	inbox_close(&other);
	way_close_inbox(&w, &in);
	inbox_open_as(f, &in, 0, cq, rx);
	assert_int_equal(drops(&in), 0);
	inbox_close(&in);
}

/* The tag is removed, and reported. */
TEST(flow, stripped)
{
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = 16, .uar = f->r.uar};
	struct dvx_rxq_attr ra = {
		.size = sizeof(ra), .pd = f->r.pd, .entries = 16, .flags = DVX_RXQ_STRIP_VLAN};
	struct dvx_sge sge = {(uintptr_t)f->r.buf + 4096, ROOM, f->r.key};
	struct frame plain;
	struct dvx_rxq *rxq;
	const void *cqe;
	struct way w;

	OK(dvx_cq_create(f->r.dev, &ca, &ra.cq));
	OK(dvx_rxq_create(f->r.dev, &ra, &rxq));
	OK(dvx_rq_post(dvx_rxq_ring(rxq), &sge, 1, 0));
	dvx_rq_ring(dvx_rxq_ring(rxq));
	way_open(f, &w, rxq);
	spec_send(f, (struct frame_spec){.vlan = 0x2064});
	cqe = wait_cqe(ra.cq);
	frame_build(&plain, (struct frame_spec){0});
	assert_int_equal(dvx_cqe_byte_count(cqe), plain.len);
	assert_memory_equal(f->r.buf + 4096, plain.bytes, plain.len);
	assert_true(dvx_cqe_vlan(cqe));
	assert_int_equal(dvx_cqe_vlan_tci(cqe), 0x2064);
	way_close(&w);
	OK(dvx_rxq_destroy(rxq));
	OK(dvx_cq_destroy(ra.cq));
}

/* Each wrong attribute is refused by its name. */
TEST(flow, attributes)
{
	struct dvx_rxq_attr good = {.size = sizeof(good),
				    .pd = f->r.pd,
				    .cq = f->tx_cq,
				    .entries = 16},
			    a;
	struct dvx_txq_attr tgood = {.size = sizeof(tgood),
				     .pd = f->r.pd,
				     .cq = f->tx_cq,
				     .uar = f->r.uar,
				     .sq_blocks = 16},
			    t;
	struct dvx_rxq *rxq = NULL;
	struct dvx_txq *txq = NULL;

#define REFUSED(what, a, good, call, field, value, err)              \
	do {                                                         \
		a = good;                                            \
		a.field = value;                                     \
		refused(call(f->r.dev, &a, &what), err, #field, ""); \
		assert_null(what);                                   \
	} while (0)
#define RX(field, value) REFUSED(rxq, a, good, dvx_rxq_create, field, value, -EINVAL)
#define TX(field, value) REFUSED(txq, t, tgood, dvx_txq_create, field, value, -EINVAL)
	RX(size, 0);
	RX(flags, 0x80);
	RX(pd, NULL);
	RX(cq, NULL);
	RX(entries, 0);
	RX(entries, 1u << 20);
	RX(sge, 65);
	RX(user_index, 0xffffff);
	REFUSED(rxq, a, good, dvx_rxq_create, reserved, 1, -E2BIG);
	RX(place.flags, 0x80);
	REFUSED(rxq, a, good, dvx_rxq_create, flags, DVX_RXQ_KEEP_FCS, -EOPNOTSUPP);
	error_has("DVX_RXQ_KEEP_FCS", "scatter_fcs");
	TX(size, 1);
	TX(flags, 0x80);
	TX(pd, NULL);
	TX(cq, NULL);
	TX(uar, NULL);
	TX(sq_blocks, 0);
	TX(sq_blocks, 1u << 20);
	TX(user_index, 0x1000000);
	OK(dvx_rxq_destroy(NULL));
	OK(dvx_txq_destroy(NULL));
	OK(dvx_rss_destroy(NULL));
}

/* Hundreds of queues are made and destroyed: nothing stays. The group's last close proves it. */
TEST(flow, again_and_again)
{
	uint32_t i;

	for (i = 0; i < 300; i++) {
		struct inbox in;

		inbox_open(f, &in, i % 8);
		assert_true(dvx_rxq_tirn(in.rxq) && dvx_rxq_rqn(in.rxq));
		inbox_close(&in);
	}
}

TEST_GROUP(flow_open, flow_close)
