/* SPDX-License-Identifier: BSD-2-Clause */
/* Multicast groups that QPs have joined. They are no objects: ib_uverbs keeps a list in each QP. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dvx/prm/admin.h>
#include <dvx/prm/cmd.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include "kernel/core/cmd.h"
#include "priv.h"

struct mcast {
	struct mcast *next;
	uint8_t gid[16];
	uint16_t mlid; /* unused on Ethernet, but part of the key */
};

/* Runs ATTACH_TO_MCG or DETACH_FROM_MCG, which have the same layout. */
static int mcast_run(const struct uverbs_qp *qp, uint16_t opcode, const uint8_t gid[16])
{
	uint8_t in[PRM_ATTACH_TO_MCG_IN_BYTES] = {0};

	mbox_begin(in, opcode, qp->q.u.uid);
	prm_attach_to_mcg_in_set_qpn(in, qp->q.u.number);
	memcpy(prm_attach_to_mcg_in_at_multicast_gid(in), gid, 16);
	return mbox_run(qp->q.u.file->vhca, in, sizeof(in));
}

/* Returns the link that points to the entry, or the list's end. */
static struct mcast **mcast_at(struct uverbs_qp *qp, const uint8_t gid[16], uint16_t mlid)
{
	struct mcast **at = &qp->groups;

	while (*at && ((*at)->mlid != mlid || memcmp((*at)->gid, gid, sizeof((*at)->gid))))
		at = &(*at)->next;
	return at;
}

static void mcast_drop(struct mcast **at)
{
	struct mcast *m = *at;

	*at = m->next;
	free(m);
}

static int mcast_check(const struct uverbs_qp *qp, const uint8_t gid[16])
{
	if (qp->type != IB_UVERBS_QPT_UD)
		return refuse(-EINVAL, "ATTACH_MCAST: qp 0x%x is no UD QP", qp->q.u.number);
	if (!gid_is_multicast(gid))
		return refuse(-EINVAL, "ATTACH_MCAST: gid is no multicast address");
	return 0;
}

/* Joins a group. If the QP is in it already, this does nothing and succeeds. */
int wcmd_attach_mcast(struct wcmd *c)
{
	const struct ib_uverbs_attach_mcast *in = c->in;
	struct uverbs_qp *qp;
	struct mcast *m, **at;
	int err = uobj_find(c->f, in->qp_handle, &qp_class, &qp);

	if (err)
		return err;
	at = mcast_at(qp, in->gid, in->mlid);
	if (*at)
		return 0;
	err = mcast_check(qp, in->gid);
	if (err)
		return err;
	m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	memcpy(m->gid, in->gid, sizeof(m->gid));
	m->mlid = in->mlid;
	*at = m;
	err = mcast_run(qp, PRM_OPCODE_ATTACH_TO_MCG, m->gid);
	if (err)
		mcast_drop(at);
	return err;
}

int wcmd_detach_mcast(struct wcmd *c)
{
	const struct ib_uverbs_detach_mcast *in = c->in;
	struct uverbs_qp *qp;
	struct mcast **at;
	int err = uobj_find(c->f, in->qp_handle, &qp_class, &qp);

	if (err)
		return err;
	at = mcast_at(qp, in->gid, in->mlid);
	if (!*at)
		return refuse(-EINVAL, "DETACH_MCAST: qp 0x%x is not in this group",
			      qp->q.u.number);
	mcast_drop(at);
	return mcast_run(qp, PRM_OPCODE_DETACH_FROM_MCG, in->gid);
}

/* Leaves all groups of a QP whose file is closed. */
void mcast_leave_all(struct uverbs_qp *qp)
{
	while (qp->groups) {
		(void)mcast_run(qp, PRM_OPCODE_DETACH_FROM_MCG, qp->groups->gid);
		mcast_drop(&qp->groups);
	}
}
