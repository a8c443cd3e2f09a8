/* SPDX-License-Identifier: BSD-2-Clause */
#include "backend.h"

#define TAG_BITS 24

int dvx_flow_action_new(const struct dvx_flow_action *want, const void *data, const char *call,
			struct dvx_flow_action **out)
{
	struct dvx_flow_action *action = malloc(sizeof(*action) + want->bytes);
	int err;

	if (!action)
		return dvx_fail(ENOMEM, "no memory for an action");
	*action = *want;
	if (want->bytes)
		memcpy(action->data, data, want->bytes);
	err = want->domain->backend->action_create(action, call);
	if (err) {
		free(action);
		return err;
	}
	dvx_ref(&want->domain->refs);
	if (want->target)
		dvx_ref(want->target);
	*out = action;
	return 0;
}

static int same_device(const struct dvx_flow_domain *domain, const struct dvx_dev *dev,
		       const char *call, const char *what)
{
	if (dev != domain->dev)
		return dvx_fail(EINVAL, "%s: %s is not of the domain's device", call, what);
	return 0;
}

int dvx_flow_action_create_drop(struct dvx_flow_domain *domain, struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.domain = domain, .kind = ACTION_DROP};
	int err = dvx_check_not_null("dvx_flow_action_create_drop", "domain", domain, "out", out,
				     NULL);

	return err ? err : dvx_flow_action_new(&want, NULL, "dvx_flow_action_create_drop", out);
}

int dvx_flow_action_create_default(struct dvx_flow_domain *domain, struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.domain = domain, .kind = ACTION_DEFAULT};
	int err = dvx_check_not_null("dvx_flow_action_create_default", "domain", domain, "out", out,
				     NULL);

	return err ? err : dvx_flow_action_new(&want, NULL, "dvx_flow_action_create_default", out);
}

int dvx_flow_action_create_tag(struct dvx_flow_domain *domain, uint32_t tag,
			       struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.domain = domain, .kind = ACTION_TAG};
	int err = dvx_check_not_null("dvx_flow_action_create_tag", "domain", domain, "out", out,
				     NULL);

	if (!err)
		err = dvx_flow_only(domain, SIDE_RX, "dvx_flow_action_create_tag");
	if (err)
		return err;
	if (tag >> TAG_BITS)
		return dvx_fail(ERANGE,
				"dvx_flow_action_create_tag: tag 0x%x has more than %d bits", tag,
				TAG_BITS);
	want.number = tag;
	return dvx_flow_action_new(&want, NULL, "dvx_flow_action_create_tag", out);
}

int dvx_flow_action_create_count(struct dvx_flow_domain *domain, struct dvx_flow_counter *counter,
				 uint32_t index, struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.domain = domain, .kind = ACTION_COUNT};
	const struct dvx_flow_part *part;
	int err = dvx_check_not_null("dvx_flow_action_create_count", "domain", domain, "counter",
				     counter, "out", out, NULL);

	if (!err)
		err = same_device(domain, counter->dev, "dvx_flow_action_create_count", "counter");
	if (err)
		return err;
	if (index >= counter->size)
		return dvx_fail(ERANGE,
				"dvx_flow_action_create_count: index %u is not below the "
				"counter's size, %u",
				index, counter->size);
	want.target = &counter->refs;
	part = dvx_flow_counter_part(counter, &index);
	want.obj = part->obj;
	want.object = part->id;
	want.number = index;
	return dvx_flow_action_new(&want, NULL, "dvx_flow_action_create_count", out);
}

int dvx_flow_action_create_table(struct dvx_flow_domain *domain, struct dvx_flow_table *table,
				 struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.domain = domain, .kind = ACTION_TABLE};
	int err = dvx_check_not_null("dvx_flow_action_create_table", "domain", domain, "table",
				     table, "out", out, NULL);

	if (err)
		return err;
	if (table->domain != domain)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_table: table is not of this domain");
	if (!table->level)
		return dvx_fail(EINVAL, "dvx_flow_action_create_table: table is the root (level "
					"0), use dvx_flow_action_create_root()");
	want.target = &table->refs;
	want.level = table->level;
	want.table = table;
	return dvx_flow_action_new(&want, NULL, "dvx_flow_action_create_table", out);
}

int dvx_flow_action_create_root(struct dvx_flow_domain *domain, uint32_t priority,
				struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.domain = domain, .kind = ACTION_ROOT};
	int err = dvx_check_not_null("dvx_flow_action_create_root", "domain", domain, "out", out,
				     NULL);

	if (!err)
		err = dvx_flow_only(domain, SIDE_RX | SIDE_TX, "dvx_flow_action_create_root");
	if (err)
		return err;
	if (priority >= ROOT_PRIORITIES)
		return dvx_fail(ERANGE, "dvx_flow_action_create_root: priority %u is not below %u",
				priority, ROOT_PRIORITIES);
	want.number = priority;
	return dvx_flow_action_new(&want, NULL, "dvx_flow_action_create_root", out);
}

/* `what` is `dev`'s, and has the TIR, if it is not half destroyed. */
static int flow_action_to_tir(struct dvx_flow_action *want, const char *call, const char *what,
			      const struct dvx_dev *dev, struct dvx_flow_action **out)
{
	int err = dvx_flow_only(want->domain, SIDE_RX, call);

	if (!err)
		err = same_device(want->domain, dev, call, what);
	if (!err && !want->obj)
		err = dvx_fail(ESTALE, "%s: %s no longer has a TIR", call, what);
	return err ? err : dvx_flow_action_new(want, NULL, call, out);
}

int dvx_flow_action_create_queue(struct dvx_flow_domain *domain, struct dvx_rxq *rxq,
				 struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.domain = domain, .kind = ACTION_QUEUE};
	int err = dvx_check_not_null("dvx_flow_action_create_queue", "domain", domain, "rxq", rxq,
				     "out", out, NULL);

	if (err)
		return err;
	want.target = &rxq->refs;
	want.obj = rxq->tir;
	want.object = rxq->tirn;
	return flow_action_to_tir(&want, "dvx_flow_action_create_queue", "rxq", rxq->dev, out);
}

int dvx_flow_action_create_rss(struct dvx_flow_domain *domain, struct dvx_rss *rss,
			       struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.domain = domain, .kind = ACTION_QUEUE};
	int err = dvx_check_not_null("dvx_flow_action_create_rss", "domain", domain, "rss", rss,
				     "out", out, NULL);

	if (err)
		return err;
	want.target = &rss->refs;
	want.obj = rss->tir;
	want.object = rss->tirn;
	return flow_action_to_tir(&want, "dvx_flow_action_create_rss", "rss", rss->dev, out);
}

int dvx_flow_action_create_qp(struct dvx_flow_domain *domain, struct ibv_qp *ibqp,
			      struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.domain = domain, .kind = ACTION_QUEUE};
	int err = dvx_check_not_null("dvx_flow_action_create_qp", "domain", domain, "ibqp", ibqp,
				     "out", out, NULL);

	if (!err)
		err = dvx_flow_only(domain, SIDE_RX, "dvx_flow_action_create_qp");
	if (err)
		return err;
	if (ibqp->context != domain->dev->ctx)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_qp: the ibv_qp is of another context");
	if (ibqp->qp_type != IBV_QPT_RAW_PACKET)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_qp: the ibv_qp is not a raw packet QP");
	want.ibqp = ibqp;
	return dvx_flow_action_new(&want, NULL, "dvx_flow_action_create_qp", out);
}

int dvx_flow_action_destroy(struct dvx_flow_action *action)
{
	struct dvx_flow_action *const *members;
	uint32_t n;
	int err;

	if (!action)
		return 0;
	if (dvx_in_use(&action->refs))
		return dvx_fail(EBUSY, "action: %d rules or arrays still use it", action->refs);
	err = action->domain->backend->action_destroy(action);
	if (err)
		return err;
	if (action->target)
		dvx_unref(action->target);
	members = dvx_flow_members(action, &n);
	while (n--)
		dvx_unref(&members[n]->refs);
	dvx_unref(&action->domain->refs);
	free(action);
	return 0;
}

uint64_t dvx_flow_action_id(const struct dvx_flow_action *action)
{
	return action ? (uintptr_t)action->impl[0] : 0;
}
