/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that garbage in rings of each transport, records, registers and on the wire never crashes
 * the device, never makes it spin, and never writes where no key allows it. */
#include <endian.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/qp.h>
#include "fuzz.h"
#include "tests/queue/queue_rig.h"
#include "obj/mcg.h"
#include "queue/queue.h"
#include "transport/transport.h"

static void renew(struct rig_pair *p)
{
	struct rig_qp *both[2] = { &p->a, &p->b };

	for (unsigned int i = 0; i < 2; i++) {
		queue_set_state(&both[i]->qp->q, QP_RST);
		both[i]->sq_pi = both[i]->rq_pi = 0;
		both[i]->dbrec[0] = both[i]->dbrec[1] = 0;
	}
	p->b.qp->qkey = RIG_QKEY;
	p->b.qp->rae = true;
	p->b.qp->atomic_mode = PRM_QPC_ATOMIC_MODE_UP_TO_8B;
	p->ca.cq->overrun_ignore = p->cb.cq->overrun_ignore = true;
	p->ca.cq->status = p->cb.cq->status = CQ_OK;
	rig_connect(&p->a, &p->b);
}

static void noisy_vector(struct rig_pair *p, struct rig_wqe *w)
{
	const unsigned int ds = w->ds;

	w->ds = 1;
	rig_av(w, any(4) ? &p->b : &p->a);
	if (any(2))
		rig_av_group(w);
	if (!any(4))
		any_bytes(w->bytes + 16 + any(48), 1);
	w->ds = ds;
}

/* Each WQE is noise, but often begins as a good one: opcode, index, number, ds. */
static void noisy_wqe(struct rig_pair *p)
{
	static const uint8_t ops[] = {0x00, 0x08, 0x09, 0x0a, 0x0b, 0x10, 0x2f,
				      0x25, 0x01, 0x11, 0x12, 0x14, 0x15};
	struct rig_wqe w = { .q = &p->a, .ds = 1 + any(8) };

	any_bytes(w.bytes, 16 * w.ds);
	if (any(8))
		prm_wqe_ctrl_seg_set_opcode(w.bytes, ops[any(sizeof(ops))]);
	if (any(16))
		prm_wqe_ctrl_seg_set_wqe_index(w.bytes, p->a.sq_pi);
	if (any(16))
		prm_wqe_ctrl_seg_set_qpn(w.bytes, p->a.qp->q.o.id);
	if (any(8))
		prm_wqe_ctrl_seg_set_ds(w.bytes, w.ds);
	for (unsigned int s = 1; s < w.ds; s++) {
		uint8_t *seg = w.bytes + 16 * s;

		if (!any(3))
			prm_wqe_raddr_seg_pack(seg, .raddr = (uintptr_t)p->dst + any(RIG_BUF),
					       .rkey = rig_key(p->md));
		else if (any(3))
			prm_wqe_data_seg_pack(seg, .byte_count = any(any(2) ? 100 : RIG_BUF),
					      .lkey = rig_key(p->ms),
					      .addr = (uintptr_t)p->src + any(RIG_BUF / 2));
	}
	if (p->a.queue->transport->datagrams && any(8))
		noisy_vector(p, &w);
	rig_put(&w);
}

/* An UMR that is nearly right, of an mkey that has a list: parts of dst, and of itself. */
static void nearly_umr(struct rig_pair *p, const struct mkey *m)
{
	struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_UMR, 0, rig_key(m));
	const uint32_t n = any(6);

	any_bytes(w.bytes + 16, 128 - 16);
	prm_wqe_umr_ctrl_seg_pack(w.bytes + 16, .flags = any(8) ? PRM_UMR_FLAG_INLINE : any(256),
				  .xlt_octowords = n,
				  .mkey_mask = any(4) ? 0x203a2041 : any(1u << 30));
	for (uint32_t i = 0; i < n; i++)
		prm_umr_repeat_block_seg_pack(w.bytes + 128 + 16 * i, .byte_count = any(300),
					      .op = any(2)   ? rig_key(p->md)
						    : any(2) ? rig_key(m)
							     : MKEY_REPEAT,
					      .repeat_count = any(100), .num_entries = any(4));
	if (any(2))
		prm_mkc_set_free(w.bytes + 64, 0);
	if (any(2))
		prm_mkc_set_qpn(w.bytes + 64, MKEY_ANY_QP);
	w.ds = 8 + n;
	rig_end(&w);
}

/* UMRs, and accesses through what they make. */
static void umr_noise(struct rig_pair *p)
{
	struct mkey *m = rig_mkey(&p->rig, BLUEFIELD2_HOST, p->dst, RIG_BUF, 0x3f);

	m->mode = (uint8_t)(PRM_MKC_ACCESS_MODE_KLM + any(2));
	m->log_entity = (uint8_t)any(20);
	m->list = klm_list_new(8);
	mkey_place(m);
	while (fuzz_more()) {
		struct rig_wqe w;

		renew(p);
		for (unsigned int k = any(3); k; k--)
			nearly_umr(p, m);
		w = rig_begin(&p->a, any(2) ? 0x08 : 0x10, 0, 0);
		rig_raddr(&w, (void *)(uintptr_t)any(1000), m->o.id << 8 | m->low);
		rig_data(&w, p->src, any(2000), any(4) ? rig_key(p->ms) : m->o.id << 8 | m->low);
		rig_end(&w);
		rig_ring(&p->a);
		rig_pass(&p->rig, 2000000000ull);
	}
	klm_list_free(m->list);
	m->list = NULL;
	rig_mkey_close(m);
}

static void sq_noise(struct rig_pair *p)
{
	p->a.qp->mmo = true;
	while (fuzz_more()) {
		renew(p);
		for (unsigned int k = any(3); k; k--)
			rig_recv(&p->b, p->dst + any(RIG_BUF), any(RIG_BUF),
				 any(4) ? rig_key(p->md) : any(1u << 31));
		for (unsigned int k = 1 + any(6); k; k--)
			noisy_wqe(p);
		rig_ring(&p->a);
		rig_pass(&p->rig, 2000000000ull);
	}
}

static void pure_noise(struct rig_pair *p)
{
	while (fuzz_more()) {
		renew(p);
		any_noise(p->a.ring, 64u * (8 + 16));
		any_noise(p->b.ring, 64u * (8 + 16));
		p->a.dbrec[0] = any(1u << 31);
		p->b.dbrec[0] = any(1u << 31);
		p->a.sq_pi = (uint16_t)any(65536);
		rig_ring(&p->a);
		queue_doorbell(&p->rig.dev, any(8), any(4096),
			    (uint64_t)any(1u << 31) << 33 | any(400));
		rig_pass(&p->rig, 1000000000ull);
	}
}

/* Noise in a posted receive. */
static void rq_noise(struct rig_pair *p)
{
	while (fuzz_more()) {
		renew(p);
		rig_recv(&p->b, p->dst, RIG_BUF, rig_key(p->md));
		any_noise(p->b.ring + any(64), any(64));
		rig_post(p, PRM_WQE_OPCODE_SEND, 0, 1 + any(any(2) ? 900 : 9000));
		rig_ring(&p->a);
		rig_pass(&p->rig, 1000000000ull);
		assert_int_not_equal(p->ca.cq->pi, 0);
	}
}

/* Noise in an SRQ's list, and in what its record says; limits armed now and then. */
static void srq_noise(struct rig_pair *p)
{
	struct rig_srq s;

	rig_srq_open(&p->rig, &s, RIG_PD);
	p->b.qp->rq.srq = s.srq;
	while (fuzz_more()) {
		renew(p);
		s.srq->failed = false;
		for (unsigned int i = 0; i < RIG_SRQ_ENTRIES; i++)
			rig_srq_entry(&s, i, (uint16_t)any(any(8) ? RIG_SRQ_ENTRIES : 65536),
				      p->dst + any(RIG_BUF), any(RIG_BUF), rig_key(p->md));
		if (!any(4))
			any_noise(s.ring, sizeof(s.ring));
		rig_srq_post(&s, (uint16_t)(any(8) ? any(4) : any(65536)));
		srq_arm(s.srq, (uint16_t)any(4));
		for (unsigned int k = 1 + any(4); k; k--)
			rig_post(p, PRM_WQE_OPCODE_SEND, 0, 1 + any(9000));
		rig_ring(&p->a);
		rig_pass(&p->rig, 1000000000ull);
	}
	queue_set_state(&p->b.qp->q, QP_RST);
	p->b.qp->rq.srq = NULL;
	rig_srq_close(&s);
}

/* Frames with headers of noise, beside good traffic. */
static void noisy_wire(void *ctx, struct port *port, struct frame *f)
{
	struct frame *bad = frame_copy(f);
	uint32_t len;
	uint8_t *bth = rig_bth(bad, &len);

	(void)ctx;
	any_bytes(bth + any(len < FRAME_HDR ? len : FRAME_HDR), 1);
	if (any(2))
		bth[0] = (uint8_t)((bth[0] & 0xe0) | any(0x20));
	if (any(2))
		len = ROCE_BTH + any(len - ROCE_BTH + 1);
	bth[1] = (uint8_t)((bth[1] & 0xcf) | (-len & 3) << 4);
	rig_reseal(bad, len); /* or nothing would look at it */
	if (!any(3))
		port_queue(port, bad);
	else
		frame_free(bad);
	port_queue(port, f);
}

static void wire_noise(struct rig_pair *p)
{
	static const uint8_t ops[] = { 0x08, 0x0a, 0x10 };

	port_set_hook(p->rig.dev.port, noisy_wire, p);
	while (fuzz_more()) {
		renew(p);
		rig_recv(&p->b, p->dst, RIG_BUF, rig_key(p->md));
		for (unsigned int k = 0; k < 3; k++)
			rig_post(p, ops[any(3)], any(1000), 1 + any(any(2) ? 900 : 9000));
		rig_ring(&p->a);
		rig_pass(&p->rig, 1000000000ull);
	}
}

static void join(struct rig_pair *p)
{
	assert_int_equal(mcg_attach(p->a.queue->o.vhca, rig_mgid, p->a.qp), 0);
	assert_int_equal(mcg_attach(p->b.queue->o.vhca, rig_mgid, p->b.qp), 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static void (*const ways[])(struct rig_pair *) = {sq_noise, pure_noise, rq_noise,
							      srq_noise, wire_noise, umr_noise};
	static const struct rig_kind *const kinds[] = {&rig_rc, &rig_uc, &rig_ud};
	struct rig_pair *p;

	fuzz_begin(bytes, len);
	p = rig_pair_open(kinds[any(3)]);
	if (p->a.queue->transport->datagrams)
		join(p);
	ways[any(6)](p);
	mcg_leave(p->a.queue->o.vhca, p->a.qp);
	mcg_leave(p->b.queue->o.vhca, p->b.qp);
	rig_pair_close(p);
	return 0;
}

const struct fuzz_target fuzz_target = { .inputs = 300, .longest = 192 };
