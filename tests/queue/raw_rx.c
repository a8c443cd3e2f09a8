/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves receive queues of raw packets and the port: a packet's CQE, no receive or one that is too
 * small, how packets are spread, packets that enter from outside. */
#include "tests/test.h"
#include <errno.h>
#include <dvx/prm/cq.h>
#include <dvx/prm/cqe.h>
#include "chip/datapath.h"
#include "port/port.h"
#include "queue_raw_rig.h"

TEST(raw, bytes_and_tag)
{
	const uint8_t *cqe;

	raw_recv(r, 0, 2048);
	raw_make_udp4(r->src);
	raw_send(r, r->src, UDP4_LEN, 0);
	assert_int_equal(prm_cqe64_get_s_wqe_opcode(raw_sent_ok(r)), PRM_WQE_OPCODE_SEND);
	cqe = raw_received(r);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe), UDP4_LEN);
	assert_int_equal(prm_cqe64_get_wqe_counter(cqe), 0);
	assert_int_equal(prm_cqe64_get_ft_metadata(cqe), 0x5151);
	assert_memory_equal(r->dst, r->src, UDP4_LEN);
	assert_int_equal(r->sent_sqn, r->sq.queue->o.id);
	assert_int_equal(r->rig.dev.vhca[0].raw.sent, 1);
	assert_int_equal(r->rig.dev.vhca[0].raw.received, 1);
}

TEST(raw, headers_told)
{
	const uint8_t *cqe;

	raw_recv(r, 0, 2048);
	raw_make_udp4(r->src);
	raw_send(r, r->src, UDP4_LEN, 0);
	cqe = raw_received(r);
	assert_int_equal(prm_cqe64_get_l2_ok(cqe), 1);
	assert_int_equal(prm_cqe64_get_l3_ok(cqe), 1);
	assert_int_equal(prm_cqe64_get_l4_ok(cqe), 1);
	assert_int_equal(prm_cqe64_get_l3_hdr_type(cqe), PRM_CQE_L3_HDR_TYPE_IPV4);
	assert_int_equal(prm_cqe64_get_l4_hdr_type(cqe), PRM_CQE_L4_HDR_TYPE_UDP);
	assert_int_equal(prm_cqe64_get_ip_frag(cqe), 0);
	assert_int_equal(prm_cqe64_get_check_sum(cqe), raw_rfc1071(r->dst + 14, 0x73, 0));

	raw_recv(r, 0, 2048);
	r->src[14 + 8]--; /* TTL, so that the checksum is wrong */
	r->src[14 + 6] = 0x20;
	raw_send(r, r->src, UDP4_LEN, 0);
	cqe = raw_received(r);
	assert_int_equal(prm_cqe64_get_l3_ok(cqe), 0);
	assert_int_equal(prm_cqe64_get_l4_ok(cqe), 0);
	assert_int_equal(prm_cqe64_get_ip_frag(cqe), 1);
}

TEST(raw, vlan_strip)
{
	const uint8_t *cqe;

	raw_make_udp4(r->src + 4);
	memmove(r->src, r->src + 4, 12);
	prm_store32(r->src, 12, 0x81002042);
	r->rq.raw_rq->strip_vlan = true;
	raw_recv(r, 0, 2048);
	raw_send(r, r->src, UDP4_LEN + 4, 0);
	cqe = raw_received(r);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe), UDP4_LEN);
	assert_int_equal(prm_cqe64_get_vlan(cqe), 1);
	assert_int_equal(prm_cqe64_get_vlan_info(cqe), 0x2042);
	assert_memory_equal(r->dst, r->src, 12);
	assert_memory_equal(r->dst + 12, r->src + 16, UDP4_LEN - 12);
}
/* --- receives --------------------------------------------------------------------------------- */

TEST(raw, out_of_buffer)
{
	raw_send(r, r->src, 100, 0);
	raw_sent_ok(r);
	assert_null(rig_poll(&r->rcq));
	assert_int_equal(r->rig.dev.vhca[0].raw.out_of_buffer, 1);
	queue_set_state(r->rq.queue, QP_RST);
	raw_recv(r, 0, 2048);
	raw_send(r, r->src, 100, 0);
	assert_null(rig_poll(&r->rcq));
	assert_int_equal(r->rig.dev.vhca[0].raw.out_of_buffer, 2);
	queue_set_state(r->rq.queue, QP_RTS);
	raw_send(r, r->src, 100, 0);
	raw_received(r);
}

/* A receive that is too small is a length error: the queue is in ERR, later receives flushed. */
TEST(raw, too_small)
{
	const uint8_t *cqe;

	raw_recv(r, 0, 99);
	raw_recv(r, 0, 2048);
	raw_send(r, r->src, 100, 0);
	cqe = rig_recv_failed(&r->rcq, PRM_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(prm_err_cqe_get_srqn(cqe), 0x222);
	rig_recv_failed(&r->rcq, PRM_SYNDROME_WR_FLUSH_ERR);
	assert_int_equal(r->rig.dev.vhca[0].raw.failed, 1);
	raw_send(r, r->src, 100, 0);
	assert_null(rig_poll(&r->rcq));
	assert_int_equal(r->rig.dev.vhca[0].raw.out_of_buffer, 1);
}

/* Unmapped memory behind a valid key moves the queue to ERR. For a small packet, a posted write, an
 * event reports it; for a large packet, which is written at once, its CQE does. */
TEST(raw, memory_gone)
{
	uint8_t *gone = rig_unmapped(8192);

	rig_recv(&r->rq, gone, 8192, rig_key(r->mkey));
	raw_send(r, r->src, 100, 0);
	assert_int_equal(r->rq.queue->state, QP_ERR);
	assert_int_equal(rig_count(&r->rig, PRM_EVENT_WQ_ACCESS_ERROR), 1);
	rig_drain(&r->rcq);
	raw_reset(&r->rq);
	rig_recv(&r->rq, gone, 8192, rig_key(r->mkey));
	raw_send(r, r->src, 4000, 0);
	rig_recv_failed(&r->rcq, PRM_SYNDROME_LOCAL_PROT_ERR);
	assert_int_equal(r->rq.queue->state, QP_ERR);
}

/* A WQ may go from RST straight to ERR: later receives are flushed as in any ERR. */
TEST(raw, reset_to_error)
{
	queue_set_state(r->rq.queue, QP_RST);
	queue_set_state(r->rq.queue, QP_ERR);
	rig_settle(&r->rig);
	raw_recv(r, 0, 2048);
	rig_pass(&r->rig, 1000000000);
	rig_recv_failed(&r->rcq, PRM_SYNDROME_WR_FLUSH_ERR);
	assert_null(rig_poll(&r->rcq));
}

TEST(raw, silent_flush)
{
	r->rq.queue->flush_silent = true;
	raw_recv(r, 0, 2048);
	queue_set_state(r->rq.queue, QP_ERR);
	rig_settle(&r->rig);
	assert_null(rig_poll(&r->rcq));
}

/* --- strides ---------------------------------------------------------------------------------- */

#define ST_BYTES 64u
#define ST_COUNT 8u

/* Opens a queue of entries of 8 strides of 64 bytes; posts n with adjacent memory. */
static void st_open(struct raw *r, struct rig_qp *to, uint8_t shift, unsigned int n)
{
	struct rq *rq = to->queue->rq;

	rq->log_stride_bytes = 6;
	rq->log_strides = 3;
	rq->shift = shift;
	for (unsigned int i = 0; i < n; i++)
		prm_wqe_data_seg_pack(to->ring + 64 * i + PRM_WQE_SRQ_NEXT_SEG_BYTES,
				      .byte_count = ST_BYTES * ST_COUNT, .lkey = rig_key(r->mkey),
				      .addr = (uintptr_t)r->dst + ST_BYTES * ST_COUNT * i);
	to->dbrec[0] = htobe32(n);
}

static void st_comes(struct raw *r, uint16_t wqe, uint16_t stride, uint32_t strides, uint32_t len)
{
	const uint8_t *cqe = rig_cqe(&r->rcq);

	assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_RESP_SEND);
	assert_int_equal(prm_cqe64_get_wqe_id(cqe), wqe);
	assert_int_equal(prm_cqe64_get_wqe_counter(cqe), stride);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe), strides << 16 | len);
}

/* Packets of 3 strides: the third is in the next entry, and a filler reports 2 unused strides. */
TEST(raw, strides)
{
	uint8_t packet[UDP4_LEN];

	for (uint8_t shift = 0; shift <= 2; shift += 2) {
		raw_reset(&r->rq);
		memset(r->dst, 0, RIG_BUF);
		st_open(r, &r->rq, shift, 2);
		raw_make_udp4(packet);
		for (unsigned int i = 0; i < 3; i++)
			raw_post(r, packet, sizeof(packet), 0);
		raw_go(r);
		st_comes(r, 0, 0, 3, UDP4_LEN);
		st_comes(r, 0, 3, 3, UDP4_LEN);
		st_comes(r, 0, 6, 2, 1u << 31);
		st_comes(r, 1, 0, 3, UDP4_LEN);
		assert_memory_equal(r->dst + shift, packet, sizeof(packet));
		assert_memory_equal(r->dst + 3 * ST_BYTES + shift, packet, sizeof(packet));
		assert_memory_equal(r->dst + 8 * ST_BYTES + shift, packet, sizeof(packet));
	}
}

/* Free bytes before a packet count: 128 and 2 are one stride more. */
TEST(raw, strides_shifted)
{
	for (uint8_t shift = 0; shift <= 2; shift += 2) {
		raw_reset(&r->rq);
		st_open(r, &r->rq, shift, 1);
		raw_make_udp4(r->src);
		raw_send(r, r->src, 2 * ST_BYTES, 0);
		st_comes(r, 0, 0, shift ? 3 : 2, 2 * ST_BYTES);
	}
}

/* In the last entry, a packet that does not fit is dropped; one too long for any ends the queue. */
TEST(raw, strides_end)
{
	uint8_t packet[UDP4_LEN];

	st_open(r, &r->rq, 0, 1);
	raw_make_udp4(packet);
	for (unsigned int i = 0; i < 3; i++)
		raw_post(r, packet, sizeof(packet), 0);
	raw_go(r);
	st_comes(r, 0, 0, 3, UDP4_LEN);
	st_comes(r, 0, 3, 3, UDP4_LEN);
	st_comes(r, 0, 6, 2, 1u << 31);
	assert_null(rig_poll(&r->rcq));
	assert_int_equal(r->rq.queue->stats->out_of_buffer, 1);
	r->rq.dbrec[0] = htobe32(3);
	raw_send(r, r->src, ST_BYTES * ST_COUNT + 1, 0);
	rig_recv_failed(&r->rcq, PRM_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(r->rq.queue->state, QP_ERR);
}

/* Each queue of a table gets the packets of its index; together the queues get all. */
TEST(raw, rss_spreads)
{
	struct raw_rq *list[2] = {r->rq.raw_rq};
	struct rqt table = {.n = 2, .max = 2, .rq = list};
	struct rig_qp second;
	unsigned int n[2] = {0};
	const uint8_t *cqe;

	raw_queue_open(&r->rig, &second, OBJ_RQ, &r->rcq, 3);
	second.queue->user_index = 0x333;
	list[1] = second.raw_rq;
	r->tir->rq = NULL;
	r->tir->rqt = &table;
	r->tir->hash_fn = PRM_RX_HASH_FN_TOEPLITZ;
	r->tir->outer = (struct tir_fields){.udp = true, .selected = 15};
	memset(r->tir->key, 0x6d, sizeof(r->tir->key));
	for (unsigned int i = 0; i < 64; i++) {
		raw_make_udp4(r->src);
		r->src[14 + 20] = (uint8_t)(i * 5);
		raw_recv(r, 0, 2048);
		rig_recv(&second, r->dst, 2048, rig_key(r->mkey));
		r->rq.queue->rq->ci = r->rq.queue->rq->pi = (uint16_t)(r->rq.rq_pi - 1);
		second.queue->rq->ci = second.queue->rq->pi = (uint16_t)(second.rq_pi - 1);
		raw_send(r, r->src, UDP4_LEN, 0);
		cqe = rig_cqe(&r->rcq);
		assert_int_equal(prm_cqe64_get_user_index(cqe),
				 prm_cqe64_get_rss_hash_result(cqe) & 1 ? 0x333 : 0x222);
		assert_int_not_equal(prm_cqe64_get_rss_hash_type(cqe), 0);
		n[prm_cqe64_get_rss_hash_result(cqe) & 1]++;
	}
	assert_true(n[0] > 8 && n[1] > 8);
	rig_qp_close(&second);
}

/* --- compressed completions ---------------------------------------------------------------------
 */

struct polled {
	uint32_t len, hash;
	uint16_t counter, sum;
	unsigned int of; /* number of CQEs in its run; 0: a whole CQE */
};

static uint8_t *slot_at(const struct rig_cq *c, uint32_t at)
{
	return c->ring + ((size_t)((at & ((1u << c->cq->log_size) - 1)) + 1) << c->cq->cqe_log) -
	       64;
}

static void poll_entry(const struct rig_cq *c, const uint8_t *entry, struct polled *t)
{
	t->len = prm_mini_cqe8_get_byte_cnt(entry);
	if (c->cq->mini_format == PRM_CQC_MINI_CQE_RES_FORMAT_HASH)
		t->hash = prm_mini_cqe8_get_rx_hash_result(entry);
	else
		t->sum = (uint16_t)prm_mini_cqe8_get_checksum(entry);
	if (c->cq->mini_format == PRM_CQC_MINI_CQE_RES_FORMAT_CSUM_STRIDX)
		t->counter = (uint16_t)prm_mini_cqe8_get_stridx(entry);
}

/* Polls as Linux's mlx5e does (en_rx.c): slots of a run get their owner bit back. */
static unsigned int poll_compressed(struct rig_cq *c, struct polled *polled)
{
	const uint32_t at = c->ci;
	uint8_t title[64];
	unsigned int n = 1;
	const uint8_t *cqe = rig_poll(c), *entry;

	if (!cqe)
		return 0;
	memcpy(title, cqe, 64);
	*polled = (struct polled){.len = prm_cqe64_get_byte_cnt(title),
				  .hash = prm_cqe64_get_rss_hash_result(title),
				  .counter = (uint16_t)prm_cqe64_get_wqe_counter(title),
				  .sum = (uint16_t)prm_cqe64_get_check_sum(title)};
	if (prm_cqe64_get_cqe_format(title) != PRM_CQE_FORMAT_COMPRESSED)
		return n;
	n = polled->len;
	entry = slot_at(c, at + 1);
	for (unsigned int i = 0; i < n; i++, entry += 8) {
		if (i && i % 8 == 0)
			entry = slot_at(c, at + i);
		polled[i] = (struct polled){
			.counter = (uint16_t)(prm_cqe64_get_wqe_counter(title) + i), .of = n};
		poll_entry(c, entry, &polled[i]);
	}
	for (unsigned int i = 0; i < n; i++)
		slot_at(c, at + i)[63] = !!((at + i) & (1u << c->cq->log_size));
	c->ci += n - 1;
	return n;
}

#define BURST 16u

/* Sends packets of different lengths, checksums and hashes; the 12th has a bad header. */
static void burst(struct raw *r, struct rig_qp *rq)
{
	for (unsigned int i = 0; i < BURST; i++) {
		uint8_t *p = r->src + 2048ull * i;

		raw_make_udp4(p);
		prm_store16(p, 14 + 20, (uint16_t)(1000 + i));
		prm_store16(p, 14 + 26, 0); /* no UDP checksum */
		p[14 + 8] = (uint8_t)(p[14 + 8] - (i == 11));
		rig_recv(rq, r->dst + 2048ull * i, 2048, rig_key(r->mkey));
		raw_post(r, p, UDP4_LEN + 3 * i, 0);
	}
	raw_go(r);
}

/* Checks a burst: an entry has the hash or the checksum; the 12th, a whole CQE, has both. */
static void burst_comes(const struct polled *plain, const struct polled *polled, uint8_t format,
			unsigned int lap)
{
	for (unsigned int i = 0; i < BURST; i++) {
		assert_int_equal(polled[i].of, i < 11 ? 11 : i < 12 ? 0 : 4);
		assert_int_equal(polled[i].len, UDP4_LEN + 3 * i);
		assert_int_equal(polled[i].counter, lap * BURST + i);
		if (format == PRM_CQC_MINI_CQE_RES_FORMAT_HASH)
			assert_int_equal(polled[i].hash, plain[i].hash);
		else
			assert_int_equal(polled[i].sum, plain[i].sum);
	}
}

/*
 * Runs of alike CQEs become titles and arrays with the contents of whole CQEs; slots between them
 * are not written. Over laps of the ring, with either size of CQE, nothing else looks like a CQE.
 */
static void compressed_as(struct raw *r, uint8_t format, bool cqe128)
{
	struct rig_cq cq;
	struct rig_qp rq;
	struct polled plain[BURST + 1], polled[BURST + 1];

	rig_cq_open(&r->rig, &cq, BLUEFIELD2_HOST, 6, cqe128);
	raw_queue_open(&r->rig, &rq, OBJ_RQ, &cq, 5);
	r->tir->rq = rq.raw_rq;
	r->tir->hash_fn = PRM_RX_HASH_FN_TOEPLITZ;
	memset(r->tir->key, 0x6d, sizeof(r->tir->key));
	r->tir->key[7] = 0x35;
	r->tir->outer = (struct tir_fields){.udp = true, .selected = 0xf};
	for (unsigned int lap = 0; lap < 10; lap++) {
		struct polled *t = lap ? polled : plain;
		unsigned int n = 0, got;

		memset(slot_at(&cq, cq.ci + 4), 0xee, 63);
		burst(r, &rq);
		if (lap)
			assert_int_equal(*slot_at(&cq, cq.ci + 4), 0xee);
		while ((got = poll_compressed(&cq, t + n)))
			n += got;
		assert_int_equal(n, BURST);
		if (lap)
			burst_comes(plain, polled, format, lap);
		assert_true(plain[0].hash != plain[1].hash && plain[0].sum != plain[1].sum);
		rig_drain(&r->scq);
		cq.cq->special = CQ_COMPRESSES; /* the first lap's CQEs were whole */
		cq.cq->mini_format = format;
	}
	rig_qp_close(&rq);
	rig_cq_close(&cq);
}

TEST(raw, compressed)
{
	compressed_as(r, PRM_CQC_MINI_CQE_RES_FORMAT_HASH, false);
	compressed_as(r, PRM_CQC_MINI_CQE_RES_FORMAT_CSUM, true);
	compressed_as(r, PRM_CQC_MINI_CQE_RES_FORMAT_CSUM_STRIDX, false);
	r->tir->rq = r->rq.raw_rq;
}

/* Packets in the strides of one entry are a run, though their counters differ by their strides. */
TEST(raw, compressed_strides)
{
	struct rig_cq cq;
	struct rig_qp rq;
	struct polled polled[4];

	rig_cq_open(&r->rig, &cq, BLUEFIELD2_HOST, 6, false);
	raw_queue_open(&r->rig, &rq, OBJ_RQ, &cq, 5);
	cq.cq->special = CQ_COMPRESSES;
	cq.cq->mini_format = PRM_CQC_MINI_CQE_RES_FORMAT_CSUM_STRIDX;
	r->tir->rq = rq.raw_rq;
	st_open(r, &rq, 0, 1);
	raw_make_udp4(r->src);
	for (unsigned int i = 0; i < 4; i++)
		raw_post(r, r->src, 100, 0);
	raw_go(r);
	assert_int_equal(poll_compressed(&cq, polled), 4);
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(polled[i].of, 4);
		assert_int_equal(polled[i].counter, 2 * i);
		assert_int_equal(polled[i].len, 2u << 16 | 100);
	}
	r->tir->rq = r->rq.raw_rq;
	rig_qp_close(&rq);
	rig_cq_close(&cq);
}

/* --- the port --------------------------------------------------------------------------------- */

TEST(raw, injected)
{
	struct device *dev = &r->rig.dev;

	assert_int_equal(port_inject(dev->port, r->src, VHCA_FRAME_MIN - 1), -EMSGSIZE);
	assert_int_equal(port_inject(dev->port, r->src, VHCA_FRAME_MAX + 1), -EMSGSIZE);
	assert_int_equal(port_inject(dev->port, r->src, VHCA_FRAME_MAX), 0);
	memset(r->src, 0xff, 6);
	assert_int_equal(port_inject(dev->port, r->src, 60), 0);
	rig_settle(&r->rig);
	assert_int_equal(port_unclaimed(dev->port), 2); /* no function has RX tables */
	memcpy(r->src, dev->vhca[1].mac, 6);
	assert_int_equal(port_inject(dev->port, r->src, 60), 0);
	rig_settle(&r->rig);
	assert_int_equal(port_unclaimed(dev->port), 2);
	assert_int_equal(steer_stats(&dev->vhca[1])->ends[STEER_MISS], 1);
	for (unsigned int i = 0; port_inject(dev->port, r->src, 60) == 0; i++)
		assert_true(i < 100000);
	assert_int_equal(port_inject(dev->port, r->src, 60), -EAGAIN);
	rig_settle(&r->rig);
	assert_int_equal(port_inject(dev->port, r->src, 60), 0);
}
