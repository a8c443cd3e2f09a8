/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves queues of raw packets: what a send WQE puts on the wire, what a receive's CQE says, and that
 * bad WQEs, missing and short receives end as the table says. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <dvx/prm/eth.h>
#include "dp_rig.h"
#include "datapath.h"
#include "dp/dp.h"
#include "obj/tir.h"
#include "steer/steer.h"

#define TAG 0xabcdefu

/* An SQ whose packets come straight back into an RQ, through the tables' ops. */
struct raw {
	struct rig rig;
	struct rig_cq scq, rcq;
	struct rig_qp sq, rq;
	struct tir *tir;
	uint8_t *src, *dst;
	struct mkey *mkey;
	uint8_t sent[VHCA_FRAME_MAX + 64];
	uint32_t sent_len, sent_reg_a, sent_sqn;
	unsigned int nsent;
};

static struct raw *current;

static void to_wire(struct vhca *v, const struct packet *p)
{
	struct raw *r = current;
	struct packet in = *p;

	(void)v;
	memcpy(r->sent, p->data, p->len);
	r->sent_len = p->len;
	r->sent_reg_a = p->reg_a;
	r->sent_sqn = p->source_sqn;
	r->nsent++;
	in.flow_tag = TAG;
	in.reg_b = 0x5151;
	dp_receive(r->tir, &in);
}

static const struct steer_ops ops = {.to_tir = dp_receive, .to_wire = to_wire};

static void queue_open(struct rig *r, struct rig_qp *q, enum obj_type type, struct rig_cq *c,
		       unsigned int log)
{
	struct qp *qp;

	*q = (struct rig_qp){.rig = r, .ring = calloc(64, 1u << log)};
	assert_non_null(q->ring);
	q->sq = q->ring;
	qp = q->qp = obj_new(&r->si.vhca[FUNCTION_HOST], type, 0, sizeof(*qp));
	assert_non_null(qp);
	qp->raw = true;
	qp->no_rq = type == OBJ_SQ;
	qp->no_sq = type == OBJ_RQ;
	qp->scq = type == OBJ_SQ ? c->cq : NULL;
	qp->rcq = type == OBJ_RQ ? c->cq : NULL;
	qp->pdn = RIG_PD;
	qp->uar = RIG_UAR;
	qp->user_index = type == OBJ_SQ ? 0x111 : 0x222;
	qp->dbrec = mm_bus(r->mm, (uintptr_t)q->dbrec);
	qp->log_rq_stride = 2;
	qp->log_rq_size = qp->log_sq_size = (uint8_t)log;
	qp->ring = (struct ring){
		.pages = malloc(sizeof(bus_t)),
		.npages = 1,
		.log_page = 47,
		.offset = (uintptr_t)q->ring,
		.len = 64ull << log,
	};
	assert_non_null(qp->ring.pages);
	qp->ring.pages[0] = mm_bus(r->mm, 0);
	assert_int_equal(dp_qp_start(qp), 0);
	dp_qp_state(qp, QP_RTS);
}

static int setup(void **state)
{
	struct raw *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	current = r;
	rig_open(&r->rig);
	steer_set_ops(r->rig.si.steer, &ops);
	r->src = malloc(RIG_BUF);
	r->dst = calloc(1, RIG_BUF);
	assert_true(r->src && r->dst);
	for (unsigned int i = 0; i < RIG_BUF; i++)
		r->src[i] = (uint8_t)(i * 13 + (i >> 9));
	rig_cq_open(&r->rig, &r->scq, FUNCTION_HOST, 6, false);
	rig_cq_open(&r->rig, &r->rcq, FUNCTION_HOST, 6, false);
	queue_open(&r->rig, &r->sq, OBJ_SQ, &r->scq, 4);
	queue_open(&r->rig, &r->rq, OBJ_RQ, &r->rcq, 3);
	r->mkey = rig_mkey(&r->rig, FUNCTION_HOST, r->src, RIG_BUF, MKEY_LR | MKEY_LW);
	r->mkey->start = 0;
	r->mkey->len = 1ull << 47;
	r->tir = obj_new(&r->rig.si.vhca[FUNCTION_HOST], OBJ_TIR, 0, sizeof(*r->tir));
	assert_non_null(r->tir);
	r->tir->rq = r->rq.qp;
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	struct raw *r = *state;

	rig_mkey_close(r->mkey);
	obj_free(&r->tir->o);
	rig_qp_close(&r->sq);
	rig_qp_close(&r->rq);
	rig_cq_close(&r->scq);
	rig_cq_close(&r->rcq);
	rig_close(&r->rig);
	free(r->src);
	free(r->dst);
	free(r);
	return 0;
}

static struct rig_wqe begin(struct raw *r, const void *hdr, uint16_t len, uint8_t cs_flags)
{
	struct rig_wqe w = rig_begin(&r->sq, PRM_WQE_OPCODE_SEND, SIGNALED, 0);
	uint8_t *eth = w.bytes + 16;

	prm_wqe_eth_seg_set_cs_flags(eth, cs_flags);
	prm_wqe_eth_seg_set_inline_hdr_sz(eth, len);
	if (len)
		memcpy(eth + 14, hdr, len);
	w.ds += (14u + len + 15) / 16;
	return w;
}

/* One packet of len bytes at src. */
static void post(struct raw *r, const void *at, uint32_t len, uint8_t cs_flags)
{
	struct rig_wqe w = begin(r, NULL, 0, cs_flags);

	rig_data(&w, at, len, rig_key(r->mkey));
	rig_end(&w);
}

static void go(struct raw *r)
{
	rig_ring(&r->sq);
	rig_settle(&r->rig);
}

static const uint8_t *sent_ok(struct raw *r)
{
	const uint8_t *cqe = rig_poll(&r->scq);

	assert_non_null(cqe);
	assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_REQ);
	assert_int_equal(prm_cqe64_get_user_index(cqe), 0x111);
	assert_int_equal(prm_cqe64_get_qpn(cqe), r->sq.qp->o.id);
	return cqe;
}

static const uint8_t *received(struct raw *r)
{
	const uint8_t *cqe = rig_poll(&r->rcq);

	assert_non_null(cqe);
	assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_RESP_SEND);
	assert_int_equal(prm_cqe64_get_user_index(cqe), 0x222);
	assert_int_equal(prm_cqe64_get_flow_tag(cqe), TAG);
	return cqe;
}

/* --- packets ---------------------------------------------------------------------------------- */

/* Captured by others: RFC 1071's method gives these very checksums (Wikipedia's IPv4 example). */
static const uint8_t udp4[] = {
	0x02, 0, 0, 0, 0, 2, 0x02, 0, 0, 0, 0, 1, 0x08, 0x00,
	/* 192.168.0.1 -> 192.168.0.199, header checksum 0xb861 */
	0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8, 0x00,
	0x01, 0xc0, 0xa8, 0x00, 0xc7,
	/* UDP 53 -> 4660 with 87 bytes, no checksum */
	0x00, 0x35, 0x12, 0x34, 0x00, 0x5f, 0x00, 0x00,
};
#define UDP4_LEN (14u + 0x73u)

static void make_udp4(uint8_t *p)
{
	memset(p, 0x5a, UDP4_LEN);
	memcpy(p, udp4, sizeof(udp4));
}

/* RFC 1071, one word after the other, written again for this test. */
static uint16_t rfc1071(const uint8_t *p, size_t n, uint32_t sum)
{
	for (size_t i = 0; i < n; i++)
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static uint32_t pseudo4(const uint8_t *ip, uint32_t len)
{
	return rfc1071(ip + 12, 8, ip[9] + len);
}

static void bytes_and_tag(void **state)
{
	struct raw *r = *state;
	const uint8_t *cqe;

	rig_recv(&r->rq, r->dst, 2048, rig_key(r->mkey));
	make_udp4(r->src);
	post(r, r->src, UDP4_LEN, 0);
	go(r);
	assert_int_equal(prm_cqe64_get_s_wqe_opcode(sent_ok(r)), PRM_WQE_OPCODE_SEND);
	cqe = received(r);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe), UDP4_LEN);
	assert_int_equal(prm_cqe64_get_wqe_counter(cqe), 0);
	assert_int_equal(prm_cqe64_get_ft_metadata(cqe), 0x5151);
	assert_memory_equal(r->dst, r->src, UDP4_LEN);
	assert_int_equal(r->sent_sqn, r->sq.qp->o.id);
	assert_int_equal(r->rig.si.vhca[0].raw.sent, 1);
	assert_int_equal(r->rig.si.vhca[0].raw.received, 1);
}

static void headers_told(void **state)
{
	struct raw *r = *state;
	const uint8_t *cqe;

	rig_recv(&r->rq, r->dst, 2048, rig_key(r->mkey));
	make_udp4(r->src);
	post(r, r->src, UDP4_LEN, 0);
	go(r);
	cqe = received(r);
	assert_int_equal(prm_cqe64_get_l2_ok(cqe), 1);
	assert_int_equal(prm_cqe64_get_l3_ok(cqe), 1);
	assert_int_equal(prm_cqe64_get_l4_ok(cqe), 1);
	assert_int_equal(prm_cqe64_get_l3_hdr_type(cqe), PRM_CQE_L3_HDR_TYPE_IPV4);
	assert_int_equal(prm_cqe64_get_l4_hdr_type(cqe), PRM_CQE_L4_HDR_TYPE_UDP);
	assert_int_equal(prm_cqe64_get_ip_frag(cqe), 0);
	assert_int_equal(prm_cqe64_get_check_sum(cqe), rfc1071(r->dst + 14, 0x73, 0));

	rig_recv(&r->rq, r->dst, 2048, rig_key(r->mkey));
	r->src[14 + 8]--; /* TTL, the checksum is wrong now */
	r->src[14 + 6] = 0x20;
	post(r, r->src, UDP4_LEN, 0);
	go(r);
	cqe = received(r);
	assert_int_equal(prm_cqe64_get_l3_ok(cqe), 0);
	assert_int_equal(prm_cqe64_get_l4_ok(cqe), 0);
	assert_int_equal(prm_cqe64_get_ip_frag(cqe), 1);
}

/* --- send WQEs -------------------------------------------------------------------------------- */

/* The first headers in the Ethernet segment, then inline data, then two pieces of memory. */
static void pieces(void **state)
{
	struct raw *r = *state;
	struct rig_wqe w;

	for (unsigned int inl = 0; inl <= 34; inl++) {
		rig_recv(&r->rq, r->dst, 2048, rig_key(r->mkey));
		w = begin(r, r->src, (uint16_t)inl, 0);
		rig_inline(&w, r->src + inl, 20);
		rig_data(&w, r->src + inl + 20, 7, rig_key(r->mkey));
		rig_data(&w, r->src + inl + 27, 40, rig_key(r->mkey));
		rig_end(&w);
		go(r);
		sent_ok(r);
		assert_int_equal(prm_cqe64_get_byte_cnt(received(r)), inl + 67);
		assert_memory_equal(r->dst, r->src, inl + 67);
	}
}

static void headers_alone(void **state)
{
	struct raw *r = *state;
	struct rig_wqe w = begin(r, r->src, 60, 0);

	rig_recv(&r->rq, r->dst, 2048, rig_key(r->mkey));
	rig_end(&w);
	go(r);
	sent_ok(r);
	assert_int_equal(prm_cqe64_get_byte_cnt(received(r)), 60);
	assert_memory_equal(r->dst, r->src, 60);
}

static void checksums(void **state)
{
	struct raw *r = *state;
	uint8_t *ip = r->dst + 14, *udp = ip + 20;
	uint16_t got;

	make_udp4(r->src);
	r->src[14 + 10] = 0xff; /* whatever stands there */
	r->src[14 + 26] = 0xee;
	rig_recv(&r->rq, r->dst, 2048, rig_key(r->mkey));
	post(r, r->src, UDP4_LEN, PRM_ETH_CS_FLAG_L3_CSUM);
	go(r);
	assert_int_equal(prm_cqe64_get_l3_ok(received(r)), 1);
	assert_int_equal(ip[10] << 8 | ip[11], 0xb861);
	assert_int_equal(udp[6], 0xee);

	rig_recv(&r->rq, r->dst, 2048, rig_key(r->mkey));
	post(r, r->src, UDP4_LEN, PRM_ETH_CS_FLAG_L3_CSUM | PRM_ETH_CS_FLAG_L4_CSUM);
	go(r);
	assert_int_equal(prm_cqe64_get_l4_ok(received(r)), 1);
	got = (uint16_t)(udp[6] << 8 | udp[7]);
	udp[6] = udp[7] = 0;
	assert_int_equal(got, (uint16_t)~rfc1071(udp, 0x5f, pseudo4(ip, 0x5f)));
}

/* The tag goes behind the addresses, and checksums below it are still right. */
static void vlan_insert(void **state)
{
	struct raw *r = *state;
	struct rig_wqe w;
	const uint8_t *cqe;

	for (unsigned int service = 0; service < 2; service++) {
		make_udp4(r->src);
		rig_recv(&r->rq, r->dst, 2048, rig_key(r->mkey));
		w = begin(r, NULL, 0,
			  service ? PRM_ETH_CS_FLAG_SVLAN : PRM_ETH_CS_FLAG_L4_CSUM);
		prm_wqe_eth_seg_set_insert_type(w.bytes + 16, 0x8000);
		prm_wqe_eth_seg_set_vlan_tci(w.bytes + 16, 0xe123);
		rig_data(&w, r->src, UDP4_LEN, rig_key(r->mkey));
		rig_end(&w);
		go(r);
		sent_ok(r);
		cqe = received(r);
		assert_int_equal(prm_cqe64_get_byte_cnt(cqe), UDP4_LEN + 4);
		assert_int_equal(prm_cqe64_get_vlan(cqe), 0);
		assert_int_equal(prm_cqe64_get_l4_ok(cqe), 1);
		assert_memory_equal(r->dst, r->src, 12);
		assert_int_equal(prm_load32(r->dst, 12), service ? 0x88a8e123 : 0x8100e123);
		assert_memory_equal(r->dst + 16, r->src + 12, 28);
	}
}

static void vlan_strip(void **state)
{
	struct raw *r = *state;
	const uint8_t *cqe;

	make_udp4(r->src + 4);
	memmove(r->src, r->src + 4, 12);
	prm_store32(r->src, 12, 0x81002042);
	r->rq.qp->strip_vlan = true;
	rig_recv(&r->rq, r->dst, 2048, rig_key(r->mkey));
	post(r, r->src, UDP4_LEN + 4, 0);
	go(r);
	cqe = received(r);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe), UDP4_LEN);
	assert_int_equal(prm_cqe64_get_vlan(cqe), 1);
	assert_int_equal(prm_cqe64_get_vlan_info(cqe), 0x2042);
	assert_memory_equal(r->dst, r->src, 12);
	assert_memory_equal(r->dst + 12, r->src + 16, UDP4_LEN - 12);
}

static void metadata(void **state)
{
	struct raw *r = *state;
	struct rig_wqe w = begin(r, r->src, 64, 0);

	prm_wqe_eth_seg_set_flow_table_metadata(w.bytes + 16, 0x12345678);
	rig_end(&w);
	go(r);
	assert_int_equal(r->sent_reg_a, 0x12345678);
}

static void nop_and_unsignaled(void **state)
{
	struct raw *r = *state;
	struct rig_wqe w = rig_begin(&r->sq, PRM_WQE_OPCODE_NOP, SIGNALED, 0);

	rig_end(&w);
	w = begin(r, r->src, 64, 0);
	prm_wqe_ctrl_seg_set_fm_ce_se(w.bytes, 0);
	rig_end(&w);
	go(r);
	assert_int_equal(prm_cqe64_get_s_wqe_opcode(sent_ok(r)), PRM_WQE_OPCODE_NOP);
	assert_null(rig_poll(&r->scq));
	assert_int_equal(r->nsent, 1);
}

/* --- bad send WQEs ---------------------------------------------------------------------------- */

static void spoil_opcode(struct raw *r, struct rig_wqe *w)
{
	(void)r;
	prm_wqe_ctrl_seg_set_opcode(w->bytes, PRM_WQE_OPCODE_RDMA_WRITE);
}

static void spoil_tso(struct raw *r, struct rig_wqe *w)
{
	(void)r;
	prm_wqe_ctrl_seg_set_opcode(w->bytes, PRM_WQE_OPCODE_TSO);
}

static void spoil_mss(struct raw *r, struct rig_wqe *w)
{
	(void)r;
	prm_wqe_eth_seg_set_mss(w->bytes + 16, 1460);
}

static void spoil_inner(struct raw *r, struct rig_wqe *w)
{
	(void)r;
	prm_wqe_eth_seg_set_cs_flags(w->bytes + 16, PRM_ETH_CS_FLAG_L4_INNER_CSUM);
}

static void spoil_inline_size(struct raw *r, struct rig_wqe *w)
{
	(void)r;
	prm_wqe_eth_seg_set_inline_hdr_sz(w->bytes + 16, 0x7fff);
}

static void spoil_insert(struct raw *r, struct rig_wqe *w)
{
	(void)r;
	prm_wqe_eth_seg_set_insert_type(w->bytes + 16, 0xc000);
}

static void spoil_lkey(struct raw *r, struct rig_wqe *w)
{
	(void)r;
	prm_wqe_data_seg_set_lkey(w->bytes + 32, 0xdead00);
}

static void spoil_short(struct raw *r, struct rig_wqe *w)
{
	(void)r;
	prm_wqe_data_seg_set_byte_count(w->bytes + 32, 13);
}

static void spoil_long(struct raw *r, struct rig_wqe *w)
{
	(void)r;
	prm_wqe_data_seg_set_byte_count(w->bytes + 32, VHCA_FRAME_MAX + 1);
}

static void spoil_huge(struct raw *r, struct rig_wqe *w)
{
	(void)r;
	prm_wqe_data_seg_set_byte_count(w->bytes + 32, 0); /* 2 GiB */
}

static void spoil_ds(struct raw *r, struct rig_wqe *w)
{
	(void)r;
	w->ds = 1;
}

static void spoil_qpn(struct raw *r, struct rig_wqe *w)
{
	prm_wqe_ctrl_seg_set_qpn(w->bytes, r->rq.qp->o.id);
}

static void spoil_min_inline(struct raw *r, struct rig_wqe *w)
{
	(void)w;
	r->sq.qp->min_inline = PRM_INLINE_MODE_L2;
}

static const struct {
	void (*spoil)(struct raw *, struct rig_wqe *);
	uint8_t syndrome;
} bad[] = {
	{spoil_opcode, PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{spoil_tso, PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{spoil_mss, PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{spoil_inner, PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{spoil_inline_size, PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{spoil_insert, PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{spoil_lkey, PRM_SYNDROME_LOCAL_PROT_ERR},
	{spoil_short, PRM_SYNDROME_LOCAL_LENGTH_ERR},
	{spoil_long, PRM_SYNDROME_LOCAL_LENGTH_ERR},
	{spoil_huge, PRM_SYNDROME_LOCAL_LENGTH_ERR},
	{spoil_ds, PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{spoil_qpn, PRM_SYNDROME_LOCAL_QP_OP_ERR},
	{spoil_min_inline, PRM_SYNDROME_LOCAL_QP_OP_ERR},
};

static void flushed(struct rig_cq *c, unsigned int opcode)
{
	const uint8_t *cqe = rig_poll(c);

	assert_non_null(cqe);
	assert_int_equal(prm_err_cqe_get_opcode(cqe), opcode);
	assert_int_equal(prm_err_cqe_get_syndrome(cqe), PRM_SYNDROME_WR_FLUSH_ERR);
}

/* An error CQE, nothing on the wire, the next WQE flushed; by way of RST it works again. */
static void bad_sends(void **state)
{
	struct raw *r = *state;
	const uint8_t *cqe;
	struct rig_wqe w;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		r->nsent = 0;
		w = begin(r, NULL, 0, 0);
		rig_data(&w, r->src, 100, rig_key(r->mkey));
		bad[i].spoil(r, &w);
		rig_end(&w);
		post(r, r->src, 100, 0);
		go(r);
		cqe = rig_poll(&r->scq);
		assert_non_null(cqe);
		assert_int_equal(prm_err_cqe_get_opcode(cqe), PRM_CQE_OPCODE_REQ_ERR);
		assert_int_equal(prm_err_cqe_get_syndrome(cqe), bad[i].syndrome);
		assert_int_equal(prm_err_cqe_get_srqn(cqe), 0x111);
		flushed(&r->scq, PRM_CQE_OPCODE_REQ_ERR);
		assert_null(rig_poll(&r->scq));
		assert_int_equal(r->nsent, 0);
		assert_int_equal(r->sq.qp->state, QP_ERR);
		dp_qp_state(r->sq.qp, QP_RST);
		r->sq.sq_pi = 0;
		r->sq.qp->min_inline = 0;
		dp_qp_state(r->sq.qp, QP_RTS);
		post(r, r->src, 100, 0);
		go(r);
		sent_ok(r);
		assert_int_equal(r->nsent, 1);
		dp_qp_state(r->sq.qp, QP_RST);
		r->sq.sq_pi = 0;
		dp_qp_state(r->sq.qp, QP_RTS);
	}
}

static void failed_send(struct raw *r, uint8_t syndrome)
{
	const uint8_t *cqe = rig_poll(&r->scq);

	assert_non_null(cqe);
	assert_int_equal(prm_err_cqe_get_opcode(cqe), PRM_CQE_OPCODE_REQ_ERR);
	assert_int_equal(prm_err_cqe_get_syndrome(cqe), syndrome);
}

/* Data of several WQEs are fetched at once; those before a bad one are sent, those behind are not. */
static void one_of_many(void **state)
{
	struct raw *r = *state;
	uint8_t *gone = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rig_wqe w;

	assert_true(gone != MAP_FAILED);
	munmap(gone, 4096);
	for (unsigned int kind = 0; kind < 4; kind++) {
		for (unsigned int i = 0; i < 3; i++)
			post(r, r->src + i, 100, 0);
		w = begin(r, NULL, 0, 0);
		rig_data(&w, kind == 1 ? gone : r->src, 100, rig_key(r->mkey) ^ (kind ? 0 : 0xff));
		if (kind == 2)
			spoil_mss(r, &w);
		if (kind == 3)
			rig_data(&w, gone, 10, rig_key(r->mkey));
		rig_end(&w);
		for (unsigned int i = 0; i < 3; i++)
			post(r, r->src + i, 100, 0);
		r->nsent = 0;
		go(r);
		for (unsigned int i = 0; i < 3; i++)
			sent_ok(r);
		failed_send(r, kind == 2 ? PRM_SYNDROME_LOCAL_QP_OP_ERR :
					   PRM_SYNDROME_LOCAL_PROT_ERR);
		for (unsigned int i = 0; i < 3; i++)
			failed_send(r, PRM_SYNDROME_WR_FLUSH_ERR);
		assert_null(rig_poll(&r->scq));
		assert_int_equal(r->nsent, 3);
		assert_memory_equal(r->sent, r->src + 2, 100);
		dp_qp_state(r->sq.qp, QP_RST);
		r->sq.sq_pi = 0;
		dp_qp_state(r->sq.qp, QP_RTS);
	}
}

/* Any bytes at all: no crash, the queue ends in RTS or ERR, RST brings it back. */
static void garbage(void **state)
{
	struct raw *r = *state;
	struct rig_wqe w;

	srand(1);
	for (unsigned int i = 0; i < 20000; i++) {
		w = begin(r, NULL, 0, 0);
		rig_data(&w, r->src, 100, rig_key(r->mkey));
		rig_data(&w, r->src, 100, rig_key(r->mkey));
		prm_wqe_ctrl_seg_set_wqe_index(w.bytes, r->sq.sq_pi);
		prm_wqe_ctrl_seg_set_ds(w.bytes, 4);
		for (unsigned int n = (unsigned int)rand() % 6; n; n--)
			w.bytes[16 + rand() % 48] = (uint8_t)rand();
		rig_put(&w);
		r->rq.qp->strip_vlan = rand() & 1;
		rig_recv(&r->rq, r->dst, 2048, rig_key(r->mkey));
		go(r);
		while (rig_poll(&r->scq))
			;
		while (rig_poll(&r->rcq))
			;
		for (struct rig_qp *q = &r->sq;; q = &r->rq) {
			assert_true(q->qp->state == QP_RTS || q->qp->state == QP_ERR);
			dp_qp_state(q->qp, QP_RST);
			q->sq_pi = q->rq_pi = 0;
			dp_qp_state(q->qp, QP_RTS);
			if (q == &r->rq)
				break;
		}
	}
}

/* --- receives --------------------------------------------------------------------------------- */

static void out_of_buffer(void **state)
{
	struct raw *r = *state;

	post(r, r->src, 100, 0);
	go(r);
	sent_ok(r);
	assert_null(rig_poll(&r->rcq));
	assert_int_equal(r->rig.si.vhca[0].raw.out_of_buffer, 1);
	dp_qp_state(r->rq.qp, QP_RST);
	rig_recv(&r->rq, r->dst, 2048, rig_key(r->mkey));
	post(r, r->src, 100, 0);
	go(r);
	assert_null(rig_poll(&r->rcq));
	assert_int_equal(r->rig.si.vhca[0].raw.out_of_buffer, 2);
	dp_qp_state(r->rq.qp, QP_RTS);
	post(r, r->src, 100, 0);
	go(r);
	received(r);
}

/* A receive that is too small: length error, the queue in ERR, what was posted behind it flushed. */
static void too_small(void **state)
{
	struct raw *r = *state;
	const uint8_t *cqe;

	rig_recv(&r->rq, r->dst, 99, rig_key(r->mkey));
	rig_recv(&r->rq, r->dst, 2048, rig_key(r->mkey));
	post(r, r->src, 100, 0);
	go(r);
	cqe = rig_poll(&r->rcq);
	assert_non_null(cqe);
	assert_int_equal(prm_err_cqe_get_opcode(cqe), PRM_CQE_OPCODE_RESP_ERR);
	assert_int_equal(prm_err_cqe_get_syndrome(cqe), PRM_SYNDROME_LOCAL_LENGTH_ERR);
	assert_int_equal(prm_err_cqe_get_srqn(cqe), 0x222);
	flushed(&r->rcq, PRM_CQE_OPCODE_RESP_ERR);
	assert_int_equal(r->rig.si.vhca[0].raw.failed, 1);
	post(r, r->src, 100, 0);
	go(r);
	assert_null(rig_poll(&r->rcq));
	assert_int_equal(r->rig.si.vhca[0].raw.out_of_buffer, 1);
}

static void silent_flush(void **state)
{
	struct raw *r = *state;

	r->rq.qp->flush_silent = true;
	rig_recv(&r->rq, r->dst, 2048, rig_key(r->mkey));
	dp_qp_state(r->rq.qp, QP_ERR);
	rig_settle(&r->rig);
	assert_null(rig_poll(&r->rcq));
}

/* Each queue of a table gets the packets that its index says; all of them together get all. */
static void rss_spreads(void **state)
{
	struct raw *r = *state;
	struct qp *list[2] = {r->rq.qp};
	struct rqt table = {.n = 2, .max = 2, .rq = list};
	struct rig_qp second;
	unsigned int n[2] = {0};
	const uint8_t *cqe;

	queue_open(&r->rig, &second, OBJ_RQ, &r->rcq, 3);
	second.qp->user_index = 0x333;
	list[1] = second.qp;
	r->tir->rq = NULL;
	r->tir->rqt = &table;
	r->tir->hash_fn = PRM_RX_HASH_FN_TOEPLITZ;
	r->tir->outer = (struct tir_fields){.udp = true, .selected = 15};
	memset(r->tir->key, 0x6d, sizeof(r->tir->key));
	for (unsigned int i = 0; i < 64; i++) {
		make_udp4(r->src);
		r->src[14 + 20] = (uint8_t)(i * 5);
		rig_recv(&r->rq, r->dst, 2048, rig_key(r->mkey));
		rig_recv(&second, r->dst, 2048, rig_key(r->mkey));
		r->rq.qp->rq_ci = r->rq.qp->rq_pi = (uint16_t)(r->rq.rq_pi - 1);
		second.qp->rq_ci = second.qp->rq_pi = (uint16_t)(second.rq_pi - 1);
		post(r, r->src, UDP4_LEN, 0);
		go(r);
		cqe = rig_poll(&r->rcq);
		assert_non_null(cqe);
		assert_int_equal(prm_cqe64_get_user_index(cqe),
				 prm_cqe64_get_rss_hash_result(cqe) & 1 ? 0x333 : 0x222);
		assert_int_not_equal(prm_cqe64_get_rss_hash_type(cqe), 0);
		n[prm_cqe64_get_rss_hash_result(cqe) & 1]++;
	}
	assert_true(n[0] > 8 && n[1] > 8);
	rig_qp_close(&second);
}

/* --- the port --------------------------------------------------------------------------------- */

static void injected(void **state)
{
	struct raw *r = *state;
	struct silicon *si = &r->rig.si;

	assert_int_equal(datapath_inject(si, r->src, VHCA_FRAME_MIN - 1), -EMSGSIZE);
	assert_int_equal(datapath_inject(si, r->src, VHCA_FRAME_MAX + 1), -EMSGSIZE);
	assert_int_equal(datapath_inject(si, r->src, VHCA_FRAME_MAX), 0);
	memset(r->src, 0xff, 6);
	assert_int_equal(datapath_inject(si, r->src, 60), 0);
	rig_settle(&r->rig);
	assert_int_equal(si->unclaimed, 2); /* nobody has RX tables */
	memcpy(r->src, si->vhca[1].mac, 6);
	assert_int_equal(datapath_inject(si, r->src, 60), 0);
	rig_settle(&r->rig);
	assert_int_equal(si->unclaimed, 2);
	assert_int_equal(steer_stats(&si->vhca[1])->ends[STEER_MISS], 1);
	for (unsigned int i = 0; datapath_inject(si, r->src, 60) == 0; i++)
		assert_true(i < 100000);
	assert_int_equal(datapath_inject(si, r->src, 60), -EAGAIN);
	rig_settle(&r->rig);
	assert_int_equal(datapath_inject(si, r->src, 60), 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(bytes_and_tag), T(headers_told), T(pieces),	     T(headers_alone),
		T(checksums),	  T(vlan_insert),  T(vlan_strip),    T(metadata),
		T(bad_sends),	  T(garbage),	   T(out_of_buffer), T(too_small),
		T(silent_flush),  T(rss_spreads),  T(injected),	     T(nop_and_unsignaled),
		T(one_of_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
