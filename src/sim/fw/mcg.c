/* SPDX-License-Identifier: BSD-2-Clause */
/* Multicast groups: the queue pairs that get a copy of a datagram. */
#include <errno.h>
#include "cmd.h"
#include "obj/mcg.h"
#include "obj/qp.h"
#include "transport/transport.h"

static int fw_mcg_check(struct fw_cmd *c)
{
	const struct qp *qp = c->obj;

	if (qp->q.transport->datagrams)
		return 0;
	return fw_refuse(c, FW_SYN_UNSUPPORTED, "qpn 0x%x is of %s, only UD has multicast groups",
			 qp->q.o.id, qp->q.transport->name);
}

static int fw_mcg_refuse(struct fw_cmd *c, const struct qp *qp, int err)
{
	switch (err) {
	case -EEXIST: /* [I] */
		return fw_refuse(c, FW_SYN_RESERVED, "multicast_gid: qpn 0x%x is in this group",
				 qp->q.o.id);
	case -ENOENT:
		return fw_refuse_as(c, PRM_STATUS_BAD_PARAM, FW_SYN_NO_OBJECT,
				    "multicast_gid: qpn 0x%x is not in this group", qp->q.o.id);
	case -ENOSPC:
		return fw_refuse_as(
			c, PRM_STATUS_NO_RES, FW_SYN_LIMIT,
			"there are %u groups, or %u queue pairs in this one, and no more",
			1u << VHCA_LOG_MAX_MCG, VHCA_MAX_QP_MCG);
	default:
		return fw_refuse(c, FW_SYN_MEMORY, "no memory for one more multicast group");
	}
}

int fw_attach_to_mcg(struct fw_cmd *c)
{
	struct qp *qp = c->obj;
	const uint8_t *gid = prm_attach_to_mcg_in_cat_multicast_gid(c->in);
	int err;

	if (fw_mcg_check(c))
		return -1;
	if (!gid_is_multicast(gid))
		return fw_refuse(
			c, FW_SYN_RESERVED,
			"multicast_gid is no group's: neither ff00::/8 nor ::ffff:224.0.0.0/100");
	err = mcg_attach(c->vhca, gid, qp);
	return err ? fw_mcg_refuse(c, qp, err) : 0;
}

int fw_detach_from_mcg(struct fw_cmd *c)
{
	struct qp *qp = c->obj;
	int err;

	if (fw_mcg_check(c))
		return -1;
	err = mcg_detach(c->vhca, prm_detach_from_mcg_in_cat_multicast_gid(c->in), qp);
	return err ? fw_mcg_refuse(c, qp, err) : 0;
}

void fw_mcg_leave(struct obj *o)
{
	if (o->refs) /* groups hold references to their members */
		mcg_leave(o->vhca, (struct qp *)o);
}
