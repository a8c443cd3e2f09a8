/* SPDX-License-Identifier: BSD-2-Clause */
#include "flow_priv.h"

#define TAG_BITS 24

/* Takes a reference on the action's target and one on the domain. */
int dvx_flow_action_finish(struct dvx_flow_domain *domain, const struct dvx_flow_action *want,
			   const char *call, struct dvx_flow_action **out)
{
	struct dvx_flow_action *action;

	if (!want->dr && errno == ENOMEM)
		return dvx_fail(ENOMEM, "%s: libmlx5 has no memory left, of its own or of %s", call,
				dvx_dev_name(domain->dev));
	if (!want->dr)
		return dvx_fail(errno ? errno : EIO, "%s: libmlx5 or the kernel refuses", call);
	action = malloc(sizeof(*action));
	if (!action) {
		mlx5dv_dr_action_destroy(want->dr);
		return dvx_fail(ENOMEM, "no memory for an action");
	}
	*action = *want;
	action->domain = domain;
	dvx_ref(&domain->refs);
	if (action->target)
		dvx_ref(action->target);
	*out = action;
	return 0;
}

int dvx_flow_rx_only(const struct dvx_flow_domain *domain, const char *call)
{
	if (domain->side == DVX_FLOW_TX)
		return dvx_fail(EINVAL, "%s: domain is TX, this is for packets that are received",
				call);
	return 0;
}

static int same_device(const struct dvx_flow_domain *domain, const struct dvx_dev *dev,
		       const char *what)
{
	if (dev != domain->dev)
		return dvx_fail(EINVAL, "%s is not of the domain's device", what);
	return 0;
}

int dvx_flow_action_create_drop(struct dvx_flow_domain *domain, struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.kind = ACTION_DROP};
	int err = dvx_given("dvx_flow_action_create_drop", "domain", domain, "out", out, NULL);

	if (err)
		return err;
	want.dr = mlx5dv_dr_action_create_drop();
	return dvx_flow_action_finish(domain, &want, "dvx_flow_action_create_drop", out);
}

int dvx_flow_action_create_default(struct dvx_flow_domain *domain, struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.kind = ACTION_DEFAULT};
	int err = dvx_given("dvx_flow_action_create_default", "domain", domain, "out", out, NULL);

	if (err)
		return err;
	want.dr = mlx5dv_dr_action_create_default_miss();
	return dvx_flow_action_finish(domain, &want, "dvx_flow_action_create_default", out);
}

int dvx_flow_action_create_tag(struct dvx_flow_domain *domain, uint32_t tag,
			       struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.kind = ACTION_TAG};
	int err = dvx_given("dvx_flow_action_create_tag", "domain", domain, "out", out, NULL);

	if (!err)
		err = dvx_flow_rx_only(domain, "dvx_flow_action_create_tag");
	if (err)
		return err;
	if (tag >> TAG_BITS)
		return dvx_fail(ERANGE,
				"dvx_flow_action_create_tag: tag 0x%x has more than %d bits", tag,
				TAG_BITS);
	want.dr = mlx5dv_dr_action_create_tag(tag);
	return dvx_flow_action_finish(domain, &want, "dvx_flow_action_create_tag", out);
}

int dvx_flow_action_create_count(struct dvx_flow_domain *domain, struct dvx_flow_counter *counter,
				 uint32_t index, struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.kind = ACTION_COUNT};
	struct dvx_flow_part *part;
	int err = dvx_given("dvx_flow_action_create_count", "domain", domain, "counter", counter,
			    "out", out, NULL);

	if (!err)
		err = same_device(domain, counter->dev, "dvx_flow_action_create_count: counter");
	if (err)
		return err;
	if (index >= counter->size)
		return dvx_fail(ERANGE,
				"dvx_flow_action_create_count: index %u is not below the "
				"counter's size, %u",
				index, counter->size);
	want.target = &counter->refs;
	part = dvx_flow_counter_part(counter, &index);
	want.dr = mlx5dv_dr_action_create_flow_counter(part->obj->devx, index);
	return dvx_flow_action_finish(domain, &want, "dvx_flow_action_create_count", out);
}

int dvx_flow_action_create_table(struct dvx_flow_domain *domain, struct dvx_flow_table *table,
				 struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.kind = ACTION_TABLE};
	int err = dvx_given("dvx_flow_action_create_table", "domain", domain, "table", table, "out",
			    out, NULL);

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
	want.dr = mlx5dv_dr_action_create_dest_table(table->dr);
	return dvx_flow_action_finish(domain, &want, "dvx_flow_action_create_table", out);
}

static int no_anchor(int err)
{
	if (err == EPERM)
		return dvx_fail(err,
				"dvx_flow_action_create_root: a steering anchor needs CAP_NET_RAW");
	if (err == EOPNOTSUPP || err == EPROTONOSUPPORT || err == ENOTTY)
		return dvx_fail(err, "dvx_flow_action_create_root: the kernel has no steering "
				     "anchors; they need Linux 6.0 or later");
	return dvx_fail(err, "dvx_flow_action_create_root: the kernel refuses a steering anchor");
}

int dvx_flow_action_create_root(struct dvx_flow_domain *domain, uint32_t priority,
				struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.kind = ACTION_ROOT};
	int err = dvx_given("dvx_flow_action_create_root", "domain", domain, "out", out, NULL);

	if (err)
		return err;
	if (priority >= ROOT_PRIORITIES)
		return dvx_fail(ERANGE, "dvx_flow_action_create_root: priority %u is not below %u",
				priority, ROOT_PRIORITIES);
	errno = 0;
	want.root = mlx5dv_dr_table_create(domain->dr, 0);
	if (!want.root)
		return dvx_fail(errno ? errno : EIO,
				"dvx_flow_action_create_root: libmlx5 refuses");
	errno = 0;
	want.dr = mlx5dv_dr_action_create_dest_root_table(want.root, (uint16_t)priority);
	err = want.dr ? dvx_flow_action_finish(domain, &want, "dvx_flow_action_create_root", out)
		      : no_anchor(errno ? errno : EIO);
	if (err) {
		struct dvx_error why = *dvx_last_error();

		mlx5dv_dr_table_destroy(want.root);
		return dvx_restore(&why);
	}
	return 0;
}

int dvx_flow_action_create_queue(struct dvx_flow_domain *domain, struct dvx_rxq *rxq,
				 struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.kind = ACTION_QUEUE};
	int err = dvx_given("dvx_flow_action_create_queue", "domain", domain, "rxq", rxq, "out",
			    out, NULL);

	if (!err)
		err = dvx_flow_rx_only(domain, "dvx_flow_action_create_queue");
	if (!err)
		err = same_device(domain, rxq->dev, "dvx_flow_action_create_queue: rxq");
	if (!err && !rxq->tir)
		err = dvx_fail(ESTALE, "dvx_flow_action_create_queue: rxq no longer has a TIR");
	if (err)
		return err;
	want.target = &rxq->refs;
	want.dr = mlx5dv_dr_action_create_dest_devx_tir(rxq->tir->devx);
	return dvx_flow_action_finish(domain, &want, "dvx_flow_action_create_queue", out);
}

int dvx_flow_action_create_rss(struct dvx_flow_domain *domain, struct dvx_rss *rss,
			       struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.kind = ACTION_QUEUE};
	int err = dvx_given("dvx_flow_action_create_rss", "domain", domain, "rss", rss, "out", out,
			    NULL);

	if (!err)
		err = dvx_flow_rx_only(domain, "dvx_flow_action_create_rss");
	if (!err)
		err = same_device(domain, rss->dev, "dvx_flow_action_create_rss: rss");
	/* A refused dvx_rss_destroy() can leave the RQT without its TIR. */
	if (!err && !rss->tir)
		err = dvx_fail(ESTALE, "dvx_flow_action_create_rss: rss no longer has a TIR");
	if (err)
		return err;
	want.target = &rss->refs;
	want.dr = mlx5dv_dr_action_create_dest_devx_tir(rss->tir->devx);
	return dvx_flow_action_finish(domain, &want, "dvx_flow_action_create_rss", out);
}

int dvx_flow_action_create_qp(struct dvx_flow_domain *domain, struct ibv_qp *ibqp,
			      struct dvx_flow_action **out)
{
	struct dvx_flow_action want = {.kind = ACTION_QUEUE};
	int err = dvx_given("dvx_flow_action_create_qp", "domain", domain, "ibqp", ibqp, "out", out,
			    NULL);

	if (!err)
		err = dvx_flow_rx_only(domain, "dvx_flow_action_create_qp");
	if (err)
		return err;
	if (ibqp->context != domain->dev->ctx)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_qp: the ibv_qp is of another context");
	if (ibqp->qp_type != IBV_QPT_RAW_PACKET)
		return dvx_fail(EINVAL,
				"dvx_flow_action_create_qp: the ibv_qp is not a raw packet QP");
	want.dr = mlx5dv_dr_action_create_dest_ibv_qp(ibqp);
	return dvx_flow_action_finish(domain, &want, "dvx_flow_action_create_qp", out);
}

int dvx_flow_action_destroy(struct dvx_flow_action *action)
{
	int ret;

	if (!action)
		return 0;
	if (dvx_in_use(&action->refs))
		return dvx_fail(EBUSY, "action: %d rules or arrays still use it", action->refs);
	ret = action->dr ? mlx5dv_dr_action_destroy(action->dr) : 0;
	if (ret)
		return dvx_fail(dvx_errno_of(ret), "libmlx5 does not destroy the action");
	ret = dvx_flow_change_destroy(action);
	if (ret)
		return ret;
	if (action->root)
		mlx5dv_dr_table_destroy(action->root);
	if (action->target)
		dvx_unref(action->target);
	for (uint32_t i = 0; i < action->member_count; i++)
		dvx_unref(&action->members[i]->refs);
	free(action->members);
	dvx_unref(&action->domain->refs);
	free(action);
	return 0;
}

uint64_t dvx_flow_action_id(const struct dvx_flow_action *action)
{
	if (!action)
		return 0;
	return (uintptr_t)(action->change ? action->change->dr[0] : action->dr);
}
