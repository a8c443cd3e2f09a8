/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The RDMA_CM device: commands of several programs with ids that live or do not, addresses that lead
 * somewhere or do not, lengths right and wrong; messages lost, repeated, damaged and made up; time
 * that passes; programs that die. Nothing may crash or leak, and no timer may outlive its id.
 */
#include "fuzz.h"
#include "tests/kernel/cm_rig.h"

#include <errno.h>
#include <unistd.h>

#define ENDS 4u
#define STEPS 400u

static struct cr_end ends[ENDS];
static unsigned int requests, connections, disconnects;

static const char *const addresses[] = {"127.0.0.1", "0.0.0.0", "192.168.215.1", "192.168.215.2", "10.0.0.1", "192.168.215.9",
					"8.8.8.8",   "::1",	"::",		 "fe80::1"};

static struct sockaddr_in6 some_ip(void)
{
	return cr_ip(addresses[any(sizeof(addresses) / sizeof(addresses[0]))], (uint16_t)(any(4) ? 7000 + any(2) : any(1u << 16)));
}

static struct rdma_ucm_conn_param some_param(void)
{
	struct rdma_ucm_conn_param p = {.qp_num = any(6), .valid = any(8) > 0, .private_data_len = (uint8_t)any(256)};

	if (any(4))
		p.private_data_len %= 32;
	return p;
}

/* A command of the right shape for a living id. */
static void some_command(uint32_t command, uint32_t id, uint8_t *in)
{
	struct rdma_ucm_resolve_ip resolve = {.id = id, .dst_addr = some_ip(), .timeout_ms = any(3000)};
	struct rdma_ucm_bind_ip bind = {.id = id, .addr = some_ip()};
	struct rdma_ucm_accept accept = {.uid = any(2), .conn_param = some_param(), .id = id};
	struct rdma_ucm_connect connect = {.conn_param = some_param(), .id = id};
	struct rdma_ucm_create_id create = {.uid = any(4), .ps = any(3) ? RDMA_PS_TCP : RDMA_PS_UDP};
	struct rdma_ucm_join_ip_mcast join = {.uid = 1, .addr = some_ip(), .id = id};

	switch (command) {
	case RDMA_USER_CM_CMD_CREATE_ID:
		memcpy(in, &create, sizeof(create));
		break;
	case RDMA_USER_CM_CMD_BIND_IP:
		memcpy(in, &bind, sizeof(bind));
		break;
	case RDMA_USER_CM_CMD_RESOLVE_IP:
		memcpy(in, &resolve, sizeof(resolve));
		break;
	case RDMA_USER_CM_CMD_CONNECT:
		memcpy(in, &connect, sizeof(connect));
		break;
	case RDMA_USER_CM_CMD_ACCEPT:
		memcpy(in, &accept, sizeof(accept));
		break;
	case RDMA_USER_CM_CMD_JOIN_IP_MCAST:
		memcpy(in, &join, sizeof(join));
		break;
	case RDMA_USER_CM_CMD_DESTROY_ID:
	case RDMA_USER_CM_CMD_LEAVE_MCAST:
	case RDMA_USER_CM_CMD_QUERY_ROUTE:
	case RDMA_USER_CM_CMD_QUERY:
	case RDMA_USER_CM_CMD_MIGRATE_ID:
	case RDMA_USER_CM_CMD_INIT_QP_ATTR:
	case RDMA_USER_CM_CMD_SET_OPTION:
		memcpy(in + 8, &id, sizeof(id));
		in[12] = (uint8_t)any(8);
		break;
	default: /* the id comes first */
		memcpy(in, &id, sizeof(id));
		in[4] = (uint8_t)any(8);
	}
}

static void count(const struct ucma_request *r)
{
	struct rdma_ucm_event_resp e;

	if (r->command != RDMA_USER_CM_CMD_GET_EVENT)
		return;
	memcpy(&e, r->out, sizeof(e));
	requests += e.event == E_CONNECT_REQUEST;
	connections += e.event == E_ESTABLISHED;
	disconnects += e.event == E_DISCONNECTED;
}

static void write_any(void)
{
	struct cr_end *e = &ends[any(ENDS)];
	uint32_t command = any(32) ? any(23) : any(40);
	const struct ucma_command *c = ucma_command_find(command);
	struct ucma_request *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	r->command = command;
	r->in_len = (uint16_t)(c ? c->in : any(320));
	r->out_len = (uint16_t)(any(16) ? 400 : any(400));
	if (!any(16) && c && c->least_in)
		r->in_len = (uint16_t)any(c->in + 1u);
	r->nin = c ? ucma_in_bytes(c, r->in_len) : 0;
	some_command(command, any(12), r->in);
	if (!any(8))
		for (unsigned int i = any(4); i; i--)
			r->in[any(sizeof(r->in))] = (uint8_t)any(256);
	if (c && ucma_value_bytes(c, r->in) > sizeof(r->value))
		memset(r->in, 0, sizeof(r->in)); /* the preload refuses it */
	r->nvalue = c ? ucma_value_bytes(c, r->in) : 0;
	if (!cm_write(e->file, r)) {
		assert_in_range(r->nout, 0, sizeof(r->out));
		count(r);
	}
	free(r);
}

/* The usual way, so that inputs get far. */
static void events_all(void)
{
	for (unsigned int i = 0; i < ENDS; i++) {
		struct ucma_request r = {.command = RDMA_USER_CM_CMD_GET_EVENT, .in_len = 8, .out_len = 400, .nin = 8};

		while (!cm_write(ends[i].file, &r)) {
			struct rdma_ucm_event_resp e;
			struct cr_end child = ends[i];

			count(&r);
			memcpy(&e, r.out, sizeof(e));
			child.id = e.id;
			if (e.event == E_CONNECT_REQUEST && any(4))
				cr_accept(&child, 1 + any(3));
			if (e.event == E_CONNECT_RESPONSE && any(4))
				cr_accept(&child, 0);
			if (e.event == E_ADDR_RESOLVED && any(4))
				cr_route(&child);
			if (e.event == E_ROUTE_RESOLVED && any(4))
				cr_connect(&child, "x");
			if (e.event == E_DISCONNECTED && any(2))
				cr_disconnect(&child);
		}
	}
}

static void damage(void)
{
	if (!cr->nwire)
		return;
	for (unsigned int i = 1 + any(4); i; i--)
		cr->wire[any(cr->nwire)].mad[any(CM_MAD_BYTES)] = (uint8_t)any(256);
}

static void repeat(void)
{
	if (cr->nwire && cr->nwire < CR_WIRE) {
		cr->wire[cr->nwire] = cr->wire[any(cr->nwire)];
		cr->nwire++;
	}
}

/* A message of nobody, with small numbers, which mean something here and there. */
static void invent(void)
{
	struct cm_path path = {.sgid_index = 3};
	uint8_t mad[CM_MAD_BYTES];

	mad_begin(mad, CM_REQ + any(11), any(8));
	mad_set(mad, CM_LOCAL_ID, any(2) ? any(8) << 20 | any(8) : any(1u << 31));
	mad_set(mad, CM_REMOTE_ID, any(2) ? any(64) << 20 | any(8) : any(1u << 31));
	for (unsigned int i = any(16); i; i--)
		mad[24 + any(CM_MAD_BYTES - 24)] = (uint8_t)any(256);
	memcpy(path.sgid, cr->dev->vhca[0].gids[3].gid, 16);
	memcpy(path.dgid, cr->dev->vhca[any(2)].gids[3].gid, 16);
	cm_receive(cr->cm, &cr->dev->vhca[0], &path, mad);
}

static void die(void)
{
	unsigned int i = any(ENDS);

	cr_close(&ends[i]);
	ends[i] = cr_open(any(2), RDMA_PS_TCP);
}

static void step(void)
{
	switch (any(16)) {
	case 0:
		damage();
		break;
	case 1:
		repeat();
		break;
	case 2:
		invent();
		break;
	case 3:
		cr_pass(any(8000));
		break;
	case 4:
		if (!any(4))
			die();
		break;
	case 5:
	case 6:
		cr_deliver();
		break;
	case 7:
	case 8:
		events_all();
		break;
	case 9:
		cr->lose = any(1u << 9);
		break;
	default:
		write_any();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	void *state;

	fuzz_begin(bytes, len);
	cr_setup(&state);
	for (unsigned int i = 0; i < ENDS; i++)
		ends[i] = cr_open(i % 2, RDMA_PS_TCP);
	cr_bind(&ends[0], "0.0.0.0", 7000);
	cr_listen(&ends[0], any(4));
	cr_resolve(&ends[1], "192.168.215.1", 7000);
	for (unsigned int i = 0; i < STEPS && fuzz_more(); i++)
		step();
	for (unsigned int i = 0; i < ENDS; i++)
		cr_close(&ends[i]);
	cr_deliver();
	cr_teardown(&state);
	return 0;
}

/* Most inputs make a request; some come to the end of a connection. */
static void judge(unsigned int inputs)
{
	assert_in_range(requests, inputs / 4, UINT32_MAX);
	assert_in_range(connections, inputs / 16, UINT32_MAX);
	assert_in_range(disconnects, inputs / 64, UINT32_MAX);
}

const struct fuzz_target fuzz_target = {.inputs = 2000, .longest = 4000, .judge = judge};
