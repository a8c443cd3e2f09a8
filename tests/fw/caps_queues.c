/* SPDX-License-Identifier: BSD-2-Clause */
/* Uses of queues, steering and the rest, for caps.c. */
#include "caps.h"
#include <infiniband/mlx5dv.h>
#include <dvx/prm/admin.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include <dvx/prm/misc.h>
#include <dvx/prm/object.h>
#include "tests/verbs/verbs_qp.h"

/*
 * Uses RC both ways: WRITE, as many READs as log_max_ra_* allow, user indexes in CQEs, BlueFlame.
 */
void rc_works(struct rig *r)
{
	uint32_t reads =
		1u << prm_cmd_hca_cap_get_log_max_ra_req_qp(caps_page(r, PRM_HCA_CAP_TYPE_GENERAL));
	struct dvx_sge sge = {(uintptr_t)r->buf, 512, r->key};
	struct pair p;

	assert_int_equal(
		dvx_uar_bf_size(r->uar),
		1u << (prm_cmd_hca_cap_get_log_bf_reg_size(caps_page(r, PRM_HCA_CAP_TYPE_GENERAL)) -
		       1));
	pair_make(r, &p, DVX_REMOTE_WRITE | DVX_REMOTE_READ);
	dvx_post_write(p.sq, (uintptr_t)r->buf + 4096, r->key, &sge, 1, 0, DVX_SIGNALED);
	for (uint32_t i = 1; i <= reads; i++)
		dvx_post_read(p.sq, (uintptr_t)r->buf + 8192, r->key, &sge, 1, i, DVX_SIGNALED);
	dvx_sq_ring(p.sq);
	assert_int_equal(dvx_cqe_user_index(wait_cqe(p.cq[0])), 0x70);
	for (uint32_t i = 0; i <= reads; i++)
		done(p.cq[0], p.sq, i);
	pair_free(&p);
}

void loopback_works(struct rig *r)
{
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = 80, .uar = r->uar};
	struct dvx_qp_attr qa = rig_qp_attr(r);
	struct dvx_sge sge = {(uintptr_t)r->buf, 64, r->key};
	struct dvx_cq *cq;
	struct dvx_qp *qp;

	OK(dvx_cq_create(r->dev, &ca, &cq));
	qa.send_cq = cq;
	qa.flags |= DVX_QP_FORCE_LOOPBACK;
	OK(dvx_qp_create(r->dev, &qa, &qp));
	OK(dvx_qp_connect_self(qp, DVX_REMOTE_WRITE));
	dvx_post_write(dvx_qp_sq(qp), (uintptr_t)r->buf + 64, r->key, &sge, 1, 1, DVX_SIGNALED);
	dvx_sq_ring(dvx_qp_sq(qp));
	done(cq, dvx_qp_sq(qp), 1);
	OK(dvx_qp_destroy(qp));
	OK(dvx_cq_destroy(cq));
}

void counters_work(struct rig *r)
{
	uint32_t bulks =
		prm_cmd_hca_cap_get_flow_counter_bulk_alloc(caps_page(r, PRM_HCA_CAP_TYPE_GENERAL));

	for (unsigned int bit = 0; bit < 8; bit++) {
		uint8_t in[64] = {0};

		if (!(bulks & 1u << bit))
			continue;
		prm_alloc_flow_counter_in_set_flow_counter_bulk(in, 1u << bit);
		caps_object(r, PRM_OPCODE_ALLOC_FLOW_COUNTER, in, PRM_ALLOC_FLOW_COUNTER_IN_BYTES);
	}
}

/* Uses tables that firmware or software owns, with Geneve and VXLAN-GPE among the keys. */
void steering_works(struct rig *r)
{
	struct dvx_flow_domain_attr da = {.size = sizeof(da)};
	struct dvx_flow_match keys[2] = {0};
	struct dvx_flow_domain *domain;

	for (unsigned int i = 0; i < 2; i++) {
		OK(dvx_flow_match_ip_version(&keys[i], DVX_FLOW_OUTER, 4));
		OK(dvx_flow_match_port(&keys[i], DVX_FLOW_OUTER, DVX_FLOW_DST, DVX_FLOW_UDP,
				       i ? 4790 : 6081, 0xffff));
	}
	OK(dvx_flow_match_set(&keys[0], "misc_parameters.geneve_vni", 7, 0xffffff));
	OK(dvx_flow_match_set(&keys[1], "misc_parameters_3.outer_vxlan_gpe_vni", 7, 0xffffff));
	OK(dvx_flow_domain_create(r->dev, &da, &domain));
	for (uint32_t level = 0; level < 2; level++) {
		struct dvx_flow_table *table;

		OK(dvx_flow_table_create(domain, level, &table));
		for (unsigned int i = 0; i < 2; i++) {
			struct dvx_flow_matcher_attr a = {.size = sizeof(a), .match = &keys[i]};
			struct dvx_flow_matcher *matcher;

			OK(dvx_flow_matcher_create(table, &a, &matcher));
			OK(dvx_flow_matcher_destroy(matcher));
		}
		OK(dvx_flow_table_destroy(table));
	}
	OK(dvx_flow_domain_destroy(domain));
}

/* Reserves more numbers than one block has; none is a queue pair's. */
void reserved_qpns_work(struct rig *r)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	const uint8_t *general = caps_page(r, PRM_HCA_CAP_TYPE_GENERAL);
	uint32_t qpn[40];

	for (unsigned int i = 0; i < 40; i++) {
		assert_int_equal(mlx5dv_reserved_qpn_alloc(ctx, &qpn[i]), 0);
		assert_true(qpn[i] >= 1u << prm_cmd_hca_cap_get_log_max_qp(general));
		assert_true(!i || qpn[i] == qpn[i - 1] + 1);
	}
	for (unsigned int i = 0; i < 40; i++)
		assert_int_equal(mlx5dv_reserved_qpn_dealloc(ctx, qpn[i]), 0);
	assert_int_equal(mlx5dv_reserved_qpn_dealloc(ctx, qpn[0]), EINVAL);
}

/* Makes as many meters as one command may, also with first hits and connections. */
void meters_work(struct rig *r)
{
	static const uint16_t types[] = {PRM_OBJ_TYPE_FLOW_METER_ASO, PRM_OBJ_TYPE_ASO_FIRST_HIT,
					 PRM_OBJ_TYPE_ASO_CT};
	const uint8_t *cap = caps_page(r, PRM_HCA_CAP_TYPE_QOS);
	uint32_t most = prm_qos_cap_get_log_meter_aso_max_alloc(cap);

	assert_in_range(most, prm_qos_cap_get_log_meter_aso_granularity(cap),
			prm_qos_cap_get_log_max_num_meter_aso(cap));
	for (unsigned int i = 0; i < 3; i++) {
		uint8_t in[PRM_CREATE_FLOW_HIT_ASO_IN_BYTES] = {0};

		prm_general_obj_in_cmd_hdr_set_obj_type(in, types[i]);
		prm_general_obj_in_cmd_hdr_set_log_obj_range(in, most);
		prm_flow_hit_aso_set_access_pd(prm_create_flow_hit_aso_in_at_flow_hit_aso(in),
					       dvx_pd_number(r->pd));
		caps_object(r, PRM_OPCODE_CREATE_GENERAL_OBJECT, in, sizeof(in));
	}
}

/* Puts a raw packet QP on the leaf of a tree, with the largest weight. */
void scheduling_works(struct rig *r)
{
	const uint32_t flags =
		MLX5DV_SCHED_ELEM_ATTR_FLAGS_BW_SHARE | MLX5DV_SCHED_ELEM_ATTR_FLAGS_MAX_AVG_BW;
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct mlx5dv_sched_attr a = {0};
	struct mlx5dv_sched_node *root = mlx5dv_sched_node_create(ctx, &a);
	struct mlx5dv_sched_leaf *leaf;
	struct ibv_cq *cq = caps_cq(r);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_qp_init_attr qa = {.qp_type = IBV_QPT_RAW_PACKET,
				      .send_cq = cq,
				      .recv_cq = cq,
				      .cap = {.max_send_wr = 4, .max_send_sge = 1}};
	struct ibv_qp *qp = ibv_create_qp(pd, &qa);

	assert_non_null(root);
	assert_non_null(qp);
	a = (struct mlx5dv_sched_attr){
		.parent = root,
		.flags = flags,
		.bw_share = prm_qos_cap_get_max_tsar_bw_share(caps_page(r, PRM_HCA_CAP_TYPE_QOS)),
		.max_avg_bw = 1000};
	leaf = mlx5dv_sched_leaf_create(ctx, &a);
	assert_non_null(leaf);
	assert_int_equal(verbs_qp_raise(qp, IBV_QPS_RTS), 0);
	assert_int_equal(mlx5dv_modify_qp_sched_elem(qp, leaf, NULL), 0);
	assert_int_not_equal(mlx5dv_sched_leaf_destroy(leaf), 0);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	assert_int_equal(mlx5dv_sched_leaf_destroy(leaf), 0);
	assert_int_equal(mlx5dv_sched_node_destroy(root), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
}

/* Sets rates of a raw packet QP at both ends of the range, and rows of the table for DevX until it
 * is full. tests/queue/queue_raw measures the time between packets. */
void rates_work(struct rig *r)
{
	const uint8_t *cap = caps_page(r, PRM_HCA_CAP_TYPE_QOS);
	uint32_t n = prm_qos_cap_get_packet_pacing_rate_table_size(cap), made = 0;
	uint8_t ctx[48] = {0};
	struct mlx5dv_pp **pp = calloc(n, sizeof(*pp));
	struct ibv_context *ctx_of = dvx_dev_ibv(r->dev);
	struct ibv_device_attr_ex attr;

	assert_int_equal(ibv_query_device_ex(ctx_of, NULL, &attr), 0);
	assert_int_equal(attr.packet_pacing_caps.qp_rate_limit_min, 1);
	assert_int_equal(attr.packet_pacing_caps.qp_rate_limit_max,
			 prm_qos_cap_get_packet_pacing_max_rate(cap));
	assert_true(attr.packet_pacing_caps.supported_qpts & 1 << IBV_QPT_RAW_PACKET);
	prm_store32(ctx, 0, attr.packet_pacing_caps.qp_rate_limit_max + 1);
	assert_null(mlx5dv_pp_alloc(ctx_of, sizeof(ctx), ctx, 0));
	prm_store32(ctx, 0, attr.packet_pacing_caps.qp_rate_limit_max);
	while (made < n && (pp[made] = mlx5dv_pp_alloc(ctx_of, sizeof(ctx), ctx,
						       MLX5DV_PP_ALLOC_FLAGS_DEDICATED_INDEX)))
		made++;
	assert_int_equal(made, n - 1);
	assert_int_equal(errno, ENOSPC);
	while (made)
		mlx5dv_pp_free(pp[--made]);
	free(pp);
}

void raw_queues_work(struct rig *r)
{
	uint32_t most =
		1u << prm_cmd_hca_cap_get_log_max_rqt_size(caps_page(r, PRM_HCA_CAP_TYPE_GENERAL));
	struct dvx_cq_attr ca = {.size = sizeof(ca), .entries = 64, .uar = r->uar};
	struct dvx_rxq_attr ra = {
		.size = sizeof(ra), .pd = r->pd, .entries = 16, .flags = DVX_RXQ_STRIP_VLAN};
	struct dvx_txq_attr ta = {.size = sizeof(ta), .pd = r->pd, .uar = r->uar, .sq_blocks = 16};
	struct dvx_rxq **queues = calloc(most, sizeof(struct dvx_rxq *));
	struct dvx_rss_attr sa = {.size = sizeof(sa), .queue_count = most, .queues = queues};
	struct dvx_cq *cq;
	struct dvx_txq *txq;
	struct dvx_rss *rss;

	OK(dvx_cq_create(r->dev, &ca, &cq));
	ra.cq = cq;
	ta.cq = cq;
	OK(dvx_rxq_create(r->dev, &ra, &queues[0]));
	for (uint32_t i = 1; i < most; i++)
		queues[i] = queues[0];
	OK(dvx_txq_create(r->dev, &ta, &txq));
	OK(dvx_rss_create(r->dev, &sa, &rss));
	OK(dvx_rss_destroy(rss));
	OK(dvx_txq_destroy(txq));
	OK(dvx_rxq_destroy(queues[0]));
	OK(dvx_cq_destroy(cq));
	free(queues);
}

/* Makes an SRQ as large as log_max_srq_sz allows; tests/interop/srq.sh sends through it. */
void srq_works(struct rig *r)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_device_attr d;
	struct ibv_srq_init_attr a = {.attr = {.max_sge = 1}};
	struct ibv_srq *srq;

	assert_int_equal(ibv_query_device(ctx, &d), 0);
	assert_int_equal(d.max_srq, 1 << prm_cmd_hca_cap_get_log_max_srq(
					    caps_page(r, PRM_HCA_CAP_TYPE_GENERAL)));
	a.attr.max_wr = (uint32_t)d.max_srq_wr;
	srq = ibv_create_srq(pd, &a);
	assert_non_null(srq);
	assert_int_equal(ibv_query_srq(srq, &a.attr), 0);
	assert_int_equal(a.attr.max_wr, d.max_srq_wr);
	assert_int_equal(ibv_destroy_srq(srq), 0);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
}

void domains_work(struct rig *r)
{
	uint8_t in[64] = {0};

	caps_object(r, PRM_OPCODE_ALLOC_TRANSPORT_DOMAIN, in, PRM_ALLOC_TRANSPORT_DOMAIN_IN_BYTES);
}

void event_queues_work(struct rig *r)
{
	struct dvx_channel *channel;

	OK(dvx_channel_open(r->dev, &channel));
	OK(dvx_channel_close(channel));
}

/* Each GID of the table has an advertised version. */
void gids_fit(struct rig *r)
{
	const uint8_t *cap = caps_page(r, PRM_HCA_CAP_TYPE_ROCE);
	struct dvx_gid *list;
	size_t n;

	OK(dvx_dev_gids(r->dev, &list, &n));
	assert_in_range(n, 1, prm_roce_cap_get_roce_address_table_size(cap));
	for (size_t i = 0; i < n; i++)
		assert_int_not_equal(list[i].type, DVX_GID_IB_ROCE_V1);
	dvx_gids_free(list);
}

/* Makes queues as libmlx5 does, with the fewest and the most strides; fewer are refused. */
void striding_works(struct rig *r)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct mlx5dv_context dv = {.comp_mask = MLX5DV_CONTEXT_MASK_STRIDING_RQ};
	struct ibv_cq *cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_wq_init_attr attr = {
		.wq_type = IBV_WQT_RQ, .max_wr = 4, .max_sge = 1, .pd = pd, .cq = cq};
	struct mlx5dv_wq_init_attr strides = {.comp_mask = MLX5DV_WQ_INIT_ATTR_MASK_STRIDING_RQ};
	struct ibv_wq *wq;

	assert_int_equal(mlx5dv_query_device(ctx, &dv), 0);
	strides.striding_rq_attrs.single_stride_log_num_of_bytes =
		dv.striding_rq_caps.max_single_stride_log_num_of_bytes;
	for (uint32_t n = dv.striding_rq_caps.min_single_wqe_log_num_of_strides; n <= 16; n++) {
		strides.striding_rq_attrs.single_wqe_log_num_of_strides = n;
		wq = mlx5dv_create_wq(ctx, &attr, &strides);
		assert_non_null(wq);
		assert_int_equal(ibv_destroy_wq(wq), 0);
	}
	strides.striding_rq_attrs.single_wqe_log_num_of_strides = 2;
	assert_null(mlx5dv_create_wq(ctx, &attr, &strides));
	assert_int_equal(ibv_destroy_cq(cq) | ibv_dealloc_pd(pd), 0);
}

/* Makes a set by DevX, reads and frees it. */
void q_counters_work(struct rig *r)
{
	uint8_t in[PRM_QUERY_Q_COUNTER_IN_BYTES] = {0}, out[PRM_QUERY_Q_COUNTER_OUT_BYTES] = {0};
	struct dvx_obj *obj;

	prm_alloc_q_counter_in_set_opcode(in, PRM_OPCODE_ALLOC_Q_COUNTER);
	OK(dvx_obj_create(r->dev, in, PRM_ALLOC_Q_COUNTER_IN_BYTES, out,
			  PRM_ALLOC_Q_COUNTER_OUT_BYTES, &obj));
	memset(in, 0, sizeof(in));
	prm_query_q_counter_in_set_opcode(in, PRM_OPCODE_QUERY_Q_COUNTER);
	prm_query_q_counter_in_set_counter_set_id(in,
						  prm_alloc_q_counter_out_get_counter_set_id(out));
	OK(dvx_obj_query(obj, in, sizeof(in), out, sizeof(out)));
	assert_int_equal(prm_query_q_counter_out_get_out_of_buffer(out), 0);
	OK(dvx_obj_destroy(obj));
}

/* Two ends agree on version 1 of connection options, and on no option. */
void ece_works(struct rig *r)
{
	struct ibv_context *ctx = dvx_dev_ibv(r->dev);
	struct ibv_cq *cq = ibv_create_cq(ctx, 16, NULL, NULL, 0);
	struct ibv_pd *pd = ibv_alloc_pd(ctx);
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC, .send_cq = cq, .recv_cq = cq, .cap = {1, 1, 1, 1, 0}};
	struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
	struct ibv_qp *qp = ibv_create_qp(pd, &init);
	struct ibv_ece ece;

	assert_non_null(qp);
	assert_int_equal(ibv_query_ece(qp, &ece), 0);
	assert_int_equal(ece.vendor_id, 0x15b3);
	assert_int_equal(ece.options, 0x10000000);
	ece.options |= 6; /* as another vendor's firmware might send it */
	assert_int_equal(ibv_set_ece(qp, &ece), 0);
	assert_int_equal(
		ibv_modify_qp(qp, &attr,
			      IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
		0);
	assert_int_equal(ibv_query_ece(qp, &ece), 0);
	assert_int_equal(ece.options, 0x10000000);
	assert_int_equal(ibv_destroy_qp(qp) | ibv_destroy_cq(cq) | ibv_dealloc_pd(pd), 0);
}
