/* SPDX-License-Identifier: BSD-2-Clause */
/* The local side of a connection: its defaults, and checks of both sides. */
#include <sys/random.h>
#include "priv.h"

#define MIN_MTU_LOG 8u
#define MAX_MTU_LOG 12u

/* Returns a random PSN, so that old packets of a connection with the same QPNs are not accepted. */
static uint32_t qp_local_psn(void)
{
	uint32_t psn = 0;

	if (getrandom(&psn, sizeof(psn), GRND_NONBLOCK) != sizeof(psn))
		return 0;
	return psn & 0xffffff;
}

int dvx_qp_local_init_sized(struct dvx_dev *dev, uint8_t port, struct dvx_qp_local *local,
			    size_t size)
{
	struct dvx_qp_local own = {.size = (uint32_t)size,
				   .port = port,
				   .hop_limit = 64,
				   .ack_timeout = 14,
				   .retry_count = 7,
				   .rnr_retry = 7,
				   .min_rnr_timer = 12};
	struct dvx_gid_choice choice;
	struct dvx_port about;
	int err = dvx_check_not_null("dvx_qp_local_init", "dev", dev, "local", local, NULL);

	if (!err && (size < sizeof(size) || size > 4096))
		err = dvx_fail(EINVAL, "dvx_qp_local_init: size is %zu, not that of *local", size);
	if (!err)
		err = dvx_dev_port(dev, port, &about);
	if (!err)
		err = dvx_gid_choose(dev, port, NULL, &choice);
	if (err)
		return err;
	own.psn = qp_local_psn();
	own.gid_index = (uint8_t)choice.gid.index;
	own.mtu_log = (uint8_t)(about.mtu ? dvx_log2_up(about.mtu) : MIN_MTU_LOG);
	own.max_rd_atomic = (uint8_t)(1u << (dev->log_rd_atomic < 4 ? dev->log_rd_atomic : 4));
	memset(local, 0, size);
	memcpy(local, &own, size < sizeof(own) ? size : sizeof(own));
	return 0;
}

static int qp_local_check(const struct dvx_dev *dev, const struct dvx_qp_local *l, const char *call)
{
	if (!l->port || l->port > dev->caps.num_ports)
		return dvx_fail(
			EINVAL,
			"%s: local.port is %u, not 1 to %u: dvx_qp_local_init() fills local", call,
			l->port, dev->caps.num_ports);
	if (l->psn >> 24)
		return dvx_fail(EINVAL, "%s: local.psn is 0x%x, and has 24 bits", call, l->psn);
	if (l->mtu_log < MIN_MTU_LOG || l->mtu_log > MAX_MTU_LOG)
		return dvx_fail(EINVAL, "%s: local.mtu_log is %u, not 8 to 12", call, l->mtu_log);
	if (l->retry_count > 7 || l->rnr_retry > 7)
		return dvx_fail(EINVAL,
				"%s: local.retry_count is %u, rnr_retry %u; both are 0 to 7", call,
				l->retry_count, l->rnr_retry);
	if (l->ack_timeout > 31 || l->min_rnr_timer > 31)
		return dvx_fail(EINVAL,
				"%s: local.ack_timeout is %u, min_rnr_timer %u; both are 0 to 31",
				call, l->ack_timeout, l->min_rnr_timer);
	if (l->max_rd_atomic > 128)
		return dvx_fail(EINVAL, "%s: local.max_rd_atomic is %u, over 128", call,
				l->max_rd_atomic);
	return 0;
}

static const uint32_t qp_local_all_access = DVX_REMOTE_READ | DVX_REMOTE_WRITE | DVX_REMOTE_ATOMIC;

static int qp_local_check_access(const struct dvx_qp *qp, uint32_t access, const char *call)
{
	const struct dvx_qp_kind *kind = dvx_qp_kind(qp->type);

	if (!(access & ~kind->access))
		return 0;
	return dvx_fail(EINVAL,
			"%s: local.access is 0x%x; what a queue of %s can give its peer is %s",
			call, access, kind->name,
			kind->access == qp_local_all_access
				? "DVX_REMOTE_READ, DVX_REMOTE_WRITE and DVX_REMOTE_ATOMIC"
			: kind->access ? "DVX_REMOTE_WRITE: it does no READ and no atomics"
				       : "nothing: access must be 0");
}

static int qp_local_check_peer(const struct dvx_dev *dev, const struct dvx_qp_peer *p,
			       const char *call)
{
	if (p->qpn >> 24 || p->psn >> 24)
		return dvx_fail(EINVAL, "%s: peer.qpn is 0x%x, psn 0x%x; both have 24 bits", call,
				p->qpn, p->psn);
	if (p->mtu_log && (p->mtu_log < MIN_MTU_LOG || p->mtu_log > MAX_MTU_LOG))
		return dvx_fail(EINVAL, "%s: peer.mtu_log is %u, not 8 to 12 or 0", call,
				p->mtu_log);
	if (p->max_rd_atomic > 128)
		return dvx_fail(EINVAL, "%s: peer.max_rd_atomic is %u, over 128", call,
				p->max_rd_atomic);
	if (!dev->caps.roce && !p->lid)
		return dvx_fail(EINVAL, "%s: peer.lid is 0, and InfiniBand needs it", call);
	return 0;
}

int dvx_qp_sides(const struct dvx_qp *qp, const char *call, const struct dvx_qp_local *user_local,
		 struct dvx_qp_local *local, const struct dvx_qp_peer *user_peer,
		 struct dvx_qp_peer *peer)
{
	int err = dvx_struct_copy(local, user_local, call, "local");

	if (!err && peer)
		err = dvx_struct_copy(peer, user_peer, call, "peer");
	if (!err)
		err = qp_local_check(qp->dev, local, call);
	if (!err)
		err = qp_local_check_access(qp, local->access, call);
	return err || !peer ? err : qp_local_check_peer(qp->dev, peer, call);
}

int dvx_local_side(const struct dvx_dev *dev, const char *call,
		   const struct dvx_qp_local *user_local, struct dvx_qp_local *local)
{
	int err = dvx_struct_copy(local, user_local, call, "local");

	if (!err)
		err = qp_local_check(dev, local, call);
	if (!err && local->access & ~qp_local_all_access)
		err = dvx_fail(EINVAL,
			       "%s: local.access is 0x%x, of which 0x%x is none of a peer's "
			       "rights",
			       call, local->access, local->access & ~qp_local_all_access);
	return err;
}

int dvx_path_sides(const struct dvx_dev *dev, const char *call,
		   const struct dvx_qp_local *user_local, const struct dvx_qp_peer *user_peer,
		   struct dvx_sides *out)
{
	int err = dvx_struct_copy(&out->local, user_local, call, "local");

	if (!err)
		err = dvx_struct_copy(&out->peer, user_peer, call, "peer");
	if (!err)
		err = qp_local_check(dev, &out->local, call);
	return err ? err : qp_local_check_peer(dev, &out->peer, call);
}
