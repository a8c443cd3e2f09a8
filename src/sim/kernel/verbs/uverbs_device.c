/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports the device's attributes, as ib_uverbs and mlx5_ib derive them from its capabilities.
 */
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "kernel/core/cmd.h"
#include "priv.h"
#include "qp.h"
#include "obj/device.h"
#include "obj/rep.h"

#define VENDOR_MELLANOX 0x02c9
#define PAGE		4096ull
#define CTRL_SEG	16u
#define RADDR_SEG	16u
#define DATA_SEG	16u
#define MAX_SQ_DESC	512u /* mlx5_ib uses at most these bytes of a WQE */
#define MAX_SGE_RD	30u
/* enum ib_odp_general_cap_bits and ib_odp_transport_cap_bits */
enum { ODP_SUPPORT = 1 << 0, ODP_SUPPORT_IMPLICIT = 1 << 1 };
enum {
	ODP_SEND = 1 << 0,
	ODP_RECV = 1 << 1,
	ODP_WRITE = 1 << 2,
	ODP_READ = 1 << 3,
	ODP_ATOMIC = 1 << 4,
	ODP_SRQ_RECV = 1 << 5,
};
#define ATOMIC_HCA    1u      /* enum ib_atomic_cap: atomic with regard to this device */
#define MAX_CQ_COUNT  0xffffu /* largest cqc.cq_max_count and cq_period */
#define MAX_CQ_PERIOD 0xfffu

static uint64_t fw_version(const char *text)
{
	unsigned int major = 0, minor = 0, sub = 0;

	if (sscanf(text, "%u.%u.%u", &major, &minor, &sub) != 3)
		return 0;
	return (uint64_t)major << 32 | (uint64_t)minor << 16 | sub;
}

static uint32_t max_sge(const uint8_t *cap)
{
	uint32_t sq = prm_cmd_hca_cap_get_max_wqe_sz_sq(cap);
	uint32_t rq = prm_cmd_hca_cap_get_max_wqe_sz_rq(cap) / DATA_SEG;

	if (sq > MAX_SQ_DESC)
		sq = MAX_SQ_DESC;
	sq = (sq - CTRL_SEG - RADDR_SEG) / DATA_SEG;
	return sq < rq ? sq : rq;
}

/* Fills in the attributes of QUERY_DEVICE. Multicast fields stay 0. */
static void uverbs_device_fill(const struct uverbs_file *f, struct ib_uverbs_query_device_resp *r)
{
	const uint8_t *cap = file_caps(f);
	const struct profile *p = f->vhca->dev->profile;

	*r = (struct ib_uverbs_query_device_resp){
		.fw_ver = fw_version(p->fw_ver),
		.node_guid = htobe64(f->vhca->guid),
		.sys_image_guid = htobe64(f->k->dev->vhca[0].guid),
		.max_mr_size = UINT64_MAX,
		.page_size_cap = ~(PAGE - 1),
		.vendor_id = VENDOR_MELLANOX,
		.vendor_part_id = vhca_pci_device(f->vhca),
		.max_qp = 1u << prm_cmd_hca_cap_get_log_max_qp(cap),
		.max_qp_wr = 1u << prm_cmd_hca_cap_get_log_max_qp_sz(cap),
		.device_cap_flags =
			IB_UVERBS_DEVICE_CHANGE_PHY_PORT | IB_UVERBS_DEVICE_PORT_ACTIVE_EVENT |
			IB_UVERBS_DEVICE_SYS_IMAGE_GUID | IB_UVERBS_DEVICE_RC_RNR_NAK_GEN |
			IB_UVERBS_DEVICE_RAW_IP_CSUM | IB_UVERBS_DEVICE_MEM_WINDOW |
			IB_UVERBS_DEVICE_MANAGED_FLOW_STEERING |
			(prm_cmd_hca_cap_get_xrc(cap) ? IB_UVERBS_DEVICE_XRC : 0u) |
			IB_UVERBS_DEVICE_MEM_WINDOW_TYPE_2B | IB_UVERBS_DEVICE_MEM_MGT_EXTENSIONS,
		.max_sge = max_sge(cap),
		.max_sge_rd = MAX_SGE_RD,
		.max_cq = 1u << prm_cmd_hca_cap_get_log_max_cq(cap),
		.max_cqe = (1u << prm_cmd_hca_cap_get_log_max_cq_sz(cap)) - 1,
		.max_mr = 1u << prm_cmd_hca_cap_get_log_max_mkey(cap),
		.max_mw = 1u << prm_cmd_hca_cap_get_log_max_mkey(cap),
		.max_pd = 1u << prm_cmd_hca_cap_get_log_max_pd(cap),
		.max_qp_rd_atom = 1u << prm_cmd_hca_cap_get_log_max_ra_req_qp(cap),
		.max_qp_init_rd_atom = 1u << prm_cmd_hca_cap_get_log_max_ra_res_qp(cap),
		.max_res_rd_atom = 1u << (prm_cmd_hca_cap_get_log_max_ra_req_qp(cap) +
					  prm_cmd_hca_cap_get_log_max_qp(cap)),
		.atomic_cap = ATOMIC_HCA,
		.max_mcast_grp = 1u << prm_cmd_hca_cap_get_log_max_mcg(cap),
		.max_mcast_qp_attach = prm_cmd_hca_cap_get_max_qp_mcg(cap),
		.max_total_mcast_qp_attach = prm_cmd_hca_cap_get_max_qp_mcg(cap)
					     << prm_cmd_hca_cap_get_log_max_mcg(cap),
		.max_ah = INT32_MAX,
		.max_srq = 1u << prm_cmd_hca_cap_get_log_max_srq(cap),
		.max_srq_wr = (1u << prm_cmd_hca_cap_get_log_max_srq_sz(cap)) - 1,
		.max_srq_sge = prm_cmd_hca_cap_get_max_wqe_sz_rq(cap) / DATA_SEG - 1,
		.max_pkeys = 1,
		.local_ca_ack_delay = (uint8_t)prm_cmd_hca_cap_get_local_ca_ack_delay(cap),
		.phys_port_cnt = (uint8_t)vhca_ports(f->vhca),
	};
}

int wcmd_query_device(struct wcmd *c)
{
	struct ib_uverbs_query_device_resp r;

	uverbs_device_fill(c->f, &r);
	wcmd_out(c, &r, sizeof(r));
	return 0;
}

#define QPT_RAW_PACKET (1u << 8) /* enum ib_qp_type, as a bit */

static void fill_compression(const uint8_t *cap, struct mlx5_ib_query_device_resp *r)
{
	if (prm_cmd_hca_cap_get_cqe_compression_128(cap))
		r->flags |= MLX5_IB_QUERY_DEV_RESP_FLAGS_CQE_128B_COMP;
	if (!prm_cmd_hca_cap_get_cqe_compression(cap))
		return;
	r->cqe_comp_caps.max_num = prm_cmd_hca_cap_get_cqe_compression_max_num(cap);
	r->cqe_comp_caps.supported_format =
		MLX5_IB_CQE_RES_FORMAT_HASH | MLX5_IB_CQE_RES_FORMAT_CSUM;
	if (prm_cmd_hca_cap_get_mini_cqe_resp_stride_index(cap))
		r->cqe_comp_caps.supported_format |= MLX5_IB_CQE_RES_FORMAT_CSUM_STRIDX;
}

static void fill_pacing(const struct uverbs_file *f, struct mlx5_ib_query_device_resp *r)
{
	const uint8_t *cap = file_cap_page(f, CAP_QOS);

	if (!prm_qos_cap_get_packet_pacing(cap))
		return;
	r->packet_pacing_caps.qp_rate_limit_min = prm_qos_cap_get_packet_pacing_min_rate(cap);
	r->packet_pacing_caps.qp_rate_limit_max = prm_qos_cap_get_packet_pacing_max_rate(cap);
	r->packet_pacing_caps.supported_qpts = QPT_RAW_PACKET;
	if (prm_qos_cap_get_packet_pacing_burst_bound(cap) &&
	    prm_qos_cap_get_packet_pacing_typical_size(cap))
		r->packet_pacing_caps.cap_flags = MLX5_IB_PP_SUPPORT_BURST;
}

/* Fills in the limits of TSO, as mlx5_ib does. */
static void fill_large_sends(const struct uverbs_file *f, struct mlx5_ib_query_device_resp *r)
{
	const uint8_t *cap = file_cap_page(f, CAP_ETHERNET);
	uint32_t most = prm_per_protocol_networking_offload_caps_get_max_lso_cap(cap);

	if (!most)
		return;
	r->tso_caps.max_tso = 1u << most;
	r->tso_caps.supported_qpts = QPT_RAW_PACKET;
}

static void fill_strides(struct mlx5_ib_query_device_resp *r, const uint8_t *cap)
{
	if (!prm_cmd_hca_cap_get_striding_rq(cap))
		return;
	r->striding_rq_caps = (struct mlx5_ib_striding_rq_caps){
		.min_single_stride_log_num_of_bytes = RAW_LOG_STRIDE_LEAST,
		.max_single_stride_log_num_of_bytes = RAW_LOG_STRIDE_MOST,
		.min_single_wqe_log_num_of_strides = RAW_LOG_STRIDES_LEAST,
		.max_single_wqe_log_num_of_strides = RAW_LOG_STRIDES_MOST,
		.supported_qpts = QPT_RAW_PACKET,
	};
}

/* Answers libmlx5's part, which libmlx5 requires. Missing offloads are 0. */
static int uverbs_device_answer_uhw(struct wcmd *c)
{
	const struct uverbs_attr *in = attr_find(c->req, UVERBS_ATTR_UHW_IN);
	const struct uverbs_attr *out = attr_find(c->req, UVERBS_ATTR_UHW_OUT);
	struct mlx5_ib_query_device_resp r = {
		.response_length = sizeof(r),
		.rss_caps.rx_hash_function = MLX5_RX_HASH_FUNC_TOEPLITZ,
		.rss_caps.rx_hash_fields_mask =
			MLX5_RX_HASH_SRC_IPV4 | MLX5_RX_HASH_DST_IPV4 | MLX5_RX_HASH_SRC_IPV6 |
			MLX5_RX_HASH_DST_IPV6 | MLX5_RX_HASH_SRC_PORT_TCP |
			MLX5_RX_HASH_DST_PORT_TCP | MLX5_RX_HASH_SRC_PORT_UDP |
			MLX5_RX_HASH_DST_PORT_UDP,
	};

	if (prm_cmd_hca_cap_get_cqe_128_always(file_caps(c->f)))
		r.flags |= MLX5_IB_QUERY_DEV_RESP_FLAGS_CQE_128B_PAD;
	fill_compression(file_caps(c->f), &r);
	fill_pacing(c->f, &r);
	fill_large_sends(c->f, &r);
	fill_strides(&r, file_caps(c->f));
	if (prm_per_protocol_networking_offload_caps_get_enhanced_multi_pkt_send_wqe(
		    file_cap_page(c->f, CAP_ETHERNET)))
		r.mlx5_ib_support_multi_pkt_send_wqes = MLX5_IB_SUPPORT_EMPW;
	r.flags |= MLX5_IB_QUERY_DEV_RESP_FLAGS_SCAT2CQE_DCT; /* unconditional, as in mlx5_ib */
	r.dci_streams_caps.max_log_num_concurent =
		(uint8_t)prm_cmd_hca_cap_get_log_max_dci_stream_channels(file_caps(c->f));
	r.dci_streams_caps.max_log_num_errored =
		(uint8_t)prm_cmd_hca_cap_get_log_max_dci_errored_streams(file_caps(c->f));
	for (uint32_t i = 0; in && i < in->len; i++)
		if (in->in[i])
			return refuse(-EINVAL, "EX_QUERY_DEVICE: UHW_IN has bytes that are not 0");
	if (!out || !out->len)
		return 0;
	if (out->len < offsetof(struct mlx5_ib_query_device_resp, tso_caps))
		return refuse(-EINVAL, "EX_QUERY_DEVICE: UHW_OUT has %u bytes, its header needs 8",
			      out->len);
	if (out->len < r.response_length)
		r.response_length = out->len;
	attr_out(c->req, UVERBS_ATTR_UHW_OUT, &r, sizeof(r));
	return 0;
}

static void fill_raw(const uint8_t *cap, struct ib_uverbs_ex_query_device_resp *r)
{
	r->rss_caps.supported_qpts = QPT_RAW_PACKET;
	r->rss_caps.max_rwq_indirection_tables = 1u << prm_cmd_hca_cap_get_log_max_rqt(cap);
	r->rss_caps.max_rwq_indirection_table_size = 1u
						     << prm_cmd_hca_cap_get_log_max_rqt_size(cap);
	r->max_wq_type_rq = 1u << prm_cmd_hca_cap_get_log_max_rq(cap);
	r->raw_packet_caps =
		IB_UVERBS_RAW_PACKET_CAP_CVLAN_STRIPPING | IB_UVERBS_RAW_PACKET_CAP_IP_CSUM;
}

static void fill_dm(const struct uverbs_file *f, struct ib_uverbs_ex_query_device_resp *r)
{
	const uint8_t *page = file_cap_page(f, CAP_DEV_MEM);

	if (prm_device_mem_cap_get_memic(page))
		r->max_dm_size = prm_device_mem_cap_get_max_memic_size(page);
}

static uint32_t odp_bits(const void *cap)
{
	return (prm_odp_per_transport_service_cap_get_send(cap) ? ODP_SEND : 0) |
	       (prm_odp_per_transport_service_cap_get_receive(cap) ? ODP_RECV : 0) |
	       (prm_odp_per_transport_service_cap_get_write(cap) ? ODP_WRITE : 0) |
	       (prm_odp_per_transport_service_cap_get_read(cap) ? ODP_READ : 0) |
	       (prm_odp_per_transport_service_cap_get_atomic(cap) ? ODP_ATOMIC : 0) |
	       (prm_odp_per_transport_service_cap_get_srq_receive(cap) ? ODP_SRQ_RECV : 0);
}

/* Follows mlx5_ib's internal_fill_odp_caps(). */
static void fill_odp_caps(const struct uverbs_file *f, struct ib_uverbs_ex_query_device_resp *r)
{
	const uint8_t *cap = file_caps(f);
	const uint8_t *page = file_cap_page(f, CAP_ODP);
	const void *scheme = prm_odp_cap_cat_transport_page_fault_scheme_cap(page);

	if (!prm_cmd_hca_cap_get_pg(cap))
		return;
	r->odp_caps.general_caps = ODP_SUPPORT;
	if (prm_cmd_hca_cap_get_fixed_buffer_size(cap) && prm_cmd_hca_cap_get_null_mkey(cap) &&
	    prm_cmd_hca_cap_get_umr_extended_translation_offset(cap))
		r->odp_caps.general_caps |= ODP_SUPPORT_IMPLICIT;
	r->odp_caps.per_transport_caps.rc_odp_caps =
		odp_bits(prm_odp_scheme_cap_cat_rc_odp_caps(scheme));
	r->odp_caps.per_transport_caps.ud_odp_caps =
		odp_bits(prm_odp_scheme_cap_cat_ud_odp_caps(scheme));
	r->xrc_odp_caps = odp_bits(prm_odp_scheme_cap_cat_xrc_odp_caps(scheme));
}

int wcmd_query_device_ex(struct wcmd *c)
{
	const struct ib_uverbs_ex_query_device *in = c->in;
	struct ib_uverbs_ex_query_device_resp r = {.response_length = sizeof(r)};
	int err;

	if (in->comp_mask)
		return refuse(-EINVAL, "EX_QUERY_DEVICE: comp_mask 0x%x is not known",
			      in->comp_mask);
	if (in->reserved)
		return refuse(-EINVAL, "EX_QUERY_DEVICE: reserved is not 0");
	err = uverbs_device_answer_uhw(c);
	if (err)
		return err;
	uverbs_device_fill(c->f, &r.base);
	r.device_cap_flags_ex = r.base.device_cap_flags;
	r.timestamp_mask = INT64_MAX;
	fill_raw(file_caps(c->f), &r);
	if (prm_cmd_hca_cap_get_cq_moderation(file_caps(c->f))) {
		r.cq_moderation_caps.max_cq_moderation_count = MAX_CQ_COUNT;
		r.cq_moderation_caps.max_cq_moderation_period = MAX_CQ_PERIOD;
	}
	fill_odp_caps(c->f, &r);
	fill_dm(c->f, &r);
	r.hca_core_clock = prm_cmd_hca_cap_get_device_frequency_khz(file_caps(c->f));
	if (c->out_len < r.response_length)
		r.response_length = (uint32_t)c->out_len;
	wcmd_out(c, &r, sizeof(r));
	return 0;
}
