/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the frame of a RoCEv2 packet can be made from what a UDP socket returns, with a check
 * of its ICRC for any Identification; and that chips exchange packets by sockets, undisturbed by
 * garbage.
 */
#include "tests/test.h"
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "tests/queue/queue_rig.h"
#include "obj/mcg.h"
#include "port/udp.h"
#include "port/udp_frame.h"
#include "port/wire.h"
#include "queue/queue.h"
#include "transport/bth.h"
#include "transport/roce_port.h"

static struct frame *taken;

static void take_frame(void *ctx, struct port *port, struct frame *f)
{
	(void)ctx, (void)port;
	assert_null(taken);
	taken = f;
}

/* Takes a packet of a SEND over IPv4 or IPv6 off the port. */
static void take_send(struct rig_pair *p, uint8_t gid_index)
{
	queue_set_state(&p->a.qp->q, QP_RST);
	queue_set_state(&p->b.qp->q, QP_RST);
	p->a.sq_pi = p->b.sq_pi = p->a.rq_pi = p->b.rq_pi = 0;
	p->a.qp->gid_index = p->b.qp->gid_index = gid_index;
	p->a.qp->tclass = 0x6a;
	rig_connect(&p->a, &p->b);
	port_set_hook(p->rig.dev.port, take_frame, NULL);
	rig_do(p, PRM_WQE_OPCODE_SEND, 0, 333);
	port_set_hook(p->rig.dev.port, NULL, NULL);
}

struct udp_case {
	struct udp_from from;
	uint8_t room[UDP_FRAME_ROOM + 1500];
	size_t len;
};

/* Converts a frame to what a socket would return. */
static void as_datagram(struct udp_case *c, const struct frame *f)
{
	const bool ip4 = f->data[12] == 0x08;
	const uint8_t *ip = f->data + 14, *udp = ip + (ip4 ? 20 : 40);

	memset(c, 0, sizeof(*c));
	c->from.ip4 = ip4;
	memcpy(c->from.source, ip + (ip4 ? 12 : 8), ip4 ? 4 : 16);
	memcpy(c->from.dest, ip + (ip4 ? 16 : 24), ip4 ? 4 : 16);
	memcpy(c->from.mac, f->data, 6);
	c->from.port = (uint16_t)(udp[0] << 8 | udp[1]);
	c->from.tclass = ip4 ? ip[1] : (uint8_t)((ip[0] & 15) << 4 | ip[1] >> 4);
	c->from.hop_limit = ip[ip4 ? 8 : 7];
	c->len = f->len - (size_t)(udp + 8 - f->data);
	memcpy(c->room + UDP_FRAME_ROOM, udp + 8, c->len);
}

/* The frame made from a datagram is the original one, but for the source's MAC address. */
TEST(pair_dpu, test_same)
{
	for (uint8_t gid = 1; gid < 4; gid += 2) {
		struct udp_case c;
		uint8_t *frame;
		size_t len;
		bool good = false;

		take_send(p, gid);
		as_datagram(&c, taken);
		frame = udp_frame_make(&c.from, c.room + UDP_FRAME_ROOM, c.len, &len, &good);
		assert_true(good);
		assert_int_equal(len, taken->len);
		assert_memory_equal(frame, taken->data, 6);
		assert_memory_equal(frame + 12, taken->data + 12, len - 12);
		frame_free(taken);
		taken = NULL;
	}
}

/*
 * A CNP that a ConnectX-4 Lx sent, from secdev/scapy's test/contrib/roce.uts: NICs number their
 * packets, too.
 */
TEST(none, test_hardware)
{
	static const uint8_t cnp[] = {
		0xe4, 0x1d, 0x2d, 0xab, 0x2b, 0xc2, 0x7c, 0xfe, 0x90, 0x64, 0x3b, 0x32, 0x08,
		0x00, 0x45, 0xc2, 0x00, 0x3c, 0x71, 0x8c, 0x40, 0x00, 0x40, 0x11, 0x91, 0x61,
		0x0a, 0x00, 0x11, 0x01, 0x0a, 0x00, 0x12, 0x01, 0x00, 0x00, 0x12, 0xb7, 0x00,
		0x28, 0x00, 0x00, 0x81, 0x00, 0xff, 0xff, 0x40, 0x00, 0x01, 0x18, 0,	0,
		0,    0,    0,	  0,	0,    0,    0,	  0,	0,    0,    0,	  0,	0,
		0,    0,    0,	  0,	0,    0x82, 0xfd, 0x00, 0x2a};
	struct frame *f = calloc(1, sizeof(*f) + sizeof(cnp));
	struct udp_case c;
	uint8_t *frame;
	size_t len;
	bool good;

	f->len = sizeof(cnp);
	memcpy(f->data, cnp, sizeof(cnp));
	as_datagram(&c, f);
	frame = udp_frame_make(&c.from, c.room + UDP_FRAME_ROOM, c.len, &len, &good);
	assert_true(good);
	assert_int_equal(len, sizeof(cnp));
	assert_memory_equal(frame, cnp, 6);
	assert_memory_equal(frame + 12, cnp + 12, len - 12);
	free(f);
}

/* An Identification is found by the ICRC; a packet with one wrong bit elsewhere is refused. */
TEST(pair_dpu, test_identification)
{
	struct udp_case c;
	unsigned int wrong = 0;
	size_t len;
	bool good;

	take_send(p, 3);
	for (unsigned int id = 0; id < 65536; id += 4369) {
		uint8_t *ip = taken->data + 14, *frame;
		struct roce_bytes r;
		uint32_t icrc;

		ip[4] = (uint8_t)(id >> 8);
		ip[5] = (uint8_t)id;
		ip[10] = ip[11] = 0;
		uint16_t sum = roce_ip4_checksum(ip);

		ip[10] = (uint8_t)(sum >> 8);
		ip[11] = (uint8_t)sum;
		assert_true(roce_decode(taken->data, taken->len, &r));
		icrc = htole32(roce_icrc(&r));
		memcpy(taken->data + taken->len - 4, &icrc, 4);
		as_datagram(&c, taken);
		frame = udp_frame_make(&c.from, c.room + UDP_FRAME_ROOM, c.len, &len, &good);
		assert_true(good);
		assert_memory_equal(frame + 12, taken->data + 12, len - 12);
	}
	for (size_t at = 0; at < c.len; at++)
		for (unsigned int bit = 0; bit < 8 && at != 4; bit++) {
			as_datagram(&c, taken);
			c.room[UDP_FRAME_ROOM + at] ^= (uint8_t)(1u << bit);
			udp_frame_make(&c.from, c.room + UDP_FRAME_ROOM, c.len, &len, &good);
			wrong += good;
		}
	assert_int_equal(wrong, 0);
	frame_free(taken);
	taken = NULL;
}

/* --- by sockets ------------------------------------------------------------------------------ */

struct two {
	struct rig_pair *p; /* the chip of its rig is one end of the wire */
	struct wire *w;
	int fd; /* another host on the same network */
	struct sockaddr_in chip;
};

static int two_setup(void **state)
{
	struct two *t = calloc(1, sizeof(*t));
	struct sockaddr_in any = {.sin_family = AF_INET};
	char text[20], why[WIRE_WHY];

	/* an address of the loopback network for each process */
	snprintf(text, sizeof(text), "127.%d.%d.77", 1 + getpid() / 250 % 250, getpid() % 250);
	inet_pton(AF_INET, text, &t->chip.sin_addr);
	t->chip.sin_family = AF_INET;
	t->chip.sin_port = htons(4791);
	t->p = rig_pair_open(&rig_rc);
	t->w = udp_open(&t->p->rig.dev, text, why);
	if (!t->w)
		fail_msg("%s", why);
	port_set_wire(t->p->rig.dev.port, t->w);
	any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	t->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	*state = t;
	return bind(t->fd, (struct sockaddr *)&any, sizeof(any));
}

static int two_teardown(void **state)
{
	struct two *t = *state;

	close(t->fd);
	rig_pair_close(t->p);
	free(t);
	return 0;
}
#define FIXTURE_two(name) FIXTURE(name, struct two *t, two_setup, two_teardown)

/* Garbage of all lengths: it is no packet, or has a wrong ICRC, and reaches no queue pair. */
TEST(two, test_hostile)
{
	const uint64_t *icrc = &t->p->rig.dev.vhca[0].stats->rx_icrc_errors;
	static uint8_t bytes[20000];
	uint64_t sent = 0, bad = 0;

	for (size_t len = 0; len < sizeof(bytes); len = len * 5 / 4 + 1, sent++) {
		for (size_t i = 0; i < len; i++)
			bytes[i] = (uint8_t)(i * 31 + len);
		assert_int_equal(
			sendto(t->fd, bytes, len, 0, (struct sockaddr *)&t->chip, sizeof(t->chip)),
			len);
		bad += len < 16 || len > 9216 - 42;
		/* On a busy machine ksoftirqd delivers it later */
		while (port_run_wire(t->p->rig.dev.port) || port_run(t->p->rig.dev.port) ||
		       t->w->received + t->w->bad <= sent)
			;
	}
	assert_int_equal(t->w->received + t->w->bad, sent);
	assert_int_equal(t->w->bad, bad);
	assert_int_equal(*icrc, t->w->received);
	assert_int_equal(t->p->rig.nevents, 0);
}

/* Packets without a form on this wire, or from another address than the wire's, are not sent. */
TEST(two, test_leaves)
{
	uint8_t raw[60] = {2, 0xd8, 9, 9, 9, 9, 2, 0xd7, 0, 0, 0, 1, 0x88, 0xb5};

	port_transmit(&t->p->rig.dev.vhca[0], raw, sizeof(raw));
	assert_int_equal(t->p->rig.dev.drops.n[DROP_WIRE_FORM], 1);
	assert_int_equal(t->w->lost, 0);
	assert_int_equal(t->w->sent, 0);
}

/* Sends one packet to an address of this network. */
static void udp_send_from(struct two *t, const struct gid_entry *source, uint8_t opcode)
{
	static const uint8_t zeros[MASKED_ETH_LEN];
	struct vhca *v = &t->p->rig.dev.vhca[0];
	const struct bth_packet b = {
		.opcode = opcode, .last_opcode = opcode, .npkts = 1, .atomic = zeros};
	struct roce_path path = {.from = v, .source = source, .dmac = {2, 0xd8}, .hop_limit = 1};
	struct frame *f;

	gid_ipv4(path.dgid, (const uint8_t[]){127, 0, 0, 1});
	path.overhead = roce_overhead(&path);
	f = roce_port_frame(&path, 1024, 0);
	bth_build(&b, f);
	roce_port_put(&path, f, false);
}

static void send_opcode(struct two *t, uint8_t opcode)
{
	udp_send_from(t, &t->p->rig.dev.vhca[0].gids[3], opcode);
}

static bool full; /* each socket */

/* Replaces libc's, which udp_out.c calls: the loopback network's sockets always have room. */
int sendmmsg(int fd, struct mmsghdr *m, unsigned int n, int flags)
{
	if (!full)
		return (int)syscall(SYS_sendmmsg, fd, m, n, flags);
	errno = EAGAIN;
	return -1;
}

/* Room in the socket ends the chip's sleep while packets wait for it, and only then. */
TEST(two, test_room_wakes)
{
	struct pollfd woken = {.fd = t->w->fd, .events = POLLIN};

	full = true;
	send_opcode(t, BTH_SEND_ONLY);
	port_flush_wire(t->p->rig.dev.port);
	full = false;
	assert_int_equal(poll(&woken, 1, 0), 1);
	port_flush_wire(t->p->rig.dev.port);
	assert_int_equal(t->w->sent, 1);
	assert_int_equal(poll(&woken, 1, 0), 0);
}

/* Groups with members have sockets, which receive their packets and send none. */
TEST(two, test_group_sends_nothing)
{
	struct vhca *v = &t->p->rig.dev.vhca[0];
	struct gid_entry group = v->gids[3];

	gid_ipv4(group.gid, (const uint8_t[]){239, 1, 2, 3});
	assert_int_equal(mcg_attach(v, group.gid, t->p->a.qp), 0);
	port_run_wire(t->p->rig.dev.port);
	udp_send_from(t, &group, BTH_SEND_ONLY);
	port_flush_wire(t->p->rig.dev.port);
	assert_int_equal(t->p->rig.dev.drops.n[DROP_WIRE_FORM], 1);
	assert_int_equal(t->w->sent, 0);
	mcg_leave(v, t->p->a.qp);
}

/*
 * Packets of DC and masked atomics have a form that only dvx-sim knows: they are sent to no other
 * machine.
 */
TEST(two, test_private)
{
	static const uint8_t private[] = {BTH_DC << 5 | BTH_SEND_ONLY, BTH_DC << 5 | BTH_DISCONNECT,
					  BTH_MASKED_CS, BTH_MASKED_FA};

	for (unsigned int i = 0; i < sizeof(private); i++)
		send_opcode(t, private[i]);
	assert_int_equal(t->p->rig.dev.drops.n[DROP_WIRE_FORM], sizeof(private));
	assert_int_equal(t->w->sent, 0);
	send_opcode(t, BTH_SEND_ONLY);
	send_opcode(t, BTH_COMPARE_SWAP);
	port_flush_wire(t->p->rig.dev.port);
	assert_int_equal(t->w->sent, 2);
}
