/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that the port handles frames as bytes: RoCE packets of a path have the form of the
 * annexes, go to the queue pair that they name wherever they come from, and only if they are valid.
 */
#include "tests/test.h"
#include <endian.h>
#include <errno.h>
#include "tests/queue/queue_rig.h"
#include "port/capture.h"
#include "port/packets.h"
#include "port/port.h"
#include "port/replay.h"
#include "queue/queue.h"
#include "steer/steer.h"
#include "transport/bth.h"

#define KEEP 8u

struct kept {
	struct frame *f[KEEP];
	unsigned int n;
};

static void keep_frame(void *ctx, struct port *port, struct frame *f)
{
	struct kept *k = ctx;

	(void)port;
	assert_true(k->n < KEEP);
	k->f[k->n++] = f;
}

static void drop_kept(struct kept *k)
{
	for (unsigned int i = 0; i < k->n; i++)
		frame_free(k->f[i]);
	k->n = 0;
}

/* Takes the packets of one WRITE off the port before they arrive. */
static void take_write(struct rig_pair *p, struct kept *k, uint32_t len)
{
	k->n = 0;
	port_set_hook(p->rig.dev.port, keep_frame, k);
	rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, len);
	port_set_hook(p->rig.dev.port, NULL, NULL);
}

static void inject(struct rig_pair *p, const struct frame *f)
{
	assert_int_equal(port_inject(p->rig.dev.port, f->data, f->len), 0);
	rig_settle(&p->rig);
}

/* Connects both ends by one GID index of their functions' tables. */
static void reconnect(struct rig_pair *p, uint8_t gid_index)
{
	queue_set_state(&p->a.qp->q, QP_RST);
	queue_set_state(&p->b.qp->q, QP_RST);
	p->a.sq_pi = p->b.sq_pi = p->a.rq_pi = p->b.rq_pi = 0;
	p->a.qp->gid_index = p->b.qp->gid_index = gid_index;
	rig_connect(&p->a, &p->b);
}

/* RoCE v1, v2 over IPv6 and over IPv4: captured packets arrive when they are injected. */
TEST(pair_dpu, test_injected)
{
	static const uint32_t headers[VHCA_OWN_GIDS] = {14 + 40, 14 + 48, 14 + 40, 14 + 28};
	struct port *port = p->rig.dev.port;

	for (uint8_t gid = 0; gid < VHCA_OWN_GIDS; gid++) {
		const struct port_results before = *port_injected(port);
		struct roce_bytes r;
		struct kept k;

		p->a.qp->flow_label = 0xabcde;
		p->a.qp->hop_limit = 9;
		reconnect(p, gid);
		memset(p->dst, 0, 3000);
		take_write(p, &k, 2051);
		assert_int_equal(k.n, 3);
		assert_true(roce_decode(k.f[0]->data, k.f[0]->len, &r));
		if (r.net[0] >> 4 == 6)
			assert_memory_equal(r.net + 1, ((uint8_t[]){0x0a, 0xbc, 0xde}), 3);
		assert_int_equal(r.net[r.net[0] >> 4 == 6 ? 7 : 8], 9);
		assert_int_equal(roce_is_v1(&r), gid % 2 == 0);
		assert_int_equal(r.bth - k.f[0]->data, headers[gid]);
		assert_int_equal(k.f[0]->len, headers[gid] + BTH_LEN + RETH_LEN + 1024 + 4);
		assert_int_equal(k.f[2]->len, headers[gid] + BTH_LEN + 4 + 4);
		assert_int_equal(k.f[2]->data[headers[gid] + BTH_LEN + 3], 0); /* padding */
		assert_memory_equal(k.f[0]->data, p->b.qp->q.o.vhca->mac, 6);
		assert_memory_equal(r.sgid, p->a.qp->q.o.vhca->gids[gid].gid, 16);
		assert_memory_equal(r.dgid, p->b.qp->q.o.vhca->gids[gid].gid, 16);
		assert_null(rig_poll(&p->ca));
		for (unsigned int i = 0; i < k.n; i++)
			inject(p, k.f[i]);
		assert_memory_equal(p->src, p->dst, 2051);
		assert_int_equal(prm_cqe64_get_opcode(rig_poll(&p->ca)), PRM_CQE_OPCODE_REQ);
		assert_int_equal(port_injected(port)->frames, before.frames + 3);
		assert_int_equal(port_injected(port)->transport, before.transport + 3);
		drop_kept(&k);
	}
}

/* A link-local address contains the MAC, so no announcement is needed; the first GID follows a MAC. */
TEST(pair_dpu, test_link_local)
{
	static const uint8_t gid[16] = {0xfe, 0x80, [8] = 0x12, 0x34, 0x56,
					0xff, 0xfe, 0x78,	0x9a, 0xbc};
	static const uint8_t expected[6] = {0x10, 0x34, 0x56, 0x78, 0x9a, 0xbc};
	struct device *dev = &p->rig.dev;
	struct vhca *v = &dev->vhca[0];
	uint8_t mac[6] = {0};

	assert_int_equal(device_resolve(dev, &v->gids[0], gid, mac), 0);
	assert_memory_equal(mac, expected, 6);
	device_follow_mac(dev, expected);
	assert_int_equal(v->gids[0].gid[8], v->mac[0] ^ 2);
	assert_memory_equal(v->gids[0].gid + 13, v->mac + 3, 3);
	assert_int_equal(v->gids[2].type, GID_EMPTY); /* RoCE v1 and v2, no other address */
}

/* Marks a packet as a switch does; the ICRC does not cover these bits. */
static void mark_congestion(struct frame *f)
{
	uint8_t *ip = f->data + 14;
	uint16_t sum;

	ip[1] |= 3;
	ip[10] = ip[11] = 0;
	sum = roce_ip4_checksum(ip);
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
}

/*
 * A switch's congestion mark: a notification goes to the sender, the next one only after a while,
 * in the form of a ConnectX-4 Lx (tests/interop/icrc.py).
 */
TEST(pair_dpu, test_congestion)
{
	static const uint8_t cnp[] = {0x81, 0, 0xff, 0xff, 0x40};
	struct port_stats *a, *b;
	struct kept k, back = {.n = 0};
	struct roce_bytes r;

	reconnect(p, 3);
	a = p->a.qp->q.o.vhca->stats;
	b = p->b.qp->q.o.vhca->stats;
	take_write(p, &k, 64);
	mark_congestion(k.f[0]);
	inject(p, k.f[0]);
	inject(p, k.f[0]);
	assert_int_equal(b->np_ecn_marked, 2);
	assert_int_equal(b->np_cnp_sent, 1);
	assert_int_equal(a->rp_cnp_handled, 1);
	p->rig.now += 4000;
	assert_int_equal(port_inject(p->rig.dev.port, k.f[0]->data, k.f[0]->len), 0);
	port_set_hook(p->rig.dev.port, keep_frame, &back);
	rig_settle(&p->rig);
	port_set_hook(p->rig.dev.port, NULL, NULL);
	assert_int_equal(b->np_cnp_sent, 2);
	assert_true(roce_decode(back.f[0]->data, back.f[0]->len, &r));
	assert_true(roce_icrc_good(&r));
	assert_int_equal(r.len, BTH_LEN + 16);
	assert_memory_equal(r.bth, cnp, sizeof(cnp));
	assert_int_equal(bth_get32(r.bth + 4) & 0xffffff, p->a.qp->q.o.id);
	assert_int_equal(back.f[0]->data[15], 0xc2);
	inject(p, back.f[0]);
	assert_int_equal(a->rp_cnp_handled, 2);
	assert_int_equal(a->rp_cnp_ignored, 0);
	queue_set_state(&p->a.qp->q, QP_RST);
	p->a.qp->rgid[15] ^= 1; /* no peer has it */
	inject(p, back.f[0]);
	assert_int_equal(a->rp_cnp_ignored, 1);
	assert_int_equal(a->rp_cnp_handled, 2);
	drop_kept(&back);
	drop_kept(&k);
}

/* A wrong bit that the ICRC covers: the queue pair does not get the packet. */
TEST(pair_dpu, test_icrc)
{
	struct kept k;

	memset(p->dst, 0, 64);
	take_write(p, &k, 64);
	for (uint32_t at = 14 + 48 + 8; at < k.f[0]->len; at++) {
		k.f[0]->data[at] ^= 1;
		inject(p, k.f[0]);
		assert_null(rig_poll(&p->ca));
		k.f[0]->data[at] ^= 1;
	}
	assert_int_not_equal(memcmp(p->src, p->dst, 64), 0);
	k.f[0]->data[14 + 7] ^= 1; /* routers change the hop limit */
	inject(p, k.f[0]);
	assert_memory_equal(p->src, p->dst, 64);
	drop_kept(&k);
}

/* A byte of an IPv4 packet, its new value, and whether the packet is still RoCE. */
static const struct {
	const char *what;
	uint8_t at, xor;
} not_roce[] = {
	{"EtherType", 12, 0x40},     {"IP version", 14, 0x20},	  {"options", 14, 0x03},
	{"total length", 17, 0x04},  {"a fragment", 20, 0x20},	  {"an offset", 21, 0x08},
	{"protocol", 23, 0x01},	     {"IP checksum", 24, 0x01},	  {"destination address", 33, 0x40},
	{"destination port", 37, 1}, {"length of UDP", 39, 0x04},
};

/* A frame that is no valid RoCE packet for a GID of the function goes to its tables. */
TEST(pair_dpu, test_not_roce)
{
	const struct port_results *all = port_injected(p->rig.dev.port);
	struct kept k;

	reconnect(p, 3);
	take_write(p, &k, 64);
	for (unsigned int i = 0; i < sizeof(not_roce) / sizeof(not_roce[0]); i++) {
		uint64_t missed = all->missed;

		k.f[0]->data[not_roce[i].at] ^= not_roce[i].xor ;
		inject(p, k.f[0]);
		if (all->missed != missed + 1 || all->transport)
			fail_msg("%s: not one for the tables", not_roce[i].what);
		k.f[0]->data[not_roce[i].at] ^= not_roce[i].xor ;
	}
	for (uint32_t len = 14; len < k.f[0]->len; len++)
		assert_int_equal(port_inject(p->rig.dev.port, k.f[0]->data, len), 0);
	rig_settle(&p->rig);
	assert_int_equal(all->transport, 0);
	k.f[0]->data[0] ^= 1; /* to a group */
	inject(p, k.f[0]);
	assert_int_equal(all->unclaimed, 1);
	assert_int_equal(port_unclaimed(p->rig.dev.port), 1);
	k.f[0]->data[0] ^= 1;
	memcpy(k.f[0]->data, p->a.qp->q.o.vhca->mac, 6); /* a function's MAC, another one's GID */
	inject(p, k.f[0]);
	assert_int_equal(all->transport, 0);
	memset(k.f[0]->data, 0, 6); /* of no function: the GID decides */
	inject(p, k.f[0]);
	assert_int_equal(all->transport, 1);
	drop_kept(&k);
}

/*
 * A path whose GID is not of the function with the MAC: its packets are bytes, and reach no queue
 * pair.
 */
TEST(pair_dpu, test_no_such_peer)
{
	struct vhca *v = p->b.qp->q.o.vhca;

	for (unsigned int i = 0; i < 2; i++) {
		struct vhca *to = i ? p->a.qp->q.o.vhca : v;
		uint64_t missed = steer_stats(to)->ends[STEER_MISS];

		reconnect(p, 1);
		queue_set_state(&p->a.qp->q, QP_RST);
		p->a.sq_pi = 0;
		if (i)
			memcpy(p->a.qp->rmac, to->mac, 6);
		else
			p->a.qp->rgid[15] ^= 0x40;
		queue_set_state(&p->a.qp->q, QP_INIT);
		queue_set_state(&p->a.qp->q, QP_RTR);
		queue_set_state(&p->a.qp->q, QP_RTS);
		memset(p->dst, 0, 64);
		rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 64);
		assert_int_not_equal(memcmp(p->src, p->dst, 64), 0);
		assert_int_equal(steer_stats(to)->ends[STEER_MISS], missed + 1);
	}
}

static unsigned int tapped;

static void tap_frame(void *ctx, const struct frame *f)
{
	struct roce_bytes r;

	(void)ctx;
	assert_true(roce_decode(f->data, f->len, &r));
	assert_true(roce_icrc_good(&r));
	tapped++;
}

static bool tap_room(void *ctx)
{
	(void)ctx;
	return true;
}

/* Messages under way when a tap is set and removed: each arrives, as burst or as bytes. */
TEST(pair_dpu, test_tap)
{
	static const struct port_tap tap = {.frame = tap_frame, .room = tap_room};

	tapped = 0;
	for (unsigned int i = 0; i < 6; i++) {
		memset(p->dst, 0, 65536);
		port_set_tap(p->rig.dev.port, i % 2 ? &tap : NULL);
		rig_do(p, PRM_WQE_OPCODE_RDMA_WRITE, 0, 65536);
		assert_int_equal(prm_cqe64_get_opcode(rig_poll(&p->ca)), PRM_CQE_OPCODE_REQ);
		assert_memory_equal(p->src, p->dst, 65536);
	}
	port_set_tap(p->rig.dev.port, NULL);
	assert_in_range(tapped, 3 * 65, 3 * 65 + 12);
}

/* Addresses are added at the lowest free index, and can't be removed under a connection. */
TEST(pair_dpu, test_gid_table)
{
	struct vhca *v = p->a.qp->q.o.vhca;
	uint8_t ip[4] = {10}, gid[16], first[16];

	memcpy(gid, v->gids[3].gid, 16);
	reconnect(p, 3);
	assert_int_equal(vhca_gid_del(v, gid), -EBUSY);
	assert_int_equal(v->ngids, 4);
	reconnect(p, 1);
	assert_int_equal(vhca_gid_del(v, gid), 0);
	assert_int_equal(v->ngids, 2);
	assert_false(vhca_has_gid(v, gid));
	gid_ipv4(first, ip);
	for (ip[3] = 0; ip[3] < (VHCA_GIDS - 2) / 2; ip[3]++) {
		gid_ipv4(gid, ip);
		assert_int_equal(vhca_gid_add(v, gid, 120), 0);
	}
	assert_int_equal(vhca_gid_add(v, first, 120), 0);
	gid_ipv4(gid, ip);
	assert_int_equal(vhca_gid_del(v, first), 0);
	assert_int_equal(vhca_gid_add(v, gid, 120), 0);
	assert_memory_equal(v->gids[2].gid, gid, 16);
	assert_int_equal(v->gids[3].type, GID_ROCE_V2);
	assert_int_equal(vhca_gid_add(v, first, 120), -ENOSPC);
}

/*
 * GIDs of a VLAN: packets have the tag with the connection's priority, and reach these GIDs;
 * packets of another VLAN, without a tag, or with two, do not.
 */
TEST(pair_dpu, test_vlan)
{
	static const uint8_t tag[] = {0x81, 0x00, 0xa0, 0x0a, 0x08, 0x00};
	struct vhca *a = p->a.qp->q.o.vhca, *b = p->b.qp->q.o.vhca;
	uint8_t two[2048], gid[16], mac[6];
	struct roce_bytes r;
	struct kept k;

	for (unsigned int i = 0; i < 2; i++) {
		gid_ipv4(gid, (uint8_t[]){10, 0, 0, (uint8_t)i});
		assert_int_equal(vhca_gid_add_vlan(i ? b : a, gid, 120, 10, "x.10"), 0);
	}
	assert_int_equal(device_resolve(&p->rig.dev, &a->gids[VHCA_OWN_GIDS], gid, mac), 0);
	assert_memory_equal(mac, b->mac, 6);
	assert_int_equal(device_resolve(&p->rig.dev, &a->gids[3], gid, mac), -EHOSTUNREACH);
	p->a.qp->prio = p->b.qp->prio = 5;
	reconnect(p, VHCA_OWN_GIDS + 1);
	memset(p->dst, 0, 3000);
	take_write(p, &k, 1000);
	assert_memory_equal(k.f[0]->data + 12, tag, sizeof(tag));
	assert_int_equal(k.f[0]->len, 14 + 4 + 28 + BTH_LEN + RETH_LEN + 1000 + 4);
	assert_true(roce_decode(k.f[0]->data, k.f[0]->len, &r));
	assert_true(roce_icrc_good(&r));
	assert_int_equal(roce_vlan(&r), 10);
	k.f[0]->data[15] ^= 1;
	inject(p, k.f[0]);
	k.f[0]->data[15] ^= 1;
	memcpy(two, k.f[0]->data, 16);
	memcpy(two + 16, k.f[0]->data + 12, k.f[0]->len - 12);
	assert_int_equal(port_inject(p->rig.dev.port, two, k.f[0]->len + 4), 0);
	memmove(two + 12, two + 20, k.f[0]->len - 16);
	assert_int_equal(port_inject(p->rig.dev.port, two, k.f[0]->len - 4), 0);
	rig_settle(&p->rig);
	assert_null(rig_poll(&p->ca));
	assert_int_equal(port_injected(p->rig.dev.port)->transport, 0);
	inject(p, k.f[0]);
	assert_memory_equal(p->src, p->dst, 1000);
	assert_int_equal(prm_cqe64_get_opcode(rig_poll(&p->ca)), PRM_CQE_OPCODE_REQ);
	drop_kept(&k);
}

/* The MTU of the port and of a network interface are computed as in Linux. */
TEST(pair_dpu, test_mtu)
{
	struct device *dev = &p->rig.dev;
	struct vhca *v = &dev->vhca[0];

	v->netdev.present = true;
	for (unsigned int mtu = 5; mtu > 1; mtu--) {
		v->netdev.mtu = (128u << mtu) + 96;
		assert_int_equal(vhca_mtu(v), mtu);
		device_set_mtu(dev, v->netdev.mtu);
		assert_int_equal(dev->active_mtu, mtu);
		v->netdev.mtu--;
		assert_int_equal(vhca_mtu(v), mtu - 1);
		device_set_mtu(dev, v->netdev.mtu);
		assert_int_equal(dev->active_mtu, mtu - 1);
	}
	v->netdev.present = false;
}

static bool replay_done;

static void replay_ends(struct replay_batch *b)
{
	assert_int_equal(b->result, 0);
	replay_done = true;
}

/* A replay waits while the port has no room, and loses no packet. */
TEST(pair_dpu, test_replay_waits)
{
	static struct {
		struct port_packet head;
		uint8_t bytes[64];
	} packets[20000];
	const size_t n = sizeof(packets) / sizeof(packets[0]);
	struct port_replay *r = replay_new(p->rig.dev.port);
	struct replay_batch b = {.at = (const uint8_t *)packets,
				 .end = (const uint8_t *)(packets + n),
				 .done = replay_ends};

	for (size_t i = 0; i < n; i++)
		packets[i].head.len = sizeof(packets[i].bytes);
	replay_done = false;
	replay_post(r, &b);
	assert_true(replay_run(r));
	assert_true(b.at < b.end);
	for (size_t turns = 0; turns < n && !replay_done; turns++) {
		rig_settle(&p->rig);
		replay_run(r);
	}
	assert_true(replay_done);
	assert_int_equal(b.results.frames, n);
	replay_free(r);
}

/* A batch that is cancelled, begun or not, leaves the others and their counts as they are. */
TEST(pair_dpu, test_replay_cancel)
{
	static struct {
		struct port_packet head;
		uint8_t bytes[64];
	} packets[3];
	struct port_replay *r = replay_new(p->rig.dev.port);
	struct replay_batch b[5];

	for (unsigned int i = 0; i < 3; i++)
		packets[i].head.len = sizeof(packets[i].bytes);
	for (unsigned int i = 0; i < 5; i++) {
		b[i] = (struct replay_batch){.at = (const uint8_t *)packets,
					     .end = (const uint8_t *)(packets + (i ? 2 : 3)),
					     .done = replay_ends};
		if (i < 3)
			replay_post(r, &b[i]);
	}
	assert_true(replay_run(r)); /* the first one's packets are under way */
	replay_cancel(r, &b[0]);
	replay_cancel(r, &b[0]);
	replay_post(r, &b[3]);
	replay_cancel(r, &b[3]);
	replay_post(r, &b[4]);
	replay_cancel(r, &b[2]);
	for (unsigned int turns = 0; turns < 100 && !b[4].results.frames; turns++) {
		rig_settle(&p->rig);
		replay_run(r);
	}
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(b[i].results.frames, i == 1 || i == 4 ? 2 : 0);
	replay_free(r);
}

/* A replay ends though the queue is made anew that its packets under way are for. */
TEST(pair_dpu, test_replay_purged)
{
	struct {
		struct port_packet head;
		uint8_t bytes[512];
	} packet = {0};
	struct port_replay *r = replay_new(p->rig.dev.port);
	struct replay_batch b = {.at = (const uint8_t *)&packet, .done = replay_ends};
	struct kept k;

	take_write(p, &k, 64);
	packet.head.len = k.f[0]->len;
	memcpy(packet.bytes, k.f[0]->data, k.f[0]->len);
	drop_kept(&k);
	b.end = packet.bytes + port_packet_padded(packet.head.len);
	replay_done = false;
	replay_post(r, &b);
	assert_true(replay_run(r));
	reconnect(p, 0);
	rig_settle(&p->rig);
	assert_true(replay_run(r));
	assert_true(replay_done);
	assert_int_equal(b.results.frames, 1);
	replay_free(r);
}

static void capture_ready(void *arg)
{
	(void)arg;
}

/* Senders wait for a capture's reader, but for one that takes nothing a second at most. */
TEST(pair_dpu, test_capture_patience)
{
	static const uint8_t bytes[PORT_PACKET_MAX];
	struct device *dev = &p->rig.dev;
	struct port_captures *all = captures_new(dev);
	struct port_capture *c = capture_open(all, capture_ready, NULL);
	unsigned int sent = 0;

	while (port_inject(dev->port, bytes, sizeof(bytes)) == 0 && sent < 1000) {
		rig_settle(&p->rig);
		sent++;
	}
	assert_in_range(sent, 1, 999);
	rig_pass(&p->rig, 999000000);
	assert_int_equal(port_inject(dev->port, bytes, sizeof(bytes)), -EAGAIN);
	rig_pass(&p->rig, 2000000);
	assert_int_equal(port_inject(dev->port, bytes, sizeof(bytes)), 0);
	rig_settle(&p->rig);
	capture_close(c);
	captures_free(all);
}
