/* SPDX-License-Identifier: BSD-2-Clause */
/* Scheduling elements of the NIC's hierarchy, and the leaves that queue pairs are attached to. */
#include <stdlib.h>
#include "cmd.h"
#include "base/clock.h"
#include "obj/device.h"
#include "obj/qp.h"
#include "obj/sched_elem.h"

#define HIERARCHY_NIC	3u
#define SELECT_BW_SHARE (1u << 0)
#define SELECT_MAX_BW	(1u << 1)
#define MAX_DEPTH	8 /* [I] */
#define BITS_A_MEGABIT	1000000u
#define TSAR_TYPE(attr) ((attr) >> 16 & 0xff)

static int fw_sched_elem_check_header(struct fw_cmd *c)
{
	if (c->in_len < PRM_CREATE_SCHED_ELEM_IN_BYTES)
		return fw_refuse(c, FW_SYN_IN_SHORT,
				 "the mailbox has %zu bytes, a scheduling element needs %u",
				 c->in_len, PRM_CREATE_SCHED_ELEM_IN_BYTES);
	return fw_nothing_after(c, PRM_CREATE_SCHED_ELEM_IN_BYTES);
}

static int fw_sched_elem_check_kind(struct fw_cmd *c, const void *elem)
{
	const void *ctx = prm_sched_elem_cat_sched_context(elem);
	uint32_t type = prm_sched_context_get_element_type(ctx);

	if (prm_sched_elem_get_scheduling_hierarchy(elem) != HIERARCHY_NIC)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "scheduling_hierarchy %u: only the NIC's (3) exists",
				 prm_sched_elem_get_scheduling_hierarchy(elem));
	if (type != PRM_SCHED_ELEMENT_TYPE_TSAR && type != PRM_SCHED_ELEMENT_TYPE_QUEUE_GROUP)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "sched_context.element_type %u is not in qos.nic_element_type",
				 type);
	if (type == PRM_SCHED_ELEMENT_TYPE_TSAR &&
	    TSAR_TYPE(prm_sched_context_get_sched_elem_attr(ctx)) != PRM_TSAR_TYPE_DWRR)
		return fw_refuse(c, FW_SYN_UNSUPPORTED,
				 "sched_elem_attr.tsar_type is not 0 (DWRR)");
	return 0;
}

static int fw_sched_elem_check_numbers(struct fw_cmd *c, const void *ctx, bool root)
{
	uint32_t share = prm_sched_context_get_bw_share(ctx);

	if (root && (share || prm_sched_context_get_max_average_bw(ctx)))
		return fw_refuse(c, FW_SYN_RESERVED, "bw_share or max_average_bw of a root is set");
	if (share > VHCA_MAX_BW_SHARE)
		return fw_refuse(c, FW_SYN_SIZE,
				 "sched_context.bw_share %u is more than qos.max_tsar_bw_share %u",
				 share, VHCA_MAX_BW_SHARE);
	return 0;
}

/* Sets *parent; NULL for a root. */
static int fw_sched_elem_find_parent(struct fw_cmd *c, const void *ctx, struct sched_elem **parent)
{
	uint32_t id = prm_sched_context_get_parent_element_id(ctx);

	*parent = NULL;
	if (!id && prm_sched_context_get_element_type(ctx) == PRM_SCHED_ELEMENT_TYPE_TSAR)
		return 0;
	*parent = fw_find(c, OBJ_SCHED_ELEM, id, "sched_context.parent_element_id");
	if (!*parent)
		return -1;
	if ((*parent)->leaf || (*parent)->depth + 1 >= MAX_DEPTH)
		return fw_refuse(c, FW_SYN_RESERVED, "sched_context.parent_element_id 0x%x is %s",
				 id, (*parent)->leaf ? "a queue group" : "too deep");
	return 0;
}

static void fw_sched_elem_set(struct sched_elem *e, const void *ctx, uint64_t select)
{
	if (select & SELECT_BW_SHARE)
		e->bw_share = prm_sched_context_get_bw_share(ctx);
	if (select & SELECT_MAX_BW)
		e->mbps = prm_sched_context_get_max_average_bw(ctx);
	e->rate.bps = (uint64_t)e->mbps * BITS_A_MEGABIT;
}

int fw_create_sched_elem(struct fw_cmd *c)
{
	const void *elem = prm_create_sched_elem_in_cat_sched_elem(c->in);
	const void *ctx = prm_sched_elem_cat_sched_context(elem);
	struct sched_elem *parent, *e;

	if (fw_sched_elem_check_header(c) || fw_sched_elem_check_kind(c, elem) ||
	    fw_sched_elem_find_parent(c, ctx, &parent) ||
	    fw_sched_elem_check_numbers(c, ctx, !parent))
		return -1;
	e = fw_new(c, OBJ_SCHED_ELEM, sizeof(*e));
	if (!e)
		return -1;
	e->parent = parent;
	if (parent) {
		obj_get(parent);
		e->depth = (uint8_t)(parent->depth + 1);
	}
	e->leaf = prm_sched_context_get_element_type(ctx) == PRM_SCHED_ELEMENT_TYPE_QUEUE_GROUP;
	fw_sched_elem_set(e, ctx, SELECT_BW_SHARE | SELECT_MAX_BW);
	return fw_made(c, &e->o, 0);
}

/* Changes share and limit. Kind and parent of an element never change. */
int fw_modify_sched_elem(struct fw_cmd *c)
{
	const void *elem = prm_create_sched_elem_in_cat_sched_elem(c->in);
	const void *ctx = prm_sched_elem_cat_sched_context(elem);
	uint64_t select;
	struct sched_elem *e;

	if (fw_sched_elem_check_header(c) || fw_sched_elem_check_kind(c, elem))
		return -1;
	e = fw_find(c, OBJ_SCHED_ELEM, prm_general_obj_in_cmd_hdr_get_obj_id(c->in), "obj_id");
	if (!e || fw_sched_elem_check_numbers(c, ctx, !e->parent))
		return -1;
	if (e->leaf !=
	    (prm_sched_context_get_element_type(ctx) == PRM_SCHED_ELEMENT_TYPE_QUEUE_GROUP))
		return fw_refuse(c, FW_SYN_RESERVED,
				 "sched_context.element_type %u: obj_id 0x%x is %s",
				 prm_sched_context_get_element_type(ctx), e->o.id,
				 e->leaf ? "a queue group" : "an arbiter");
	select = prm_sched_elem_get_modify_field_select(elem);
	if (select & ~(uint64_t)(SELECT_BW_SHARE | SELECT_MAX_BW))
		return fw_refuse(c, FW_SYN_OPT_PARAM,
				 "modify_field_select has bits other than 0 (bw_share) and 1 "
				 "(max_average_bw)");
	fw_sched_elem_set(e, ctx, select);
	return 0;
}

int fw_query_sched_elem(struct fw_cmd *c)
{
	const struct sched_elem *e = c->obj;
	void *elem = prm_create_sched_elem_in_at_sched_elem(c->out);
	void *ctx = prm_sched_elem_at_sched_context(elem);

	if (fw_reply_fits(c, PRM_CREATE_SCHED_ELEM_IN_BYTES)) /* the same header and object */
		return -1;
	prm_general_obj_out_cmd_hdr_set_obj_id(c->out, e->o.id);
	prm_sched_elem_set_scheduling_hierarchy(elem, HIERARCHY_NIC);
	prm_sched_context_set_element_type(ctx, e->leaf ? PRM_SCHED_ELEMENT_TYPE_QUEUE_GROUP
							: PRM_SCHED_ELEMENT_TYPE_TSAR);
	prm_sched_context_set_parent_element_id(ctx, e->parent ? e->parent->o.id : 0);
	prm_sched_context_set_bw_share(ctx, e->bw_share);
	prm_sched_context_set_max_average_bw(ctx, e->mbps);
	return 0;
}

/* Drops the reference to the parent, so that a whole tree can be freed in any order. */
void fw_sched_elem_clear(struct obj *o)
{
	obj_put(((struct sched_elem *)o)->parent);
	((struct sched_elem *)o)->parent = NULL;
}

void fw_sched_elem_free(struct obj *o)
{
	fw_sched_elem_clear(o);
	obj_free(o);
}

/* --- leaves of queue pairs -------------------------------------------------------------------- */

int fw_sched_leaf_usable(struct fw_cmd *c, uint32_t id, const char *field)
{
	const struct sched_elem *e = id ? fw_find(c, OBJ_SCHED_ELEM, id, field) : NULL;

	if (!id || (e && e->leaf))
		return 0;
	return !e ? -1
		  : fw_refuse_as(c, PRM_STATUS_BAD_RES, FW_SYN_OBJECT_TYPE,
				 "%s 0x%x is an arbiter, not a queue group", field, id);
}

/* Takes references to the new leaves before it drops the old ones: they may be the same. */
int fw_sched_attach(struct fw_cmd *c, struct queue *q, uint32_t requester, uint32_t responder)
{
	struct vhca *v = q->o.vhca;
	struct sched_leaves *sh = requester || responder ? calloc(1, sizeof(*sh)) : NULL;

	if (!sh && (requester || responder))
		return fw_refuse(c, FW_SYN_MEMORY, "no memory");
	if (sh) {
		sh->requester = requester ? obj_find(v, OBJ_SCHED_ELEM, requester) : NULL;
		sh->responder = responder ? obj_find(v, OBJ_SCHED_ELEM, responder) : NULL;
		if (sh->requester)
			obj_get(sh->requester);
		if (sh->responder)
			obj_get(sh->responder);
	}
	fw_sched_detach(q);
	q->leaves = sh;
	v->dev->shapes += sh != NULL;
	return 0;
}

/*
 * Detaches the queue's leaves. A queue that waited for its limit continues with the state change
 * that follows.
 */
void fw_sched_detach(struct queue *q)
{
	struct sched_leaves *sh = q->leaves;

	if (!sh)
		return;
	q->leaves = NULL;
	q->o.vhca->dev->shapes--;
	timer_cancel(&q->o.vhca->dev->timers, &sh->held);
	obj_put(sh->requester);
	obj_put(sh->responder);
	free(sh);
}
