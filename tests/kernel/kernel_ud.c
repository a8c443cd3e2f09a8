/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves UD as in ib_uverbs: transitions and Q_Keys of QPs, address handles, multicast groups. */
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <dvx/prm/admin.h>
#include <dvx/prm/cmd.h>
#include "kernel_fixture.h"
#include "obj/mcg.h"
#include "obj/qp.h"

/* enum ib_qp_state and ib_qp_attr_mask, which no uapi header has. */
enum { RESET, INIT, RTR, RTS, SQD, SQE, ERR };
#define QKEY	(1 << 6)
#define TO_INIT (1 | 1 << 4 | 1 << 5 | QKEY)
#define TO_RTR	1
#define TO_RTS	(1 | 1 << 16)

struct ud_fx {
	struct fx *f;
	uint32_t pd, handle, qpn;
};

static struct ud_fx make(struct fx *f)
{
	struct ud_fx q = {.f = f, .pd = fx_pd(f)};
	struct mlx5_ib_create_qp u;
	struct request r;

	fx_fill_qp(f, &r, &u, q.pd, fx_cq(f, NULL));
	rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
	rq_attr(&r, UVERBS_ATTR_CREATE_QP_TYPE)->data = IB_UVERBS_QPT_UD;
	assert_int_equal(rq_run(f, &r), 0);
	q.handle = (uint32_t)rq_attr(&r, UVERBS_ATTR_CREATE_QP_HANDLE)->data;
	q.qpn = rq_u32(&r, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM);
	rq_done(&r);
	return q;
}

static int modify(const struct ud_fx *q, uint8_t state, uint32_t mask, uint32_t qkey)
{
	const struct ib_uverbs_modify_qp m = {.qp_handle = q->handle,
					      .qp_state = state,
					      .attr_mask = mask,
					      .port_num = 1,
					      .sq_psn = 0x123456,
					      .qkey = qkey};

	return fx_write(q->f, IB_USER_VERBS_CMD_MODIFY_QP, &m, sizeof(m), NULL, 0);
}

/* Proves the transitions with ib_core's attributes, and mlx5_ib's MTU of 4096. */
TEST(fx, states)
{
	struct ud_fx q = make(f);
	const struct ib_uverbs_query_qp in = {.qp_handle = q.handle};
	const struct qp *hw = obj_find(q.f->v, OBJ_QP, q.qpn);
	struct ib_uverbs_query_qp_resp r;

	FX_REFUSES(q.f, modify(&q, INIT, TO_INIT & ~QKEY, 0), -EINVAL, "also needs IBV_QP_QKEY");
	assert_int_equal(modify(&q, INIT, TO_INIT | 1 << 3, 0), -EINVAL);
	assert_int_equal(modify(&q, INIT, TO_INIT, 0x11111111), 0);
	assert_int_equal(modify(&q, RTR, TO_RTR | 1 << 7, 0), -EINVAL);
	assert_int_equal(modify(&q, RTR, TO_RTR, 0), 0);
	assert_int_equal(modify(&q, RTS, TO_RTS, 0), 0);
	assert_int_equal(modify(&q, RTS, 1 | QKEY, 0x22222222), 0);
	assert_int_equal(FX_WRITE(q.f, IB_USER_VERBS_CMD_QUERY_QP, in, r), 0);
	assert_int_equal(r.qkey, 0x22222222);
	assert_int_equal(r.sq_psn, 0x123456);
	assert_int_equal(r.path_mtu, 5);
	assert_int_equal(r.dest.is_global, 0);
	assert_int_equal(hw->log_msg_max, 12);
}

static void net_raw(bool on)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct d[2];

	assert_int_equal(syscall(SYS_capget, &h, d), 0);
	d[0].effective &= ~(1u << CAP_NET_RAW);
	d[0].effective |= on ? d[0].permitted & 1u << CAP_NET_RAW : 0;
	assert_int_equal(syscall(SYS_capset, &h, d), 0);
}

static bool has_net_raw(void)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct d[2];

	assert_int_equal(syscall(SYS_capget, &h, d), 0);
	return d[0].permitted >> CAP_NET_RAW & 1;
}

/* Proves that a Q_Key with bit 31 needs CAP_NET_RAW. */
TEST(fx, privileged_qkey)
{
	struct ud_fx q = make(f);

	net_raw(false);
	FX_REFUSES(q.f, modify(&q, INIT, TO_INIT, 0x80000001), -EPERM, "CAP_NET_RAW");
	assert_int_equal(modify(&q, INIT, TO_INIT, 0x7fffffff), 0);
	net_raw(true);
	assert_int_equal(modify(&q, INIT, TO_INIT, 0x80000001), has_net_raw() ? 0 : -EPERM);
}

/* --- groups ---------------------------------------------------------------------------------- */

static const uint8_t ip4_group[16] = {[10] = 0xff, 0xff, 239, 129, 2, 3};
static const uint8_t ip6_group[16] = {0xff, 0x0e, [12] = 1, 2, 3, 4};
static const uint8_t ip4_host[16] = {[10] = 0xff, 0xff, 192, 0, 2, 1};

static int join(const struct ud_fx *q, uint32_t cmd, const uint8_t gid[16], uint16_t mlid)
{
	struct ib_uverbs_attach_mcast in = {.qp_handle = q->handle, .mlid = mlid};

	memcpy(in.gid, gid, sizeof(in.gid));
	return fx_write(q->f, cmd, &in, sizeof(in), NULL, 0);
}

#define ATTACH IB_USER_VERBS_CMD_ATTACH_MCAST
#define DETACH IB_USER_VERBS_CMD_DETACH_MCAST

static int destroy(const struct ud_fx *q)
{
	return fx_destroy(q->f, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, q->handle);
}

TEST(fx, groups)
{
	struct ud_fx q = make(f), rc = q;

	assert_int_equal(join(&q, ATTACH, ip4_host, 0), -EINVAL);
	assert_int_equal(join(&q, DETACH, ip4_group, 0), -EINVAL);
	assert_int_equal(join(&q, ATTACH, ip4_group, 0), 0);
	assert_int_equal(join(&q, ATTACH, ip4_group, 0), 0);
	assert_int_equal(join(&q, ATTACH, ip6_group, 0), 0);
	assert_int_equal(mcg_find(q.f->v, ip4_group)->n, 1);
	FX_REFUSES(q.f, destroy(&q), -EBUSY, "is in a multicast group");
	assert_int_equal(join(&q, DETACH, ip6_group, 0), 0);
	assert_int_equal(join(&q, DETACH, ip4_group, 0), 0);
	assert_null(mcg_find(q.f->v, ip4_group));
	assert_int_equal(destroy(&q), 0);
	rc.handle = fx_qp(q.f, q.pd, fx_cq(q.f, NULL), NULL);
	FX_REFUSES(q.f, join(&rc, ATTACH, ip4_group, 0), -EINVAL, "is no UD QP");
}

/* Proves that a membership by DevX is an object, whose destruction leaves the group. */
TEST(fx, groups_by_devx)
{
	struct ud_fx q = make(f);
	uint8_t in[PRM_ATTACH_TO_MCG_IN_BYTES] = {0}, out[PRM_ATTACH_TO_MCG_OUT_BYTES];
	uint32_t member[2];

	prm_attach_to_mcg_in_set_opcode(in, PRM_OPCODE_ATTACH_TO_MCG);
	prm_attach_to_mcg_in_set_qpn(in, q.qpn);
	memcpy(prm_attach_to_mcg_in_at_multicast_gid(in), ip4_group, 16);
	assert_int_equal(fx_devx_create(f, in, sizeof(in), out, sizeof(out), &member[0]), 0);
	assert_int_equal(fx_devx_create(f, in, sizeof(in), out, sizeof(out), NULL), -EREMOTEIO);
	memcpy(prm_attach_to_mcg_in_at_multicast_gid(in), ip6_group, 16);
	assert_int_equal(fx_devx_create(f, in, sizeof(in), out, sizeof(out), &member[1]), 0);
	assert_int_equal(mcg_find(f->v, ip4_group)->n, 1);
	assert_int_equal(fx_devx_destroy(f, member[0]), 0);
	assert_null(mcg_find(f->v, ip4_group));
	assert_non_null(mcg_find(f->v, ip6_group));
}

/* Proves that close() leaves the groups of a QP. */
TEST(fx, closed_in_a_group)
{
	struct ud_fx q = make(f);

	assert_int_equal(join(&q, ATTACH, ip4_group, 0), 0);
}

/* --- address handles ------------------------------------------------------------------------- */

/*
 * Proves that the address handle of a group needs no member: its MAC address follows from the GID.
 */
TEST(fx, handles_of_groups)
{
	static const uint8_t want[2][6] = {{0x01, 0x00, 0x5e, 0x01, 0x02, 0x03},
					   {0x33, 0x33, 0x01, 0x02, 0x03, 0x04}};
	struct ib_uverbs_create_ah in = {.pd_handle = fx_pd(f)};

	in.attr.port_num = in.attr.is_global = 1;
	for (unsigned int i = 0; i < 2; i++) {
		struct mlx5_ib_create_ah_resp uhw;
		struct request r;

		memcpy(in.attr.grh.dgid, i ? ip6_group : ip4_group, 16);
		rq_init(&r, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
		rq_value(&r, UVERBS_ATTR_WRITE_CMD, IB_USER_VERBS_CMD_CREATE_AH, 8);
		rq_in(&r, UVERBS_ATTR_CORE_IN, &in, sizeof(in));
		rq_out(&r, UVERBS_ATTR_CORE_OUT, sizeof(struct ib_uverbs_create_ah_resp));
		rq_out(&r, UVERBS_ATTR_UHW_OUT, sizeof(uhw));
		assert_int_equal(rq_run(f, &r), 0);
		memcpy(&uhw, rq_attr(&r, UVERBS_ATTR_UHW_OUT)->out, sizeof(uhw));
		assert_memory_equal(uhw.dmac, want[i], 6);
		rq_done(&r);
	}
}
