/* SPDX-License-Identifier: BSD-2-Clause */
#include "queue_rig.h"
#include "transport/transport.h"

static int rig_setup_on(void **state, unsigned int peer, const struct transport *t)
{
	struct rig_pair *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	rig_open(&p->rig);
	p->rig.transport = t;
	p->src = malloc(RIG_BUF);
	p->dst = calloc(1, RIG_BUF);
	assert_true(p->src && p->dst);
	for (unsigned int i = 0; i < RIG_BUF; i++)
		p->src[i] = (uint8_t)(i * 7 + (i >> 8));
	rig_cq_open(&p->rig, &p->ca, BLUEFIELD2_HOST, 6, false);
	rig_cq_open(&p->rig, &p->cb, peer, 6, true);
	rig_qp_open(&p->rig, &p->a, BLUEFIELD2_HOST, &p->ca, &p->ca, 4, 3);
	rig_qp_open(&p->rig, &p->b, peer, &p->cb, &p->cb, 4, 3);
	rig_connect(&p->a, &p->b);
	p->ms = rig_mkey(&p->rig, BLUEFIELD2_HOST, p->src, RIG_BUF, MKEY_LR | MKEY_LW);
	p->md = rig_mkey(&p->rig, peer, p->dst, RIG_BUF,
			 MKEY_LR | MKEY_LW | MKEY_RR | MKEY_RW | MKEY_ATOMIC);
	*state = p;
	return 0;
}

int rig_setup(void **state)
{
	return rig_setup_on(state, BLUEFIELD2_HOST, NULL);
}

int rig_setup_uc(void **state)
{
	return rig_setup_on(state, BLUEFIELD2_HOST, &transport_uc);
}

int rig_setup_xrc(void **state)
{
	return rig_setup_on(state, BLUEFIELD2_HOST, &transport_xrc);
}

int rig_setup_ud(void **state)
{
	return rig_setup_on(state, BLUEFIELD2_HOST, &transport_ud);
}

int rig_setup_ud_dpu(void **state)
{
	return rig_setup_on(state, BLUEFIELD2_DPU, &transport_ud);
}

int rig_setup_dpu(void **state)
{
	return rig_setup_on(state, BLUEFIELD2_DPU, NULL);
}

int rig_teardown(void **state)
{
	struct rig_pair *p = *state;

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

struct rig_pair *rig_pair_open(int (*setup)(void **state))
{
	void *p;

	assert_int_equal(setup(&p), 0);
	return p;
}

void rig_pair_close(struct rig_pair *p)
{
	rig_teardown((void *[]){p});
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
