/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves ids, addresses, ports, events, and the errno of bad commands. */
#include "cm_rig.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Proves that an id takes its unread events along, reports read ones, and the rest keep their
 * order.
 */
TEST(cm, events)
{
	struct cr_end a = cr_open(0, RDMA_PS_TCP), b = a;
	struct rdma_ucm_create_id c = {.uid = 0xb, .ps = RDMA_PS_TCP};
	struct rdma_ucm_create_id_resp resp;

	assert_int_equal(CR_ASK(&a, RDMA_USER_CM_CMD_CREATE_ID, c, &resp), 0);
	b.id = resp.id;
	assert_int_equal(cr_resolve(&a, "192.168.215.2", 1), 0);
	cr_resolves(&b, "192.168.215.2", 1);
	assert_int_equal(cr_route(&a), 0);
	assert_int_equal(cr_readable(&a), 4);
	assert_int_equal(cr_event(&a).uid, 0x1000);
	assert_int_equal(cr_destroy(&a), 1);
	assert_int_equal(cr_readable(&b), 2);
	assert_int_equal(cr_event(&b).uid, 0xb);
	cr_expect(&b, E_ROUTE_RESOLVED, 0);
	cr_expect_none(&b);
	assert_int_equal(cr_destroy(&b), 2);
	cr_close(&a);
}

/* Proves that an id moves to another channel with its unread events, and only from its own. */
TEST(cm, migrate)
{
	struct cr_end a = cr_open(0, RDMA_PS_TCP), to = cr_open(0, RDMA_PS_TCP);
	struct rdma_ucm_migrate_id c = {.id = a.id};
	struct ucma_request r = {
		.command = RDMA_USER_CM_CMD_MIGRATE_ID, .in_len = sizeof(c), .nin = sizeof(c)};
	struct rdma_ucm_migrate_resp resp;
	struct stat st;

	cr_resolves(&a, "192.168.215.2", 1);
	cr_expect(&a, E_ADDR_RESOLVED, 0);
	memcpy(r.in, &c, sizeof(c));
	r.inode = 1;
	assert_int_equal(cm_write(to.file, &r), -EINVAL);
	fstat(to.fd, &st);
	r.inode = st.st_ino;
	assert_int_equal(cm_write(to.file, &r), -EINVAL); /* the id is in the other channel */
	fstat(a.fd, &st);
	r.inode = st.st_ino;
	assert_int_equal(cm_write(to.file, &r), 0);
	memcpy(&resp, r.out, sizeof(resp));
	assert_int_equal(resp.events_reported, 1);
	cr_expect_none(&a);
	assert_int_equal(cr_event(&to).id, a.id);
	assert_int_equal(cr_route(&a), -EINVAL);
	assert_true(test_logged(cr->log, "belongs to another event channel"));
	cr_close(&a);
	cr_close(&to);
}

/* Proves that an id may be moved to the channel that it is in, with two unread events. */
TEST(cm, migrate_nowhere)
{
	struct cr_end a = cr_open(0, RDMA_PS_TCP);
	struct rdma_ucm_migrate_id c = {.id = a.id};
	struct ucma_request r = {
		.command = RDMA_USER_CM_CMD_MIGRATE_ID, .in_len = sizeof(c), .nin = sizeof(c)};
	struct stat st;

	cr_resolves(&a, "192.168.215.2", 1);
	memcpy(r.in, &c, sizeof(c));
	fstat(a.fd, &st);
	r.inode = st.st_ino;
	assert_int_equal(cm_write(a.file, &r), 0);
	cr_expect(&a, E_ADDR_RESOLVED, 0);
	cr_expect(&a, E_ROUTE_RESOLVED, 0);
	cr_close(&a);
}

/* Proves that a program may destroy an unread request's id by guessing its number. */
TEST(cm, guessed_child)
{
	struct cr_end server, client, child;

	cr_pair(&server, &client, RDMA_PS_TCP);
	cr_connects(&client, "x");
	child = server;
	child.id = client.id + 1;
	assert_int_equal(cr_destroy(&child), 0);
	cr_deliver();
	cr_expect(&client, E_REJECTED, 28);
	cr_expect(&server, E_CONNECT_REQUEST, 0);
	cr_close(&client);
	cr_close(&server);
}

/* --- addresses -------------------------------------------------------------------------------- */

static const struct {
	const char *address;
	uint32_t event;
	int status;
	const char *said;
} destinations[] = {
	{"127.0.0.1", E_ADDR_RESOLVED, 0, NULL},
	{"::1", E_ADDR_RESOLVED, 0, NULL},
	{"0.0.0.0", E_ADDR_RESOLVED, 0, NULL},
	{"10.0.0.1", E_ADDR_RESOLVED, 0, NULL},
	{"192.168.215.2", E_ADDR_RESOLVED, 0, NULL},
	{"8.8.8.8", E_ADDR_ERROR, -ENODEV, "8.8.8.8: it is no address of this machine"},
};

/* Proves the result of each kind of destination, and the sentence of a refusal. */
TEST(cm, destination)
{
	for (unsigned int i = 0; i < sizeof(destinations) / sizeof(destinations[0]); i++) {
		struct cr_end e = cr_open(0, RDMA_PS_TCP);

		assert_int_equal(cr_resolve(&e, destinations[i].address, 1), 0);
		cr_expect(&e, destinations[i].event, destinations[i].status);
		if (destinations[i].said)
			assert_true(test_logged(cr->log, destinations[i].said));
		cr_close(&e);
	}
}

/* Proves that an unused address of the functions' network is an error after the timeout. */
TEST(cm, unanswered)
{
	struct cr_end e = cr_open(0, RDMA_PS_TCP);

	assert_int_equal(cr_resolve(&e, "192.168.215.9", 1), 0);
	cr_pass(1999);
	cr_expect_none(&e);
	cr_pass(1);
	cr_expect(&e, E_ADDR_ERROR, -ETIMEDOUT);
	assert_true(test_logged(cr->log, "192.168.215.9: nobody answers to this address"));
	assert_int_equal(cr_resolve(&e, "192.168.215.9", 1), 0);
	cr_close(&e); /* while the timer runs */
}

/* Proves the queries by which librdmacm finds the device and the path between two GIDs. */
TEST(cm, query)
{
	struct cr_end e = cr_open(0, RDMA_PS_TCP);
	struct rdma_ucm_query c = {.id = e.id};
	struct rdma_ucm_query_route_resp r;
	struct rdma_ucm_query_addr_resp addr;

	assert_int_equal(CR_ASK(&e, RDMA_USER_CM_CMD_QUERY_ROUTE, c, &r), 0);
	assert_int_equal(r.node_guid, 0);
	cr_resolves(&e, "192.168.215.2", 9);
	assert_int_equal(CR_ASK(&e, RDMA_USER_CM_CMD_QUERY_ROUTE, c, &r), 0);
	assert_int_equal(be64toh(r.node_guid), cr->dev->vhca[0].guid);
	assert_int_equal(r.port_num, 1);
	assert_int_equal(r.num_paths, 1);
	assert_int_equal(CR_ASK(&e, RDMA_USER_CM_CMD_QUERY, c, &addr), 0);
	assert_int_equal(addr.node_guid, r.node_guid);
	assert_int_equal(addr.port_num, 1);
	assert_memory_equal(r.ib_route[0].sgid, cr->dev->vhca[0].gids[3].gid, 16);
	assert_memory_equal(r.ib_route[0].dgid, cr->dev->vhca[1].gids[3].gid, 16);
	assert_int_equal(((struct sockaddr_in *)(void *)&r.src_addr)->sin_addr.s_addr,
			 htonl(0xc0a8d701));
	assert_int_not_equal(r.src_addr.sin6_port, 0);
	cr_close(&e);
}

/* --- ports ------------------------------------------------------------------------------------ */

/* Proves which binds to a port conflict: by function, port space, family, address and REUSEADDR. */
TEST(cm, ports)
{
	struct cr_end a = cr_open(0, RDMA_PS_TCP), b = cr_open(0, RDMA_PS_TCP),
		   other = cr_open(1, RDMA_PS_TCP);
	struct cr_end udp = cr_open(0, RDMA_PS_UDP), low = cr_open(0, RDMA_PS_TCP);
	struct rdma_ucm_create_id c = {.ps = RDMA_PS_TCP};
	struct rdma_ucm_create_id_resp resp;
	int fd;

	assert_int_equal(cr_bind(&a, "192.168.215.1", 7000), 0);
	assert_int_equal(cr_bind(&a, "192.168.215.1", 7001), -EINVAL);
	assert_int_equal(cr_bind(&b, "192.168.215.1", 7000), -EADDRINUSE);
	assert_int_equal(cr_bind(&b, "0.0.0.0", 7000), -EADDRNOTAVAIL);
	assert_int_equal(cr_bind(&b, "192.168.215.2", 7000), -ENODEV);
	assert_true(test_logged(cr->log, "192.168.215.2 is no address of function host"));
	assert_int_equal(cr_bind(&b, "10.0.0.1", 7000), 0); /* another address */
	assert_int_equal(cr_bind(&other, "0.0.0.0", 7000), 0);
	assert_int_equal(cr_bind(&udp, "0.0.0.0", 7000), 0);
	assert_int_equal(cr_bind(&low, "0.0.0.0", 80), 0);
	cr_close(&low);
	low.file = cm_open(cr->cm, 0, getpid(), false, &fd);
	low.fd = fd;
	assert_int_equal(CR_ASK(&low, RDMA_USER_CM_CMD_CREATE_ID, c, &resp), 0);
	low.id = resp.id;
	assert_int_equal(cr_bind(&low, "0.0.0.0", 80), -EACCES);
	assert_true(test_logged(cr->log, "CAP_NET_BIND_SERVICE"));
	assert_int_equal(cr_bind(&low, "0.0.0.0", 0), 0);
	cr_close(&a);
	cr_close(&b);
	cr_close(&other);
	cr_close(&udp);
	cr_close(&low);
}

/* Proves librdmacm's probe for AF_IB: the kernel knows it, but has no routes for it on Ethernet. */
TEST(cm, af_ib)
{
	struct {
		uint16_t family, pkey;
		uint32_t flowinfo;
		uint8_t addr[16];
		uint64_t sid, mask, scope;
	} ib = {.family = 27, .sid = htobe64(0x01060000), .mask = htobe64(0xffffffffffff0000)};
	struct cr_end e = cr_open(0, RDMA_PS_IB), f = cr_open(0, RDMA_PS_IB);
	struct rdma_ucm_bind c = {.id = e.id, .addr_size = sizeof(ib)};
	struct rdma_ucm_resolve_addr r = {.id = f.id, .dst_size = sizeof(ib), .timeout_ms = 1};

	memcpy(&c.addr, &ib, sizeof(ib));
	assert_int_equal(CR_RUN(&e, RDMA_USER_CM_CMD_BIND, c), 0);
	memcpy(ib.addr, cr->dev->vhca[1].gids[3].gid, 16);
	memcpy(&r.dst_addr, &ib, sizeof(ib));
	memcpy(&r.src_addr, &ib, sizeof(ib));
	memset((char *)&r.src_addr + 8, 0, 16);
	r.src_size = sizeof(ib);
	assert_int_equal(CR_RUN(&f, RDMA_USER_CM_CMD_RESOLVE_ADDR, r), 0);
	cr_expect(&f, E_ADDR_RESOLVED, 0);
	assert_int_equal(cr_route(&f), -ENODEV);
	cr_close(&e);
	cr_close(&f);
}

/* --- groups ----------------------------------------------------------------------------------- */

/* Proves that a join gives an event with its uid, which leaving removes if it is unread. */
TEST(cm, groups)
{
	struct cr_end e = cr_open(0, RDMA_PS_UDP);
	struct rdma_ucm_join_ip_mcast c = {.uid = 0x77, .id = e.id, .addr = cr_ip("239.1.2.3", 0)};
	struct rdma_ucm_destroy_id leave;
	struct rdma_ucm_create_id_resp resp;
	struct rdma_ucm_destroy_id_resp left;
	struct rdma_ucm_event_resp ev;
	static const uint8_t mgid[16] = {[10] = 0xff, 0xff, 239, 1, 2, 3};

	assert_int_equal(CR_ASK(&e, RDMA_USER_CM_CMD_JOIN_IP_MCAST, c, &resp), -EINVAL);
	assert_int_equal(cr_bind(&e, "192.168.215.1", 0), 0);
	assert_int_equal(CR_ASK(&e, RDMA_USER_CM_CMD_JOIN_IP_MCAST, c, &resp), 0);
	ev = cr_expect(&e, E_MULTICAST_JOIN, 0);
	assert_int_equal(ev.uid, 0x77);
	assert_int_equal(ev.id, resp.id);
	assert_int_equal(ev.param.ud.qp_num, 0xffffff);
	assert_int_equal(ev.param.ud.qkey, 0x01234567);
	assert_memory_equal(ev.param.ud.ah_attr.grh.dgid, mgid, 16);
	leave = (struct rdma_ucm_destroy_id){.id = resp.id};
	assert_int_equal(CR_ASK(&e, RDMA_USER_CM_CMD_LEAVE_MCAST, leave, &left), 0);
	assert_int_equal(left.events_reported, 1);
	assert_int_equal(CR_ASK(&e, RDMA_USER_CM_CMD_LEAVE_MCAST, leave, &left), -ENOENT);
	c.addr = cr_ip("ff02::1", 0);
	assert_int_equal(CR_ASK(&e, RDMA_USER_CM_CMD_JOIN_IP_MCAST, c, &resp), -524);
	c.addr = cr_ip("239.1.2.4", 0);
	assert_int_equal(CR_ASK(&e, RDMA_USER_CM_CMD_JOIN_IP_MCAST, c, &resp), 0);
	assert_int_equal(cr_destroy(&e), 1); /* leaving removed the unread event */
	cr_expect_none(&e);
	cr_close(&e);
}

/* --- refusals --------------------------------------------------------------------------------- */

/* id 0 is unbound, 1 is bound and listens, 2 is in another channel, 3 does not exist */
static const struct {
	const char *what;
	uint32_t command;
	const void *in;
	size_t in_len, out_len;
	int err;
} refusals[] = {
	{"no such command", 23, "", 0, 0, -EINVAL},
	{"GET_OPTION", RDMA_USER_CM_CMD_GET_OPTION, "", 0, 0, -ENOSYS},
	{"CREATE_ID: port space", RDMA_USER_CM_CMD_CREATE_ID, &(struct rdma_ucm_create_id){.ps = 3},
	 sizeof(struct rdma_ucm_create_id), 4, -EINVAL},
	{"CREATE_ID: out", RDMA_USER_CM_CMD_CREATE_ID,
	 &(struct rdma_ucm_create_id){.ps = RDMA_PS_TCP}, sizeof(struct rdma_ucm_create_id), 3,
	 -ENOSPC},
	{"GET_EVENT: out", RDMA_USER_CM_CMD_GET_EVENT, &(struct rdma_ucm_get_event){0}, 8, 323,
	 -ENOSPC},
	{"DESTROY_ID: unknown", RDMA_USER_CM_CMD_DESTROY_ID, &(struct rdma_ucm_destroy_id){.id = 3},
	 16, 4, -ENOENT},
	{"DESTROY_ID: another's", RDMA_USER_CM_CMD_DESTROY_ID,
	 &(struct rdma_ucm_destroy_id){.id = 2}, 16, 4, -EINVAL},
	{"LISTEN: unknown", RDMA_USER_CM_CMD_LISTEN, &(struct rdma_ucm_listen){.id = 1000000}, 8, 0,
	 -ENOENT},
	{"LISTEN: twice", RDMA_USER_CM_CMD_LISTEN, &(struct rdma_ucm_listen){.id = 1}, 8, 0,
	 -EINVAL},
	{"BIND_IP: family", RDMA_USER_CM_CMD_BIND_IP,
	 &(struct rdma_ucm_bind_ip){.id = 0, .addr.sin6_family = 1}, 40, 0, -EINVAL},
	{"BIND: size", RDMA_USER_CM_CMD_BIND,
	 &(struct rdma_ucm_bind){.id = 0, .addr_size = 17, .addr.ss_family = AF_INET}, 136, 0,
	 -EINVAL},
	{"BIND: reserved", RDMA_USER_CM_CMD_BIND,
	 &(struct rdma_ucm_bind){
		 .id = 0, .addr_size = 16, .reserved = 1, .addr.ss_family = AF_INET},
	 136, 0, -EINVAL},
	{"RESOLVE_IP: no destination", RDMA_USER_CM_CMD_RESOLVE_IP,
	 &(struct rdma_ucm_resolve_ip){.id = 0}, 64, 0, -EINVAL},
	{"RESOLVE_ROUTE: unbound", RDMA_USER_CM_CMD_RESOLVE_ROUTE,
	 &(struct rdma_ucm_resolve_route){.id = 0, .timeout_ms = 1}, 8, 0, -EINVAL},
	{"CONNECT: unbound", RDMA_USER_CM_CMD_CONNECT,
	 &(struct rdma_ucm_connect){.id = 0, .conn_param.valid = 1},
	 sizeof(struct rdma_ucm_connect), 0, -EINVAL},
	{"CONNECT: not valid", RDMA_USER_CM_CMD_CONNECT, &(struct rdma_ucm_connect){.id = 1},
	 sizeof(struct rdma_ucm_connect), 0, -EINVAL},
	{"CONNECT: cut", RDMA_USER_CM_CMD_CONNECT, &(struct rdma_ucm_connect){.id = 1}, 287 - 8, 0,
	 -EINVAL},
	{"ACCEPT: no request", RDMA_USER_CM_CMD_ACCEPT, &(struct rdma_ucm_accept){.id = 1},
	 sizeof(struct rdma_ucm_accept), 0, -EINVAL},
	{"REJECT: reason", RDMA_USER_CM_CMD_REJECT, &(struct rdma_ucm_reject){.id = 1, .reason = 8},
	 sizeof(struct rdma_ucm_reject), 0, -EINVAL},
	{"REJECT: no request", RDMA_USER_CM_CMD_REJECT, &(struct rdma_ucm_reject){.id = 1},
	 sizeof(struct rdma_ucm_reject), 0, -EINVAL},
	{"DISCONNECT: no connection", RDMA_USER_CM_CMD_DISCONNECT,
	 &(struct rdma_ucm_disconnect){.id = 1}, 4, 0, -EINVAL},
	{"INIT_QP_ATTR: state", RDMA_USER_CM_CMD_INIT_QP_ATTR,
	 &(struct rdma_ucm_init_qp_attr){.id = 1, .qp_state = 7}, 16,
	 sizeof(struct ib_uverbs_qp_attr), -EINVAL},
	{"INIT_QP_ATTR: unbound", RDMA_USER_CM_CMD_INIT_QP_ATTR,
	 &(struct rdma_ucm_init_qp_attr){.id = 0}, 16, sizeof(struct ib_uverbs_qp_attr), -EINVAL},
	{"INIT_QP_ATTR: out", RDMA_USER_CM_CMD_INIT_QP_ATTR,
	 &(struct rdma_ucm_init_qp_attr){.id = 1}, 16, 8, -ENOSPC},
	{"QUERY: option", RDMA_USER_CM_CMD_QUERY, &(struct rdma_ucm_query){.id = 1, .option = 3},
	 16, 280, -ENOSYS},
	{"QUERY: out", RDMA_USER_CM_CMD_QUERY, &(struct rdma_ucm_query){.id = 1}, 16, 8, -ENOSPC},
	{"QUERY: path, out", RDMA_USER_CM_CMD_QUERY, &(struct rdma_ucm_query){.id = 1, .option = 1},
	 16, 4, -ENOSPC},
	{"SET_OPTION: level", RDMA_USER_CM_CMD_SET_OPTION,
	 &(struct rdma_ucm_set_option){.id = 1, .level = 2}, 24, 0, -ENOSYS},
	{"SET_OPTION: name", RDMA_USER_CM_CMD_SET_OPTION,
	 &(struct rdma_ucm_set_option){.id = 1, .optname = 4}, 24, 0, -ENOSYS},
	{"SET_OPTION: length", RDMA_USER_CM_CMD_SET_OPTION,
	 &(struct rdma_ucm_set_option){.id = 1, .optlen = 4}, 24, 0, -EINVAL},
	{"SET_OPTION: AFONLY late", RDMA_USER_CM_CMD_SET_OPTION,
	 &(struct rdma_ucm_set_option){.id = 1, .optname = RDMA_OPTION_ID_AFONLY, .optlen = 4}, 24,
	 0, -EINVAL},
	{"NOTIFY: unbound", RDMA_USER_CM_CMD_NOTIFY, &(struct rdma_ucm_notify){.id = 0, .event = 4},
	 8, 0, -EINVAL},
	{"JOIN_MCAST: RC", RDMA_USER_CM_CMD_JOIN_IP_MCAST,
	 &(struct rdma_ucm_join_ip_mcast){.id = 1, .addr.sin6_family = AF_INET}, 48, 4, -EINVAL},
	{"LEAVE_MCAST: unknown", RDMA_USER_CM_CMD_LEAVE_MCAST,
	 &(struct rdma_ucm_destroy_id){.id = 1}, 16, 4, -ENOENT},
};

/* Proves that each bad command gets the kernel's errno, and changes nothing. */
TEST(cm, refused)
{
	struct cr_end a = cr_open(0, RDMA_PS_TCP), other;
	struct rdma_ucm_create_id c = {.uid = 1, .ps = RDMA_PS_TCP};
	struct rdma_ucm_create_id_resp resp;
	struct cr_end listener = a;
	uint8_t out[512];

	assert_int_equal(CR_ASK(&a, RDMA_USER_CM_CMD_CREATE_ID, c, &resp), 0);
	listener.id = resp.id;
	assert_int_equal(cr_bind(&listener, "192.168.215.1", 7000), 0);
	assert_int_equal(cr_listen(&listener, 1), 0);
	other = cr_open(0, RDMA_PS_TCP);
	assert_int_equal(other.id, 2);
	for (unsigned int i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		int err = cr_command(a.file, refusals[i].command, refusals[i].in,
				     refusals[i].in_len, out, refusals[i].out_len);

		if (err != refusals[i].err)
			fail_msg("%s: %d, not %d", refusals[i].what, err, refusals[i].err);
	}
	cr_expect_none(&a);
	assert_int_equal(cr_destroy(&listener), 0);
	assert_int_equal(cr_destroy(&a), 0);
	cr_close(&a);
	cr_close(&other);
}
