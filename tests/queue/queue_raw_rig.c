/* SPDX-License-Identifier: BSD-2-Clause */
#include "queue_raw_rig.h"

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
	in.flow_tag = RAW_TAG;
	in.reg_b = 0x5151;
	raw_receive(r->tir, &in);
}

static const struct steer_ops ops = {.to_tir = raw_receive, .to_wire = to_wire};

void raw_queue_open(struct rig *r, struct rig_qp *q, enum obj_type type, struct rig_cq *c,
		    unsigned int log)
{
	struct queue *queue;

	*q = (struct rig_qp){.rig = r, .ring = calloc(64, 1u << log)};
	assert_non_null(q->ring);
	q->sq = q->ring;
	if (type == OBJ_SQ) {
		struct raw_sq *o = obj_new(&r->dev.vhca[BLUEFIELD2_HOST], type, 0, sizeof(*o));

		assert_non_null(o);
		q->raw_sq = o;
		q->queue = o->sq.q = &o->q;
		o->q.sq = &o->sq;
		o->sq.cq = c->cq;
		o->sq.log_size = (uint8_t)log;
	} else {
		struct raw_rq *o = obj_new(&r->dev.vhca[BLUEFIELD2_HOST], type, 0, sizeof(*o));

		assert_non_null(o);
		q->raw_rq = o;
		q->queue = o->rq.q = &o->q;
		o->q.rq = &o->rq;
		o->rq.cq = c->cq;
		o->rq.log_stride = 2;
		o->rq.log_size = (uint8_t)log;
	}
	queue = q->queue;
	queue->transport = &transport_raw;
	queue->pdn = RIG_PD;
	queue->stats = &r->dev.vhca[BLUEFIELD2_HOST].stats->queues;
	queue->uar = RIG_UAR;
	queue->user_index = type == OBJ_SQ ? 0x111 : 0x222;
	queue->dbrec = mm_bus(r->mm, (uintptr_t)q->dbrec);
	queue->ring = (struct ring){
		.pages = malloc(sizeof(bus_t)),
		.npages = 1,
		.log_page = 47,
		.offset = (uintptr_t)q->ring,
		.len = 64ull << log,
	};
	assert_non_null(queue->ring.pages);
	queue->ring.pages[0] = mm_bus(r->mm, 0);
	assert_int_equal(queue_start(queue), 0);
	queue_set_state(queue, QP_RTS);
}

int raw_setup(void **state)
{
	struct raw *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	current = r;
	rig_open(&r->rig);
	steer_set_ops(r->rig.dev.steer, &ops);
	r->src = malloc(RIG_BUF);
	r->dst = calloc(1, RIG_BUF);
	assert_true(r->src && r->dst);
	for (unsigned int i = 0; i < RIG_BUF; i++)
		r->src[i] = (uint8_t)(i * 13 + (i >> 9));
	rig_cq_open(&r->rig, &r->scq, BLUEFIELD2_HOST, 6, false);
	rig_cq_open(&r->rig, &r->rcq, BLUEFIELD2_HOST, 6, false);
	raw_queue_open(&r->rig, &r->sq, OBJ_SQ, &r->scq, 4);
	raw_queue_open(&r->rig, &r->rq, OBJ_RQ, &r->rcq, 3);
	r->mkey = rig_mkey(&r->rig, BLUEFIELD2_HOST, r->src, RIG_BUF, MKEY_LR | MKEY_LW);
	r->mkey->start = 0;
	r->mkey->len = 1ull << 47;
	mkey_place(r->mkey);
	r->tir = obj_new(&r->rig.dev.vhca[BLUEFIELD2_HOST], OBJ_TIR, 0, sizeof(*r->tir));
	assert_non_null(r->tir);
	r->tir->rq = r->rq.raw_rq;
	*state = r;
	return 0;
}

int raw_teardown(void **state)
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

struct rig_wqe raw_begin(struct raw *r, const void *hdr, uint16_t len, uint8_t cs_flags)
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

void raw_post(struct raw *r, const void *at, uint32_t len, uint8_t cs_flags)
{
	struct rig_wqe w = raw_begin(r, NULL, 0, cs_flags);

	rig_data(&w, at, len, rig_key(r->mkey));
	rig_end(&w);
}

void raw_go(struct raw *r)
{
	rig_run(&r->sq);
}

void raw_send(struct raw *r, const void *at, uint32_t len, uint8_t cs_flags)
{
	raw_post(r, at, len, cs_flags);
	raw_go(r);
}

void raw_recv(struct raw *r, uint32_t off, uint32_t len)
{
	rig_recv(&r->rq, r->dst + off, len, rig_key(r->mkey));
}

void raw_reset(struct rig_qp *q)
{
	queue_set_state(q->queue, QP_RST);
	q->sq_pi = q->rq_pi = 0;
	queue_set_state(q->queue, QP_RTS);
}

const uint8_t *raw_sent_ok(struct raw *r)
{
	const uint8_t *cqe = rig_sent(&r->scq, 0);

	assert_int_equal(prm_cqe64_get_user_index(cqe), 0x111);
	assert_int_equal(prm_cqe64_get_qpn(cqe), r->sq.queue->o.id);
	return cqe;
}

const uint8_t *raw_received(struct raw *r)
{
	const uint8_t *cqe = rig_cqe(&r->rcq);

	assert_int_equal(prm_cqe64_get_opcode(cqe), PRM_CQE_OPCODE_RESP_SEND);
	assert_int_equal(prm_cqe64_get_user_index(cqe), 0x222);
	assert_int_equal(prm_cqe64_get_flow_tag(cqe), RAW_TAG);
	return cqe;
}

/* --- packets ---------------------------------------------------------------------------------- */

/* Captured elsewhere: RFC 1071's method gives these very checksums (Wikipedia's IPv4 example). */
static const uint8_t udp4[] = "\x02\0\0\0\0\2\x02\0\0\0\0\1\x08\0"
			      /* 192.168.0.1 -> 192.168.0.199, header checksum 0xb861 */
			      "\x45\0\0\x73\0\0\x40\0\x40\x11\xb8\x61\xc0\xa8\0\1\xc0\xa8\0\xc7"
			      /* UDP 53 -> 4660 with 87 bytes, no checksum */
			      "\0\x35\x12\x34\0\x5f\0\0";

void raw_make_udp4(uint8_t *p)
{
	memset(p, 0x5a, UDP4_LEN);
	memcpy(p, udp4, sizeof(udp4) - 1);
}

/* Computes RFC 1071's sum word by word, written again for this test. */
uint16_t raw_rfc1071(const uint8_t *p, size_t n, uint32_t sum)
{
	for (size_t i = 0; i < n; i++)
		sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}
