/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that messages of RDMA_CM are packets of QP1 in the right form, that a lost message is sent
 * again and a silent peer given up, and that any other bytes are only counted. */
#include "cm_rig.h"

#include <errno.h>
#include <unistd.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include "chip/mads.h"
#include "port/port.h"
#include "port/roce.h"
#include "transport/bth.h"

#define KEEP 4u

static struct frame *kept[KEEP];
static unsigned int nkept;

static void keep(void *ctx, struct port *port, struct frame *f)
{
	(void)ctx;
	(void)port;
	assert_true(nkept < KEEP);
	kept[nkept++] = f;
}

/* Makes the chip's own connection manager, with a stopped clock. */
static int mads_setup(void **state)
{
	cr_setup(state);
	cm_free(cr->cm);
	cr->cm = chip_cm(cr->chip);
	nkept = 0;
	return 0;
}

static int mads_teardown(void **state)
{
	cr->cm = NULL;
	return cr_teardown(state);
}

#define FIXTURE_mads(name) FIXTURE(name, void *no_state, mads_setup, mads_teardown)

static void turns(void)
{
	while (chip_turn(cr->chip))
		;
}

/* Keeps what the chip sends in this time; nothing arrives. */
static unsigned int keep_for(uint64_t ms)
{
	port_set_hook(cr->dev->port, keep, NULL);
	cr->now += ms * 1000000;
	turns();
	port_set_hook(cr->dev->port, NULL, NULL);
	return nkept;
}

static void drop_kept(void)
{
	while (nkept)
		frame_free(kept[--nkept]);
}

static void arrives(const struct frame *f)
{
	port_receive(cr->dev->port, f->data, f->len, false);
	turns();
}

/* Starts a request, and keeps it in kept[0]. */
static void request(struct cr_end *server, struct cr_end *client, uint16_t ps)
{
	cr_pair(server, client, ps);
	port_set_hook(cr->dev->port, keep, NULL);
	assert_int_equal(cr_connect(client, "hello"), 0);
	assert_int_equal(keep_for(0), 1);
}

static void ends(struct cr_end *server, struct cr_end *client)
{
	drop_kept();
	cr_close(client);
	cr_close(server);
	turns();
}

TEST(mads, test_packet)
{
	static const uint8_t bth[] = {BTH_UD << 5 | BTH_SEND_ONLY, 0x40, 0xff, 0xff, 0, 0, 0, 1};
	static const uint8_t deth[] = {0x80, 0x01, 0, 0, 0, 0, 0, 1}, mad[] = {1, 7, 2, 3};
	struct cr_end server, client;
	struct roce_bytes r;

	request(&server, &client, RDMA_PS_TCP);
	assert_true(roce_decode(kept[0]->data, kept[0]->len, &r));
	assert_true(roce_icrc_good(&r));
	assert_int_equal(r.len, BTH_LEN + DETH_LEN + 256);
	assert_memory_equal(r.bth, bth, sizeof(bth));
	assert_memory_equal(r.bth + BTH_LEN, deth, sizeof(deth));
	assert_memory_equal(r.bth + BTH_LEN + DETH_LEN, mad, sizeof(mad));
	assert_memory_equal(r.sgid, cr->dev->vhca[1].gids[3].gid, 16);
	assert_memory_equal(r.dgid, cr->dev->vhca[0].gids[3].gid, 16);
	assert_memory_equal(kept[0]->data, cr->dev->vhca[0].mac, 6);
	arrives(kept[0]);
	cr_request(&server);
	ends(&server, &client);
}

/* A request is sent again after 6.1 s, up to 15 times; the one that arrives connects. */
TEST(mads, test_lost)
{
	struct cr_end server, client;

	request(&server, &client, RDMA_PS_TCP);
	for (unsigned int i = 0; i < 15; i++) {
		drop_kept();
		assert_int_equal(keep_for(6100), 0);
		assert_int_equal(keep_for(100), 1);
	}
	arrives(kept[0]);
	cr_request(&server);
	drop_kept();
	keep_for(7000);
	cr_expect(&client, E_UNREACHABLE, -ETIMEDOUT);
	ends(&server, &client);
}

/* Delivers wrong bytes with a right ICRC: any sender can compute one. */
static void arrives_changed(unsigned int at, uint8_t value)
{
	struct frame *f = frame_copy(kept[0]);

	f->data[14 + 28 + at] = value;
	port_receive(cr->dev->port, f->data, f->len, true);
	turns();
	frame_free(f);
}

/* Delivers a shorter message, whose lengths agree. */
static void arrives_cut(uint8_t by)
{
	struct frame *f = frame_copy(kept[0]);
	uint8_t *ip = f->data + 14, *udp = ip + 20;
	uint16_t sum;

	f->len -= by;
	ip[3] = (uint8_t)(ip[3] - by);
	udp[5] = (uint8_t)(udp[5] - by);
	ip[10] = ip[11] = 0;
	sum = roce_ip4_checksum(ip);
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
	port_receive(cr->dev->port, f->data, f->len, true);
	turns();
	frame_free(f);
}

TEST(mads, test_garbage)
{
	const uint8_t rc = BTH_RC << 5 | BTH_SEND_ONLY;
	struct cr_end server, client;
	struct vhca *v = &cr->dev->vhca[0];

	request(&server, &client, RDMA_PS_TCP);
	arrives_changed(0, rc);
	arrives_changed(BTH_LEN, 0x11);
	assert_int_equal(v->qkey_violations, 1);
	for (unsigned int i = 0; i < 4; i++) /* versions, class, method */
		arrives_changed(BTH_LEN + DETH_LEN + i, 99);
	for (unsigned int i = 0; i < 0x10; i++)
		arrives_changed(BTH_LEN + DETH_LEN + 17, (uint8_t)i);
	arrives_cut(4);
	cr_expect_none(&server);
	arrives(kept[0]);
	cr_request(&server);
	ends(&server, &client);
}

/* An address whose GID is gone when the message is to leave acts as a silent neighbour. */
TEST(mads, test_gone)
{
	struct cr_end server, client;

	cr_pair(&server, &client, RDMA_PS_UDP);
	assert_int_equal(vhca_gid_del(&cr->dev->vhca[0], cr->dev->vhca[0].gids[3].gid), 0);
	assert_int_equal(cr_connect(&client, "hello"), 0);
	assert_int_equal(keep_for(4100), 0);
	ends(&server, &client);
}

/* Proves that only processes with CAP_NET_BIND_SERVICE, and that can be read, bind low ports. */
TEST(none, test_low_ports)
{
	struct __user_cap_header_struct h = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct own[2] = {{0}, {0}};

	assert_int_equal(syscall(SYS_capget, &h, own), 0);
	assert_int_equal(mads_low_ports(getpid()), own[0].effective >> CAP_NET_BIND_SERVICE & 1);
	assert_false(mads_low_ports(0));
}
