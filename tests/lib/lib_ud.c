/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves datagrams of libdvx against libmlx5's: in both directions, over each kind of GID, to
 * groups, on queues of DevX and adopted ones; and that address vectors equal libmlx5's, byte for
 * byte.
 */
#include "tests/test.h"
#include <infiniband/mlx5dv.h>
#include <dvx/prm/qp.h>
#include "lib_rig.h"
#include "tests/verbs/verbs_qp.h"

#define QKEY 0x1ee7a330u
#define ROOM 2048u

/* One UD queue of libdvx, and one of libmlx5 on the same device. */
struct datagrams {
	struct dvx_cq *cq;
	struct dvx_qp *qp;
	struct ibv_pd *ibpd;
	struct ibv_cq *ibcq;
	struct ibv_qp *ibqp;
	struct ibv_mr *mr;
};

static struct ibv_qp *verbs_ud(struct datagrams *u)
{
	struct ibv_qp_init_attr attr = {.qp_type = IBV_QPT_UD,
					.cap = {16, 16, 2, 2, 64},
					.send_cq = u->ibcq,
					.recv_cq = u->ibcq};
	struct ibv_qp *qp = ibv_create_qp(u->ibpd, &attr);

	assert_non_null(qp);
	return qp;
}

static void ud_make(struct rig *r, struct datagrams *u)
{
	struct dvx_cq_attr cq = {.size = sizeof(cq), .entries = 128, .uar = r->uar};
	struct dvx_qp_attr qp = rig_qp_attr(r);
	struct dvx_qp_local local = rig_local(r, 0);
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);

	OK(dvx_cq_create(r->dev, &cq, &u->cq));
	qp.send_cq = u->cq;
	qp.type = DVX_QP_UD;
	qp.flags = 0;
	OK(dvx_qp_create(r->dev, &qp, &u->qp));
	local.q_key = QKEY;
	local.psn = 0xfffffe;
	OK(dvx_qp_connect(u->qp, &local, NULL));
	u->ibpd = ibv_alloc_pd(ctx);
	u->ibcq = ibv_create_cq(ctx, 64, NULL, NULL, 0);
	u->mr = ibv_reg_mr(u->ibpd, r->buf, RIG_BYTES, IBV_ACCESS_LOCAL_WRITE);
	assert_true(u->ibpd && u->ibcq && u->mr);
	u->ibqp = verbs_ud(u);
	assert_int_equal(verbs_qp_raise_ud(u->ibqp, QKEY), 0);
}

static void ud_free(struct datagrams *u)
{
	OK(dvx_qp_destroy(u->qp));
	OK(dvx_cq_destroy(u->cq));
	assert_int_equal(ibv_destroy_qp(u->ibqp), 0);
	assert_int_equal(ibv_dereg_mr(u->mr), 0);
	assert_int_equal(ibv_destroy_cq(u->ibcq), 0);
	assert_int_equal(ibv_dealloc_pd(u->ibpd), 0);
}

#define FIXTURE_ud(name) FIXTURE_OBJECT(name, struct datagrams, u, ud_make(r, object), ud_free)

/* Returns an address of the device itself, by one of its GIDs. */
static struct dvx_ah ah_at(struct rig *r, uint8_t gid_index, uint32_t qpn)
{
	struct dvx_qp_local local = rig_local(r, 0);
	struct dvx_qp_peer peer = {.size = sizeof(peer), .qpn = qpn, .q_key = QKEY};
	struct dvx_ah ah;

	OK(dvx_dev_gid(r->dev, 1, gid_index, peer.gid));
	local.gid_index = gid_index;
	OK(dvx_ah_init(r->dev, &local, &peer, &ah));
	return ah;
}

static void ud_receive(struct rig *r, struct dvx_qp *qp, uint32_t lkey, uint32_t at)
{
	struct dvx_sge sge = {(uintptr_t)r->buf + at, ROOM, lkey};

	memset(r->buf + at, 0xee, ROOM);
	OK(dvx_rq_post(dvx_qp_rq(qp), &sge, 1, at));
	dvx_rq_ring(dvx_qp_rq(qp));
}

static void verbs_receive(struct rig *r, struct datagrams *u, uint32_t at)
{
	struct ibv_sge sge = {(uintptr_t)r->buf + at, ROOM, u->mr->lkey};
	struct ibv_recv_wr wr = {.wr_id = at, .sg_list = &sge, .num_sge = 1}, *bad;

	assert_int_equal(ibv_post_recv(u->ibqp, &wr, &bad), 0);
}

/* Returns the next completion of a CQ with both queues. */
static struct dvx_wc ud_next(struct dvx_cq *cq)
{
	struct dvx_wc wc;

	wait_cqe(cq);
	assert_int_equal(dvx_cq_poll(cq, &wc), 1);
	return wc;
}

static struct ibv_wc verbs_next(struct datagrams *u)
{
	time_t end = patience_from_now();
	struct ibv_wc wc;

	while (!ibv_poll_cq(u->ibcq, 1, &wc))
		if (patience_over(end))
			fail_msg("no completion came");
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	return wc;
}

static void sent(struct dvx_qp *qp, struct dvx_cq *cq, uint64_t cookie)
{
	dvx_sq_ring(dvx_qp_sq(qp));
	assert_int_equal(ud_next(cq).wr_id, cookie);
}

static struct ibv_ah *verbs_ah(struct datagrams *u, const uint8_t gid[16], uint8_t index)
{
	struct ibv_ah_attr attr = {.is_global = 1,
				   .port_num = 1,
				   .sl = 5,
				   .grh = {.sgid_index = index, .hop_limit = 64}};
	struct ibv_ah *ah;

	memcpy(attr.grh.dgid.raw, gid, 16);
	ah = ibv_create_ah(u->ibpd, &attr);
	assert_non_null(ah);
	return ah;
}

static void verbs_send(struct rig *r, struct datagrams *u, struct ibv_ah *ah, uint32_t qpn,
		       const char *text)
{
	struct ibv_sge sge = {(uintptr_t)r->buf, (uint32_t)strlen(text) + 1, u->mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND,
				 .send_flags = IBV_SEND_SIGNALED,
				 .wr.ud = {.ah = ah, .remote_qpn = qpn, .remote_qkey = QKEY}},
			   *bad;

	strcpy((char *)r->buf, text);
	assert_int_equal(ibv_post_send(u->ibqp, &wr, &bad), 0);
	assert_int_equal(verbs_next(u).opcode, IBV_WC_SEND);
}

/* --- tests ----------------------------------------------------------------------------------- */

static const uint8_t gid_indexes[] = {0, 1, 3}; /* RoCE v1, v2 of IPv6, v2 of IPv4 */

/* libmlx5 receives the sends of each call: gathered, inline, with and without a number. */
TEST(ud, to_libmlx5)
{
	struct dvx_sq *sq = dvx_qp_sq(u->qp);
	struct dvx_sge two[2] = {{(uintptr_t)r->buf, 700, r->key},
				 {(uintptr_t)r->buf + 1000, 300, r->key}};
	struct dvx_ah ah = ah_at(r, 3, u->ibqp->qp_num);
	struct ibv_wc wc;

	for (uint32_t i = 0; i < 1300; i++)
		r->buf[i] = (uint8_t)(i * 7);
	for (uint32_t i = 1; i <= 4; i++)
		verbs_receive(r, u, i * 4096);
	OK(dvx_post_ud_send(sq, &ah, two, 2, 1, DVX_SIGNALED));
	OK(dvx_post_ud_send_imm(sq, &ah, 0xcafe0001, two, 1, 2, 0));
	OK(dvx_post_ud_send_inline(sq, &ah, r->buf, 100, 3, 0));
	OK(dvx_post_ud_send_imm_inline(sq, &ah, 7, r->buf, 0, 4, DVX_SIGNALED));
	dvx_sq_ring(sq);
	assert_int_equal(ud_next(u->cq).wr_id, 1);
	assert_int_equal(ud_next(u->cq).wr_id, 4);
	assert_int_equal(dvx_sq_free(sq), dvx_sq_blocks(sq));
	for (uint32_t i = 1; i <= 4; i++) {
		static const uint32_t len[] = {0, 1000, 700, 100, 0};

		wc = verbs_next(u);
		assert_int_equal(wc.wr_id, i * 4096);
		assert_int_equal(wc.byte_len, DVX_GRH_BYTES + len[i]);
		assert_int_equal(wc.src_qp, dvx_qp_number(u->qp));
		assert_int_equal(wc.wc_flags & IBV_WC_WITH_IMM, i % 2 ? 0 : IBV_WC_WITH_IMM);
		if (i % 2 == 0)
			assert_int_equal(be32toh(wc.imm_data), i == 2 ? 0xcafe0001 : 7);
		assert_memory_equal(r->buf + i * 4096 + DVX_GRH_BYTES, r->buf,
				    len[i] < 700 ? len[i] : 700);
	}
	assert_memory_equal(r->buf + 4096 + DVX_GRH_BYTES + 700, r->buf + 1000, 300);
}

/* A message of libmlx5 is answered with the values of its completion, over each kind of GID. */
TEST(ud, answers)
{
	struct dvx_qp_local local = rig_local(r, 0);

	for (unsigned int i = 0; i < sizeof(gid_indexes); i++) {
		uint8_t gid[16];
		struct ibv_ah *ah;
		struct dvx_ah back;
		struct dvx_wc wc;
		const void *cqe;
		struct ibv_wc got;

		OK(dvx_dev_gid(r->dev, 1, gid_indexes[i], gid));
		ah = verbs_ah(u, gid, gid_indexes[i]);
		ud_receive(r, u->qp, r->key, 4096);
		verbs_receive(r, u, 8192);
		verbs_send(r, u, ah, dvx_qp_number(u->qp), "question");
		cqe = wait_cqe(u->cq);
		assert_int_equal(dvx_cqe_src_qp(cqe), u->ibqp->qp_num);
		assert_true(dvx_cqe_grh(cqe));
		assert_int_equal(dvx_cqe_src_lid(cqe), 0);
		wc = ud_next(u->cq);
		assert_int_equal(wc.wr_id, 4096);
		assert_int_equal(wc.src_qp, u->ibqp->qp_num);
		assert_int_equal(wc.byte_count, DVX_GRH_BYTES + 9);
		assert_string_equal(r->buf + 4096 + DVX_GRH_BYTES, "question");
		OK(dvx_ah_answer(r->dev, &local, r->buf + 4096, wc.src_qp, QKEY, &back));
		assert_int_equal(prm_av_get_src_addr_index(back.av), gid_indexes[i]);
		assert_memory_equal(prm_av_cat_rgid(back.av), gid, sizeof(gid));
		OK(dvx_post_ud_send_inline(dvx_qp_sq(u->qp), &back, "answer", 7, i, DVX_SIGNALED));
		sent(u->qp, u->cq, i);
		got = verbs_next(u);
		assert_int_equal(got.src_qp, dvx_qp_number(u->qp));
		assert_string_equal(r->buf + 8192 + DVX_GRH_BYTES, "answer");
		assert_int_equal(ibv_destroy_ah(ah), 0);
	}
	memset(r->buf, 0, DVX_GRH_BYTES);
	refused(dvx_ah_answer(r->dev, &local, r->buf, 1, QKEY, (struct dvx_ah[1]){0}), -EBADMSG,
		"dvx_ah_answer", "no header");
}

/* A vector equals libmlx5's of the same address, except for the key, which that adds later. */
TEST(ud, address_vectors)
{
	struct dvx_qp_local local = rig_local(r, 0);
	struct dvx_qp_peer peer = {.size = sizeof(peer), .qpn = 0x123456, .q_key = QKEY};

	local.sl = 5;
	for (unsigned int i = 0; i < sizeof(gid_indexes); i++) {
		struct mlx5dv_ah dv = {0};
		struct mlx5dv_obj obj = {.ah = {NULL, &dv}};
		struct mlx5_wqe_av want;
		struct dvx_ah ah;

		OK(dvx_dev_gid(r->dev, 1, gid_indexes[i], peer.gid));
		obj.ah.in = verbs_ah(u, peer.gid, gid_indexes[i]);
		assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_AH), 0);
		want = *dv.av;
		want.key.qkey.qkey = htobe32(QKEY);
		want.dqp_dct = htobe32(0x123456 | 1u << 31); /* MLX5_EXTENDED_UD_AV */
		local.gid_index = gid_indexes[i];
		local.udp_sport = be16toh(want.rlid);
		OK(dvx_ah_init(r->dev, &local, &peer, &ah));
		assert_memory_equal(&ah, &want, sizeof(want));
		assert_int_equal(ibv_destroy_ah(obj.ah.in), 0);
	}
	/* fields that a program may change afterwards */
	struct dvx_ah other = ah_at(r, 3, 1);

	dvx_ah_set_qp(&other, 2, 3);
	assert_int_equal(prm_av_get_dqp_dct(other.av), 2);
	assert_int_equal(prm_av_get_qkey(other.av), 3);
	assert_int_equal(prm_av_get_ext(other.av), 1);
}

/* Two adopted queues, one of them with libmlx5's: the blob has the other's Q_Key and GID. */
TEST(ud, adopted)
{
	struct dvx_qp_local local = rig_local(r, 0);
	uint8_t blob[DVX_QP_BLOB_BYTES];
	struct ibv_qp *ibqp = verbs_ud(u);
	struct dvx_qp_peer peer;
	struct dvx_cq *cq;
	struct dvx_qp *qp;
	struct dvx_wc wc;
	struct dvx_ah ah;

	OK(dvx_cq_adopt(r->dev, u->ibcq, &cq));
	OK(dvx_qp_adopt(r->dev, ibqp, &qp));
	assert_int_equal(verbs_qp_raise_ud(ibqp, QKEY), 0);
	local.q_key = QKEY;
	OK(dvx_qp_blob_write(u->qp, &local, blob));
	OK(dvx_qp_blob_read(qp, blob, sizeof(blob), &peer));
	assert_int_equal(peer.q_key, QKEY);
	OK(dvx_ah_init(r->dev, &local, &peer, &ah));
	for (uint32_t i = 0; i < 100; i++) { /* once round the ring */
		ud_receive(r, u->qp, r->key, 4096);
		OK(dvx_post_ud_send_inline(dvx_qp_sq(qp), &ah, "to DevX", 8, i, DVX_SIGNALED));
		sent(qp, cq, i);
		wc = ud_next(u->cq);
		assert_int_equal(wc.src_qp, ibqp->qp_num);
		assert_string_equal(r->buf + 4096 + DVX_GRH_BYTES, "to DevX");
	}
	dvx_ah_set_qp(&ah, ibqp->qp_num, QKEY);
	ud_receive(r, qp, u->mr->lkey, 8192);
	OK(dvx_post_ud_send_inline(dvx_qp_sq(u->qp), &ah, "from DevX", 10, 1, DVX_SIGNALED));
	sent(u->qp, u->cq, 1);
	wc = ud_next(cq);
	assert_int_equal(wc.byte_count, DVX_GRH_BYTES + 10);
	assert_string_equal(r->buf + 8192 + DVX_GRH_BYTES, "from DevX");
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(cq));
	assert_int_equal(ibv_destroy_qp(ibqp), 0);
}

/* A datagram with a wrong key is dropped; one that is too long fails only the send queue. */
TEST(ud, lost_and_failed)
{
	struct dvx_sge big = {(uintptr_t)r->buf, 5000, r->key};
	struct dvx_ah ah = ah_at(r, 3, dvx_qp_number(u->qp));
	struct dvx_sq *sq = dvx_qp_sq(u->qp);
	struct dvx_wc wc;
	uint8_t state;

	ud_receive(r, u->qp, r->key, 8192);
	dvx_ah_set_qp(&ah, dvx_qp_number(u->qp), QKEY + 1);
	OK(dvx_post_ud_send_inline(sq, &ah, "wrong key", 10, 1, DVX_SIGNALED));
	sent(u->qp, u->cq, 1);
	OK(dvx_post_ud_send(sq, &ah, &big, 1, 2, DVX_SIGNALED));
	dvx_sq_ring(sq);
	wait_cqe(u->cq);
	assert_int_equal(dvx_cq_poll(u->cq, &wc), -EIO);
	assert_int_equal(wc.syndrome, PRM_SYNDROME_LOCAL_LENGTH_ERR);
	OK(dvx_qp_query_state(u->qp, &state));
	assert_int_equal(state, PRM_QP_STATE_SQER);
	OK(dvx_qp_sqerr_to_rts(u->qp));
	dvx_ah_set_qp(&ah, dvx_qp_number(u->qp), DVX_Q_KEY_OWN);
	OK(dvx_post_ud_send_inline(sq, &ah, "the own key", 12, 3, 0));
	dvx_sq_ring(sq);
	wc = ud_next(u->cq);
	assert_int_equal(wc.wr_id, 8192); /* the receive that the first message left */
	assert_string_equal(r->buf + 8192 + DVX_GRH_BYTES, "the own key");
}

/* Groups, by IPv4 and IPv6, of a DevX queue and an adopted one: each member gets a copy. */
TEST(ud, groups)
{
	static const uint8_t groups[2][16] = {{[10] = 0xff, 0xff, 239, 9, 8, 7},
					      {0xff, 0x0e, [15] = 9}};
	struct ibv_qp *ibqp = verbs_ud(u);
	struct dvx_cq *cq;
	struct dvx_qp *qp;

	OK(dvx_cq_adopt(r->dev, u->ibcq, &cq));
	OK(dvx_qp_adopt(r->dev, ibqp, &qp));
	assert_int_equal(verbs_qp_raise_ud(ibqp, QKEY), 0);
	for (uint8_t i = 0; i < 2; i++) {
		struct dvx_qp_local local = rig_local(r, 0);
		struct dvx_qp_peer all = {.size = sizeof(all), .qpn = DVX_QPN_GROUP, .q_key = QKEY};
		struct dvx_mcast *own, *other;
		struct dvx_ah ah;
		struct dvx_wc wc[2];

		memcpy(all.gid, groups[i], 16);
		local.gid_index = i ? 1 : 3;
		OK(dvx_ah_init(r->dev, &local, &all, &ah));
		OK(dvx_mcast_attach(u->qp, groups[i], &own));
		OK(dvx_mcast_attach(qp, groups[i], &other));
		refused(dvx_qp_destroy(u->qp), -EBUSY, "multicast", "1");
		ud_receive(r, u->qp, r->key, 4096);
		ud_receive(r, qp, u->mr->lkey, 8192);
		OK(dvx_post_ud_send_inline(dvx_qp_sq(u->qp), &ah, "all", 4, 1, DVX_SIGNALED));
		dvx_sq_ring(dvx_qp_sq(u->qp));
		for (int k = 0; k < 2; k++)
			wc[k] = ud_next(u->cq);
		assert_int_equal(wc[0].wr_id + wc[1].wr_id, 1 + 4096);
		assert_int_equal(ud_next(cq).wr_id, 8192);
		assert_string_equal(r->buf + 4096 + DVX_GRH_BYTES, "all");
		assert_string_equal(r->buf + 8192 + DVX_GRH_BYTES, "all");
		/* the answer to a message for all goes only to its sender */
		OK(dvx_ah_answer(r->dev, &local, r->buf + 8192, dvx_qp_number(u->qp), QKEY, &ah));
		ud_receive(r, u->qp, r->key, 4096);
		OK(dvx_post_ud_send_inline(dvx_qp_sq(qp), &ah, "me", 3, 2, DVX_SIGNALED));
		sent(qp, cq, 2);
		assert_int_equal(ud_next(u->cq).wr_id, 4096);
		OK(dvx_mcast_detach(other));
		OK(dvx_mcast_detach(own));
	}
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(cq));
	assert_int_equal(ibv_destroy_qp(ibqp), 0);
}

/* Operations that a datagram queue lacks, and bad addresses, are refused. */
TEST(ud, refusals)
{
	static const uint8_t nobody[16] = {[10] = 0xff, 0xff, 10, 9, 8, 7};
	struct dvx_qp_attr attr = rig_qp_attr(r);
	struct dvx_qp_local local = rig_local(r, 0);
	struct dvx_qp_peer peer = rig_peer(r, 1);
	struct dvx_sge sge = {(uintptr_t)r->buf, 8, r->key};
	struct dvx_mcast *m = NULL;
	struct dvx_qp *qp;
	struct dvx_ah ah = ah_at(r, 3, 1);
	struct dvx_sq *sq = dvx_qp_sq(u->qp);
	struct pair p;

	attr.send_cq = u->cq;
	attr.type = DVX_QP_UD;
	refused(dvx_qp_create(r->dev, &attr, &qp), -EINVAL, "DVX_QP_MMO", "UD");
	attr.flags = DVX_QP_FORCE_LOOPBACK;
	refused(dvx_qp_create(r->dev, &attr, &qp), -EINVAL, "DVX_QP_FORCE_LOOPBACK", "UD");
	OK(dvx_qp_to_rst(u->qp));
	local.access = DVX_REMOTE_WRITE;
	refused(dvx_qp_connect(u->qp, &local, NULL), -EINVAL, "local.access", "nothing");
	local.access = 0;
	OK(dvx_qp_to_init(u->qp, &local));
	refused(dvx_qp_to_rtr(u->qp, &local, &peer), -EINVAL, "peer is not NULL", "dvx_ah_init()");
	peer.qpn = 1u << 24;
	refused(dvx_ah_init(r->dev, &local, &peer, &ah), -EINVAL, "peer.qpn", "24 bits");
	peer.qpn = 1;
	local.gid_index = 77;
	refused(dvx_ah_init(r->dev, &local, &peer, &ah), -ENOENT, "no GID", "77");
	local.gid_index = 3;
	memcpy(peer.gid, nobody, sizeof(nobody));
	refused(dvx_ah_init(r->dev, &local, &peer, &ah), -EHOSTUNREACH, "peer.gid", "no MAC");
	refused(dvx_mcast_attach(u->qp, nobody, &m), -EINVAL, "gid", "no group's");
	pair_make(r, &p, 0);
	refused(dvx_mcast_attach(p.qp[0], (const uint8_t[16]){0xff, 0x0e, [15] = 9}, &m), -EINVAL,
		"RC", "only UD");
	pair_free(&p);
	assert_null(m);
	assert_int_equal(dvx_post_ud_send(sq, &ah, &sge, 1, 1, 2), -EBADR);
	sge.length = 0;
	assert_int_equal(dvx_post_ud_send(sq, &ah, &sge, 1, 1, 0), -EMSGSIZE);
	assert_int_equal(dvx_post_ud_send_inline(sq, &ah, r->buf, 2000, 1, 0), -EMSGSIZE);
	for (uint32_t i = 0; i < dvx_sq_blocks(sq) / 2; i++)
		OK(dvx_post_ud_send_inline(sq, &ah, r->buf, 8, 1, 0));
	assert_int_equal(dvx_post_ud_send_inline(sq, &ah, r->buf, 8, 1, 0), -ENOSPC);
}

/* UC has no READ and no atomics, so it can't give the right to do them. */
TEST(rig, uc_rights)
{
	struct dvx_qp_local local = rig_local(r, DVX_REMOTE_WRITE | DVX_REMOTE_READ);
	struct dvx_qp_peer peer;
	struct pair p;

	pair_make_type(r, &p, DVX_REMOTE_WRITE, DVX_QP_UC);
	peer = rig_peer(r, dvx_qp_number(p.qp[1]));
	OK(dvx_qp_to_rst(p.qp[0]));
	refused(dvx_qp_connect(p.qp[0], &local, &peer), -EINVAL, "local.access", "of UC");
	local.access = DVX_REMOTE_ATOMIC;
	refused(dvx_qp_connect(p.qp[0], &local, &peer), -EINVAL, "no atomics", "DVX_REMOTE_WRITE");
	pair_free(&p);
}

TEST_GROUP(rig_open, rig_close)
