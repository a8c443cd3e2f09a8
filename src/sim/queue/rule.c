/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FLOW_TBL_ACCESS: writes or removes a rule of a rule table (obj/rtc.h). A rule that cannot be
 * written, because its row is full, completes with bit 31 of byte_cnt, also if it is unsignaled, and
 * the queue goes on. [I] A WQE that no table could execute is an error of the queue.
 */
#include <string.h>
#include <dvx/prm/cqe.h>
#include <dvx/prm/hws.h>
#include <dvx/prm/wqe.h>
#include "priv.h"
#include "obj/aso.h"
#include "obj/rtc.h"
#include "obj/table.h"

#define GTA_CTRL  16u
#define GTA_ENTRY 64u
#define GTA_DS	  8u

static __attribute__((noinline, cold)) uint8_t rule_refuse(const struct queue *q,
							   struct send_wr *wr, const char *why)
{
	obj_refuse(&q->o, "rule WQE %u: %s", wr->index, why);
	wr->error = PRM_SYNDROME_LOCAL_QP_OP_ERR;
	wr->vendor = VENDOR_RULE;
	return wr->error;
}

/* [I] Queue pairs write arguments only: no driver writes entries by them. */
static const char *rule_check(const struct queue *q, const struct send_wr *wr)
{
	if (wr->opmod > PRM_GTA_OPMOD_ARGUMENT)
		return "its opmod is neither 0 (an entry) nor 1 (an argument)";
	if (wr->ds != GTA_DS)
		return "ds is not 8";
	if (wr->opmod == PRM_GTA_OPMOD_ARGUMENT)
		return NULL;
	if (q->o.type == OBJ_QP)
		return "its opmod is not 1 (an argument): entries are written by SQs";
	if (prm_wqe_gta_ctrl_seg_get_op(wr->wqe + GTA_CTRL) > PRM_GTA_OP_DEACTIVATE)
		return "wqe_gta_ctrl_seg.op is neither 0 (activate) nor 1 (deactivate)";
	if (prm_wqe_gta_ctrl_seg_get_stcs(wr->wqe + GTA_CTRL) >= RULE_STCS)
		return "wqe_gta_ctrl_seg.stcs is over 4";
	return NULL;
}

static void rule_check_parsed(const struct queue *q, struct send_wr *wr)
{
	const char *why = rule_check(q, wr);

	if (why)
		rule_refuse(q, wr, why);
}

static __attribute__((noinline, cold)) void rule_parse_probed(const struct queue *q,
							      struct send_wr *wr)
{
	wqe_probe(q, wr, "wqe_gta_ctrl_seg", wr->wqe + GTA_CTRL);
	wqe_probe(q, wr, "wqe_gta_data_seg_ste", wr->wqe + GTA_ENTRY);
	rule_check_parsed(q, wr);
}

void rule_parse(struct queue *q, struct send_wr *wr)
{
	if (probe_active(PROBE_WQE))
		rule_parse_probed(q, wr);
	else
		rule_check_parsed(q, wr);
}

static struct rtc *rule_table(const struct queue *q, struct send_wr *wr)
{
	struct rtc *t = obj_lookup(q->o.vhca, OBJ_RTC, prm_wqe_ctrl_seg_get_general_id(wr->wqe));

	if (t && !t->o.alias && t->pd->id == q->pdn)
		return t;
	rule_refuse(q, wr,
		    !t		 ? "its rule table does not exist"
		    : t->o.alias ? "its rule table is the alias of another function's"
				 : "the rule table's pd is not the queue's");
	return NULL;
}

static int rule_write_argument(struct queue *q, struct send_wr *wr)
{
	struct pd_object *a =
		obj_find(q->o.vhca, OBJ_ARGUMENT, prm_wqe_ctrl_seg_get_general_id(wr->wqe));

	if (!a || a->pd->id != q->pdn)
		return rule_refuse(q, wr,
				   a ? "the argument's access_pd is not the queue's PD"
				     : "its argument does not exist");
	memcpy(a->context, wr->wqe + GTA_ENTRY, sizeof(a->context));
	return 0;
}

static int rule_write_entry(struct queue *q, struct send_wr *wr)
{
	const uint8_t *ctrl = wr->wqe + GTA_CTRL;
	const uint32_t index = prm_wqe_gta_ctrl_seg_get_direct_index(ctrl);
	struct rtc *t = rule_table(q, wr);
	struct rtc_rule rule;

	if (!t)
		return wr->error;
	if (prm_wqe_gta_ctrl_seg_get_op(ctrl) == PRM_GTA_OP_DEACTIVATE) {
		wr->rule_failed = !rtc_remove(t, index, wr->wqe + GTA_ENTRY);
		return 0;
	}
	if (!rtc_find_stcs(t, ctrl, &rule))
		return rule_refuse(q, wr, "it names an action template that was not written");
	memcpy(rule.entry, wr->wqe + GTA_ENTRY, sizeof(rule.entry));
	wr->rule_failed = !rtc_write(t, index, &rule);
	return 0;
}

int rule_step(struct queue *q, struct send_wr *wr)
{
	return wr->opmod == PRM_GTA_OPMOD_ARGUMENT ? rule_write_argument(q, wr)
						   : rule_write_entry(q, wr);
}
