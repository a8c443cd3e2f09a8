/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the events at both ends of a connection, with lost messages and peers that die. */
#include "cm_rig.h"

#include <errno.h>
#include "kernel/cm/conn.h"

static void close_all(struct cr_end *a, struct cr_end *b)
{
	cr_close(b);
	cr_close(a);
	cr_deliver();
}

/* Proves that each end's QP attributes are what the other end announced. */
TEST(cm, attributes)
{
	struct ib_uverbs_qp_attr a, b, c, d;
	struct cr_end server, client, child;

	cr_connected(&server, &client, &child);
	assert_int_equal(cr_qp_attr(&client, 1, &a), 0);
	assert_int_equal(a.qp_attr_mask, 0x39);
	assert_int_equal(a.qp_access_flags,
			 2 | 4 | 8); /* remote reads, as the peer has an initiator depth */
	assert_int_equal(cr_qp_attr(&client, 2, &a), 0);
	assert_int_equal(cr_qp_attr(&child, 2, &b), 0);
	assert_int_equal(a.dest_qp_num, CR_QPN(&child));
	assert_int_equal(b.dest_qp_num, CR_QPN(&client));
	assert_int_equal(a.path_mtu, b.path_mtu);
	assert_memory_equal(a.ah_attr.grh.dgid, cr->dev->vhca[0].gids[3].gid, 16);
	assert_memory_equal(b.ah_attr.grh.dgid, cr->dev->vhca[1].gids[3].gid, 16);
	assert_int_equal(a.ah_attr.grh.sgid_index, 3);
	/* the listener's accept() had the same parameters as connect(), so it responds to 3 */
	assert_int_equal(a.max_dest_rd_atomic, 2);
	assert_int_equal(b.max_dest_rd_atomic, 3);
	assert_int_equal(cr_qp_attr(&client, 3, &c), 0);
	assert_int_equal(cr_qp_attr(&child, 3, &d), 0);
	assert_int_equal(c.sq_psn, b.rq_psn);
	assert_int_equal(d.sq_psn, a.rq_psn);
	assert_int_equal(c.max_rd_atomic, 3);
	assert_int_equal(c.retry_cnt, 7); /* cut to the field's width */
	assert_int_equal(c.timeout, 19);
	close_all(&server, &client);
}

/* Proves that private data arrives, padded to the message's room, and that depths are swapped. */
TEST(cm, private_data)
{
	struct rdma_ucm_event_resp e;
	struct cr_end server, client, child;

	cr_pair(&server, &client, RDMA_PS_TCP);
	cr_connects(&client, "hello");
	e = cr_expect(&server, E_CONNECT_REQUEST, 0);
	assert_int_equal(e.uid, 0x1000);
	assert_int_equal(e.param.conn.private_data_len, 56);
	assert_string_equal((char *)e.param.conn.private_data, "hello");
	assert_int_equal(e.param.conn.responder_resources, 2);
	assert_int_equal(e.param.conn.initiator_depth, 3);
	assert_int_equal(e.param.conn.qp_num, CR_QPN(&client));
	child = server;
	child.id = e.id;
	cr_accepts(&child, 0x2000);
	e = cr_expect(&client, E_CONNECT_RESPONSE, 0);
	assert_int_equal(e.param.conn.private_data_len, 196);
	assert_string_equal((char *)e.param.conn.private_data, "yes");
	close_all(&server, &client);
}

/* Proves that a code beyond the 5 bits of messages, which options have, is a time as on x86 Linux. */
TEST(none, times)
{
	assert_int_equal(conn_ms(8), 1);
	assert_int_equal(conn_ms(20), 4096);
	assert_int_equal(conn_ms(39), 1u << 31);
	assert_int_equal(conn_ms(40), 1);
	assert_int_equal(conn_ms(200), 1);
}

/*
 * Proves the orderly end: each side disconnects, and leaves the time-wait state after 2 s. A
 * message that comes to another function ends nothing.
 */
TEST(cm, disconnect)
{
	struct cm_path path = {.sgid_index = 3};
	struct cr_end server, client, child;

	cr_connected(&server, &client, &child);
	assert_int_equal(cr_disconnect(&client), 0);
	memcpy(path.sgid, cr->dev->vhca[1].gids[3].gid, 16);
	cm_receive(cr->cm, &cr->dev->vhca[1], &path, cr->wire[0].mad);
	cr_expect_none(&server);
	cr_deliver();
	assert_int_equal(cr_expect(&server, E_DISCONNECTED, 0).id, child.id);
	cr_expect_none(&client); /* DREP waits for the peer's own disconnect */
	cr_disconnects(&child);
	cr_expect(&client, E_DISCONNECTED, 0);
	cr_pass(2047);
	cr_expect_none(&client);
	cr_pass(1);
	cr_expect(&client, E_TIMEWAIT_EXIT, 0);
	cr_expect(&server, E_TIMEWAIT_EXIT, 0);
	assert_int_equal(cr_destroy(&child), 3);
	close_all(&server, &client);
}

/* Proves that a connection is made and ended although the first message of each kind is lost. */
TEST(cm, loss)
{
	struct cr_end server, client, child;

	cr_pair(&server, &client, RDMA_PS_TCP);
	cr->lose = 0x1ff;
	cr_connects(&client, "x");
	cr_expect_none(&server);
	cr_pass(6144); /* 2 * 2^(18-8) + 2^(20-8) ms */
	child = cr_request(&server);
	cr_accepts(&child, 0x2000);
	cr_expect_none(&client);
	cr_pass(4096);
	cr_expect(&client, E_CONNECT_RESPONSE, 0);
	cr_accepts(&client, 0);
	cr_expect_none(&server);
	cr_pass(4096); /* REP again, answered with RTU again */
	cr_expect(&server, E_ESTABLISHED, 0);
	cr_disconnects(&client);
	cr_expect_none(&server);
	cr_pass(6144);
	cr_expect(&server, E_DISCONNECTED, 0);
	cr_disconnects(&child);
	cr_pass(2048);
	cr_expect(&server, E_TIMEWAIT_EXIT, 0);
	assert_int_equal(cr_destroy(&child), 3);
	cr_expect_none(&client);
	cr_pass(6144 - 2048); /* DREQ again: it is answered although the connection is gone */
	cr_expect(&client, E_DISCONNECTED, 0);
	close_all(&server, &client);
}

/* Proves that a request whose program has not decided is answered with MRA, so the peer waits. */
TEST(cm, patience)
{
	struct cr_end server, client, child;
	unsigned int sent;

	child = cr_requested(&server, &client, RDMA_PS_TCP);
	cr_pass(6144);
	sent = cr->sent;
	cr_pass(60000); /* MRA asks for 65 s */
	assert_int_equal(cr->sent, sent);
	cr_expect_none(&server);
	cr_accepts(&child, 0x2000);
	cr_expect(&client, E_CONNECT_RESPONSE, 0);
	close_all(&server, &client);
}

/* Proves that a peer that is gone after its MRA gives UNREACHABLE, after as many requests as any. */
TEST(cm, dead_after_mra)
{
	struct cr_end server, client;
	unsigned int sent;

	(void)cr_requested(&server, &client, RDMA_PS_TCP);
	cr_pass(6144);
	for (unsigned int i = 0; i < 15; i++) {
		cr_expect_none(&client);
		cr->lose = 1;
		cr_pass(70000);
	}
	cr_expect(&client, E_UNREACHABLE, -ETIMEDOUT);
	sent = cr->sent;
	cr_pass(70000);
	assert_int_equal(cr->sent, sent);
	close_all(&server, &client);
}

/* Proves that an address without a peer gives UNREACHABLE after 16 requests. */
TEST(cm, unreachable)
{
	struct cr_end server, client;

	cr_pair(&server, &client, RDMA_PS_TCP);
	cr->lose = 1;
	assert_int_equal(cr_connect(&client, "x"), 0);
	for (unsigned int i = 0; i < 16; i++) {
		cr_expect_none(&client);
		cr->lose = 1;
		cr_pass(6144);
	}
	assert_int_equal(cr->sent, 16);
	cr_expect(&client, E_UNREACHABLE, -ETIMEDOUT);
	close_all(&server, &client);
}

/*
 * Proves that a request to a full backlog has no answer, and that a later repetition is accepted.
 */
TEST(cm, backlog)
{
	struct cr_end server, first, second;

	cr_pair(&server, &first, RDMA_PS_TCP);
	assert_int_equal(cr_listen(&server, 1), -EINVAL); /* it listens already */
	cr_close(&server);
	server = cr_listener("0.0.0.0", RDMA_PS_TCP, 1);
	second = cr_client(RDMA_PS_TCP);
	assert_int_equal(cr_connect(&first, "1"), 0);
	cr_connects(&second, "2");
	assert_int_equal(cr_readable(&server), 1);
	cr_request(&server);
	cr_expect_none(&server);
	cr_pass(6144);
	assert_string_equal(
		(char *)cr_expect(&server, E_CONNECT_REQUEST, 0).param.conn.private_data, "2");
	cr_close(&second);
	close_all(&server, &first);
}

/* Proves the reasons of rejects: no listener, the program, a listener on another address. */
TEST(cm, rejected)
{
	struct rdma_ucm_reject r = {.private_data_len = 4, .private_data = "sad"};
	struct rdma_ucm_event_resp e;
	struct cr_end server, client, child;

	child = cr_requested(&server, &client, RDMA_PS_TCP);
	r.id = child.id;
	assert_int_equal(CR_RUN(&child, RDMA_USER_CM_CMD_REJECT, r), 0);
	cr_deliver();
	e = cr_expect(&client, E_REJECTED, 28);
	assert_int_equal(e.param.conn.private_data_len, 148);
	assert_string_equal((char *)e.param.conn.private_data, "sad");
	assert_int_equal(cr_accept(&child, 0x2000), -EINVAL);
	close_all(&server, &client);

	cr_pair(&server, &client, RDMA_PS_TCP);
	cr_close(&server);
	cr_connects(&client, "x");
	cr_expect(&client, E_REJECTED, 8);
	server = cr_listener("10.0.0.1", RDMA_PS_TCP, 1);
	cr_close(&client);
	client = cr_client(RDMA_PS_TCP);
	cr_connects(&client, "x");
	cr_expect(&client, E_REJECTED, 28);
	close_all(&server, &client);
}

/* Proves the events at one end when the peer's program dies, in each phase of a connection. */
TEST(cm, deaths)
{
	struct cr_end server, client, child;

	cr_connected(&server, &client, &child);
	cr_close(&client);
	cr_deliver();
	cr_expect(&server, E_DISCONNECTED, 0);
	cr_close(&server);

	cr_connected(&server, &client, &child);
	cr_close(&server);
	cr_deliver();
	cr_expect(&client, E_DISCONNECTED, 0);
	cr_close(&client);

	cr_pair(&server, &client, RDMA_PS_TCP); /* a request that nobody has read */
	cr_connects(&client, "x");
	cr_close(&server);
	cr_deliver();
	cr_expect(&client, E_REJECTED, 28);
	cr_close(&client);

	/* the client goes before the server accepts */
	child = cr_requested(&server, &client, RDMA_PS_TCP);
	cr_close(&client);
	cr_deliver();
	cr_expect_none(&server); /* an id without the program's uid has no events */
	assert_int_equal(cr_accept(&child, 0x2000), -EINVAL);
	cr_close(&server);

	/* the server goes between REP and RTU */
	child = cr_requested(&server, &client, RDMA_PS_TCP);
	cr_accepts(&child, 0x2000);
	cr_expect(&client, E_CONNECT_RESPONSE, 0);
	cr_close(&server);
	cr_deliver();
	cr_expect(&client, E_REJECTED, 28);
	cr_close(&client);
}

/* Proves that a second request for a connected QP is rejected as stale and ends the connection. */
TEST(cm, stale)
{
	struct cr_end server, client, child, again;

	cr_connected(&server, &client, &child);
	again = cr_client(RDMA_PS_TCP);
	{
		struct rdma_ucm_connect c = {.id = again.id,
					     .conn_param = {.qp_num = CR_QPN(&client), .valid = 1}};

		assert_int_equal(CR_RUN(&again, RDMA_USER_CM_CMD_CONNECT, c), 0);
	}
	cr_deliver();
	cr_expect(&again, E_REJECTED, 10);
	cr_expect(&client, E_DISCONNECTED, 0);
	cr_close(&again);
	close_all(&server, &client);
}

/* Proves that a packet before RTU establishes the connection, with one event. */
TEST(cm, notify)
{
	struct rdma_ucm_notify n = {.event = 4};
	struct cr_end server, client, child;

	child = cr_requested(&server, &client, RDMA_PS_TCP);
	n.id = child.id;
	assert_int_equal(CR_RUN(&child, RDMA_USER_CM_CMD_NOTIFY, n), -EINVAL);
	assert_int_equal(cr_accept(&child, 0x2000), 0);
	assert_int_equal(CR_RUN(&child, RDMA_USER_CM_CMD_NOTIFY, n), 0);
	cr_expect(&server, E_ESTABLISHED, 0);
	assert_int_equal(CR_RUN(&child, RDMA_USER_CM_CMD_NOTIFY, n), -EISCONN);
	cr_deliver();
	cr_expect(&client, E_CONNECT_RESPONSE, 0);
	cr_accepts(&client, 0);
	cr_expect_none(&server);
	close_all(&server, &client);
}

/* Proves that UD ids get QPN, Q_Key and address handle attributes, or the status of a refusal. */
TEST(cm, datagrams)
{
	struct rdma_ucm_event_resp e;
	struct cr_end server, client, child;
	struct rdma_ucm_reject r = {0};

	cr_pair(&server, &client, RDMA_PS_UDP);
	cr_connects(&client, "hello");
	e = cr_expect(&server, E_CONNECT_REQUEST, 0);
	assert_int_equal(e.param.ud.private_data_len, 180);
	assert_string_equal((char *)e.param.ud.private_data, "hello");
	child = server;
	child.id = e.id;
	cr_accepts(&child, 0x2000);
	cr_expect_none(&server);
	e = cr_expect(&client, E_ESTABLISHED, 0);
	assert_int_equal(e.param.ud.private_data_len, 136);
	assert_int_equal(e.param.ud.qp_num, CR_QPN(&child));
	assert_int_equal(e.param.ud.qkey, 0x01234567);
	assert_memory_equal(e.param.ud.ah_attr.grh.dgid, cr->dev->vhca[0].gids[3].gid, 16);
	close_all(&server, &client);

	child = cr_requested(&server, &client, RDMA_PS_UDP);
	r.id = child.id;
	assert_int_equal(CR_RUN(&child, RDMA_USER_CM_CMD_REJECT, r), 0);
	cr_deliver();
	cr_expect(&client, E_UNREACHABLE, 2);
	close_all(&server, &client);

	cr_pair(&server, &client, RDMA_PS_UDP);
	cr_close(&server);
	cr_connects(&client, "");
	cr_expect(&client, E_UNREACHABLE, 1);
	cr_close(&client);
}

/* Proves that cut, repeated and made-up messages of each attribute change and leak nothing. */
TEST(cm, strangers)
{
	struct cm_path path = {.sgid_index = 3};
	uint8_t mad[CM_MAD_BYTES];
	struct cr_end server, client, child;

	cr_connected(&server, &client, &child);
	memcpy(path.sgid, cr->dev->vhca[0].gids[3].gid, 16);
	memcpy(path.dgid, cr->dev->vhca[1].gids[3].gid, 16);
	for (unsigned int attribute = 0; attribute < 0x20; attribute++) {
		mad_begin(mad, attribute, 7);
		cm_receive(cr->cm, &cr->dev->vhca[0], &path, mad);
		memset(mad + 24, 0xff, sizeof(mad) - 24);
		cm_receive(cr->cm, &cr->dev->vhca[0], &path, mad);
		mad_set(mad, MAD_CLASS_VERSION, 1);
		cm_receive(cr->cm, &cr->dev->vhca[0], &path, mad);
	}
	cr_deliver();
	cr_expect_none(&server);
	cr_expect_none(&client);
	close_all(&server, &client);
}
