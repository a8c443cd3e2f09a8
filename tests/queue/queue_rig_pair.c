/* SPDX-License-Identifier: BSD-2-Clause */
#include "queue_rig.h"
#include "transport/transport.h"

const struct rig_kind rig_rc = {NULL, BLUEFIELD2_HOST}, rig_rc_dpu = {NULL, BLUEFIELD2_DPU},
		      rig_uc = {&transport_uc, BLUEFIELD2_HOST},
		      rig_xrc = {&transport_xrc, BLUEFIELD2_HOST},
		      rig_ud = {&transport_ud, BLUEFIELD2_HOST},
		      rig_ud_dpu = {&transport_ud, BLUEFIELD2_DPU};

struct rig_pair *rig_pair_open(const struct rig_kind *kind)
{
	struct rig_pair *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	rig_open(&p->rig);
	p->rig.transport = kind->transport;
	p->src = malloc(RIG_BUF);
	p->dst = calloc(1, RIG_BUF);
	assert_true(p->src && p->dst);
	for (unsigned int i = 0; i < RIG_BUF; i++)
		p->src[i] = (uint8_t)(i * 7 + (i >> 8));
	rig_cq_open(&p->rig, &p->ca, BLUEFIELD2_HOST, 6, false);
	rig_cq_open(&p->rig, &p->cb, kind->peer, 6, true);
	rig_qp_open(&p->rig, &p->a, BLUEFIELD2_HOST, &p->ca, &p->ca, 4, 3);
	rig_qp_open(&p->rig, &p->b, kind->peer, &p->cb, &p->cb, 4, 3);
	rig_connect(&p->a, &p->b);
	p->ms = rig_mkey(&p->rig, BLUEFIELD2_HOST, p->src, RIG_BUF, MKEY_LR | MKEY_LW);
	p->md = rig_mkey(&p->rig, kind->peer, p->dst, RIG_BUF,
			 MKEY_LR | MKEY_LW | MKEY_RR | MKEY_RW | MKEY_ATOMIC);
	return p;
}

void rig_pair_close(struct rig_pair *p)
{
	rig_qp_close(&p->a);
	rig_qp_close(&p->b);
	rig_cq_close(&p->ca);
	rig_cq_close(&p->cb);
	rig_mkey_close(p->ms);
	rig_mkey_close(p->md);
	rig_close(&p->rig);
	free(p->src);
	free(p->dst);
	free(p);
}

int rig_setup(void **state)
{
	*state = rig_pair_open(*state);
	return 0;
}

int rig_teardown(void **state)
{
	rig_pair_close(*state);
	return 0;
}

void rig_post(struct rig_pair *p, uint8_t opcode, uint32_t off, uint32_t len)
{
	struct rig_wqe w = rig_begin(&p->a, opcode, SIGNALED, 0);

	if (p->a.queue->transport->datagrams)
		rig_av(&w, &p->b);
	if (opcode == PRM_WQE_OPCODE_RDMA_WRITE || opcode == PRM_WQE_OPCODE_RDMA_READ)
		rig_raddr(&w, p->dst + off, rig_key(p->md));
	if (len)
		rig_data(&w, p->src + off, len, rig_key(p->ms));
	rig_end(&w);
}

void rig_do(struct rig_pair *p, uint8_t opcode, uint32_t off, uint32_t len)
{
	rig_post(p, opcode, off, len);
	rig_run(&p->a);
}

void rig_nops(struct rig_pair *p, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		rig_nop(&p->a);
	rig_run(&p->a);
}

unsigned int rig_events(struct rig_pair *p)
{
	return rig_count(&p->rig, PRM_EVENT_COMP);
}

void rig_self_open(struct rig_self *s, struct rig_pair *p)
{
	s->p = p;
	rig_cq_open(&p->rig, &s->cq, BLUEFIELD2_HOST, 8, false);
	rig_qp_open(&p->rig, &s->q, BLUEFIELD2_HOST, &s->cq, &s->cq, 8, 4);
	s->q.qp->fl = true;
	rig_connect(&s->q, &s->q);
	s->key = rig_mkey(&p->rig, BLUEFIELD2_HOST, p->src, RIG_BUF,
			  MKEY_LR | MKEY_LW | MKEY_RR | MKEY_RW);
}

void rig_self_close(struct rig_self *s)
{
	rig_qp_close(&s->q);
	rig_cq_close(&s->cq);
	rig_mkey_close(s->key);
}
