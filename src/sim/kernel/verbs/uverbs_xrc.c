/* SPDX-License-Identifier: BSD-2-Clause */
/* XRC domains and target queue pairs, which programs share. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/misc.h>
#include <dvx/prm/qp.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include "kernel/core/cmd.h"
#include "qp.h"

bool xrc_is(uint64_t qp_type)
{
	return qp_type == IB_UVERBS_QPT_XRC_INI || qp_type == IB_UVERBS_QPT_XRC_TGT;
}

/* --- domains --------------------------------------------------------------------------------- */

static struct xrcd **xrcd_list(const struct uverbs_file *f)
{
	return &file_function(f)->xrcds;
}

static int xrcd_alloc(struct vhca *v, struct xrcd *x)
{
	int err = mbox_alloc(v, PRM_OPCODE_ALLOC_XRCD, 0, &x->xrcdn);

	if (err)
		return err;
	err = mbox_alloc(v, PRM_OPCODE_ALLOC_PD, 0, &x->pdn);
	if (err)
		(void)mbox_destroy(v, PRM_OPCODE_DEALLOC_XRCD, 0, x->xrcdn);
	return err;
}

static void xrcd_free(struct xrcd *x)
{
	if (x->file >= 0)
		close(x->file);
	free(x);
}

static int uverbs_xrcd_release(struct uobj *u)
{
	struct xrcd *x = ((struct uverbs_xrcd *)u)->domain, **at = xrcd_list(u->file);
	int err;

	if (x->handles > 1) {
		x->handles--;
		return 0;
	}
	err = mbox_destroy(u->file->vhca, PRM_OPCODE_DEALLOC_XRCD, 0, x->xrcdn);
	if (err)
		return err;
	(void)mbox_destroy(u->file->vhca, PRM_OPCODE_DEALLOC_PD, 0, x->pdn);
	while (*at != x)
		at = &(*at)->next;
	*at = x->next;
	xrcd_free(x);
	return 0;
}

const struct uobj_class xrcd_class = {"XRCD", UVERBS_OBJECT_XRCD, 0, uverbs_xrcd_release, NULL};

static struct xrcd *xrcd_find(const struct uverbs_file *f, const struct xrcd *wanted)
{
	struct xrcd *x = wanted->file < 0 ? NULL : *xrcd_list(f);

	while (x && !(x->file >= 0 && x->ino == wanted->ino && x->dev == wanted->dev))
		x = x->next;
	return x;
}

/* Opens the file that names the domain. 0 or -errno */
static int xrcd_file(const struct uverbs_file *f, const struct ib_uverbs_open_xrcd *in,
		     struct xrcd *x)
{
	struct stat st;

	*x = (struct xrcd){.file = -1};
	if (in->fd == UINT32_MAX)
		return 0;
	x->file = mm_hold_file(file_mm(f), (int)in->fd);
	if (x->file < 0)
		return refuse(x->file, "OPEN_XRCD: fd %d can't be had from the program: %s",
			      (int)in->fd, strerror(-x->file));
	if (fstat(x->file, &st)) {
		close(x->file);
		return -EBADF;
	}
	x->ino = st.st_ino;
	x->dev = st.st_dev;
	return 0;
}

static int xrcd_new(const struct uverbs_file *f, const struct xrcd *wanted, struct xrcd **out)
{
	struct xrcd *x = malloc(sizeof(*x));
	int err;

	if (!x)
		return -ENOMEM;
	*x = *wanted;
	err = xrcd_alloc(f->vhca, x);
	if (err) {
		free(x);
		return err;
	}
	x->next = *xrcd_list(f);
	*xrcd_list(f) = x;
	*out = x;
	return 0;
}

static int xrcd_check(const struct xrcd *x, const struct ib_uverbs_open_xrcd *in)
{
	if (in->fd == UINT32_MAX)
		return 0;
	if (!x && !(in->oflags & O_CREAT))
		return refuse(-EAGAIN, "OPEN_XRCD: the file has no domain, and oflags no O_CREAT");
	if (x && in->oflags & O_EXCL)
		return refuse(-EINVAL, "OPEN_XRCD: oflags: O_EXCL, but the file has a domain");
	return 0;
}

/* Makes a handle for the file's domain, or for a new one, which keeps wanted->file. */
static int xrcd_open(struct wcmd *c, struct xrcd *wanted)
{
	struct xrcd *x = xrcd_find(c->f, wanted);
	struct ib_uverbs_open_xrcd_resp resp = {0};
	int err = xrcd_check(x, c->in);
	struct uverbs_xrcd *u;

	if (err)
		return err;
	u = uobj_new(c->f, &xrcd_class, sizeof(*u));
	if (!u)
		return -ENOMEM;
	if (!x) {
		err = xrcd_new(c->f, wanted, &x);
		wanted->file = err ? wanted->file : -1;
	}
	if (err)
		return err;
	u->domain = x;
	x->handles++;
	resp.xrcd_handle = u->u.id;
	wcmd_out(c, &resp, sizeof(resp));
	return 0;
}

int wcmd_open_xrcd(struct wcmd *c)
{
	struct xrcd wanted;
	int err = xrcd_file(c->f, c->in, &wanted);

	if (err)
		return err;
	err = xrcd_open(c, &wanted);
	if (wanted.file >= 0)
		close(wanted.file);
	return err;
}

/* --- targets --------------------------------------------------------------------------------- */

static int xrc_target_make(struct xrc_target *t, struct vhca *v)
{
	uint8_t in[PRM_CREATE_QP_IN_BYTES] = {0};
	void *qpc = prm_create_qp_in_at_qpc(in);

	mbox_begin(in, PRM_OPCODE_CREATE_QP, 0);
	prm_qpc_set_st(qpc, PRM_QP_ST_XRC);
	prm_qpc_set_pm_state(qpc, PRM_QPC_PM_STATE_MIGRATED);
	prm_qpc_set_pd(qpc, t->domain->pdn);
	prm_qpc_set_rq_type(qpc, PRM_QPC_RQ_TYPE_SRQ);
	prm_qpc_set_no_sq(qpc, 1);
	prm_qpc_set_xrcd(qpc, t->domain->xrcdn);
	prm_qpc_set_user_index(qpc, UIDX_DEFAULT);
	return mbox_create(v, in, sizeof(in), &t->qpn);
}

int xrc_target_create(struct uverbs_qp *qp, const struct qp_plan *p)
{
	struct xrc_target *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return -ENOMEM;
	t->domain = p->xrcd->domain;
	err = xrc_target_make(t, qp->q.u.file->vhca);
	if (err) {
		free(t);
		return err;
	}
	t->handles = 1;
	t->next = t->domain->targets;
	t->domain->targets = t;
	qp->target = t;
	qp->q.u.number = t->qpn;
	return 0;
}

int xrc_target_destroy(struct uverbs_qp *qp)
{
	struct vhca *v = qp->q.u.file->vhca;
	struct xrc_target *t = qp->target, **at = &t->domain->targets;
	int err;

	if (t->handles > 1) {
		t->handles--;
		return 0;
	}
	if (t->state)
		(void)mbox_destroy(v, PRM_OPCODE_2RST_QP, 0, t->qpn);
	err = mbox_destroy(v, PRM_OPCODE_DESTROY_QP, 0, t->qpn);
	if (err)
		return err;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	free(t);
	return 0;
}

void xrc_target_load(struct uverbs_qp *qp)
{
	if (!qp->target)
		return;
	qp->state = qp->target->state;
	qp->access = qp->target->access;
	qp->dest_rd = qp->target->dest_rd;
}

void xrc_target_store(const struct uverbs_qp *qp)
{
	if (!qp->target)
		return;
	qp->target->state = qp->state;
	qp->target->access = qp->access;
	qp->target->dest_rd = qp->dest_rd;
}

static struct xrc_target *xrc_target_find(const struct uverbs_xrcd *x, uint32_t qpn)
{
	struct xrc_target *t = x->domain->targets;

	while (t && t->qpn != qpn)
		t = t->next;
	return t;
}

static int xrc_target_share(struct wcmd *c, struct uverbs_xrcd *x, struct xrc_target *t)
{
	const struct ib_uverbs_open_qp *in = c->in;
	struct ib_uverbs_create_qp_resp resp = {.qpn = t->qpn};
	struct uverbs_qp *qp = uobj_new(c->f, &qp_class, sizeof(*qp));

	if (!qp)
		return -ENOMEM;
	qp->type = IB_UVERBS_QPT_XRC_TGT;
	qp->q.u.uid = 0;
	qp->port = 1;
	qp->q.u.number = t->qpn;
	qp->target = t;
	qp->q.user_handle = in->user_handle;
	t->handles++;
	uverbs_qp_join(qp, x, c->f->async);
	resp.qp_handle = qp->q.u.id;
	wcmd_out(c, &resp, sizeof(resp));
	return 0;
}

/* Opens a target. Each error is EINVAL, as in ib_uverbs. */
int wcmd_open_qp(struct wcmd *c)
{
	const struct ib_uverbs_open_qp *in = c->in;
	struct uverbs_xrcd *x;
	struct xrc_target *t;

	if (uobj_find(c->f, in->pd_handle, &xrcd_class, &x))
		return -EINVAL;
	if (in->qp_type != IB_UVERBS_QPT_XRC_TGT)
		return refuse(-EINVAL, "OPEN_QP: qp_type %u: only XRC targets are shared",
			      in->qp_type);
	t = xrc_target_find(x, in->qpn);
	if (!t)
		return refuse(-EINVAL, "OPEN_QP: qpn 0x%x is no target of this domain", in->qpn);
	return xrc_target_share(c, x, t);
}
