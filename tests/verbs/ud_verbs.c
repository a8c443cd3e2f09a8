/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves datagrams through unmodified libibverbs and libmlx5: a receiver can answer with what
 * ibv_create_ah_from_wc() reads in its completion and its first 40 bytes, over each kind of GID;
 * members of a multicast group each get a copy.
 */
#include "tests/test.h"
#include "raw_end.h"
#include "verbs_qp.h"
#include <errno.h>

#define QKEY 0x1ee7a330u
#define GRH  40u

/* One context with one UD QP. */
struct ud {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	char buf[4096]; /* a message to send; from byte 2048 on a received one */
};

static void ud_open(struct ud *u, uint32_t flags)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_UD,
		.cap = {8, 8, 1, 1, 0},
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.create_flags = flags,
	};

	u->ctx = verbs_open();
	assert_non_null(u->ctx);
	u->pd = init.pd = ibv_alloc_pd(u->ctx);
	u->cq = init.send_cq = init.recv_cq = ibv_create_cq(u->ctx, 32, NULL, NULL, 0);
	u->qp = ibv_create_qp_ex(u->ctx, &init);
	u->mr = ibv_reg_mr(u->pd, u->buf, sizeof(u->buf), IBV_ACCESS_LOCAL_WRITE);
	assert_true(u->qp && u->mr);
	assert_int_equal(verbs_qp_raise_ud(u->qp, QKEY), 0);
}

static void ud_close(struct ud *u)
{
	assert_int_equal(ibv_destroy_qp(u->qp), 0);
	assert_int_equal(ibv_destroy_cq(u->cq), 0);
	assert_int_equal(ibv_dereg_mr(u->mr), 0);
	assert_int_equal(ibv_dealloc_pd(u->pd), 0);
	assert_int_equal(ibv_close_device(u->ctx), 0);
}

static void ud_receive(struct ud *u)
{
	struct ibv_sge sge = {(uintptr_t)u->buf + 2048, 2048, u->mr->lkey};
	struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;

	assert_int_equal(ibv_post_recv(u->qp, &wr, &bad), 0);
}

static void ud_send(struct ud *u, struct ibv_ah *ah, uint32_t qpn, const char *text)
{
	struct ibv_sge sge = {(uintptr_t)u->buf, (uint32_t)strlen(text) + 1, u->mr->lkey};
	struct ibv_send_wr wr = {.sg_list = &sge,
				 .num_sge = 1,
				 .opcode = IBV_WR_SEND_WITH_IMM,
				 .send_flags = IBV_SEND_SIGNALED,
				 .imm_data = 7,
				 .wr.ud = {.ah = ah, .remote_qpn = qpn, .remote_qkey = QKEY}};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	strcpy(u->buf, text);
	assert_int_equal(ibv_post_send(u->qp, &wr, &bad), 0);
	poll_one(u->cq, &wc);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, IBV_WC_SEND);
}

static struct ibv_wc ud_came(struct ud *u, uint32_t from, const char *text)
{
	struct ibv_wc wc;

	poll_one(u->cq, &wc);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, IBV_WC_RECV);
	assert_int_equal(wc.wc_flags & (IBV_WC_GRH | IBV_WC_WITH_IMM),
			 IBV_WC_GRH | IBV_WC_WITH_IMM);
	assert_int_equal(wc.src_qp, from);
	assert_int_equal(wc.slid, 0);
	assert_int_equal(wc.imm_data, 7);
	assert_int_equal(wc.byte_len, GRH + strlen(text) + 1);
	assert_string_equal(u->buf + 2048 + GRH, text);
	return wc;
}

static struct ibv_ah *ah_to(struct ud *u, union ibv_gid gid, uint8_t index)
{
	struct ibv_ah_attr attr = {.is_global = 1,
				   .port_num = 1,
				   .grh = {.dgid = gid, .sgid_index = index, .hop_limit = 4}};

	return ibv_create_ah(u->pd, &attr);
}

/* --- tests ----------------------------------------------------------------------------------- */

/* IBV_WC_GRH and 40 bytes are enough for a server: RoCE v1, v2 over IPv6, v2 over IPv4. */
TEST(none, answered)
{
	static const uint8_t indexes[] = {0, 1, 3};
	struct ud a, b;

	ud_open(&a, 0);
	ud_open(&b, 0);
	for (unsigned int i = 0; i < sizeof(indexes); i++) {
		union ibv_gid gid;
		struct ibv_ah *ah, *back;
		struct ibv_wc wc;

		assert_int_equal(ibv_query_gid(a.ctx, 1, indexes[i], &gid), 0);
		ah = ah_to(&a, gid, indexes[i]);
		assert_non_null(ah);
		ud_receive(&a);
		ud_receive(&b);
		ud_send(&a, ah, b.qp->qp_num, "question");
		wc = ud_came(&b, a.qp->qp_num, "question");
		back = ibv_create_ah_from_wc(b.pd, &wc, (struct ibv_grh *)(b.buf + 2048), 1);
		assert_non_null(back);
		ud_send(&b, back, wc.src_qp, "answer");
		ud_came(&a, b.qp->qp_num, "answer");
		assert_int_equal(ibv_destroy_ah(back), 0);
		assert_int_equal(ibv_destroy_ah(ah), 0);
	}
	ud_close(&a);
	ud_close(&b);
}

static void ud_on_demand(struct ud *u)
{
	assert_int_equal(ibv_dereg_mr(u->mr), 0);
	u->mr = ibv_reg_mr(u->pd, u->buf, sizeof(u->buf),
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
	assert_non_null(u->mr);
}

/* ud_odp_caps has only SEND, and receives of an SRQ: others can't wait for a page. */
TEST(none, receives_are_not_on_demand)
{
	union ibv_gid gid;
	struct ibv_ah *ah;
	struct ibv_wc wc;
	struct ud a, b;

	ud_open(&a, 0);
	ud_open(&b, 0);
	ud_on_demand(&a);
	ud_on_demand(&b);
	assert_int_equal(ibv_query_gid(a.ctx, 1, 1, &gid), 0);
	ah = ah_to(&a, gid, 1);
	assert_non_null(ah);
	ud_receive(&b);
	ud_send(&a, ah, b.qp->qp_num, "sent");
	poll_one(b.cq, &wc);
	assert_int_equal(wc.status, IBV_WC_LOC_PROT_ERR);
	assert_int_equal(ibv_destroy_ah(ah), 0);
	ud_close(&a);
	ud_close(&b);
}

/* Ethernet needs a GRH, and an address that resolves. */
TEST(none, no_such_handle)
{
	struct ud u;
	struct ibv_ah_attr attr = {.port_num = 1, .dlid = 1};

	ud_open(&u, 0);
	assert_null(ibv_create_ah(u.pd, &attr));
	assert_int_equal(errno, EINVAL);
	assert_null(ah_to(&u, (union ibv_gid){.raw = {[10] = 0xff, 0xff, 10, 9, 8, 7}}, 3));
	assert_int_equal(errno, EHOSTUNREACH);
	ud_close(&u);
}

/* Each member gets a copy, the sender too, unless it was made to block that. */
TEST(none, groups)
{
	static const union ibv_gid groups[2] = {{.raw = {[10] = 0xff, 0xff, 239, 9, 8, 7}},
						{.raw = {0xff, 0x0e, [15] = 9}}};
	struct ud a, b, c;

	ud_open(&a, IBV_QP_CREATE_BLOCK_SELF_MCAST_LB);
	ud_open(&b, 0);
	ud_open(&c, 0);
	for (uint8_t i = 0; i < 2; i++) {
		struct ibv_ah *to = ah_to(&a, groups[i], i ? 1 : 3);
		struct ibv_ah *from_b = ah_to(&b, groups[i], i ? 1 : 3);
		struct ibv_wc wc;

		assert_non_null(to);
		assert_int_equal(ibv_attach_mcast(a.qp, &groups[i], 0), 0);
		assert_int_equal(ibv_attach_mcast(b.qp, &groups[i], 0), 0);
		assert_int_equal(ibv_destroy_qp(b.qp), EBUSY);
		ud_receive(&a);
		ud_receive(&b);
		ud_receive(&b);
		ud_receive(&c);
		ud_send(&a, to, 0xffffff, "all");
		ud_came(&b, a.qp->qp_num, "all");
		ud_send(&b, from_b, 0xffffff, "also me");
		ud_came(&b, b.qp->qp_num, "also me");
		ud_came(&a, b.qp->qp_num, "also me");
		assert_int_equal(ibv_poll_cq(a.cq, 1, &wc), 0);
		assert_int_equal(ibv_poll_cq(c.cq, 1, &wc), 0);
		assert_int_equal(ibv_detach_mcast(a.qp, &groups[i], 0), 0);
		assert_int_equal(ibv_detach_mcast(a.qp, &groups[i], 0), EINVAL);
		assert_int_equal(ibv_detach_mcast(b.qp, &groups[i], 0), 0);
		assert_int_equal(ibv_destroy_ah(to), 0);
		assert_int_equal(ibv_destroy_ah(from_b), 0);
	}
	ud_close(&a);
	ud_close(&b);
	ud_close(&c);
}
