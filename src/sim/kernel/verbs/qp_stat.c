/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of queue pairs, as in ib_core, for `rdma statistic qp`: Q counter sets that an
 * administrator binds to queue pairs, or a rule to new ones. A queue pair's context names its set
 * from INIT on. RTS2RTS changes it; a queue pair bound in another state is updated when it is in
 * RTS.
 */
#include <errno.h>
#include <stdlib.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/qp.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_netlink.h>
#include "fw/fw.h"
#include "kernel/core/cmd.h"
#include "priv.h"
#include "qp_type.h"
#include "obj/device.h"
#include "uverbs/resource.h"

#define RULES (RDMA_COUNTER_MASK_QP_TYPE | RDMA_COUNTER_MASK_PID)

struct qp_stat {
	LIST_ENTRY(qp_stat) link;
	struct vhca *vhca;
	uint32_t set; /* number of the Q counter set and of the statistic */
	unsigned int slot;
	uint32_t bound; /* queue pairs bound to it */
	uint32_t users; /* bound, plus QPs whose context names the set */
	uint32_t mask;	/* the rule that made it; 0: made by an administrator */
	uint8_t qp_type;
	pid_t pid;
};

static struct kernel_function *stat_function(const struct uverbs_qp *qp)
{
	const struct uverbs_file *f = qp->u.file;

	return &f->k->fn[f->vhca->index];
}

static bool stat_any(const struct kernel_function *fn)
{
	const struct qp_stat *s;

	LIST_FOREACH(s, &fn->stats, link)
	if (s->bound)
		return true;
	return false;
}

static uint32_t stat_mode(const struct kernel_function *fn)
{
	if (fn->stat_mask)
		return RDMA_COUNTER_MODE_AUTO;
	return stat_any(fn) ? RDMA_COUNTER_MODE_MANUAL : RDMA_COUNTER_MODE_NONE;
}

static void stat_dealloc(struct vhca *v, uint32_t set)
{
	(void)mbox_destroy(v, PRM_OPCODE_DEALLOC_Q_COUNTER, FW_UID_SHARED, set);
}

/* Makes a statistic with a new set. NULL: no memory, or no set is left. */
static struct qp_stat *stat_new(const struct uverbs_qp *qp, uint32_t mask)
{
	struct qp_stat *s = calloc(1, sizeof(*s));
	struct vhca *v = qp->u.file->vhca;
	int slot;

	if (!s || mbox_alloc_q_counter(v, &s->set)) {
		free(s);
		return NULL;
	}
	slot = fw_q_counter_bind(v, s->set);
	if (slot < 0) {
		stat_dealloc(v, s->set);
		free(s);
		return NULL;
	}
	s->slot = (unsigned int)slot;
	s->vhca = v;
	s->mask = mask;
	s->qp_type = qp->type;
	s->pid = mm_pid(qp->u.file->mm);
	LIST_INSERT_HEAD(&stat_function(qp)->stats, s, link);
	return s;
}

static void stat_put(struct qp_stat *s)
{
	if (!s || --s->users)
		return;
	LIST_REMOVE(s, link);
	stat_dealloc(s->vhca, s->set);
	free(s);
}

uint32_t qp_stat_set(const struct uverbs_qp *qp)
{
	return qp->stat ? qp->stat->set : file_q_counter(qp->u.file);
}

void qp_stat_is_set(struct uverbs_qp *qp)
{
	struct qp_stat *before = qp->stat_named;

	qp->stat_named = qp->stat;
	if (qp->stat)
		qp->stat->users++;
	stat_put(before);
}

static int stat_notify_fw(const struct uverbs_qp *qp)
{
	uint8_t in[PRM_RTS2RTS_QP_IN_BYTES] = {0}, out[PRM_RTS2RTS_QP_OUT_BYTES];

	prm_rts2rts_qp_in_set_opcode(in, PRM_OPCODE_RTS2RTS_QP);
	prm_rts2rts_qp_in_set_uid(in, qp->uid);
	prm_rts2rts_qp_in_set_qpn(in, qp->qpn);
	prm_rts2rts_qp_in_set_opt_param_mask(in, PRM_QP_OPTPAR_COUNTER_SET_ID);
	prm_qpc_set_counter_set_id(prm_rts2rts_qp_in_at_qpc(in), qp_stat_set(qp));
	return mbox_exec(qp->u.file->vhca, in, sizeof(in), out, sizeof(out));
}

/* Updates the set in the QP's context. Before RTS this waits for qp_stat_settle(). */
static int stat_apply(struct uverbs_qp *qp)
{
	int err;

	if (qp->stat_named == qp->stat || qp->state != RTS)
		return 0;
	err = stat_notify_fw(qp);
	if (!err)
		qp_stat_is_set(qp);
	return err;
}

void qp_stat_settle(struct uverbs_qp *qp)
{
	(void)stat_apply(qp);
}

static int stat_bind(struct uverbs_qp *qp, struct qp_stat *s)
{
	int err;

	qp->stat = s;
	s->bound++;
	s->users++;
	err = stat_apply(qp);
	if (!err)
		return 0;
	qp->stat = NULL;
	s->bound--;
	stat_put(s);
	return err;
}

static int stat_unbind(struct uverbs_qp *qp)
{
	struct qp_stat *s = qp->stat;
	int err;

	qp->stat = NULL;
	err = stat_apply(qp);
	if (err) {
		qp->stat = s;
		return err;
	}
	s->bound--;
	stat_put(s);
	return 0;
}

void qp_stat_leave(struct uverbs_qp *qp)
{
	if (qp->stat)
		qp->stat->bound--;
	stat_put(qp->stat);
	stat_put(qp->stat_named);
	qp->stat = qp->stat_named = NULL;
}

/* --- rules ------------------------------------------------------------------------------------ */

/* Returns whether the QP has a context to name a set; XRC targets belong to the kernel. */
static bool stat_fits(const struct uverbs_qp *qp)
{
	return !qp->raw.on && !qp->target && qp->type != QP_TYPE_DCT;
}

static bool stat_matches(const struct qp_stat *s, const struct uverbs_qp *qp, uint32_t mask)
{
	return s->bound && s->mask == mask &&
	       (!(mask & RDMA_COUNTER_MASK_QP_TYPE) || s->qp_type == qp->type) &&
	       (!(mask & RDMA_COUNTER_MASK_PID) || s->pid == mm_pid(qp->u.file->mm));
}

void qp_stat_bind_auto(struct uverbs_qp *qp)
{
	struct kernel_function *fn = stat_function(qp);
	struct qp_stat *s;

	if (!fn->stat_mask || qp->stat || !stat_fits(qp))
		return;
	LIST_FOREACH(s, &fn->stats, link)
	if (stat_matches(s, qp, fn->stat_mask))
		break;
	if (!s)
		s = stat_new(qp, fn->stat_mask);
	if (s)
		(void)stat_bind(qp, s);
}

static int stat_auto(struct kernel_function *fn, uint32_t mask)
{
	if (mask == fn->stat_mask)
		return 0;
	if (mask & ~(uint32_t)RULES)
		return refuse(-EINVAL, "STAT_SET: mask 0x%x: rules are by type (1) and pid (2)",
			      mask);
	if (mask && stat_any(fn))
		return refuse(-EBUSY, "STAT_SET: auto: queue pairs are bound already");
	fn->stat_mask = mask;
	return 0;
}

/* --- bound by an administrator ---------------------------------------------------------------- */

static struct uverbs_qp *stat_find_qp(struct kernel *k, unsigned int function, uint32_t qpn)
{
	for (const struct uverbs_file *f = k->files; f; f = f->next)
		for (struct uobj *u = f->vhca->index == function ? f->newest : NULL; u; u = u->older)
			if (u->class == &qp_class && ((struct uverbs_qp *)u)->qpn == qpn)
				return (struct uverbs_qp *)u;
	return NULL;
}

static struct qp_stat *stat_find(const struct kernel_function *fn, uint32_t set)
{
	struct qp_stat *s;

	LIST_FOREACH(s, &fn->stats, link)
	if (s->set == set && s->bound)
		break;
	return s;
}

static int stat_bind_manual(const struct kernel_function *fn, struct uverbs_qp *qp,
			    struct uverbs_statistic *r)
{
	struct qp_stat *s = r->counter ? stat_find(fn, r->counter) : NULL;

	if (fn->stat_mask)
		return refuse(-EINVAL, "STAT_SET: lqpn %u: a rule binds queue pairs", r->qpn);
	if (r->counter && !s)
		return refuse(-ENOENT, "STAT_SET: cntn %u: there is none", r->counter);
	if (!stat_fits(qp))
		return refuse(-EOPNOTSUPP, "STAT_SET: lqpn %u: raw packets and DC targets count "
					   "in the port's set", r->qpn);
	if (qp->stat) /* ib_core hides the errno if the request makes a counter */
		return refuse(s ? -EINVAL : -ENOMEM, "STAT_SET: lqpn %u is bound to %u", r->qpn,
			      qp->stat->set);
	if (!s)
		s = stat_new(qp, 0);
	if (!s)
		return refuse(-ENOMEM, "STAT_SET: lqpn %u: no statistics are left", r->qpn);
	r->counter = s->set;
	return stat_bind(qp, s);
}

static int stat_unbind_manual(const struct kernel_function *fn, struct uverbs_qp *qp,
			      const struct uverbs_statistic *r)
{
	if (fn->stat_mask || !qp->stat || qp->stat->set != r->counter)
		return refuse(-EINVAL, "STAT_DEL: lqpn %u is not bound to %u by hand", r->qpn,
			      r->counter);
	return stat_unbind(qp);
}

int qp_stat_handle(struct kernel *k, struct uverbs_statistic *r)
{
	struct kernel_function *fn;
	struct uverbs_qp *qp;

	if (r->function >= k->dev->nfunctions || r->op >= STATISTIC_OPS)
		return -EINVAL;
	fn = &k->fn[r->function];
	if (r->op == STATISTIC_AUTO)
		return stat_auto(fn, r->mask);
	if (r->op == STATISTIC_RULE) {
		r->mode = stat_mode(fn);
		r->mask = fn->stat_mask;
		return 0;
	}
	qp = stat_find_qp(k, r->function, r->qpn);
	if (!qp || qp->target)
		return refuse(-ENOENT, "STAT_SET: lqpn %u: there is none", r->qpn);
	return r->op == STATISTIC_BIND ? stat_bind_manual(fn, qp, r)
				       : stat_unbind_manual(fn, qp, r);
}

size_t qp_stat_rows(struct kernel *k, unsigned int function, size_t n, size_t first,
		    struct uverbs_resource *rows, size_t max)
{
	const struct qp_stat *s;

	LIST_FOREACH(s, &k->fn[function].stats, link)
	{
		if (!s->bound || n++ - first >= max)
			continue;
		rows[n - 1 - first] = (struct uverbs_resource){
			.kind = RESOURCE_COUNTER,
			.id = s->set,
			.pid = (uint32_t)s->pid,
			.port = 1,
			.type = s->qp_type,
			.state = s->mask ? RDMA_COUNTER_MODE_AUTO : RDMA_COUNTER_MODE_MANUAL,
			.mask = (uint8_t)s->mask,
			.counter = s->slot,
		};
	}
	return n;
}
