/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GENERATE_WQE: the firmware writes or removes a rule of a rule table whose rules have definers of
 * their own, or ranges. The reply has the completion that a WQE would have. [I] All checks here.
 */
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/hws.h>
#include <dvx/prm/wqe.h>
#include "cmd.h"
#include "obj/device.h"
#include "obj/rtc.h"
#include "steer/rules/select.h"
#include "steer/ste/definer.h"

#define GENERATE_PARTS	2u /* entries of a rule */
#define GENERATE_DS	8u /* of a WQE with one */
#define GENERATE_FAILED (1u << 31)
#define GENERATE_KEY_AT (SELECT_BYTES - RULE_TAG_BYTES) /* entries of 8 dwords have short tags */

struct generate {
	struct rtc *table;
	struct rtc_rule part[GENERATE_PARTS]; /* the last one has the templates */
	uint8_t key[SELECT_BYTES];
};

static int generate_check_wqe(struct fw_cmd *c)
{
	const void *wqe = prm_generate_wqe_in_cat_wqe_ctrl(c->in);
	const uint8_t *gta = prm_generate_wqe_in_cat_wqe_gta_ctrl(c->in);

	if (!c->vhca->dev->profile->rules_by_wqe)
		return fw_refuse(c, FW_SYN_CAP_CLEAR, "cap_2.generate_wqe_type is 0");
	if (prm_wqe_ctrl_seg_get_opcode(wqe) != PRM_WQE_OPCODE_FLOW_TBL_ACCESS ||
	    prm_wqe_ctrl_seg_get_opmod(wqe) != PRM_GTA_OPMOD_STE)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "wqe_ctrl.opcode 0x%x, opmod %u: only entries of rule tables "
				 "(0x2c, 0) are written",
				 prm_wqe_ctrl_seg_get_opcode(wqe), prm_wqe_ctrl_seg_get_opmod(wqe));
	if (prm_wqe_gta_ctrl_seg_get_op(gta) > PRM_GTA_OP_DEACTIVATE ||
	    prm_wqe_gta_ctrl_seg_get_stcs(gta) >= RULE_STCS)
		return fw_refuse(c, FW_SYN_RESERVED,
				 "wqe_gta_ctrl.op %u is neither 0 (activate) nor 1 (deactivate), "
				 "or stcs %u is over 4",
				 prm_wqe_gta_ctrl_seg_get_op(gta),
				 prm_wqe_gta_ctrl_seg_get_stcs(gta));
	return 0;
}

static int generate_find_table(struct fw_cmd *c, struct generate *g)
{
	const void *wqe = prm_generate_wqe_in_cat_wqe_ctrl(c->in);
	struct rtc *t =
		fw_find(c, OBJ_RTC, prm_wqe_ctrl_seg_get_general_id(wqe), "wqe_ctrl.general_id");
	uint32_t ds;

	if (!t)
		return -1;
	g->table = t;
	ds = t->log_parts ? GENERATE_DS + RULE_BYTES / 16 : GENERATE_DS;
	if (!t->generated || t->pd->id != prm_generate_wqe_in_get_pdn(c->in))
		return fw_refuse(
			c, FW_SYN_UNSUPPORTED,
			"rtc 0x%x was made with update_method 0, or its pd is not pdn 0x%x",
			t->o.id, prm_generate_wqe_in_get_pdn(c->in));
	if (prm_wqe_ctrl_seg_get_ds(wqe) != ds)
		return fw_refuse(c, FW_SYN_SIZE, "wqe_ctrl.ds %u: rules of rtc 0x%x have %u",
				 prm_wqe_ctrl_seg_get_ds(wqe), t->o.id, ds);
	return 0;
}

static const struct select *generate_definer(struct fw_cmd *c, const uint8_t *entry)
{
	const uint32_t id = prm_wqe_gta_data_seg_ste_get_definer_id(entry);
	const struct match_definer *d = fw_find(c, OBJ_MATCH_DEFINER, id, "definer_id");

	if (d && !d->select)
		fw_refuse(c, FW_SYN_UNSUPPORTED, "definer_id 0x%x has format %u, not 61 (selected)",
			  id, d->format);
	return d ? d->select : NULL;
}

/* Checks the definers of a rule's entries, and makes its key. */
static int generate_key(struct fw_cmd *c, struct generate *g)
{
	const struct select *first = generate_definer(c, g->part[0].entry), *ranges = NULL;

	if (first && g->table->log_parts)
		ranges = generate_definer(c, g->part[1].entry);
	if (!first || (g->table->log_parts && !ranges))
		return -1;
	if (!select_hash_key(g->table->definer->select, first, g->part[0].entry + RULE_LONG_TAG_AT,
			     g->key))
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "wqe_gta_data_0.definer_id: it has other selectors than rtc 0x%x, "
				 "or lacks bits of its mask, which is hashed",
				 g->table->o.id);
	if (ranges && !select_is_ranges(ranges))
		return fw_refuse(
			c, FW_SYN_UNSUPPORTED,
			"wqe_gta_data_1.definer_id: ranges have dwords 0 and 1, and octets");
	return 0;
}

static int generate_fill(struct fw_cmd *c, struct generate *g)
{
	const uint8_t *gta = prm_generate_wqe_in_cat_wqe_gta_ctrl(c->in);

	memcpy(g->part[0].entry, prm_generate_wqe_in_cat_wqe_gta_data_0(c->in), RULE_BYTES);
	memcpy(g->part[1].entry, prm_generate_wqe_in_cat_wqe_gta_data_1(c->in), RULE_BYTES);
	if (generate_key(c, g))
		return -1;
	if (prm_wqe_gta_ctrl_seg_get_op(gta) == PRM_GTA_OP_DEACTIVATE ||
	    rtc_find_stcs(g->table, gta, &g->part[g->table->log_parts]))
		return 0;
	return fw_refuse(c, FW_SYN_INDEX,
			 "wqe_gta_ctrl names an action template that was not written");
}

int fw_generate_wqe(struct fw_cmd *c)
{
	const uint8_t *gta = prm_generate_wqe_in_cat_wqe_gta_ctrl(c->in);
	struct generate g = {0};
	bool done;
	void *cqe;

	if (generate_check_wqe(c) || generate_find_table(c, &g) || generate_fill(c, &g))
		return -1;
	done = prm_wqe_gta_ctrl_seg_get_op(gta) == PRM_GTA_OP_DEACTIVATE
		       ? rtc_remove_generated(g.table, g.key + GENERATE_KEY_AT, g.part)
		       : rtc_write_generated(g.table, g.key + GENERATE_KEY_AT, g.part);
	cqe = prm_generate_wqe_out_at_cqe_data(c->out);
	prm_cqe64_set_opcode(cqe, PRM_CQE_OPCODE_REQ);
	prm_cqe64_set_s_wqe_opcode(cqe, PRM_WQE_OPCODE_FLOW_TBL_ACCESS);
	prm_cqe64_set_byte_cnt(cqe, done ? 0 : GENERATE_FAILED);
	return 0;
}
