/* SPDX-License-Identifier: BSD-2-Clause */
/* Membership of UD queues in multicast groups. */
#include <dvx/prm/admin.h>
#include <dvx/prm/cmd.h>
#include <dvx/ud.h>
#include "priv.h"

struct dvx_mcast {
	struct dvx_qp *qp;
	struct dvx_obj *obj; /* NULL: the queue is adopted */
	union ibv_gid gid;
};

static int mcast_lib_check(const struct dvx_qp *qp, const uint8_t gid[16])
{
	static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
	bool ipv4 = !memcmp(gid, mapped, sizeof(mapped)) && gid[12] >> 4 == 0xe;

	if (qp->type != DVX_QP_UD)
		return dvx_fail(EINVAL,
				"dvx_mcast_attach: QP 0x%x is of %s, and only UD has groups",
				qp->qpn, dvx_qp_kind(qp->type)->name);
	if (gid[0] != 0xff && !ipv4)
		return dvx_fail(EINVAL, "dvx_mcast_attach: gid is no group's: it is neither in "
					"ff00::/8 nor ::ffff:224.0.0.0/100");
	return 0;
}

static int mcast_lib_run(struct dvx_mcast *m)
{
	uint8_t in[PRM_ATTACH_TO_MCG_IN_BYTES] = {0}, reply[PRM_ATTACH_TO_MCG_OUT_BYTES];
	int err;

	if (!m->qp->obj) {
		err = ibv_attach_mcast(m->qp->ibqp, &m->gid, 0);
		return err ? dvx_fail(err, "dvx_mcast_attach: the kernel refuses it for QP 0x%x",
				      m->qp->qpn)
			   : 0;
	}
	prm_attach_to_mcg_in_set_opcode(in, PRM_OPCODE_ATTACH_TO_MCG);
	prm_attach_to_mcg_in_set_qpn(in, m->qp->qpn);
	memcpy(prm_attach_to_mcg_in_at_multicast_gid(in), m->gid.raw, sizeof(m->gid.raw));
	return dvx_obj_create(m->qp->dev, in, sizeof(in), reply, sizeof(reply), &m->obj);
}

int dvx_mcast_attach(struct dvx_qp *qp, const uint8_t gid[16], struct dvx_mcast **out)
{
	struct dvx_mcast *m;
	int err = dvx_check_not_null("dvx_mcast_attach", "qp", qp, "gid", gid, "out", out, NULL);

	if (!err)
		err = mcast_lib_check(qp, gid);
	if (err)
		return err;
	m = calloc(1, sizeof(*m));
	if (!m)
		return dvx_fail(ENOMEM, "no memory for a multicast group");
	m->qp = qp;
	memcpy(m->gid.raw, gid, sizeof(m->gid.raw));
	err = mcast_lib_run(m);
	if (err) {
		free(m);
		return err;
	}
	dvx_ref(&qp->refs);
	*out = m;
	return 0;
}

int dvx_mcast_detach(struct dvx_mcast *m)
{
	int err;

	if (!m)
		return 0;
	if (m->obj)
		err = dvx_obj_destroy(m->obj);
	else if ((err = ibv_detach_mcast(m->qp->ibqp, &m->gid, 0)))
		err = dvx_fail(err, "dvx_mcast_detach: the kernel refuses it for QP 0x%x",
			       m->qp->qpn);
	if (err)
		return err;
	dvx_unref(&m->qp->refs);
	free(m);
	return 0;
}
