/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DevX objects. The kernel reads little of a mailbox: it checks that a modify or query command
 * names the object of the given handle, and builds the destroy command when the object is created.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/admin.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/cq.h>
#include <dvx/prm/dct.h>
#include <dvx/prm/eth.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/mkey.h>
#include <dvx/prm/qp.h>
#include <dvx/prm/rq.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "kernel/core/cmd.h"
#include "priv.h"
#include "fw/fw.h"
#include "kernel/verbs/verbs.h"

#define BITS24	       0xffffffu
#define BITS32	       0xffffffffu
#define BITS8	       0xffu
#define SET_FTE_MODIFY 1 /* SET_FLOW_TABLE_ENTRY's op_mod */

/*
 * Objects by the commands that create, destroy, modify and query them (NONE: no program may). The
 * object's number is in the dword at byte 8 of the answer (except for PSVs) and of the destroy
 * command; `mask` has its bits.
 */
#define PRM_OPCODE_NONE 0
#define CREATOR(create, destroy, modify, query, mask)                           \
	{                                                                       \
		PRM_OPCODE_##create, PRM_OPCODE_##destroy, PRM_OPCODE_##modify, \
			PRM_OPCODE_##query, mask                                \
	}
static const struct creator {
	uint16_t create, destroy, modify, query;
	uint32_t mask;
} creators[] = {
	CREATOR(CREATE_GENERAL_OBJECT, DESTROY_GENERAL_OBJECT, MODIFY_GENERAL_OBJECT,
		QUERY_GENERAL_OBJECT, BITS32),
	CREATOR(CREATE_MKEY, DESTROY_MKEY, NONE, QUERY_MKEY, BITS24),
	CREATOR(CREATE_CQ, DESTROY_CQ, MODIFY_CQ, QUERY_CQ, BITS24),
	CREATOR(ALLOC_PD, DEALLOC_PD, NONE, NONE, BITS24),
	CREATOR(ALLOC_TRANSPORT_DOMAIN, DEALLOC_TRANSPORT_DOMAIN, NONE, NONE, BITS24),
	CREATOR(CREATE_RMP, DESTROY_RMP, MODIFY_RMP, QUERY_RMP, BITS24),
	CREATOR(CREATE_SQ, DESTROY_SQ, MODIFY_SQ, QUERY_SQ, BITS24),
	CREATOR(CREATE_RQ, DESTROY_RQ, MODIFY_RQ, QUERY_RQ, BITS24),
	CREATOR(CREATE_PSV, DESTROY_PSV, NONE, NONE, BITS24),
	CREATOR(CREATE_RQT, DESTROY_RQT, MODIFY_RQT, QUERY_RQT, BITS24),
	CREATOR(CREATE_TIR, DESTROY_TIR, MODIFY_TIR, QUERY_TIR, BITS24),
	CREATOR(CREATE_TIS, DESTROY_TIS, MODIFY_TIS, QUERY_TIS, BITS24),
	CREATOR(ALLOC_Q_COUNTER, DEALLOC_Q_COUNTER, NONE, QUERY_Q_COUNTER, BITS8),
	CREATOR(ALLOC_FLOW_COUNTER, DEALLOC_FLOW_COUNTER, NONE, QUERY_FLOW_COUNTER, BITS32),
	CREATOR(ALLOC_PACKET_REFORMAT_CONTEXT, DEALLOC_PACKET_REFORMAT_CONTEXT, NONE, NONE, BITS32),
	CREATOR(ALLOC_MODIFY_HEADER_CONTEXT, DEALLOC_MODIFY_HEADER_CONTEXT, NONE,
		QUERY_MODIFY_HEADER_CONTEXT, BITS32),
	CREATOR(CREATE_QP, DESTROY_QP, NONE, QUERY_QP, BITS24), /* modify: qp_changes */
	CREATOR(CREATE_SRQ, DESTROY_SRQ, NONE, QUERY_SRQ, BITS24),
	CREATOR(ATTACH_TO_MCG, DETACH_FROM_MCG, NONE, NONE, BITS24),
	CREATOR(CREATE_XRC_SRQ, DESTROY_XRC_SRQ, ARM_XRC_SRQ, QUERY_XRC_SRQ, BITS24),
	CREATOR(CREATE_DCT, DESTROY_DCT, ARM_DCT_FOR_KEY_VIOLATION, QUERY_DCT, BITS24),
	CREATOR(CREATE_XRQ, DESTROY_XRQ, MODIFY_XRQ, QUERY_XRQ, BITS24),
	CREATOR(ALLOC_XRCD, DEALLOC_XRCD, NONE, NONE, BITS24),
	CREATOR(CREATE_FLOW_TABLE, DESTROY_FLOW_TABLE, MODIFY_FLOW_TABLE, QUERY_FLOW_TABLE, BITS24),
	CREATOR(CREATE_FLOW_GROUP, DESTROY_FLOW_GROUP, NONE, QUERY_FLOW_GROUP, BITS32),
	CREATOR(SET_FLOW_TABLE_ENTRY, DELETE_FLOW_TABLE_ENTRY, SET_FLOW_TABLE_ENTRY,
		QUERY_FLOW_TABLE_ENTRY, BITS32),
};

static const uint16_t qp_changes[] = {
	PRM_OPCODE_RST2INIT_QP, PRM_OPCODE_INIT2INIT_QP, PRM_OPCODE_INIT2RTR_QP,
	PRM_OPCODE_RTR2RTS_QP,	PRM_OPCODE_RTS2RTS_QP,	 PRM_OPCODE_SQERR2RTS_QP,
	PRM_OPCODE_2ERR_QP,	PRM_OPCODE_2RST_QP,
};

enum use { MODIFY, QUERY };

static const struct creator *devx_creator_by_opcode(uint16_t create)
{
	for (unsigned int i = 0; i < sizeof(creators) / sizeof(creators[0]); i++) {
		if (creators[i].create == create)
			return &creators[i];
	}
	return NULL;
}

/* Finds the row of a command on an existing object. */
static const struct creator *devx_creator_by_use(uint16_t opcode, enum use use)
{
	for (size_t i = 0; use == MODIFY && i < sizeof(qp_changes) / sizeof(qp_changes[0]); i++)
		if (qp_changes[i] == opcode)
			return devx_creator_by_opcode(PRM_OPCODE_CREATE_QP);
	for (size_t i = 0; opcode && i < sizeof(creators) / sizeof(creators[0]); i++)
		if ((use == MODIFY ? creators[i].modify : creators[i].query) == opcode)
			return &creators[i];
	return NULL;
}

static uint32_t number_in(const void *mailbox, const struct creator *c)
{
	return prm_general_obj_in_cmd_hdr_get_obj_id(mailbox) & c->mask;
}

/*
 * Builds an id from opcode, object type and number: objects of different types may share numbers.
 */
static uint64_t devx_id_make(uint16_t create, uint16_t obj_type, uint32_t number)
{
	return (uint64_t)obj_type << 48 | (uint64_t)create << 32 | number;
}

static int devx_obj_release(struct uobj *u)
{
	const struct devx_obj *o = (struct devx_obj *)u;
	uint8_t out[PRM_MBOX_OUT_BYTES];
	int err;

	/* This fails if an earlier attempt has drained the DCT already. */
	if (prm_general_obj_in_cmd_hdr_get_opcode(o->din) == PRM_OPCODE_DESTROY_DCT)
		(void)mbox_destroy(u->file->vhca, PRM_OPCODE_DRAIN_DCT,
				   (uint16_t)prm_general_obj_in_cmd_hdr_get_uid(o->din),
				   prm_general_obj_in_cmd_hdr_get_obj_id(o->din));
	err = mbox_exec(u->file->vhca, o->din, o->dinlen, out, sizeof(out));
	if (!err)
		devx_forget_obj(u->file->k, u);
	return err;
}

const struct uobj_class devx_obj_class = {"DevX object", MLX5_IB_OBJECT_DEVX_OBJ, 0,
					  devx_obj_release, NULL};

/* --- creation ------------------------------------------------------------------------------ */

/* Forces use of a umem instead of a page list: programs must not name physical pages. */
static int devx_force_mkey_umem(struct devx_cmd *c)
{
	const void *mkc = prm_create_mkey_in_cat_memory_key_mkey_entry(c->in);
	uint32_t mode;

	if (c->in_len < 16 + PRM_MKC_BYTES)
		return refuse(
			-EINVAL,
			"DEVX_OBJ_CREATE: CREATE_MKEY with %zu bytes ends before its mkc ends",
			c->in_len);
	mode = prm_mkc_get_access_mode_4_2(mkc) << 2 | prm_mkc_get_access_mode_1_0(mkc);
	if (mode != PRM_MKC_ACCESS_MODE_KLM && mode != PRM_MKC_ACCESS_MODE_KSM)
		prm_create_mkey_in_set_mkey_umem_valid(c->in, 1);
	return 0;
}

static void devx_force_wq_umem(void *wq)
{
	prm_wq_set_wq_umem_valid(wq, 1);
	prm_wq_set_dbr_umem_valid(wq, 1);
}

static void devx_force_umem(struct devx_cmd *c)
{
	if (c->opcode == PRM_OPCODE_CREATE_SQ && c->in_len >= PRM_CREATE_SQ_IN_BYTES)
		devx_force_wq_umem(prm_sqc_at_wq(prm_create_sq_in_at_ctx(c->in)));
	else if (c->opcode == PRM_OPCODE_CREATE_RQ && c->in_len >= PRM_CREATE_RQ_IN_BYTES)
		devx_force_wq_umem(prm_rqc_at_wq(prm_create_rq_in_at_ctx(c->in)));
	else if (c->opcode == PRM_OPCODE_CREATE_RMP && c->in_len >= PRM_CREATE_RMP_IN_BYTES)
		devx_force_wq_umem(prm_rmpc_at_wq(prm_create_rmp_in_at_ctx(c->in)));
	else if (c->opcode == PRM_OPCODE_CREATE_CQ && c->in_len >= PRM_CREATE_CQ_IN_BYTES) {
		prm_create_cq_in_set_cq_umem_valid(c->in, 1);
		prm_cqc_set_dbr_umem_valid(prm_create_cq_in_at_cq_context(c->in), 1);
	} else if (c->opcode == PRM_OPCODE_CREATE_QP && c->in_len >= PRM_CREATE_QP_IN_BYTES) {
		prm_create_qp_in_set_wq_umem_valid(c->in, 1);
		prm_qpc_set_dbr_umem_valid(prm_create_qp_in_at_qpc(c->in), 1);
	} else if (c->opcode == PRM_OPCODE_CREATE_XRC_SRQ &&
		   c->in_len >= PRM_CREATE_XRC_SRQ_IN_BYTES) {
		prm_create_xrc_srq_in_set_xrc_srq_umem_valid(c->in, 1);
		prm_xrc_srqc_set_dbr_umem_valid(
			prm_create_xrc_srq_in_at_xrc_srq_context_entry(c->in), 1);
	} else if (c->opcode == PRM_OPCODE_MODIFY_CQ && c->in_len >= PRM_MODIFY_CQ_IN_BYTES) {
		prm_modify_cq_in_set_cq_umem_valid(c->in, 1);
	}
}

/* Returns how many counters the command allocates; each has a number in mlx5_ib, too. */
static uint32_t devx_cmd_counters(const struct devx_cmd *c)
{
	uint32_t log = prm_alloc_flow_counter_in_get_flow_counter_bulk_log_size(c->in);
	uint32_t bulk = prm_alloc_flow_counter_in_get_flow_counter_bulk(c->in);

	return log ? 1u << log : bulk ? bulk * 128 : 1;
}

static void devx_mcg_remember(struct devx_obj *o, const struct devx_cmd *c)
{
	o->dinlen = PRM_DETACH_FROM_MCG_IN_BYTES;
	memcpy(prm_detach_from_mcg_in_at_multicast_gid(o->din),
	       prm_attach_to_mcg_in_cat_multicast_gid(c->in), 16);
}

static void devx_obj_remember(struct devx_obj *o, const struct devx_cmd *c,
			      const struct creator *how, const void *out)
{
	bool general = c->opcode == PRM_OPCODE_CREATE_GENERAL_OBJECT;
	uint16_t type = general ? (uint16_t)prm_general_obj_in_cmd_hdr_get_obj_type(c->in) : 0;
	uint32_t number;

	if (devx_is_flow(c->opcode))
		number = devx_flow_remember(o, c, out);
	else if (c->opcode == PRM_OPCODE_CREATE_PSV)
		number = prm_create_psv_out_get_psv0_index(out);
	else /* ATTACH_TO_MCG: the number is the QP's */
		number = number_in(c->opcode == PRM_OPCODE_ATTACH_TO_MCG ? c->in : out, how);
	o->obj_id = devx_id_make(c->opcode, type, number);
	if (c->opcode == PRM_OPCODE_ALLOC_FLOW_COUNTER)
		o->counters = devx_cmd_counters(c);
	prm_general_obj_in_cmd_hdr_set_opcode(o->din, how->destroy);
	prm_general_obj_in_cmd_hdr_set_uid(o->din, prm_mbox_in_get_uid(c->in));
	if (devx_is_flow(c->opcode))
		return;
	o->dinlen = PRM_GENERAL_OBJ_IN_CMD_HDR_BYTES;
	prm_general_obj_in_cmd_hdr_set_obj_type(o->din, type);
	prm_general_obj_in_cmd_hdr_set_obj_id(o->din, number);
	if (c->opcode == PRM_OPCODE_ATTACH_TO_MCG)
		devx_mcg_remember(o, c);
}

static int devx_obj_make(struct uverbs_file *f, struct uverbs_request *req, struct devx_cmd *c,
			 const struct creator *how)
{
	struct devx_obj *o = uobj_new(f, &devx_obj_class, sizeof(*o));
	const struct uverbs_attr *a = attr_find(req, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT);
	int err;

	if (!o)
		return -ENOMEM;
	err = devx_run(f, req, c, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT);
	if (err)
		return err;
	devx_obj_remember(o, c, how, a->out);
	attr_new_handle(req, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE, &o->u);
	return 0;
}

/* Writes the context's uid to the command. -EINVAL: it is tunnelled, or the context has no DevX. */
static int devx_cmd_set_uid(struct uverbs_file *f, struct devx_cmd *c)
{
	int uid;

	if (prm_general_obj_in_cmd_hdr_get_vhca_tunnel_id(c->in))
		return refuse(-EINVAL, "DevX opcode 0x%x: vhca_tunnel_id must be 0", c->opcode);
	uid = devx_uid(f, c->opcode);
	if (uid < 0)
		return uid;
	prm_mbox_in_set_uid(c->in, (uint32_t)uid);
	return 0;
}

/* Finds the row of a command. op_mod 0 makes a rule, 1 changes it; PSVs are made one at a time. */
static const struct creator *devx_creator_of_cmd(const struct devx_cmd *c)
{
	if (c->opcode == PRM_OPCODE_SET_FLOW_TABLE_ENTRY && prm_mbox_in_get_op_mod(c->in))
		return NULL;
	if (c->opcode == PRM_OPCODE_CREATE_PSV && prm_create_psv_in_get_num_psv(c->in) != 1)
		return NULL;
	return devx_creator_by_opcode(c->opcode);
}

int devx_obj_create(struct uverbs_file *f, struct uverbs_request *req)
{
	const struct creator *how;
	struct devx_cmd c;
	int err = devx_mailbox(req, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, &c);

	if (err)
		return err;
	how = devx_creator_of_cmd(&c);
	err = devx_cmd_set_uid(f, &c);
	if (!err && !how)
		err = refuse(-EINVAL,
			     "DEVX_OBJ_CREATE: opcode 0x%x makes no object that this kernel knows",
			     c.opcode);
	if (!err && c.opcode == PRM_OPCODE_CREATE_MKEY)
		err = devx_force_mkey_umem(&c);
	if (!err) {
		devx_force_umem(&c);
		err = devx_obj_make(f, req, &c, how);
	}
	free(c.in);
	return err;
}

/* --- use ------------------------------------------------------------------------------------- */

static uint32_t devx_cmd_number(const struct devx_cmd *c, const struct creator *how)
{
	size_t at = devx_number_at(c->opcode);

	return at + 4 <= c->in_len ? prm_load32(c->in, at) & how->mask : 0;
}

/* Builds the id of the object that a command names. */
static int devx_cmd_find_id(const struct devx_cmd *c, enum use use, uint64_t *id)
{
	const bool general = use == MODIFY ? c->opcode == PRM_OPCODE_MODIFY_GENERAL_OBJECT
					   : c->opcode == PRM_OPCODE_QUERY_GENERAL_OBJECT;
	const struct creator *how = devx_creator_by_use(c->opcode, use);

	if (!how || (c->opcode == PRM_OPCODE_SET_FLOW_TABLE_ENTRY &&
		     prm_mbox_in_get_op_mod(c->in) != SET_FTE_MODIFY))
		return refuse(-EINVAL, "DevX opcode 0x%x does not %s an object", c->opcode,
			      use == MODIFY ? "modify" : "query");
	*id = devx_id_make(how->create,
			   general ? (uint16_t)prm_general_obj_in_cmd_hdr_get_obj_type(c->in) : 0,
			   devx_cmd_number(c, how));
	return 0;
}

static bool qp_has_id(const struct uverbs_qp *qp, uint64_t id)
{
	if (qp->dct)
		return id == devx_id_make(PRM_OPCODE_CREATE_DCT, 0, qp->q.u.number);
	if (!qp->raw.on)
		return id == devx_id_make(PRM_OPCODE_CREATE_QP, 0, qp->q.u.number);
	return id == devx_id_make(PRM_OPCODE_CREATE_SQ, 0, qp->raw.sqn) ||
	       id == devx_id_make(PRM_OPCODE_CREATE_RQ, 0, qp->raw.rqn) ||
	       id == devx_id_make(PRM_OPCODE_CREATE_TIR, 0, qp->raw.tirn) ||
	       id == devx_id_make(PRM_OPCODE_CREATE_TIS, 0, qp->raw.tisn);
}

/* Follows mlx5_ib's devx_is_valid_obj_id() for ISSI 1: a basic SRQ is an RMP, an XRC SRQ is not. */
static bool srq_has_id(const struct uverbs_srq *srq, uint64_t id)
{
	uint16_t create = srq->xrcd ? PRM_OPCODE_CREATE_XRC_SRQ : PRM_OPCODE_CREATE_RMP;

	return id == devx_id_make(create, 0, srq->q.u.number);
}

/* Returns whether the id is the object's. The counters of a bulk follow the object's number. */
static bool devx_obj_has_id(const struct devx_obj *o, uint64_t id)
{
	return id >= o->obj_id && id - o->obj_id < (o->counters ? o->counters : 1);
}

/* Returns whether the id is that of u, a DevX object or a queue of verbs. */
static bool devx_id_is_of(const struct uobj *u, uint64_t id)
{
	if (u->class == &devx_obj_class)
		return devx_obj_has_id((const struct devx_obj *)u, id);
	if (u->class == &cq_class)
		return id == devx_id_make(PRM_OPCODE_CREATE_CQ, 0, u->number);
	if (u->class == &qp_class)
		return qp_has_id((const struct uverbs_qp *)u, id);
	if (u->class == &srq_class)
		return srq_has_id((const struct uverbs_srq *)u, id);
	if (u->class == &wq_class)
		return id == devx_id_make(PRM_OPCODE_CREATE_RQ, 0, u->number);
	if (u->class == &wq_table_class)
		return id == devx_id_make(PRM_OPCODE_CREATE_RQT, 0, u->number);
	return false;
}

static int devx_use_check(struct uverbs_file *f, struct uverbs_request *req, uint16_t handle,
			  struct devx_cmd *c, enum use use)
{
	struct uobj *u;
	uint64_t id;
	int err = attr_uobj(f, req, handle, NULL, &u) ?:
		  devx_cmd_set_uid(f, c) ?:
		  devx_cmd_find_id(c, use, &id);

	if (!err && !devx_id_is_of(u, id))
		err = refuse(-EINVAL, "DevX opcode 0x%x names object 0x%x, the handle is another's",
			     c->opcode, (uint32_t)id);
	return err;
}

static int devx_use_obj(struct uverbs_file *f, struct uverbs_request *req, enum use use,
			uint16_t handle, uint16_t in, uint16_t out)
{
	struct devx_cmd c;
	int err = devx_mailbox(req, in, &c);

	if (err)
		return err;
	err = devx_use_check(f, req, handle, &c, use);
	if (!err) {
		devx_force_umem(&c);
		err = devx_run(f, req, &c, out);
	}
	free(c.in);
	return err;
}

int devx_obj_modify(struct uverbs_file *f, struct uverbs_request *req)
{
	return devx_use_obj(f, req, MODIFY, MLX5_IB_ATTR_DEVX_OBJ_MODIFY_HANDLE,
			    MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_IN,
			    MLX5_IB_ATTR_DEVX_OBJ_MODIFY_CMD_OUT);
}

int devx_obj_query(struct uverbs_file *f, struct uverbs_request *req)
{
	return devx_use_obj(f, req, QUERY, MLX5_IB_ATTR_DEVX_OBJ_QUERY_HANDLE,
			    MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_IN,
			    MLX5_IB_ATTR_DEVX_OBJ_QUERY_CMD_OUT);
}

/* --- asynchronous queries: done at once, read from a FD -------------------------------------- */

#define ASYNC_BACKLOG (1u << 20) /* as mlx5_ib bounds it */
#define ASYNC_OUT     4088u	 /* a pipe's packet without the header */

static int async_query(struct uverbs_file *f, struct uverbs_request *req, const struct devx_cmd *c,
		       struct channel *ch)
{
	uint64_t out_len = attr_value(req, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_OUT_LEN);
	uint64_t packet[(ASYNC_OUT + 8) / 8] = {
		attr_value(req, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_WR_ID)};

	if (out_len < PRM_MBOX_OUT_BYTES || out_len > ASYNC_OUT)
		return refuse(-EINVAL, "DEVX_OBJ_ASYNC_QUERY: out_len %llu is not within %u..%u",
			      (unsigned long long)out_len, PRM_MBOX_OUT_BYTES, ASYNC_OUT);
	if (channel_backlog(ch) > ASYNC_BACKLOG)
		return refuse(-EAGAIN,
			      "DEVX_OBJ_ASYNC_QUERY: the program does not read its answers");
	(void)devx_exec(f, c, packet + 1, out_len);
	channel_post(ch, NULL, packet, 8 + out_len);
	return 0;
}

int devx_obj_async_query(struct uverbs_file *f, struct uverbs_request *req)
{
	const struct uverbs_attr *fd = attr_find(req, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_FD);
	struct channel *ch;
	struct devx_cmd c;
	int err = devx_mailbox(req, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_CMD_IN, &c);

	if (err)
		return err;
	err = devx_use_check(f, req, MLX5_IB_ATTR_DEVX_OBJ_QUERY_ASYNC_HANDLE, &c, QUERY) ?:
	      channel_find(f, fd->data, CHANNEL_DEVX_CMD, &ch) ?:
	      async_query(f, req, &c, ch);
	free(c.in);
	return err;
}

int devx_cmd_fd_alloc(struct uverbs_file *f, struct uverbs_request *req)
{
	int fd;

	if (!f->uid)
		return refuse(-EINVAL,
			      "DEVX_ASYNC_CMD_FD_ALLOC: the context was opened without DevX");
	if (!channel_new(f, CHANNEL_DEVX_CMD, &fd))
		return refuse(-EMFILE, "DEVX_ASYNC_CMD_FD_ALLOC: no pipe left");
	return attr_fd(req, MLX5_IB_ATTR_DEVX_ASYNC_CMD_FD_ALLOC_HANDLE, 0, fd);
}
