/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves DC of libdvx: one initiator and several targets, every request, streams, wrong keys, and
 * adopted initiators; with libmlx5's bytes for the same requests.
 */
#include "tests/test.h"
#include <infiniband/mlx5dv.h>
#include <dvx/prm/qp.h>
#include "lib_rig.h"
#include "tests/verbs/verbs_qp.h"

#define TARGETS 3u
#define KEY	0x1122334455667788ull
#define ROOM	4096u
#define FAR	0x80000u

struct dc {
	struct dvx_cq *cq, *targets_cq;
	struct dvx_srq *srq;
	struct dvx_qp *qp;
	struct dvx_sq *sq;
	struct dvx_dct *dct[TARGETS];
	struct dvx_ah ah[TARGETS];
};

static struct dvx_dct_attr dct_attr(const struct rig *r, const struct dc *d)
{
	struct dvx_dct_attr attr = {
		.size = sizeof(attr), .key = KEY, .pd = r->pd, .cq = d->targets_cq, .srq = d->srq};

	return attr;
}

static void dc_connect(struct rig *r, struct dc *d)
{
	struct dvx_qp_local local = rig_local(r, 0);

	local.retry_count = 1;
	local.ack_timeout = 1;
	OK(dvx_qp_connect(d->qp, &local, NULL));
}

static void dc_make_initiator(struct rig *r, struct dc *d, uint8_t log_streams, uint8_t log_errored)
{
	struct dvx_qp_attr qa = rig_qp_attr(r);

	qa.flags = qa.rq_entries = qa.rq_sge = 0;
	qa.type = DVX_QP_DCI;
	qa.send_cq = d->cq;
	qa.log_dci_streams = log_streams;
	qa.log_dci_errored = log_errored;
	OK(dvx_qp_create(r->dev, &qa, &d->qp));
	assert_null(dvx_qp_rq(d->qp));
	dc_connect(r, d);
	d->sq = dvx_qp_sq(d->qp);
}

static void dc_make(struct rig *r, struct dc *d)
{
	struct dvx_srq_attr sa = {.size = sizeof(sa), .pd = r->pd, .entries = 15};
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = 128, .uar = r->uar};
	struct dvx_qp_local local =
		rig_local(r, DVX_REMOTE_WRITE | DVX_REMOTE_READ | DVX_REMOTE_ATOMIC);

	OK(dvx_srq_create(r->dev, &sa, &d->srq));
	OK(dvx_cq_create(r->dev, &ca, &d->cq));
	OK(dvx_cq_create(r->dev, &ca, &d->targets_cq));
	for (uint32_t i = 0; i < TARGETS; i++) {
		struct dvx_dct_attr attr = dct_attr(r, d);
		struct dvx_qp_peer peer;

		attr.user_index = 0xd0 + i;
		OK(dvx_dct_create(r->dev, &attr, &local, &d->dct[i]));
		peer = rig_peer(r, dvx_dct_number(d->dct[i]));
		OK(dvx_ah_init(r->dev, &local, &peer, &d->ah[i]));
		dvx_ah_set_dct(&d->ah[i], dvx_dct_number(d->dct[i]), KEY);
	}
	dc_make_initiator(r, d, 0, 0);
}

static void dc_free(struct dc *d)
{
	OK(dvx_qp_destroy(d->qp));
	refused(dvx_srq_destroy(d->srq), -EBUSY, "SRQ", "3 queues");
	for (uint32_t i = 0; i < TARGETS; i++)
		OK(dvx_dct_destroy(d->dct[i]));
	OK(dvx_cq_destroy(d->targets_cq));
	OK(dvx_cq_destroy(d->cq));
	OK(dvx_srq_destroy(d->srq));
}

#define FIXTURE_dc(name) FIXTURE_OBJECT(name, struct dc, d, dc_make(r, object), dc_free)

static int dc_next(struct dvx_cq *cq, struct dvx_wc *wc)
{
	wait_cqe(cq);
	return dvx_cq_poll(cq, wc);
}

static void dc_post_receives(struct rig *r, struct dc *d, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct dvx_sge room = {(uintptr_t)r->buf + FAR + i * ROOM, ROOM, r->key};

		OK(dvx_srq_post(d->srq, &room, 1, FAR + i * ROOM));
	}
	dvx_srq_ring(d->srq);
}

/* Checks that the next message came to this target, with these bytes. */
static struct dvx_wc dc_arrived(struct rig *r, struct dc *d, uint32_t target, const void *data,
				uint32_t len)
{
	struct dvx_wc wc;

	assert_int_equal(dc_next(d->targets_cq, &wc), 1);
	assert_int_equal(wc.qpn, dvx_dct_number(d->dct[target]));
	assert_int_equal(wc.user_index, 0xd0 + target);
	assert_int_equal(wc.src_qp, dvx_qp_number(d->qp));
	assert_int_equal(wc.byte_count, len);
	if (wc.opcode != PRM_CQE_OPCODE_RESP_WR_IMM)
		assert_memory_equal(r->buf + wc.wr_id, data, len);
	return wc;
}

static void dc_done(struct dc *d, uint64_t cookie)
{
	struct dvx_wc wc;

	assert_int_equal(dc_next(d->cq, &wc), 1);
	assert_int_equal(wc.wr_id, cookie);
}

/* SENDs to one target after the other, round the rings; the data tells the target. */
TEST(dc, sends)
{
	dc_post_receives(r, d, 15);
	for (uint32_t i = 0; i < 300; i++) {
		struct dvx_wc wc;
		uint32_t to = i / 2 % TARGETS;
		struct dvx_sge piece = {(uintptr_t)r->buf, 1 + i, r->key};

		memset(r->buf, (int)i, 1 + i);
		if (i % 3 == 0)
			OK(dvx_post_dc_send(d->sq, &d->ah[to], 0, &piece, 1, i, DVX_SIGNALED));
		else if (i % 3 == 1)
			OK(dvx_post_dc_send_imm(d->sq, &d->ah[to], 0, i, &piece, 1, i,
						DVX_SIGNALED));
		else
			OK(dvx_post_dc_send_inline(d->sq, &d->ah[to], 0, r->buf, 1 + i, i,
						   DVX_SIGNALED));
		dvx_sq_ring(d->sq);
		dc_done(d, i);
		wc = dc_arrived(r, d, to, r->buf, 1 + i);
		if (i % 3 == 1)
			assert_int_equal(wc.imm, i);
		piece = (struct dvx_sge){(uintptr_t)r->buf + wc.wr_id, ROOM, r->key};
		OK(dvx_srq_post(d->srq, &piece, 1, wc.wr_id));
		dvx_srq_ring(d->srq);
	}
}

/* WRITE, WRITE_IMM, READ: the segments of address and memory, gathered and inline. */
TEST(dc, rdma)
{
	uint64_t far = (uintptr_t)r->buf + FAR;
	struct dvx_sge piece = {(uintptr_t)r->buf, 5000, r->key},
		       back = {(uintptr_t)r->buf + 0x40000, 5000, r->key};

	dc_post_receives(r, d, 1);
	for (uint32_t i = 0; i < 5000; i++)
		r->buf[i] = (uint8_t)(i * 7);
	OK(dvx_post_dc_write(d->sq, &d->ah[0], 0, far + 1, r->key, &piece, 1, 1, DVX_SIGNALED));
	OK(dvx_post_dc_read(d->sq, &d->ah[2], 0, far + 1, r->key, &back, 1, 2, DVX_SIGNALED));
	OK(dvx_post_dc_write_inline(d->sq, &d->ah[1], 0, far, r->key, "inline", 6, 3,
				    DVX_SIGNALED));
	OK(dvx_post_dc_write_imm(d->sq, &d->ah[1], 0, 77, far + 8192, r->key, &piece, 1, 4,
				 DVX_SIGNALED));
	dvx_sq_ring(d->sq);
	for (uint64_t i = 1; i <= 4; i++)
		dc_done(d, i);
	assert_memory_equal(r->buf + FAR + 7, r->buf + 6, 4994);
	assert_memory_equal(r->buf + FAR, "inline", 6);
	assert_memory_equal(r->buf + 0x40000, r->buf, 5000);
	assert_int_equal(dc_arrived(r, d, 1, NULL, 5000).imm, 77);
}

/* With a wrong key there is no answer; without streams that ends the queue. */
/* Atomics on each target, and their old values. */
TEST(dc, atomics)
{
	uint64_t *there = (uint64_t *)(r->buf + FAR), *old = (uint64_t *)r->buf;

	*there = 40;
	for (uint32_t i = 0; i < TARGETS; i++) {
		OK(dvx_post_dc_faa(d->sq, &d->ah[i], 0, (uintptr_t)there, r->key, 2, old, r->key,
				   2 * i, DVX_SIGNALED));
		dvx_sq_ring(d->sq);
		dc_done(d, 2 * i);
		assert_int_equal(*old, 40 + i);
		OK(dvx_post_dc_cas(d->sq, &d->ah[i], 0, (uintptr_t)there, r->key, 42 + i, 41 + i,
				   old, r->key, 2 * i + 1, DVX_SIGNALED));
		dvx_sq_ring(d->sq);
		dc_done(d, 2 * i + 1);
		assert_int_equal(*old, 42 + i);
		assert_int_equal(*there, 41 + i);
	}
	assert_int_equal(dvx_post_dc_faa(d->sq, &d->ah[0], 0, 0, 0, 0, old, 0, 0, 1), -EBADR);
}

/* An armed target reports the next wrong key, once. */
TEST(dc, key_violation)
{
	struct dvx_dct_attr attr = dct_attr(r, d);
	struct dvx_qp_local local = rig_local(r, 0);
	struct dvx_events *events;
	struct dvx_event e;
	struct dvx_dct *dct;
	struct dvx_wc wc;

	attr.user_index = 0xe0;
	OK(dvx_dct_create(r->dev, &attr, &local, &dct));
	OK(dvx_events_open(r->dev, &events));
	OK(dvx_events_watch_dct(events, dct, d));
	dvx_ah_set_dct(&d->ah[0], dvx_dct_number(dct), KEY + 1);
	OK(dvx_dct_arm(dct));
	for (int i = 0; i < 2; i++) {
		OK(dvx_post_dc_send_inline(d->sq, &d->ah[0], 0, "x", 1, 1, DVX_SIGNALED));
		dvx_sq_ring(d->sq);
		assert_int_equal(dc_next(d->cq, &wc), -EIO);
		OK(dvx_qp_to_rst(d->qp));
		dc_connect(r, d);
	}
	OK(dvx_events_wait(events, PATIENCE_SECONDS * 1000, &e));
	assert_int_equal(e.type, PRM_EVENT_DCT_KEY_VIOLATION);
	assert_int_equal(e.number, dvx_dct_number(dct));
	assert_ptr_equal(e.cookie, d);
	assert_int_equal(dvx_events_wait(events, 0, &e), -ETIMEDOUT);
	OK(dvx_dct_destroy(dct));
	OK(dvx_events_close(events));
}

/* An initiator needs only a target's blob; other queues refuse it. */
TEST(dc, blob)
{
	struct dvx_qp_local local = rig_local(r, 0);
	uint8_t blob[DVX_QP_BLOB_BYTES];
	struct dvx_qp_peer peer;
	struct pair p;

	memcpy(local.user, "target", 6);
	OK(dvx_dct_blob_write(d->dct[2], &local, blob));
	OK(dvx_qp_blob_read(d->qp, blob, sizeof(blob), &peer));
	assert_int_equal(peer.qpn, dvx_dct_number(d->dct[2]));
	assert_memory_equal(peer.user, "target", 6);
	OK(dvx_ah_init(r->dev, &local, &peer, &d->ah[2]));
	dvx_ah_set_dct(&d->ah[2], peer.qpn, KEY);
	dc_post_receives(r, d, 1);
	OK(dvx_post_dc_send_inline(d->sq, &d->ah[2], 0, "by blob", 7, 1, DVX_SIGNALED));
	dvx_sq_ring(d->sq);
	dc_done(d, 1);
	dc_arrived(r, d, 2, "by blob", 7);
	pair_make(r, &p, 0);
	refused(dvx_qp_blob_read(p.qp[0], blob, sizeof(blob), &peer), -EINVAL, "a DC target", "RC");
	pair_free(&p);
	local.mtu_log = 7;
	refused(dvx_dct_blob_write(d->dct[2], &local, blob), -EINVAL, "dvx_dct_blob_write", "mtu");
}

TEST(dc, wrong_key)
{
	struct dvx_wc wc;
	uint8_t state;

	dc_post_receives(r, d, 1);
	dvx_ah_set_dct(&d->ah[0], dvx_dct_number(d->dct[0]), KEY + 1);
	OK(dvx_post_dc_send_inline(d->sq, &d->ah[0], 0, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(d->sq);
	assert_int_equal(dc_next(d->cq, &wc), -EIO);
	assert_int_equal(wc.wr_id, 1);
	assert_int_equal(wc.syndrome, PRM_SYNDROME_TRANSPORT_RETRY_EXC_ERR);
	OK(dvx_qp_query_state(d->qp, &state));
	assert_int_equal(state, PRM_QP_STATE_ERR);
	assert_int_equal(dvx_cq_poll(d->targets_cq, &wc), 0);
}

/* A target gives only the rights that local.access names. */
TEST(dc, rights)
{
	static const uint32_t access[] = {0, DVX_REMOTE_READ, DVX_REMOTE_WRITE};
	struct dvx_dct_attr attr = dct_attr(r, d);
	struct dvx_sge piece = {(uintptr_t)r->buf, 8, r->key};
	uint64_t far = (uintptr_t)r->buf + FAR;

	for (uint32_t i = 0; i < 2 * (sizeof(access) / sizeof(access[0])); i++) {
		struct dvx_qp_local local = rig_local(r, access[i / 2]);
		uint32_t wants = i % 2 ? DVX_REMOTE_WRITE : DVX_REMOTE_READ;
		struct dvx_dct *dct;
		struct dvx_wc wc;

		OK(dvx_qp_destroy(d->qp)); /* an error ends it */
		dc_make_initiator(r, d, 0, 0);
		attr.user_index = 0xe0;
		OK(dvx_dct_create(r->dev, &attr, &local, &dct));
		dvx_ah_set_dct(&d->ah[0], dvx_dct_number(dct), KEY);
		if (i % 2)
			OK(dvx_post_dc_write(d->sq, &d->ah[0], 0, far, r->key, &piece, 1, i,
					     DVX_SIGNALED));
		else
			OK(dvx_post_dc_read(d->sq, &d->ah[0], 0, far, r->key, &piece, 1, i,
					    DVX_SIGNALED));
		dvx_sq_ring(d->sq);
		assert_int_equal(dc_next(d->cq, &wc), access[i / 2] & wants ? 1 : -EIO);
		if (!(access[i / 2] & wants))
			assert_int_equal(wc.syndrome, PRM_SYNDROME_REMOTE_ACCESS_ERR);
		OK(dvx_dct_destroy(dct));
	}
}

/* A stream that fails is flushed until it is reset; the others go on. */
TEST(dc, streams)
{
	struct dvx_ah wrong = d->ah[0];
	struct dvx_wc wc;

	OK(dvx_qp_destroy(d->qp));
	dc_make_initiator(r, d, 2, 1);
	dc_post_receives(r, d, 3);
	dvx_ah_set_dct(&wrong, dvx_dct_number(d->dct[0]), KEY + 1);
	OK(dvx_post_dc_send_inline(d->sq, &wrong, 3, "x", 1, 1, DVX_SIGNALED));
	dvx_sq_ring(d->sq);
	assert_int_equal(dc_next(d->cq, &wc), -EIO);
	OK(dvx_post_dc_send_inline(d->sq, &d->ah[0], 3, "flushed", 7, 2, DVX_SIGNALED));
	OK(dvx_post_dc_send_inline(d->sq, &d->ah[1], 2, "on", 2, 3, DVX_SIGNALED));
	dvx_sq_ring(d->sq);
	assert_int_equal(dc_next(d->cq, &wc), -EIO);
	assert_int_equal(wc.wr_id, 2);
	assert_int_equal(wc.syndrome, PRM_SYNDROME_WR_FLUSH_ERR);
	dc_done(d, 3);
	dc_arrived(r, d, 1, "on", 2);
	OK(dvx_dci_reset_stream(d->qp, 3));
	OK(dvx_post_dc_send_inline(d->sq, &d->ah[0], 3, "again", 5, 4, DVX_SIGNALED));
	dvx_sq_ring(d->sq);
	dc_done(d, 4);
	dc_arrived(r, d, 0, "again", 5);
}

/* Attributes that make no initiator or target are refused. */
TEST(dc, refusals)
{
	struct dvx_qp_local local = rig_local(r, 0);
	struct dvx_qp_peer peer = rig_peer(r, 1);
	struct dvx_qp_attr qa = rig_qp_attr(r);
	struct dvx_dct_attr attr = dct_attr(r, d);
	struct dvx_srq_attr sa = {.size = sizeof(sa), .pd = r->pd, .entries = 3};
	struct dvx_dct *dct = NULL;
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = 64};
	struct dvx_srq *other;
	struct dvx_qp *qp = NULL;
	struct dvx_dev *dev;

	qa.type = DVX_QP_DCI;
	qa.send_cq = d->cq;
	qa.flags = 0;
	refused(dvx_qp_create(r->dev, &qa, &qp), -EINVAL, "attr.rq_entries", "receive nothing");
	qa.type = DVX_QP_RC;
	qa.log_dci_streams = 1;
	refused(dvx_qp_create(r->dev, &qa, &qp), -EINVAL, "attr.log_dci_streams", "streams");
	qa.type = DVX_QP_XRC_INI;
	refused(dvx_qp_create(r->dev, &qa, &qp), -EINVAL, "XRC initiators", "verbs");
	OK(dvx_qp_to_rst(d->qp));
	refused(dvx_qp_connect(d->qp, &local, &peer), -EINVAL, "peer is not NULL", "DC initiators");
	local.access = DVX_REMOTE_WRITE;
	refused(dvx_qp_connect(d->qp, &local, NULL), -EINVAL, "local.access", "nothing");
	local.access = 1u << 30;
	refused(dvx_dct_create(r->dev, &attr, &local, &dct), -EINVAL, "local.access", "none");
	local.access = 0;
	attr.srq = NULL;
	refused(dvx_dct_create(r->dev, &attr, &local, &dct), -EINVAL, "attr.srq", "device");
	attr.user_index = 1u << 24;
	attr.srq = d->srq;
	refused(dvx_dct_create(r->dev, &attr, &local, &dct), -EINVAL, "attr.user_index", "below");
	OK(dvx_srq_create(r->dev, &sa, &other));
	attr.srq = other;
	attr.user_index = 0xd0;
	refused(dvx_dct_create(r->dev, &attr, &local, &dct), -EINVAL, "user_index 0xd0",
		"another SRQ");
	OK(dvx_srq_destroy(other));
	/* another context of the device has CQs of its own */
	attr.srq = d->srq;
	OK(dvx_dev_open(NULL, &dev));
	OK(dvx_uar_alloc(dev, DVX_UAR_ANY, &ca.uar));
	OK(dvx_cq_create(dev, &ca, &attr.cq));
	refused(dvx_dct_create(r->dev, &attr, &local, &dct), -EINVAL, "attr.cq", "device");
	OK(dvx_cq_destroy(attr.cq));
	OK(dvx_uar_free(ca.uar));
	OK(dvx_dev_close(dev));
	assert_true(!dct && !qp);
}

/* ---- verbs ---- */

struct verbs_dci {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

/* With `scatter`, small responses are in the CQE, and requests have no ibv_qp_ex. */
static void verbs_dci_make(struct rig *r, struct verbs_dci *v, uint32_t receives, bool scatter)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct mlx5dv_qp_init_attr dv = {.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
					 .dc_init_attr = {.dc_type = MLX5DV_DCTYPE_DCI}};
	struct ibv_qp_init_attr_ex ex = {
		.qp_type = IBV_QPT_DRIVER,
		.cap = {64, receives, 2, receives, 64},
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE |
				  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD};

	if (scatter) {
		ex.comp_mask = IBV_QP_INIT_ATTR_PD;
		dv.comp_mask |= MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS;
		dv.create_flags = MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE;
	}
	v->pd = ibv_alloc_pd(ctx);
	v->cq = ibv_create_cq(ctx, 1024, NULL, NULL, 0);
	ex.pd = v->pd;
	ex.send_cq = ex.recv_cq = v->cq;
	v->qp = mlx5dv_create_qp(ctx, &ex, &dv);
	assert_true(v->pd && v->cq && v->qp);
	assert_int_equal(verbs_qp_connect(v->qp, 0, 1), 0);
}

static void verbs_dci_free(struct verbs_dci *v)
{
	assert_int_equal(ibv_destroy_qp(v->qp), 0);
	assert_int_equal(ibv_destroy_cq(v->cq), 0);
	assert_int_equal(ibv_dealloc_pd(v->pd), 0);
}

/* SEND, WRITE and atomic equal libmlx5's; what libmlx5 adds to an address of RoCE is copied. */
TEST(dc, bytes)
{
	struct mlx5dv_qp dv = {0};
	struct mlx5dv_obj obj = {.qp = {NULL, &dv}};
	struct verbs_dci v;
	struct ibv_ah_attr aa = {.is_global = 1, .port_num = 1, .grh = {.sgid_index = 1}};
	struct ibv_qp_ex *ex;
	struct mlx5dv_qp_ex *dx;
	struct ibv_ah *ah;
	uint8_t *their[3], *mine = d->sq->buf, wqes[6 * DVX_BLOCK];

	verbs_dci_make(r, &v, 0, false);
	aa.grh.hop_limit = 64;
	OK(dvx_dev_gid(r->dev, 1, 1, aa.grh.dgid.raw));
	ah = ibv_create_ah(v.pd, &aa);
	assert_non_null(ah);
	ex = ibv_qp_to_qp_ex(v.qp);
	dx = mlx5dv_qp_ex_from_ibv_qp_ex(ex);
	ibv_wr_start(ex);
	ex->wr_id = 1;
	ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(ex);
	mlx5dv_wr_set_dc_addr(dx, ah, dvx_dct_number(d->dct[0]), KEY + 1);
	ibv_wr_set_inline_data(ex, "bytes", 5);
	ibv_wr_rdma_write(ex, 0x55, 0x1234567890ab);
	mlx5dv_wr_set_dc_addr(dx, ah, dvx_dct_number(d->dct[0]), KEY + 1);
	ibv_wr_set_sge(ex, 0x77, 0xfedcba98, 100);
	ibv_wr_atomic_fetch_add(ex, 0x55, 0x1234567890a8, 0x1122334455667788);
	mlx5dv_wr_set_dc_addr(dx, ah, dvx_dct_number(d->dct[0]), KEY + 1);
	ibv_wr_set_sge(ex, 0x77, 0xfedcba98, 8);
	assert_int_equal(ibv_wr_complete(ex), 0);
	obj.qp.in = v.qp;
	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP), 0);
	memcpy(wqes, dv.sq.buf, sizeof(wqes));
	for (int i = 0; i < 3; i++)
		their[i] = wqes + (size_t)i * 2 * DVX_BLOCK;

	struct dvx_ah same;
	struct dvx_sge piece = {0xfedcba98, 100, 0x77};

	memcpy(same.av, their[0] + DVX_SEG, sizeof(same.av));
	dvx_ah_set_dct(&same, dvx_dct_number(d->dct[0]), KEY + 1);
	assert_memory_equal(same.av, their[0] + DVX_SEG, sizeof(same.av));
	OK(dvx_post_dc_send_inline(d->sq, &same, 0, "bytes", 5, 1, DVX_SIGNALED));
	OK(dvx_post_dc_write(d->sq, &same, 0, 0x1234567890ab, 0x55, &piece, 1, 2, DVX_SIGNALED));
	OK(dvx_post_dc_faa(d->sq, &same, 0, 0x1234567890a8, 0x55, 0x1122334455667788,
			   (uint64_t *)0xfedcba98, 0x77, 3, DVX_SIGNALED));
	for (int i = 0; i < 3; i++) {
		static const size_t len[] = {64 + 4 + 5, 96, 112};

		prm_wqe_ctrl_seg_set_qpn(their[i], dvx_qp_number(d->qp));
		assert_memory_equal(mine + (size_t)i * 2 * DVX_BLOCK, their[i], len[i]);
	}
	assert_int_equal(ibv_destroy_ah(ah), 0);
	verbs_dci_free(&v);
	OK(dvx_qp_to_rst(d->qp)); /* nothing here is rung */
}

/* A READ and an atomic, whose results the CQE has, of an adopted initiator. */
static void adopted_dci_reads(struct rig *r, struct dc *d, struct ibv_pd *pd, struct dvx_cq *cq)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, r->buf, ROOM, IBV_ACCESS_LOCAL_WRITE);
	struct dvx_sge piece = {(uintptr_t)r->buf, 8, mr ? mr->lkey : 0};
	uint64_t *old = (uint64_t *)(void *)r->buf, *there = (uint64_t *)(void *)(r->buf + FAR);
	struct dvx_sq *sq = dvx_qp_sq(d->qp);
	struct dvx_wc wc;

	assert_non_null(mr);
	*there = 0x0102030405060708;
	OK(dvx_post_dc_read(sq, &d->ah[0], 0, (uintptr_t)there, r->key, &piece, 1, 1,
			    DVX_SIGNALED));
	dvx_sq_ring(sq);
	assert_int_equal(dvx_cqe_scattered(wait_cqe(cq)), 32);
	assert_int_equal(dc_next(cq, &wc), 1);
	assert_int_equal(*old, *there);
	*old = 0;
	OK(dvx_post_dc_faa(sq, &d->ah[1], 0, (uintptr_t)there, r->key, 1, old, mr->lkey, 2,
			   DVX_SIGNALED));
	dvx_sq_ring(sq);
	assert_int_equal(dc_next(cq, &wc), 1);
	assert_int_equal(*old + 1, *there);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* Lets libdvx drive verbs' initiator. Receives that it was made with have room before its SQ. */
static void adopt_dci(struct rig *r, struct dc *d, uint32_t receives)
{
	struct dvx_qp *own = d->qp;
	struct verbs_dci v;
	struct dvx_cq *cq;
	struct dvx_wc wc;

	verbs_dci_make(r, &v, receives, true);
	OK(dvx_cq_adopt(r->dev, v.cq, &cq));
	OK(dvx_qp_adopt(r->dev, v.qp, &d->qp));
	assert_int_equal(!dvx_qp_rq(d->qp), !receives);
	dc_post_receives(r, d, 15);
	for (uint32_t i = 0; i < 15; i++) {
		OK(dvx_post_dc_send_inline(dvx_qp_sq(d->qp), &d->ah[i % TARGETS], 0, "adopted", 7,
					   i, DVX_SIGNALED));
		dvx_sq_ring(dvx_qp_sq(d->qp));
		assert_int_equal(dc_next(cq, &wc), 1);
		assert_int_equal(wc.wr_id, i);
		dc_arrived(r, d, i % TARGETS, "adopted", 7);
	}
	adopted_dci_reads(r, d, v.pd, cq);
	OK(dvx_qp_destroy(d->qp));
	OK(dvx_cq_destroy(cq));
	verbs_dci_free(&v);
	d->qp = own;
}

TEST(dc, adopted)
{
	adopt_dci(r, d, 0);
	adopt_dci(r, d, 1);
}

TEST_GROUP(rig_open, rig_close)
