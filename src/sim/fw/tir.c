/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Destinations of received packets: TIRs, and the RQ tables (RQTs) that spread packets over queues.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "obj/icm.h"
#include "obj/raw_queue.h"
#include "obj/tir.h"

#define RQT_LIST_AT PRM_CREATE_RQT_IN_BYTES /* of CREATE and MODIFY alike */
#define RQ_NUM	    PRM_RQ_NUM_BYTES
/* Bytes of the Toeplitz key and of the two field selectors behind it, in tirc. */
#define HASH_BYTES ((0x2c0 - 0x140) / 8)
/* Known bits of MODIFY's bitmask: the list for RQTs; merging, table, hash and loopback for TIRs. */
#define RQT_BITS   0x1u
#define TIR_BITS   0x17u
#define FIELDS_ALL 0x1fu /* addresses, ports, SPI */

/* Refuses unknown bits of MODIFY's bitmask. [I] They select fields that can't be changed. */
static int fw_tir_check_bits(struct fw_cmd *c, const void *bitmask, uint64_t known)
{
	uint64_t bits = prm_load64(bitmask, 0);

	if (bits & ~known)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "bitmask 0x%" PRIx64 ": only bits within 0x%" PRIx64
				 " can be modified",
				 bits, known);
	return 0;
}

/* --- RQ tables -------------------------------------------------------------------------------- */

static void put_list(struct raw_rq **rq, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		obj_put(&rq[i]->q.o);
	free(rq);
}

static int check_rqtc(struct fw_cmd *c, const void *rqtc, uint32_t max)
{
	uint32_t n = prm_rqtc_get_rqt_actual_size(rqtc);

	if (prm_rqtc_get_list_q_type(rqtc) || prm_rqtc_get_rq_vhca_id_format(rqtc))
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "rqtc.list_q_type or rq_vhca_id_format is set: a table holds this "
				 "function's RQs");
	/* [I] drivers create only powers of two; the hash indexes by its low bits */
	if (!n || n & (n - 1) || n > max)
		return fw_refuse(c, FW_SYN_SIZE,
				 "rqtc.rqt_actual_size %u is no power of two up to %u", n, max);
	if (c->in_len < RQT_LIST_AT + n * RQ_NUM)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "rqt_actual_size is %u, the mailbox of %zu bytes holds %zu", n,
				 c->in_len, (c->in_len - RQT_LIST_AT) / RQ_NUM);
	return fw_nothing_after(c, RQT_LIST_AT + n * RQ_NUM);
}

/* Takes a reference to each queue of the list; on refusal to none. */
static struct raw_rq **fw_tir_take_list(struct fw_cmd *c, uint32_t n)
{
	const uint8_t *list = (const uint8_t *)c->in + RQT_LIST_AT;
	struct raw_rq **rq = calloc(n, sizeof(struct raw_rq *));

	if (!rq) {
		fw_refuse(c, FW_SYN_MEMORY, "no memory for %u queues", n);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++) {
		rq[i] = fw_take(c, OBJ_RQ, prm_rq_num_get_rq_num(list + i * RQ_NUM), "rqtc.rq_num");
		if (!rq[i]) {
			put_list(rq, i);
			return NULL;
		}
	}
	return rq;
}

int fw_create_rqt(struct fw_cmd *c)
{
	const void *rqtc = prm_create_rqt_in_cat_rqt_context(c->in);
	uint32_t max = prm_rqtc_get_rqt_max_size(rqtc), n = prm_rqtc_get_rqt_actual_size(rqtc);
	struct rqt *rqt;

	if (max > 1u << VHCA_LOG_MAX_RQT_SZ)
		return fw_refuse(c, FW_SYN_SIZE,
				 "rqtc.rqt_max_size %u is more than 1 << cap.log_max_rqt_size (%u)",
				 max, 1u << VHCA_LOG_MAX_RQT_SZ);
	if (check_rqtc(c, rqtc, max))
		return -1;
	rqt = fw_new(c, OBJ_RQT, sizeof(*rqt));
	if (!rqt)
		return -1;
	rqt->max = (uint16_t)max;
	rqt->rq = fw_tir_take_list(c, n);
	rqt->n = rqt->rq ? (uint16_t)n : 0;
	return fw_made(c, &rqt->o, !rqt->rq);
}

int fw_modify_rqt(struct fw_cmd *c)
{
	struct rqt *rqt = c->obj;
	const void *rqtc = prm_modify_rqt_in_cat_ctx(c->in);
	uint32_t n = prm_rqtc_get_rqt_actual_size(rqtc);
	struct raw_rq **rq;

	if (fw_tir_check_bits(c, prm_modify_rqt_in_cat_bitmask(c->in), RQT_BITS))
		return -1;
	if (!prm_rqt_bitmask_get_rqn_list(prm_modify_rqt_in_cat_bitmask(c->in)))
		return 0;
	if (check_rqtc(c, rqtc, rqt->max))
		return -1;
	rq = fw_tir_take_list(c, n);
	if (!rq)
		return -1;
	put_list(rqt->rq, rqt->n);
	rqt->rq = rq;
	rqt->n = (uint16_t)n;
	return 0;
}

int fw_query_rqt(struct fw_cmd *c)
{
	const struct rqt *rqt = c->obj;
	uint8_t *list = (uint8_t *)c->out + PRM_QUERY_RQT_OUT_BYTES;
	void *rqtc = prm_query_rqt_out_at_rqt_context(c->out);

	if (c->out_len < PRM_QUERY_RQT_OUT_BYTES + (size_t)rqt->n * RQ_NUM)
		return fw_refuse(c, FW_SYN_OUT_SHORT,
				 "the table has %u queues, the reply mailbox of %zu bytes has no "
				 "room for them",
				 rqt->n, c->out_len);
	prm_rqtc_set_rqt_max_size(rqtc, rqt->max);
	prm_rqtc_set_rqt_actual_size(rqtc, rqt->n);
	for (unsigned int i = 0; i < rqt->n; i++)
		prm_rq_num_set_rq_num(list + i * RQ_NUM, rqt->rq[i]->q.o.id);
	return 0;
}

void fw_rqt_free(struct obj *o)
{
	struct rqt *rqt = (struct rqt *)o;

	put_list(rqt->rq, rqt->n);
	obj_free(o);
}

/* --- TIRs ------------------------------------------------------------------------------------- */

/*
 * Checks the hash. Without one, all packets go to the table's first queue: mlx5_ib creates such
 * TIRs.
 */
static int check_hash(struct fw_cmd *c, const void *tirc)
{
	const void *outer = prm_tirc_cat_rx_hash_field_selector_outer(tirc);
	unsigned int fn = prm_tirc_get_rx_hash_fn(tirc);

	if (fn > PRM_RX_HASH_FN_TOEPLITZ)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "tirc.rx_hash_fn %u: there are 0 (none), 1 (inverted XOR8) and 2 "
				 "(Toeplitz)",
				 fn);
	if (prm_rx_hash_field_select_get_selected_fields(outer) & ~FIELDS_ALL)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "tirc.rx_hash_field_selector_outer 0x%x: there are addresses, "
				 "ports and the SPI (0x1f)",
				 prm_rx_hash_field_select_get_selected_fields(outer));
	if (prm_rx_hash_field_select_get_selected_fields(
		    prm_tirc_cat_rx_hash_field_selector_inner(tirc)))
		return fw_refuse(
			c, FW_SYN_CAP_CLEAR,
			"tirc.rx_hash_field_selector_inner is set, but no cap.tunnel_* is");
	return 0;
}

static int check_tirc(struct fw_cmd *c, const void *tirc)
{
	if (prm_tirc_get_disp_type(tirc) > PRM_TIRC_DISP_TYPE_INDIRECT)
		return fw_refuse(c, FW_SYN_RESERVED,
				 "tirc.disp_type %u is neither 0 (direct) nor 1 (indirect)",
				 prm_tirc_get_disp_type(tirc));
	if (prm_tirc_get_tls_en(tirc))
		return fw_refuse(c, FW_SYN_CAP_CLEAR, "tirc.tls_en is set, but cap.tls_rx is 0");
	if (prm_tirc_get_packet_merge_mask(tirc))
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "tirc.packet_merge_mask 0x%x is set, but cap.lro_cap is 0",
				 prm_tirc_get_packet_merge_mask(tirc));
	if (prm_tirc_get_tunneled_offload_en(tirc))
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "tirc.tunneled_offload_en is set, but no cap.tunnel_* is");
	return check_hash(c, tirc);
}

static void fw_tir_set_hash(struct tir *tir, const void *tirc)
{
	const void *outer = prm_tirc_cat_rx_hash_field_selector_outer(tirc);

	tir->hash_fn = (uint8_t)prm_tirc_get_rx_hash_fn(tirc);
	tir->symmetric = prm_tirc_get_rx_hash_symmetric(tirc);
	memcpy(tir->key, prm_tirc_cat_rx_hash_toeplitz_key(tirc), sizeof(tir->key));
	tir->outer = (struct tir_fields){
		.ipv6 = prm_rx_hash_field_select_get_l3_prot_type(outer),
		.udp = prm_rx_hash_field_select_get_l4_prot_type(outer),
		.selected = prm_rx_hash_field_select_get_selected_fields(outer),
	};
}

static int take_target(struct fw_cmd *c, const void *tirc, struct tir *tir)
{
	if (prm_tirc_get_disp_type(tirc) == PRM_TIRC_DISP_TYPE_INDIRECT) {
		tir->rqt = fw_take(c, OBJ_RQT, prm_tirc_get_indirect_table(tirc),
				   "tirc.indirect_table");
		return tir->rqt ? 0 : -1;
	}
	tir->rq = fw_take(c, OBJ_RQ, prm_tirc_get_inline_rqn(tirc), "tirc.inline_rqn");
	return tir->rq ? 0 : -1;
}

void fw_tir_free(struct obj *o)
{
	struct tir *tir = (struct tir *)o;

	obj_put(tir->rq);
	obj_put(tir->rqt);
	obj_put(tir->td);
	obj_free(o);
}

static int fw_tir_take(struct fw_cmd *c, const void *tirc, struct tir *tir)
{
	uint32_t td = prm_tirc_get_transport_domain(tirc);

	/*
	 * 0 means none: rdma-core's test_mlx5_dr.py (test_dest_tir) creates such TIRs on hardware.
	 */
	tir->td = td ? fw_take(c, OBJ_TD, td, "tirc.transport_domain") : NULL;
	if (td && !tir->td)
		return -1;
	fw_tir_set_hash(tir, tirc);
	memcpy(tir->tirc, tirc, sizeof(tir->tirc));
	return take_target(c, tirc, tir);
}

int fw_create_tir(struct fw_cmd *c)
{
	const void *tirc = prm_create_tir_in_cat_ctx(c->in);
	struct tir *tir = check_tirc(c, tirc) ? NULL : fw_new(c, OBJ_TIR, sizeof(*tir));
	uint64_t icm;

	if (!tir || fw_made(c, &tir->o, fw_tir_take(c, tirc, tir)))
		return -1;
	icm = icm_addr(ICM_TIR, tir->o.id);
	prm_create_tir_out_set_icm_address_63_40(c->out, (uint32_t)(icm >> 40));
	prm_create_tir_out_set_icm_address_39_32(c->out, icm >> 32 & 0xff);
	prm_create_tir_out_set_icm_address_31_0(c->out, (uint32_t)icm);
	return 0;
}

/* Sets *rqt to the TIR's new table, without a reference; NULL if it keeps its old one. */
static int fw_tir_find_table(struct fw_cmd *c, const struct tir *tir, struct rqt **rqt)
{
	uint32_t id = prm_tirc_get_indirect_table(prm_modify_tir_in_cat_ctx(c->in));

	*rqt = NULL;
	if (!prm_modify_tir_bitmask_get_indirect_table(prm_modify_tir_in_cat_bitmask(c->in)))
		return 0;
	if (!tir->rqt)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "bitmask asks for tirc.indirect_table, tirn 0x%x is direct",
				 tir->o.id);
	*rqt = fw_find(c, OBJ_RQT, id, "tirc.indirect_table");
	return *rqt ? 0 : -1;
}

static void change_table(struct tir *tir, struct rqt *rqt)
{
	obj_get(&rqt->o);
	obj_put(&tir->rqt->o);
	tir->rqt = rqt;
	prm_tirc_set_indirect_table(tir->tirc, rqt->o.id);
}

/*
 * Changes a TIR. self_lb_block has no effect: packets that come back do so by the wire
 * (doc/design/0030).
 */
static void fw_tir_modify(struct tir *tir, const void *tirc, const void *mask)
{
	if (prm_modify_tir_bitmask_get_self_lb_en(mask))
		prm_tirc_set_self_lb_block(tir->tirc, prm_tirc_get_self_lb_block(tirc));
	if (!prm_modify_tir_bitmask_get_hash(mask))
		return;
	fw_tir_set_hash(tir, tirc);
	prm_tirc_set_rx_hash_fn(tir->tirc, tir->hash_fn);
	prm_tirc_set_rx_hash_symmetric(tir->tirc, tir->symmetric);
	memcpy(prm_tirc_at_rx_hash_toeplitz_key(tir->tirc), prm_tirc_cat_rx_hash_toeplitz_key(tirc),
	       HASH_BYTES);
}

int fw_modify_tir(struct fw_cmd *c)
{
	struct tir *tir = c->obj;
	const void *tirc = prm_modify_tir_in_cat_ctx(c->in);
	const void *mask = prm_modify_tir_in_cat_bitmask(c->in);
	struct rqt *rqt;

	if (fw_tir_check_bits(c, mask, TIR_BITS) || fw_tir_find_table(c, tir, &rqt))
		return -1;
	if (prm_modify_tir_bitmask_get_packet_merge(mask) && prm_tirc_get_packet_merge_mask(tirc))
		return fw_refuse(c, FW_SYN_CAP_CLEAR,
				 "tirc.packet_merge_mask is set, but cap.lro_cap is 0");
	if (prm_modify_tir_bitmask_get_hash(mask) && check_hash(c, tirc))
		return -1;
	if (rqt)
		change_table(tir, rqt);
	fw_tir_modify(tir, tirc, mask);
	return 0;
}

int fw_query_tir(struct fw_cmd *c)
{
	const struct tir *tir = c->obj;

	memcpy(prm_query_tir_out_at_tir_context(c->out), tir->tirc, sizeof(tir->tirc));
	return 0;
}
