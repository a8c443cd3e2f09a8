/* SPDX-License-Identifier: BSD-2-Clause */
#include "priv.h"

/*
 * Finds the peer's MAC from its GID. The kernel resolves it (neighbours, VLANs, local addresses)
 * when an address handle is made; libmlx5 then shows the address vector for datagrams.
 */
static int path_resolve(struct dvx_dev *dev, struct ibv_pd *pd, const struct dvx_qp_local *local,
			struct dvx_qp_peer *peer)
{
	struct ibv_ah_attr attr = {.is_global = 1, .port_num = local->port};
	struct mlx5dv_ah dv = {0};
	struct mlx5dv_obj obj = {.ah = {NULL, &dv}};
	struct ibv_ah *ah;
	int err = 0;

	memcpy(attr.grh.dgid.raw, peer->gid, sizeof(peer->gid));
	attr.grh.sgid_index = local->gid_index;
	attr.grh.hop_limit = local->hop_limit;
	ah = ibv_create_ah(pd, &attr);
	if (!ah)
		return dvx_fail(errno ? errno : EHOSTUNREACH,
				"peer.gid: %s finds no MAC for it from gid_index %u",
				dvx_dev_name(dev), local->gid_index);
	obj.ah.in = ah;
	if (mlx5dv_init_obj(&obj, MLX5DV_OBJ_AH))
		err = dvx_fail(EIO, "libmlx5 shows no address vector");
	else
		memcpy(peer->mac, dv.av->rmac, sizeof(peer->mac));
	ibv_destroy_ah(ah);
	return err;
}

int dvx_peer_resolve(struct dvx_dev *dev, const struct dvx_qp_local *local,
		     struct dvx_qp_peer *peer)
{
	static const uint8_t none[6];
	struct ibv_pd *pd;
	int err;

	if (!dev->caps.roce || memcmp(peer->mac, none, sizeof(none)))
		return 0;
	pd = ibv_alloc_pd(dev->ctx);
	if (!pd)
		return dvx_fail(errno ? errno : ENOMEM, "no PD to resolve peer.gid in");
	err = path_resolve(dev, pd, local, peer);
	ibv_dealloc_pd(pd);
	return err;
}
