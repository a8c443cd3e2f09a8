/* SPDX-License-Identifier: BSD-2-Clause */
/* RSS QPs: a TIR that spreads packets over a table of receive WQs. It takes no posts. */
#include <errno.h>
#include <string.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/eth.h>
#include "kernel/core/cmd.h"
#include "qp.h"

#define KEY_BYTES 40u

/* mlx5-abi.h's hash fields in PRM terms; a TIR hashes one IP version and one layer 4 protocol. */
static const struct rss_field {
	uint64_t flag;
	uint32_t selected;
	int8_t ipv6, udp; /* -1: any */
} fields[] = {
	{MLX5_RX_HASH_SRC_IPV4, 1, 0, -1},     {MLX5_RX_HASH_DST_IPV4, 2, 0, -1},
	{MLX5_RX_HASH_SRC_IPV6, 1, 1, -1},     {MLX5_RX_HASH_DST_IPV6, 2, 1, -1},
	{MLX5_RX_HASH_SRC_PORT_TCP, 4, -1, 0}, {MLX5_RX_HASH_DST_PORT_TCP, 8, -1, 0},
	{MLX5_RX_HASH_SRC_PORT_UDP, 4, -1, 1}, {MLX5_RX_HASH_DST_PORT_UDP, 8, -1, 1},
};

struct selection {
	uint32_t selected;
	bool kinds_ip[2], kinds_l4[2];
};

static uint64_t select_fields(uint64_t mask, struct selection *s)
{
	*s = (struct selection){0};
	for (unsigned int i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (!(mask & fields[i].flag))
			continue;
		mask &= ~fields[i].flag;
		s->selected |= fields[i].selected;
		if (fields[i].ipv6 >= 0)
			s->kinds_ip[fields[i].ipv6] = true;
		if (fields[i].udp >= 0)
			s->kinds_l4[fields[i].udp] = true;
	}
	return mask;
}

int rss_check(const struct qp_plan *p)
{
	const struct mlx5_ib_create_qp_rss *r = &p->rss;
	struct selection s;
	uint64_t unknown = select_fields(r->rx_hash_fields_mask, &s);

	if (r->comp_mask || r->flags & ~(uint32_t)(MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_UC |
						   MLX5_QP_FLAG_TIR_ALLOW_SELF_LB_MC))
		return refuse(-EOPNOTSUPP,
			      "CREATE_QP: RSS: comp_mask 0x%x, flags 0x%x: this device offers none",
			      r->comp_mask, r->flags);
	if (p->cap.max_send_wr || p->cap.max_recv_wr || p->cap.max_recv_sge)
		return refuse(-EINVAL,
			      "CREATE_QP: RSS: max_send_wr %u, max_recv_wr %u, max_recv_sge %u: it "
			      "has no queues of its own",
			      p->cap.max_send_wr, p->cap.max_recv_wr, p->cap.max_recv_sge);
	if (r->rx_hash_function != MLX5_RX_HASH_FUNC_TOEPLITZ || r->rx_key_len != KEY_BYTES)
		return refuse(r->rx_hash_function == MLX5_RX_HASH_FUNC_TOEPLITZ ? -EINVAL
										: -EOPNOTSUPP,
			      "CREATE_QP: RSS: rx_hash_function %u, rx_key_len %u: only 1 "
			      "(Toeplitz) with a key of %u bytes",
			      r->rx_hash_function, r->rx_key_len, KEY_BYTES);
	if (!r->rx_hash_fields_mask && p->table->n == 1)
		return 0;
	if (unknown)
		return refuse(-EOPNOTSUPP,
			      "CREATE_QP: RSS: rx_hash_fields_mask: bits 0x%llx are not offered",
			      (unsigned long long)unknown);
	if (!s.selected || (s.kinds_ip[0] && s.kinds_ip[1]) || (s.kinds_l4[0] && s.kinds_l4[1]))
		return refuse(-EINVAL,
			      "CREATE_QP: RSS: rx_hash_fields_mask 0x%llx: fields of IPv4 or IPv6, "
			      "of TCP or UDP",
			      (unsigned long long)r->rx_hash_fields_mask);
	return 0;
}

/* Sets the hash function. It is not symmetric: mlx5_ib requested that only before 5.3. */
static void uverbs_rss_set_hash(void *tirc, const struct mlx5_ib_create_qp_rss *r)
{
	void *outer = prm_tirc_at_rx_hash_field_selector_outer(tirc);
	struct selection s;

	(void)select_fields(r->rx_hash_fields_mask, &s);
	prm_tirc_set_rx_hash_fn(tirc, PRM_RX_HASH_FN_TOEPLITZ);
	memcpy(prm_tirc_at_rx_hash_toeplitz_key(tirc), r->rx_hash_key, KEY_BYTES);
	prm_rx_hash_field_select_set_l3_prot_type(outer, s.kinds_ip[1]);
	prm_rx_hash_field_select_set_l4_prot_type(outer, s.kinds_l4[1]);
	prm_rx_hash_field_select_set_selected_fields(outer, s.selected);
}

int rss_qp_create(struct uverbs_qp *qp, const struct qp_plan *p)
{
	uint8_t in[PRM_CREATE_TIR_IN_BYTES] = {0};
	void *tirc = prm_create_tir_in_at_ctx(in);

	mbox_begin(in, PRM_OPCODE_CREATE_TIR, qp->q.u.uid);
	prm_tirc_set_disp_type(tirc, PRM_TIRC_DISP_TYPE_INDIRECT);
	prm_tirc_set_indirect_table(tirc, p->table->u.number);
	prm_tirc_set_transport_domain(tirc, qp->q.u.file->tdn);
	uverbs_rss_set_hash(tirc, &p->rss);
	return raw_tir_create(qp, in);
}
