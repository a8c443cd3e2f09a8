/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves send queues of raw packets: the packets of a WQE, and how each kind of bad one ends. */
#include "tests/test.h"
#include <sys/mman.h>
#include "queue_raw_rig.h"

static uint32_t pseudo4(const uint8_t *ip, uint32_t len)
{
	return raw_rfc1071(ip + 12, 8, ip[9] + len);
}

/* --- send WQEs -------------------------------------------------------------------------------- */

/* A packet is made of the Ethernet segment's headers, inline data, and two pieces of memory. */
TEST(raw, pieces)
{
	struct rig_wqe w;

	for (unsigned int inl = 0; inl <= 34; inl++) {
		raw_recv(r, 0, 2048);
		w = raw_begin(r, r->src, (uint16_t)inl, 0);
		rig_inline(&w, r->src + inl, 20);
		rig_data(&w, r->src + inl + 20, 7, rig_key(r->mkey));
		rig_data(&w, r->src + inl + 27, 40, rig_key(r->mkey));
		rig_go(&w);
		raw_sent_ok(r);
		assert_int_equal(prm_cqe64_get_byte_cnt(raw_received(r)), inl + 67);
		assert_memory_equal(r->dst, r->src, inl + 67);
	}
}

TEST(raw, headers_alone)
{
	struct rig_wqe w = raw_begin(r, r->src, 60, 0);

	raw_recv(r, 0, 2048);
	rig_go(&w);
	raw_sent_ok(r);
	assert_int_equal(prm_cqe64_get_byte_cnt(raw_received(r)), 60);
	assert_memory_equal(r->dst, r->src, 60);
}

TEST(raw, checksums)
{
	uint8_t *ip = r->dst + 14, *udp = ip + 20;
	uint16_t got;

	raw_make_udp4(r->src);
	r->src[14 + 10] = 0xff; /* any value is overwritten */
	r->src[14 + 26] = 0xee;
	raw_recv(r, 0, 2048);
	raw_send(r, r->src, UDP4_LEN, PRM_ETH_CS_FLAG_L3_CSUM);
	assert_int_equal(prm_cqe64_get_l3_ok(raw_received(r)), 1);
	assert_int_equal(ip[10] << 8 | ip[11], 0xb861);
	assert_int_equal(udp[6], 0xee);

	raw_recv(r, 0, 2048);
	raw_send(r, r->src, UDP4_LEN, PRM_ETH_CS_FLAG_L3_CSUM | PRM_ETH_CS_FLAG_L4_CSUM);
	assert_int_equal(prm_cqe64_get_l4_ok(raw_received(r)), 1);
	got = (uint16_t)(udp[6] << 8 | udp[7]);
	udp[6] = udp[7] = 0;
	assert_int_equal(got, (uint16_t)~raw_rfc1071(udp, 0x5f, pseudo4(ip, 0x5f)));
}

/* The tag goes behind the addresses, and checksums behind it are still right. */
TEST(raw, vlan_insert)
{
	struct rig_wqe w;
	const uint8_t *cqe;

	for (unsigned int service = 0; service < 2; service++) {
		raw_make_udp4(r->src);
		raw_recv(r, 0, 2048);
		w = raw_begin(r, NULL, 0,
			      service ? PRM_ETH_CS_FLAG_SVLAN : PRM_ETH_CS_FLAG_L4_CSUM);
		prm_wqe_eth_seg_set_insert_type(w.bytes + 16, 0x8000);
		prm_wqe_eth_seg_set_vlan_tci(w.bytes + 16, 0xe123);
		rig_data(&w, r->src, UDP4_LEN, rig_key(r->mkey));
		rig_go(&w);
		raw_sent_ok(r);
		cqe = raw_received(r);
		assert_int_equal(prm_cqe64_get_byte_cnt(cqe), UDP4_LEN + 4);
		assert_int_equal(prm_cqe64_get_vlan(cqe), 0);
		assert_int_equal(prm_cqe64_get_l4_ok(cqe), 1);
		assert_memory_equal(r->dst, r->src, 12);
		assert_int_equal(prm_load32(r->dst, 12), service ? 0x88a8e123 : 0x8100e123);
		assert_memory_equal(r->dst + 16, r->src + 12, 28);
	}
}

/* Each data segment is a packet with its own checksums; one completion is for all. */
TEST(raw, several_in_one)
{
	struct rig_wqe w;

	raw_make_udp4(r->src);
	r->src[14 + 10] = 0xff;
	for (unsigned int i = 0; i < 3; i++)
		raw_recv(r, 256 * i, 256);
	w = raw_begin(r, NULL, 0, PRM_ETH_CS_FLAG_L3_CSUM);
	prm_wqe_ctrl_seg_set_opcode(w.bytes, PRM_WQE_OPCODE_ENHANCED_MPSW);
	rig_data(&w, r->src, UDP4_LEN, rig_key(r->mkey));
	rig_inline(&w, r->src, 60);
	rig_data(&w, r->src, UDP4_LEN - 1, rig_key(r->mkey));
	rig_go(&w);
	raw_sent_ok(r);
	assert_null(rig_poll(&r->scq));
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(prm_cqe64_get_byte_cnt(raw_received(r)),
				 i == 1 ? 60 : UDP4_LEN - i / 2);
		assert_int_equal(prm_load16(r->dst + 256 * i, 14 + 10), 0xb861);
	}
}

/* Sends n packets of 1000 bytes; at: when each left, relative to the first. */
static void paced(struct raw *r, unsigned int n, uint64_t *at)
{
	for (unsigned int i = 0; i < n; i++)
		raw_post(r, r->src, 1000, 0);
	raw_go(r);
	rig_pass(&r->rig, 10000000);
	for (unsigned int i = 0; i < n; i++)
		at[i] = prm_cqe64_get_timestamp(raw_sent_ok(r));
	for (unsigned int i = n; i-- > 0;)
		at[i] -= at[0];
}

/* At 8 Mbit/s a byte takes a microsecond, 100 fewer once after idling; a burst may leave early. */
TEST(raw, rate)
{
	struct pp_rate *row = &r->rig.dev.vhca[0].pp_rates[1];
	uint64_t at[5];

	row->rate = (struct pace_rate){.bps = 8000000};
	r->sq.raw_sq->pp_rate = 1;
	r->rig.now += 1000000;
	paced(r, 3, at);
	assert_int_equal(at[1], 900000);
	assert_int_equal(at[2], 1900000);
	row->rate.burst = 2000;
	paced(r, 5, at);
	assert_int_equal(at[2], 0);
	assert_int_equal(at[3], 900000);
	assert_int_equal(at[4], 1900000);
	r->sq.raw_sq->pp_rate = 0;
	paced(r, 3, at);
	assert_int_equal(at[2], 0);
}

TEST(raw, metadata)
{
	struct rig_wqe w = raw_begin(r, r->src, 64, 0);

	prm_wqe_eth_seg_set_flow_table_metadata(w.bytes + 16, 0x12345678);
	rig_go(&w);
	assert_int_equal(r->sent_reg_a, 0x12345678);
}

TEST(raw, nop_and_unsignaled)
{
	struct rig_wqe w = rig_begin(&r->sq, PRM_WQE_OPCODE_NOP, SIGNALED, 0);

	rig_end(&w);
	w = raw_begin(r, r->src, 64, 0);
	prm_wqe_ctrl_seg_set_fm_ce_se(w.bytes, 0);
	rig_go(&w);
	assert_int_equal(prm_cqe64_get_s_wqe_opcode(raw_sent_ok(r)), PRM_WQE_OPCODE_NOP);
	assert_null(rig_poll(&r->scq));
	assert_int_equal(r->nsent, 1);
}

/* --- bad send WQEs ---------------------------------------------------------------------------- */

/* The WQE's segments begin at these bytes. */
enum { CTRL = 0, ETH = 16, DATA = 32 };

static const struct {
	const char *field; /* NULL: none is wrong in the WQE itself */
	unsigned int at;
	uint64_t value;
	uint8_t syndrome;
	bool multi;    /* the opcode is that of several packets */
	bool of_other; /* the value is another queue's number */
	uint8_t ds, min_inline;
} bad[] = {
	{"opcode", CTRL, PRM_WQE_OPCODE_RDMA_WRITE, .syndrome = PRM_SYNDROME_LOCAL_QP_OP_ERR},
	/* one header for all of several packets */
	{"inline_hdr_sz", ETH, 2, .syndrome = PRM_SYNDROME_LOCAL_QP_OP_ERR, .multi = true},
	{"byte_count", DATA, 13, .syndrome = PRM_SYNDROME_LOCAL_LENGTH_ERR, .multi = true},
	{NULL, .syndrome = PRM_SYNDROME_LOCAL_QP_OP_ERR, .multi = true, .ds = 2},
	{"mss", ETH, 1460, .syndrome = PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{"cs_flags", ETH, PRM_ETH_CS_FLAG_L4_INNER_CSUM, .syndrome = PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{"inline_hdr_sz", ETH, 0x7fff, .syndrome = PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{"insert_type", ETH, 0xc000, .syndrome = PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{"lkey", DATA, 0xdead00, .syndrome = PRM_SYNDROME_LOCAL_PROT_ERR},
	{"byte_count", DATA, 13, .syndrome = PRM_SYNDROME_LOCAL_LENGTH_ERR},
	{"byte_count", DATA, VHCA_FRAME_MAX + 1, .syndrome = PRM_SYNDROME_LOCAL_LENGTH_ERR},
	{"byte_count", DATA, 0, .syndrome = PRM_SYNDROME_LOCAL_LENGTH_ERR}, /* 2 GiB */
	{NULL, .syndrome = PRM_SYNDROME_LOCAL_QP_OP_ERR, .ds = 1},
	{"qpn", CTRL, 0, .syndrome = PRM_SYNDROME_LOCAL_QP_OP_ERR, .of_other = true},
	{NULL, .syndrome = PRM_SYNDROME_LOCAL_QP_OP_ERR, .min_inline = PRM_INLINE_MODE_L2},
};

static void post_bad(struct raw *r, size_t i)
{
	static const char *const segment[] = {"wqe_ctrl_seg", "wqe_eth_seg", "wqe_data_seg"};
	struct rig_wqe w = raw_begin(r, NULL, 0, 0);

	rig_data(&w, r->src, 100, rig_key(r->mkey));
	if (bad[i].multi)
		prm_wqe_ctrl_seg_set_opcode(w.bytes, PRM_WQE_OPCODE_ENHANCED_MPSW);
	if (bad[i].field)
		rig_set(&w, bad[i].at, segment[bad[i].at / 16], bad[i].field,
			bad[i].of_other ? r->rq.queue->o.id : bad[i].value);
	if (bad[i].ds)
		w.ds = bad[i].ds;
	r->sq.raw_sq->min_inline = bad[i].min_inline;
	rig_end(&w);
}

/* Each makes an error CQE and no packet; the next WQE is flushed; through RST it works again. */
TEST(raw, bad_sends)
{
	const uint8_t *cqe;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		r->nsent = 0;
		post_bad(r, i);
		raw_send(r, r->src, 100, 0);
		cqe = rig_sent(&r->scq, bad[i].syndrome);
		assert_int_equal(prm_err_cqe_get_srqn(cqe), 0x111);
		rig_sent(&r->scq, PRM_SYNDROME_WR_FLUSH_ERR);
		assert_null(rig_poll(&r->scq));
		assert_int_equal(r->nsent, 0);
		assert_int_equal(r->sq.queue->state, QP_ERR);
		r->sq.raw_sq->min_inline = 0;
		raw_reset(&r->sq);
		raw_send(r, r->src, 100, 0);
		raw_sent_ok(r);
		assert_int_equal(r->nsent, 1);
		raw_reset(&r->sq);
	}
}

/* Data of several WQEs is fetched at once; those before a bad one are sent, later ones are not. */
TEST(raw, one_of_many)
{
	uint8_t *gone = rig_unmapped(4096);
	struct rig_wqe w;

	for (unsigned int kind = 0; kind < 4; kind++) {
		for (unsigned int i = 0; i < 3; i++)
			raw_post(r, r->src + i, 100, 0);
		w = raw_begin(r, NULL, 0, 0);
		rig_data(&w, kind == 1 ? gone : r->src, 100, rig_key(r->mkey) ^ (kind ? 0 : 0xff));
		if (kind == 2)
			prm_wqe_eth_seg_set_mss(w.bytes + 16, 1460);
		if (kind == 3)
			rig_data(&w, gone, 10, rig_key(r->mkey));
		rig_end(&w);
		for (unsigned int i = 0; i < 3; i++)
			raw_post(r, r->src + i, 100, 0);
		r->nsent = 0;
		raw_go(r);
		for (unsigned int i = 0; i < 3; i++)
			raw_sent_ok(r);
		rig_sent(&r->scq,
			 kind == 2 ? PRM_SYNDROME_LOCAL_QP_OP_ERR : PRM_SYNDROME_LOCAL_PROT_ERR);
		for (unsigned int i = 0; i < 3; i++)
			rig_sent(&r->scq, PRM_SYNDROME_WR_FLUSH_ERR);
		assert_null(rig_poll(&r->scq));
		assert_int_equal(r->nsent, 3);
		assert_memory_equal(r->sent, r->src + 2, 100);
		raw_reset(&r->sq);
	}
}

static void post_two_blocks(struct raw *r, struct rig_qp *sq)
{
	struct rig_wqe w = raw_begin(r, r->src, 34, 0);

	w.q = sq;
	prm_wqe_ctrl_seg_set_qpn(w.bytes, sq->queue->o.id);
	rig_data(&w, r->src + 34, 66, rig_key(r->mkey));
	rig_end(&w);
}

/* The ring is unmapped behind the fetched WQEs: these are sent, then only this queue is in ERR. */
TEST(raw, ring_goes)
{
	uint8_t *ring =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rig_qp sq;
	const uint8_t *cqe;
	unsigned int n;

	assert_true(ring != MAP_FAILED);
	raw_queue_open(&r->rig, &sq, OBJ_SQ, &r->scq, 7);
	sq.sq = ring;
	sq.queue->ring.offset = (uintptr_t)ring;
	for (unsigned int i = 0; i < 8; i++)
		post_two_blocks(r, &sq);
	rig_run(&sq);
	assert_int_equal(r->nsent, 8);
	for (unsigned int i = 0; i < 40; i++)
		post_two_blocks(r, &sq);
	munmap(ring + 4096, 4096);
	rig_run(&sq);
	assert_in_range(r->nsent, 9, 32); /* as many as had been fetched */
	assert_int_equal(sq.queue->state, QP_ERR);
	for (n = 0; (cqe = rig_poll(&r->scq)); n++)
		assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_REQ);
	assert_int_equal(n, r->nsent);
	r->nsent = 0;
	raw_send(r, r->src, 100, 0);
	assert_int_equal(r->nsent, 1);
	rig_qp_close(&sq);
	munmap(ring, 4096);
}

/* With any bytes there is no crash, the queue ends in RTS or ERR, and RST brings it back. */
TEST(raw, garbage)
{
	struct rig_wqe w;

	srand(1);
	for (unsigned int i = 0; i < 20000; i++) {
		w = raw_begin(r, NULL, 0, 0);
		rig_data(&w, r->src, 100, rig_key(r->mkey));
		rig_data(&w, r->src, 100, rig_key(r->mkey));
		prm_wqe_ctrl_seg_set_wqe_index(w.bytes, r->sq.sq_pi);
		prm_wqe_ctrl_seg_set_ds(w.bytes, 4);
		for (unsigned int n = (unsigned int)rand() % 6; n; n--)
			w.bytes[16 + rand() % 48] = (uint8_t)rand();
		rig_put(&w);
		r->rq.raw_rq->strip_vlan = rand() & 1;
		raw_recv(r, 0, 2048);
		raw_go(r);
		rig_drain(&r->scq);
		rig_drain(&r->rcq);
		assert_true(r->sq.queue->state == QP_RTS || r->sq.queue->state == QP_ERR);
		assert_true(r->rq.queue->state == QP_RTS || r->rq.queue->state == QP_ERR);
		raw_reset(&r->sq);
		raw_reset(&r->rq);
	}
}
