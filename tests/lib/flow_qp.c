/* SPDX-License-Identifier: BSD-2-Clause */
/* Rules of libdvx that lead to a verbs raw packet QP, whose rings stay libmlx5's. */
#include "tests/test.h"
#include <infiniband/verbs.h>
#include "lib_flow_stage.h"
#include "tests/verbs/verbs_qp.h"

struct verbs {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *buf;
};

static struct ibv_qp *make_qp(struct verbs *v, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = type,
		.send_cq = v->cq,
		.recv_cq = v->cq,
		.cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}};

	return ibv_create_qp(v->pd, &attr);
}

static void raw_open(struct flow_rig *f, struct verbs *v)
{
	struct ibv_sge sge;
	struct ibv_recv_wr wr = {.wr_id = 7, .sg_list = &sge, .num_sge = 1}, *bad;

	v->pd = ibv_alloc_pd(dvx_dev_ibv(f->r.dev));
	v->cq = ibv_create_cq(dvx_dev_ibv(f->r.dev), 16, NULL, NULL, 0);
	v->qp = make_qp(v, IBV_QPT_RAW_PACKET);
	assert_non_null(v->qp);
	v->buf = f->r.buf;
	v->mr = ibv_reg_mr(v->pd, v->buf, ROOM, IBV_ACCESS_LOCAL_WRITE);
	assert_int_equal(verbs_qp_raise(v->qp, IBV_QPS_RTR), 0);
	sge = (struct ibv_sge){(uintptr_t)v->buf, ROOM, v->mr->lkey};
	assert_int_equal(ibv_post_recv(v->qp, &wr, &bad), 0);
}

static void raw_close(struct verbs *v)
{
	assert_int_equal(ibv_destroy_qp(v->qp), 0);
	assert_int_equal(ibv_dereg_mr(v->mr), 0);
	assert_int_equal(ibv_destroy_cq(v->cq), 0);
	assert_int_equal(ibv_dealloc_pd(v->pd), 0);
}

/* The packet comes to ibv_poll_cq(). */
TEST(below, to_verbs)
{
	struct dvx_flow_match m = udp(4, 99);
	struct dvx_flow_action *to_qp;
	struct dvx_flow_matcher *mt;
	struct dvx_flow_rule *r;
	struct frame want;
	struct verbs v;
	struct ibv_wc wc;
	int n;

	raw_open(s->f, &v);
	OK(dvx_flow_action_create_qp(s->domain, v.qp, &to_qp));
	mt = matcher(s->table, &m, 0);
	r = rule(mt, &m, &to_qp, 1);
	spec_send(s->f, (struct frame_spec){.dport = 99});
	while (!(n = ibv_poll_cq(v.cq, 1, &wc)))
		;
	assert_int_equal(n, 1);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.wr_id, 7);
	frame_build(&want, (struct frame_spec){.dport = 99});
	assert_int_equal(wc.byte_len, want.len);
	assert_memory_equal(v.buf, want.bytes, want.len);
	OK(dvx_flow_rule_destroy(r));
	OK(dvx_flow_matcher_destroy(mt));
	OK(dvx_flow_action_destroy(to_qp));
	raw_close(&v);
}

/* QPs of another type, of another context, or NULL are refused. */
TEST(below, other_qps)
{
	struct dvx_flow_action *none = NULL;
	struct ibv_context *again;
	struct verbs v, w = {0};
	struct ibv_qp *rc;

	raw_open(s->f, &v);
	rc = make_qp(&v, IBV_QPT_RC);
	refused(dvx_flow_action_create_qp(s->domain, rc, &none), -EINVAL, "ibv_qp", "raw packet");
	assert_int_equal(dvx_flow_action_create_qp(s->domain, NULL, &none), -EINVAL);
	again = ibv_open_device(dvx_dev_ibv(s->f->r.dev)->device);
	w.pd = ibv_alloc_pd(again);
	w.cq = ibv_create_cq(again, 16, NULL, NULL, 0);
	w.qp = make_qp(&w, IBV_QPT_RAW_PACKET);
	refused(dvx_flow_action_create_qp(s->domain, w.qp, &none), -EINVAL, "ibv_qp",
		"another context");
	assert_null(none);
	assert_int_equal(ibv_destroy_qp(w.qp) || ibv_destroy_cq(w.cq) || ibv_dealloc_pd(w.pd) ||
				 ibv_close_device(again) || ibv_destroy_qp(rc),
			 0);
	raw_close(&v);
}
