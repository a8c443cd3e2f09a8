/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libmlx5's own bytes, from its own rings: for each case a fresh QP in RTS, one post through
 * ibv_post_send() or ibv_post_recv(), one through the ibv_wr_* calls, both rings read back by
 * mlx5dv_init_obj(). What the device does with the WQE does not matter.
 *
 * With a directory as argument, the bytes are written there as the kept vectors instead.
 */
#include <endian.h>
#include <infiniband/mlx5dv.h>
#include "cases.h"
#include "verbs_sig.h"
#include "tests/verbs/verbs_qp.h"

#define SOURCE "libmlx5 44.0 (Debian 12, ibverbs-providers 44.0-2), "

static struct ibv_context *ctx;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct mlx5dv_mkey *list; /* of all posts of one */
static struct ibv_mw *window;
static struct verbs_sig sig_mkey; /* of one case */
static struct ibv_ah *ah;	  /* of datagrams */
static const char *write_dir;

static const struct {
	enum ibv_wr_opcode op;
	const char *name;
} verbs_op[] = {
	[G_SEND] = {IBV_WR_SEND, "ibv_post_send, IBV_WR_SEND"},
	[G_SEND_IMM] = {IBV_WR_SEND_WITH_IMM, "ibv_post_send, IBV_WR_SEND_WITH_IMM"},
	[G_WRITE] = {IBV_WR_RDMA_WRITE, "ibv_post_send, IBV_WR_RDMA_WRITE"},
	[G_WRITE_IMM] = {IBV_WR_RDMA_WRITE_WITH_IMM, "ibv_post_send, IBV_WR_RDMA_WRITE_WITH_IMM"},
	[G_READ] = {IBV_WR_RDMA_READ, "ibv_post_send, IBV_WR_RDMA_READ"},
	[G_SEND_INVAL] = {IBV_WR_SEND_WITH_INV, "ibv_post_send, IBV_WR_SEND_WITH_INV"},
	[G_CAS] = {IBV_WR_ATOMIC_CMP_AND_SWP, "ibv_post_send, IBV_WR_ATOMIC_CMP_AND_SWP"},
	[G_FAA] = {IBV_WR_ATOMIC_FETCH_AND_ADD, "ibv_post_send, IBV_WR_ATOMIC_FETCH_AND_ADD"},
	[G_UD_SEND] = {IBV_WR_SEND, "ibv_post_send, IBV_WR_SEND on a UD QP"},
	[G_UD_SEND_IMM] = {IBV_WR_SEND_WITH_IMM, "ibv_post_send, IBV_WR_SEND_WITH_IMM on a UD QP"},
	[G_DMA] = {0, "mlx5dv_wr_memcpy"},
	[G_UMR_LIST] = {0, "mlx5dv_wr_mr_list"},
	[G_UMR_STRIDES] = {0, "mlx5dv_wr_mr_interleaved"},
	[G_SIG] = {0, "mlx5dv_wr_mkey_configure"},
	[G_BIND] = {IBV_WR_BIND_MW, "ibv_post_send, IBV_WR_BIND_MW"},
	[G_UNBIND] = {IBV_WR_LOCAL_INV, "ibv_post_send, IBV_WR_LOCAL_INV"},
	[G_RECV] = {0, "ibv_post_recv"},
	[G_SRQ_RECV] = {0, "ibv_post_srq_recv"},
	[G_TSO] = {IBV_WR_TSO, "ibv_post_send, IBV_WR_TSO"},
	[G_DC_SEND] = {0, "ibv_wr_send, mlx5dv_wr_set_dc_addr"},
	[G_DC_WRITE] = {0, "ibv_wr_rdma_write, mlx5dv_wr_set_dc_addr"},
	[G_DC_READ] = {0, "ibv_wr_rdma_read, mlx5dv_wr_set_dc_addr"},
	[G_DC_CAS] = {0, "ibv_wr_atomic_cmp_swp, mlx5dv_wr_set_dc_addr"},
	[G_DC_FAA] = {0, "ibv_wr_atomic_fetch_add, mlx5dv_wr_set_dc_addr"},
	[G_XRC_SEND] = {IBV_WR_SEND, "ibv_post_send, IBV_WR_SEND on an XRC QP"},
	[G_XRC_WRITE] = {IBV_WR_RDMA_WRITE, "ibv_post_send, IBV_WR_RDMA_WRITE on an XRC QP"},
	[G_XRC_READ] = {IBV_WR_RDMA_READ, "ibv_post_send, IBV_WR_RDMA_READ on an XRC QP"},
	[G_ETH] = {IBV_WR_SEND, "ibv_post_send, IBV_WR_SEND on a raw packet QP"},
};

static bool is_datagram(enum golden_kind kind)
{
	return kind == G_UD_SEND || kind == G_UD_SEND_IMM;
}

static bool is_dc(enum golden_kind kind)
{
	return kind >= G_DC_SEND && kind <= G_DC_FAA;
}

static bool is_xrc(enum golden_kind kind)
{
	return kind >= G_XRC_SEND && kind <= G_XRC_READ;
}

static bool is_raw(enum golden_kind kind)
{
	return kind == G_ETH || kind == G_TSO;
}

/* mlx5dv's own requests, which ibv_post_send() has not */
static bool is_mlx5dv(enum golden_kind kind)
{
	return is_dc(kind) || kind == G_DMA || kind == G_UMR_LIST || kind == G_UMR_STRIDES ||
	       kind == G_SIG;
}

static struct ibv_qp *new_qp(enum golden_kind kind)
{
	struct mlx5dv_qp_init_attr dv = {.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
					 .send_ops_flags = MLX5DV_QP_EX_WITH_MEMCPY};
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.send_cq = cq,
		.recv_cq = cq,
		.pd = pd,
		.cap = {.max_send_wr = 16,
			.max_recv_wr = 4,
			.max_send_sge = 4,
			.max_recv_sge = 4,
			.max_inline_data = 200},
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
				  IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
				  IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_SEND_WITH_INV |
				  IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
				  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_BIND_MW |
				  IBV_QP_EX_WITH_LOCAL_INV,
	};

	if (is_dc(kind)) {
		attr.qp_type = IBV_QPT_DRIVER;
		attr.cap.max_recv_wr = attr.cap.max_recv_sge = 0;
		attr.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE |
				      IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
				      IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD;
		dv = (struct mlx5dv_qp_init_attr){.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_DC,
						  .dc_init_attr = {.dc_type = MLX5DV_DCTYPE_DCI}};
	} else if (is_mlx5dv(kind) && kind != G_DMA) {
		dv.send_ops_flags = MLX5DV_QP_EX_WITH_MR_LIST | MLX5DV_QP_EX_WITH_MR_INTERLEAVED |
				    MLX5DV_QP_EX_WITH_MKEY_CONFIGURE;
		attr.cap.max_inline_data = 512;
	}
	if (is_datagram(kind)) {
		attr.qp_type = IBV_QPT_UD;
		attr.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM;
	}
	if (is_xrc(kind)) {
		attr.qp_type = IBV_QPT_XRC_SEND;
		attr.cap.max_recv_wr = attr.cap.max_recv_sge = 0;
		attr.send_ops_flags =
			IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ;
	}
	if (is_raw(kind)) {
		attr.qp_type = IBV_QPT_RAW_PACKET;
		attr.comp_mask |= IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
		attr.max_tso_header = 128;
		attr.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_TSO;
	}
	return is_mlx5dv(kind) ? mlx5dv_create_qp(ctx, &attr, &dv) : ibv_create_qp_ex(ctx, &attr);
}

static struct mlx5dv_qp rings(struct ibv_qp *qp)
{
	struct mlx5dv_qp dv = {0};
	struct mlx5dv_obj obj = {.qp = {qp, &dv}};

	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_QP), 0);
	return dv;
}

static void take(const struct golden_case *c, struct ibv_qp *qp, struct golden_wqe *out)
{
	struct mlx5dv_qp dv = rings(qp);
	uint32_t blocks;

	memset(out, 0, sizeof(*out));
	if (c->kind == G_RECV) {
		assert_int_equal(be32toh(dv.dbrec[0]), 1);
		out->len = DVX_SEG * (c->n < 4 ? c->n + 1 : 4);
		memcpy(out->bytes, dv.rq.buf, out->len);
		return;
	}
	/* The record counts blocks, as ours does. */
	blocks = be32toh(dv.dbrec[1]);
	out->len = c->kind == G_SIG ? blocks * DVX_BLOCK
				    : DVX_SEG * prm_wqe_ctrl_seg_get_ds(dv.sq.buf);
	memcpy(out->bytes, dv.sq.buf, out->len);
	assert_int_equal(blocks, dvx_wqe_blocks((uint32_t)out->len / DVX_SEG));
}

static bool is_atomic(const struct golden_case *c)
{
	return c->kind == G_CAS || c->kind == G_FAA || c->kind == G_DC_CAS || c->kind == G_DC_FAA;
}

static void fill_sge(const struct golden_case *c, struct ibv_sge *sge, int *n)
{
	uint32_t i;

	if (is_atomic(c)) {
		sge[0] = (struct ibv_sge){golden_pieces[0].addr, 8, golden_pieces[0].lkey};
		*n = 1;
		return;
	}
	for (i = 0; i < c->n; i++)
		sge[i] = (struct ibv_sge){golden_pieces[i].addr, golden_pieces[i].length,
					  golden_pieces[i].lkey};
	if (c->kind == G_ETH) {
		sge[0] = (struct ibv_sge){(uintptr_t)golden_frame(),
					  c->inline_len ? c->inline_len : GOLDEN_FIRST,
					  golden_pieces[0].lkey};
		*n = c->inline_len ? 1 : (int)c->n;
		return;
	}
	if (c->inline_len)
		sge[i++] = (struct ibv_sge){(uintptr_t)golden_payload, c->inline_len, 0};
	*n = (int)i;
}

static unsigned int send_flags(const struct golden_case *c)
{
	return (c->flags & DVX_SIGNALED ? IBV_SEND_SIGNALED : 0u) |
	       (c->flags & DVX_SOLICITED ? IBV_SEND_SOLICITED : 0u) |
	       (c->flags & DVX_FENCE ? IBV_SEND_FENCE : 0u) |
	       (c->flags & DVX_ETH_L3_CSUM ? IBV_SEND_IP_CSUM : 0u) |
	       (c->inline_len ? IBV_SEND_INLINE : 0u);
}

/* libmlx5 reads of the region its key alone. */
static struct ibv_mw_bind_info bind_info(void)
{
	static struct ibv_mr mr;

	mr.pd = pd;
	mr.lkey = golden_pieces[0].lkey;
	return (struct ibv_mw_bind_info){.mr = &mr,
					 .addr = golden_pieces[0].addr,
					 .length = golden_pieces[0].length,
					 .mw_access_flags = IBV_ACCESS_REMOTE_WRITE |
							    IBV_ACCESS_REMOTE_ATOMIC};
}

static void post(const struct golden_case *c, struct ibv_qp *qp)
{
	struct ibv_sge sge[5];
	struct ibv_send_wr wr = {.wr_id = 1,
				 .opcode = verbs_op[c->kind].op,
				 .sg_list = sge,
				 .send_flags = send_flags(c),
				 .imm_data = htobe32(GOLDEN_IMM),
				 .wr.rdma = {GOLDEN_RADDR, GOLDEN_RKEY}},
			   *bad;
	struct ibv_recv_wr rwr = {.wr_id = 1, .sg_list = sge}, *rbad;

	fill_sge(c, sge, &wr.num_sge);
	if (c->kind == G_SEND_INVAL)
		wr.invalidate_rkey = GOLDEN_RKEY;
	if (is_atomic(c)) {
		wr.wr.atomic.remote_addr = GOLDEN_RADDR;
		wr.wr.atomic.compare_add = GOLDEN_COMPARE;
		wr.wr.atomic.swap = GOLDEN_SWAP;
		wr.wr.atomic.rkey = GOLDEN_RKEY;
	}
	if (c->kind == G_UNBIND)
		wr.invalidate_rkey = GOLDEN_RKEY;
	if (c->kind == G_BIND) {
		wr.bind_mw.mw = window;
		wr.bind_mw.rkey = ibv_inc_rkey(window->rkey);
		wr.bind_mw.bind_info = bind_info();
	}
	if (is_xrc(c->kind))
		wr.qp_type.xrc.remote_srqn = GOLDEN_SRQN;
	if (c->kind == G_TSO) {
		wr.tso.hdr = (void *)(uintptr_t)golden_frame();
		wr.tso.hdr_sz = (uint16_t)c->header;
		wr.tso.mss = GOLDEN_MSS;
	}
	if (is_datagram(c->kind)) {
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = GOLDEN_QPN;
		wr.wr.ud.remote_qkey = GOLDEN_Q_KEY;
	}
	rwr.num_sge = wr.num_sge;
	if (c->kind == G_RECV)
		assert_int_equal(ibv_post_recv(qp, &rwr, &rbad), 0);
	else
		assert_int_equal(ibv_post_send(qp, &wr, &bad), 0);
}

static struct mlx5dv_mkey *new_list(void)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = pd, .create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT, .max_entries = 4};

	return mlx5dv_create_mkey(&attr);
}

static void post_list(struct ibv_qp_ex *ex, struct ibv_sge *sge, int n)
{
	ex->wr_flags |= IBV_SEND_INLINE; /* the list in the WQE */
	mlx5dv_wr_mr_list(mlx5dv_qp_ex_from_ibv_qp_ex(ex), list,
			  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
				  IBV_ACCESS_REMOTE_ATOMIC,
			  (uint16_t)n, sge);
}

static void post_strides(struct ibv_qp_ex *ex, uint32_t n)
{
	struct mlx5dv_mr_interleaved data[4];

	for (uint32_t i = 0; i < n; i++)
		data[i] = (struct mlx5dv_mr_interleaved){.addr = golden_columns[i].addr,
							 .bytes_count = golden_columns[i].length,
							 .bytes_skip = golden_columns[i].stride -
								       golden_columns[i].length,
							 .lkey = golden_columns[i].lkey};
	ex->wr_flags |= IBV_SEND_INLINE;
	mlx5dv_wr_mr_interleaved(mlx5dv_qp_ex_from_ibv_qp_ex(ex), list,
				 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE, GOLDEN_ROWS,
				 (uint16_t)n, data);
}

static bool has_data(enum golden_kind kind)
{
	return (is_dc(kind) || !is_mlx5dv(kind)) && kind != G_BIND && kind != G_UNBIND;
}

static void post_ex(const struct golden_case *c, struct ibv_qp *qp)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
	struct ibv_mw_bind_info info;
	struct ibv_sge sge[5];
	int n;

	fill_sge(c, sge, &n);
	ibv_wr_start(ex);
	ex->wr_id = 1;
	ex->wr_flags = send_flags(c);
	switch (c->kind) {
	case G_SEND:
	case G_ETH:
	case G_UD_SEND:
	case G_DC_SEND:
	case G_XRC_SEND:
		ibv_wr_send(ex);
		break;
	case G_TSO:
		ibv_wr_send_tso(ex, (void *)(uintptr_t)golden_frame(), (uint16_t)c->header,
				GOLDEN_MSS);
		break;
	case G_SEND_IMM:
	case G_UD_SEND_IMM:
		ibv_wr_send_imm(ex, htobe32(GOLDEN_IMM));
		break;
	case G_WRITE:
	case G_DC_WRITE:
	case G_XRC_WRITE:
		ibv_wr_rdma_write(ex, GOLDEN_RKEY, GOLDEN_RADDR);
		break;
	case G_WRITE_IMM:
		ibv_wr_rdma_write_imm(ex, GOLDEN_RKEY, GOLDEN_RADDR, htobe32(GOLDEN_IMM));
		break;
	case G_SEND_INVAL:
		ibv_wr_send_inv(ex, GOLDEN_RKEY);
		break;
	case G_CAS:
	case G_DC_CAS:
		ibv_wr_atomic_cmp_swp(ex, GOLDEN_RKEY, GOLDEN_RADDR, GOLDEN_COMPARE, GOLDEN_SWAP);
		break;
	case G_FAA:
	case G_DC_FAA:
		ibv_wr_atomic_fetch_add(ex, GOLDEN_RKEY, GOLDEN_RADDR, GOLDEN_COMPARE);
		break;
	case G_UMR_LIST:
		post_list(ex, sge, n);
		break;
	case G_UMR_STRIDES:
		post_strides(ex, c->n);
		break;
	case G_SIG:
		verbs_sig_post(&sig_mkey, ex, c, sge, (uint16_t)n);
		break;
	case G_BIND:
		info = bind_info();
		ibv_wr_bind_mw(ex, window, ibv_inc_rkey(window->rkey), &info);
		break;
	case G_UNBIND:
		ibv_wr_local_inv(ex, GOLDEN_RKEY);
		break;
	case G_READ:
	case G_DC_READ:
	case G_XRC_READ:
		ibv_wr_rdma_read(ex, GOLDEN_RKEY, GOLDEN_RADDR);
		break;
	default:
		mlx5dv_wr_memcpy(mlx5dv_qp_ex_from_ibv_qp_ex(ex), golden_pieces[0].lkey,
				 GOLDEN_DMA_DST, golden_pieces[1].lkey, GOLDEN_DMA_SRC,
				 GOLDEN_DMA_LEN);
	}
	if (is_dc(c->kind))
		mlx5dv_wr_set_dc_addr(mlx5dv_qp_ex_from_ibv_qp_ex(ex), ah, GOLDEN_QPN,
				      GOLDEN_DC_KEY);
	if (is_xrc(c->kind))
		ibv_wr_set_xrc_srqn(ex, GOLDEN_SRQN);
	if (is_datagram(c->kind))
		ibv_wr_set_ud_addr(ex, ah, GOLDEN_QPN, GOLDEN_Q_KEY);
	if (c->inline_len)
		ibv_wr_set_inline_data(ex, (void *)(uintptr_t)golden_payload, c->inline_len);
	else if (has_data(c->kind))
		ibv_wr_set_sge_list(ex, (size_t)n, sge);
	assert_int_equal(ibv_wr_complete(ex), 0);
}

/* One post on a QP of its own, and its bytes. */
static void theirs_by(void (*how)(const struct golden_case *, struct ibv_qp *),
		      const struct golden_case *c, struct golden_wqe *out)
{
	struct ibv_qp *qp = new_qp(c->kind);

	assert_non_null(qp);
	if (is_raw(c->kind))
		assert_int_equal(verbs_qp_raise(qp, IBV_QPS_RTS), 0);
	else if (is_dc(c->kind) || is_xrc(c->kind))
		assert_int_equal(verbs_qp_connect(qp, is_xrc(c->kind) ? GOLDEN_QPN : 0, 1), 0);
	else if (is_datagram(c->kind))
		assert_int_equal(verbs_qp_raise_ud(qp, GOLDEN_Q_KEY), 0);
	else
		assert_int_equal(verbs_qp_connect_self(qp, 0), 0);
	if (c->kind == G_SIG)
		verbs_sig_open(&sig_mkey, pd, c);
	how(c, qp);
	take(c, qp, out);
	ibv_destroy_qp(qp);
	if (c->kind == G_SIG)
		verbs_sig_close(&sig_mkey);
}

/* The first receive of an SRQ: the link to the next entry, and its pieces. */
static void theirs_shared(const struct golden_case *c, struct golden_wqe *out)
{
	struct ibv_srq_init_attr attr = {.attr = {.max_wr = 3, .max_sge = 3}};
	struct ibv_srq *srq = ibv_create_srq(pd, &attr);
	struct mlx5dv_srq dv = {0};
	struct mlx5dv_obj obj = {.srq = {srq, &dv}};
	struct ibv_sge sge[5];
	struct ibv_recv_wr wr = {.wr_id = 1, .sg_list = sge}, *bad;

	assert_non_null(srq);
	assert_int_equal(mlx5dv_init_obj(&obj, MLX5DV_OBJ_SRQ), 0);
	assert_int_equal(dv.stride, 64);
	fill_sge(c, sge, &wr.num_sge);
	assert_int_equal(ibv_post_srq_recv(srq, &wr, &bad), 0);
	assert_int_equal(be32toh(dv.dbrec[0]), 1);
	memset(out, 0, sizeof(*out));
	out->len = DVX_SEG * (1 + (c->n < 3 ? c->n + 1 : 3));
	memcpy(out->bytes, (uint8_t *)dv.buf + (size_t)dv.head * dv.stride, out->len);
	assert_int_equal(ibv_destroy_srq(srq), 0);
}

static void keep(const struct golden_case *c, const struct golden_wqe *w)
{
	char path[512], source[256];

	snprintf(path, sizeof(path), "%s/%s.hex", write_dir, c->name);
	snprintf(source, sizeof(source), SOURCE "%s", verbs_op[c->kind].name);
	assert_int_equal(golden_write(path, source, w), 0);
}

/* libmlx5, through either of its interfaces, writes for this request what libdvx writes. */
static void same_as_libmlx5(void **state)
{
	const struct golden_case *c = *state;
	struct golden_wqe theirs, ours;

	if (c->kind == G_NOP || golden_of_dpdk(c->kind)) /* libmlx5 has no call that posts one */
		skip();
	if (c->kind == G_SRQ_RECV)
		theirs_shared(c, &theirs);
	else
		theirs_by(is_mlx5dv(c->kind) ? post_ex : post, c, &theirs);
	if (c->kind == G_ETH &&
	    prm_wqe_eth_seg_get_inline_hdr_sz(theirs.bytes + DVX_SEG) != c->header)
		skip(); /* of a device that wants more, or less, inside the WQE */
	if (write_dir) {
		keep(c, &theirs);
		return;
	}
	golden_dvx_like(c, &theirs, &ours);
	golden_compare(c->name, &theirs, &ours);
	if (c->kind == G_RECV || c->kind == G_SRQ_RECV || is_mlx5dv(c->kind))
		return;
	theirs_by(post_ex, c, &theirs);
	golden_dvx_like(c, &theirs, &ours);
	golden_compare(c->name, &theirs, &ours);
}

static struct ibv_ah *new_ah(void)
{
	struct ibv_ah_attr attr = {
		.is_global = 1,
		.port_num = 1,
		.sl = GOLDEN_SL,
		.grh = {.sgid_index = 1, .hop_limit = GOLDEN_HOPS, .traffic_class = GOLDEN_TCLASS}};

	memcpy(attr.grh.dgid.raw, golden_group, sizeof(golden_group));
	return ibv_create_ah(pd, &attr);
}

static int open_device(UNUSED void **state)
{
	ctx = verbs_open();
	pd = ctx ? ibv_alloc_pd(ctx) : NULL;
	cq = pd ? ibv_create_cq(ctx, 64, NULL, NULL, 0) : NULL;
	ah = cq ? new_ah() : NULL;
	list = ah ? new_list() : NULL;
	window = list ? ibv_alloc_mw(pd, IBV_MW_TYPE_2) : NULL;
	return window ? 0 : -1;
}

static int close_device(UNUSED void **state)
{
	return ibv_dealloc_mw(window) || mlx5dv_destroy_mkey(list) || ibv_destroy_ah(ah) ||
	       ibv_destroy_cq(cq) || ibv_dealloc_pd(pd) || ibv_close_device(ctx);
}

int main(int argc, char **argv)
{
	struct CMUnitTest tests[GOLDEN_CASES] = {0};
	size_t i;

	write_dir = argc > 1 ? argv[1] : NULL;
	for (i = 0; i < golden_count; i++) {
		tests[i].name = golden_cases[i].name;
		tests[i].test_func = same_as_libmlx5;
		tests[i].initial_state = (void *)(uintptr_t)&golden_cases[i];
	}
	return _cmocka_run_group_tests("verbs", tests, golden_count, open_device, close_device);
}
