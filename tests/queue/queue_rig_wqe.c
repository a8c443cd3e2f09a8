/* SPDX-License-Identifier: BSD-2-Clause */
#include <endian.h>
#include "queue_rig.h"
#include "host/uar.h"
#include "prm/reflect.h"
#include "queue/queue.h"

struct rig_wqe rig_begin(struct rig_qp *q, uint8_t opcode, uint8_t fm_ce_se, uint32_t imm)
{
	struct rig_wqe w = { .q = q, .ds = 1 };

	prm_wqe_ctrl_seg_pack(w.bytes, .opcode = opcode, .qpn = q->queue->o.id, .fm_ce_se = fm_ce_se,
			      .imm = imm);
	return w;
}

void rig_av(struct rig_wqe *w, const struct rig_qp *to)
{
	const struct vhca *v = to->queue->o.vhca;
	unsigned int gid = w->q->qp->gid_index;
	uint8_t *av = w->bytes + 16 * w->ds;

	prm_av_set_qkey(av, RIG_QKEY);
	prm_av_set_ext(av, 1);
	prm_av_set_dqp_dct(av, to->queue->o.id);
	prm_av_set_udp_sport(av, 0xc123);
	prm_av_set_rmac(av, (uint64_t)prm_load16(v->mac, 0) << 32 | prm_load32(v->mac, 2));
	prm_av_set_tclass(av, 0x58);
	prm_av_set_hop_limit(av, 7);
	prm_av_set_src_addr_index(av, gid);
	prm_av_set_flow_label(av, 0xabcde);
	memcpy(prm_av_at_rgid(av), v->gids[gid].gid, 16);
	w->ds += 3;
}

const uint8_t rig_mgid[16] = {[10] = 0xff, 0xff, 239, 1, 2, 3};

void rig_av_group(struct rig_wqe *w)
{
	uint8_t *av = w->bytes + 16 * (w->ds - 3);

	prm_av_set_rmac(av, 0x01005e010203);
	prm_av_set_dqp_dct(av, 0xffffff);
	memcpy(prm_av_at_rgid(av), rig_mgid, sizeof(rig_mgid));
}

void rig_raddr(struct rig_wqe *w, const void *va, uint32_t rkey)
{
	prm_wqe_raddr_seg_pack(w->bytes + 16 * w->ds, .raddr = (uintptr_t)va, .rkey = rkey);
	w->ds++;
}

void rig_data(struct rig_wqe *w, const void *va, uint32_t len, uint32_t lkey)
{
	prm_wqe_data_seg_pack(w->bytes + 16 * w->ds, .byte_count = len, .lkey = lkey,
			      .addr = (uintptr_t)va);
	w->ds++;
}

void rig_inline(struct rig_wqe *w, const void *bytes, uint32_t len)
{
	uint8_t *p = w->bytes + 16 * w->ds;

	prm_wqe_inline_seg_pack(p, .is_inline = 1, .byte_count = len);
	memcpy(p + 4, bytes, len);
	w->ds += (4 + len + 15) / 16;
}

void rig_put(struct rig_wqe *w)
{
	struct rig_qp *q = w->q;
	unsigned int blocks = (w->ds + 3) / 4, n = 1u << q->queue->sq->log_size;

	for (unsigned int i = 0; i < blocks; i++)
		memcpy(q->sq + 64u * ((q->sq_pi + i) & (n - 1)), w->bytes + 64 * i, 64);
	q->sq_pi = (uint16_t)(q->sq_pi + blocks);
}

void rig_set(struct rig_wqe *w, unsigned int at, const char *segment, const char *field,
	     uint64_t value)
{
	const struct prm_struct *s = prm_find_struct(segment);

	assert_int_equal(prm_field_set(s, w->bytes + at, s->bytes, field, value), 0);
}

void rig_end(struct rig_wqe *w)
{
	prm_wqe_ctrl_seg_set_wqe_index(w->bytes, w->q->sq_pi);
	prm_wqe_ctrl_seg_set_ds(w->bytes, w->ds & 0x3f);
	rig_put(w);
}

void rig_ring(struct rig_qp *q)
{
	uint8_t db[8] = { 0 };
	uint64_t value;

	q->dbrec[1] = htobe32(q->sq_pi);
	prm_wqe_ctrl_seg_set_qpn(db, q->queue->o.id);
	memcpy(&value, db, sizeof(value));
	queue_doorbell(&q->rig->dev, RIG_UAR, UAR_BF, value);
}

void rig_run(struct rig_qp *q)
{
	rig_ring(q);
	rig_settle(q->rig);
}

void rig_go(struct rig_wqe *w)
{
	rig_end(w);
	rig_run(w->q);
}

void rig_rdma(struct rig_qp *q, uint8_t opcode, uint8_t fm_ce_se, const void *remote,
	      const struct mkey *rkey, const void *local, uint32_t len, const struct mkey *lkey)
{
	struct rig_wqe w = rig_begin(q, opcode, fm_ce_se, 0);

	rig_raddr(&w, remote, rig_key(rkey));
	rig_data(&w, local, len, rig_key(lkey));
	rig_end(&w);
}

void rig_message(struct rig_qp *q, uint8_t fm_ce_se, const char *text)
{
	struct rig_wqe w = rig_begin(q, PRM_WQE_OPCODE_SEND, fm_ce_se, 0);

	rig_inline(&w, text, (uint32_t)strlen(text));
	rig_end(&w);
}

void rig_nop(struct rig_qp *q)
{
	struct rig_wqe w = rig_begin(q, PRM_WQE_OPCODE_NOP, SIGNALED, 0);

	rig_end(&w);
}

void rig_recv(struct rig_qp *q, const void *va, uint32_t len, uint32_t lkey)
{
	uint8_t *e = q->ring + 64u * (q->rq_pi & ((1u << q->queue->rq->log_size) - 1));

	prm_wqe_data_seg_pack(e, .byte_count = len, .lkey = lkey, .addr = (uintptr_t)va);
	prm_wqe_data_seg_pack(e + 16, .byte_count = 0, .lkey = 0x100, .addr = 0);
	q->rq_pi++;
	q->dbrec[0] = htobe32(q->rq_pi);
}
