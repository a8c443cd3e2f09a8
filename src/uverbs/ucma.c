/* SPDX-License-Identifier: BSD-2-Clause */
#include "ucma.h"

#include <rdma/rdma_user_cm.h>
#include <string.h>

#define UPTO(type, field) (offsetof(struct type, field) + sizeof(((struct type *)NULL)->field))
#define NONE		  -1
#define RESPONSE(type)	  (int16_t) offsetof(struct type, response)
/* Fields from `field` on, which were added to the command later, may be missing. */
#define GROWN(type, field) (uint16_t) UPTO(type, field)

/* clang-format off */
#define WHOLE(type)	  (uint16_t)sizeof(struct type), 0
static const struct ucma_command commands[] = {
	[RDMA_USER_CM_CMD_CREATE_ID] = {"CREATE_ID", WHOLE(rdma_ucm_create_id),
		sizeof(struct rdma_ucm_create_id_resp), RESPONSE(rdma_ucm_create_id), NONE, NONE},
	[RDMA_USER_CM_CMD_DESTROY_ID] = {"DESTROY_ID", WHOLE(rdma_ucm_destroy_id),
		sizeof(struct rdma_ucm_destroy_id_resp), RESPONSE(rdma_ucm_destroy_id), NONE, NONE},
	[RDMA_USER_CM_CMD_BIND_IP] = {"BIND_IP", WHOLE(rdma_ucm_bind_ip), 0, NONE, NONE, NONE},
	[RDMA_USER_CM_CMD_RESOLVE_IP] = {"RESOLVE_IP", WHOLE(rdma_ucm_resolve_ip), 0, NONE, NONE, NONE},
	[RDMA_USER_CM_CMD_RESOLVE_ROUTE] = {"RESOLVE_ROUTE", WHOLE(rdma_ucm_resolve_route), 0, NONE, NONE, NONE},
	[RDMA_USER_CM_CMD_QUERY_ROUTE] = {"QUERY_ROUTE", WHOLE(rdma_ucm_query),
		offsetof(struct rdma_ucm_query_route_resp, ibdev_index), RESPONSE(rdma_ucm_query), NONE, NONE},
	[RDMA_USER_CM_CMD_CONNECT] = {"CONNECT", sizeof(struct rdma_ucm_connect),
		GROWN(rdma_ucm_connect, reserved), 0, NONE, NONE, NONE},
	[RDMA_USER_CM_CMD_LISTEN] = {"LISTEN", WHOLE(rdma_ucm_listen), 0, NONE, NONE, NONE},
	[RDMA_USER_CM_CMD_ACCEPT] = {"ACCEPT", sizeof(struct rdma_ucm_accept),
		GROWN(rdma_ucm_accept, reserved), 0, NONE, NONE, NONE},
	[RDMA_USER_CM_CMD_REJECT] = {"REJECT", WHOLE(rdma_ucm_reject), 0, NONE, NONE, NONE},
	[RDMA_USER_CM_CMD_DISCONNECT] = {"DISCONNECT", WHOLE(rdma_ucm_disconnect), 0, NONE, NONE, NONE},
	[RDMA_USER_CM_CMD_INIT_QP_ATTR] = {"INIT_QP_ATTR", WHOLE(rdma_ucm_init_qp_attr),
		sizeof(struct ib_uverbs_qp_attr), RESPONSE(rdma_ucm_init_qp_attr), NONE, NONE},
	[RDMA_USER_CM_CMD_GET_EVENT] = {"GET_EVENT", WHOLE(rdma_ucm_get_event),
		sizeof(struct rdma_ucm_event_resp) - sizeof(__u32) - sizeof(struct rdma_ucm_ece),
		RESPONSE(rdma_ucm_get_event), NONE, NONE},
	[RDMA_USER_CM_CMD_GET_OPTION] = {"GET_OPTION", 0, 0, 0, NONE, NONE, NONE},
	[RDMA_USER_CM_CMD_SET_OPTION] = {"SET_OPTION", WHOLE(rdma_ucm_set_option), 0, NONE, NONE,
		offsetof(struct rdma_ucm_set_option, optval)},
	[RDMA_USER_CM_CMD_NOTIFY] = {"NOTIFY", WHOLE(rdma_ucm_notify), 0, NONE, NONE, NONE},
	[RDMA_USER_CM_CMD_JOIN_IP_MCAST] = {"JOIN_IP_MCAST", UPTO(rdma_ucm_join_ip_mcast, id), 0,
		sizeof(struct rdma_ucm_create_id_resp), RESPONSE(rdma_ucm_join_ip_mcast), NONE, NONE},
	[RDMA_USER_CM_CMD_LEAVE_MCAST] = {"LEAVE_MCAST", WHOLE(rdma_ucm_destroy_id),
		sizeof(struct rdma_ucm_destroy_id_resp), RESPONSE(rdma_ucm_destroy_id), NONE, NONE},
	[RDMA_USER_CM_CMD_MIGRATE_ID] = {"MIGRATE_ID", WHOLE(rdma_ucm_migrate_id), 0,
		RESPONSE(rdma_ucm_migrate_id), offsetof(struct rdma_ucm_migrate_id, fd), NONE},
	[RDMA_USER_CM_CMD_QUERY] = {"QUERY", WHOLE(rdma_ucm_query), 0, RESPONSE(rdma_ucm_query), NONE, NONE},
	[RDMA_USER_CM_CMD_BIND] = {"BIND", WHOLE(rdma_ucm_bind), 0, NONE, NONE, NONE},
	[RDMA_USER_CM_CMD_RESOLVE_ADDR] = {"RESOLVE_ADDR", WHOLE(rdma_ucm_resolve_addr), 0, NONE, NONE, NONE},
	[RDMA_USER_CM_CMD_JOIN_MCAST] = {"JOIN_MCAST", WHOLE(rdma_ucm_join_mcast),
		sizeof(struct rdma_ucm_create_id_resp), RESPONSE(rdma_ucm_join_mcast), NONE, NONE},
};
/* clang-format on */

_Static_assert(sizeof(struct rdma_ucm_accept) <= UCMA_IN_MAX, "the longest command");
_Static_assert(sizeof(struct rdma_ucm_event_resp) <= UCMA_OUT_MAX, "the longest answer");

const struct ucma_command *ucma_command_find(uint32_t number)
{
	return number < sizeof(commands) / sizeof(commands[0]) ? &commands[number] : NULL;
}

uint32_t ucma_in_bytes(const struct ucma_command *c, uint16_t in_len)
{
	return c->least_in && in_len < c->in ? in_len : c->in;
}

uint32_t ucma_value_bytes(const struct ucma_command *c, const uint8_t *in)
{
	struct rdma_ucm_set_option o;

	if (c->value < 0)
		return 0;
	memcpy(&o, in, sizeof(o));
	return o.optlen;
}

uint64_t ucma_address(const uint8_t *in, int16_t at)
{
	uint64_t address;

	memcpy(&address, in + at, sizeof(address));
	return address;
}
