/* SPDX-License-Identifier: BSD-2-Clause */
/* The differences between service types, for creating, adopting and connecting queue pairs. */
#include "priv.h"

static const struct dvx_qp_kind qp_kinds[] = {
	[DVX_QP_RC] = {.name = "RC",
		       .verbs = IBV_QPT_RC,
		       .access = DVX_REMOTE_READ | DVX_REMOTE_WRITE | DVX_REMOTE_ATOMIC,
		       .peer = true,
		       .reliable = true},
	[DVX_QP_UC] = {.name = "UC", .verbs = IBV_QPT_UC, .access = DVX_REMOTE_WRITE, .peer = true},
	[DVX_QP_UD] = {.name = "UD", .verbs = IBV_QPT_UD},
	[DVX_QP_XRC_INI] = {.name = "XRC initiators",
			    .verbs = IBV_QPT_XRC_SEND,
			    .peer = true,
			    .reliable = true,
			    .sends_only = true,
			    .verbs_only = true,
			    .peer_ds = 1},
	/* made by mlx5dv_create_qp(); a DC target has the same type, but no ring to adopt */
	[DVX_QP_DCI] = {.name = "DC initiators",
			.verbs = IBV_QPT_DRIVER,
			.reliable = true,
			.sends_only = true,
			.peer_ds = PRM_AV_BYTES / DVX_SEG},
};

const struct dvx_qp_kind *dvx_qp_kind(uint32_t type)
{
	if (type >= sizeof(qp_kinds) / sizeof(qp_kinds[0]) || !qp_kinds[type].name)
		return NULL;
	return &qp_kinds[type];
}

bool dvx_qp_type_of_verbs(enum ibv_qp_type verbs, uint8_t *type)
{
	for (uint8_t i = 0; i < sizeof(qp_kinds) / sizeof(qp_kinds[0]); i++) {
		if (!qp_kinds[i].name || qp_kinds[i].verbs != verbs)
			continue;
		*type = i;
		return true;
	}
	return false;
}
