/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams from anybody: any bytes, or transport headers for queue pairs that are connected, with
 * a right ICRC or not, from any address. */
#include "fuzz.h"
#include <stdio.h>
#include "obj/mcg.h"
#include "port/packets.h"
#include "port/udp_frame.h"
#include "queue/queue.h"
#include "tests/queue/queue_rig.h"
#include "transport/bth.h"
#include "transport/gsi.h"

static unsigned int mads, reached[BTH_XRC + 1]; /* packets that a queue pair took */

static const struct rig_kind *const kinds[BTH_XRC + 1] = {
	[BTH_RC] = &rig_rc,
	[BTH_UC] = &rig_uc,
	[BTH_UD] = &rig_ud,
	[BTH_XRC] = &rig_xrc,
};

/* The device of one input. */
struct target {
	struct rig_pair *p;
	uint8_t type; /* enum bth_type */
	struct obj domain;
	struct rig_srq srq;
	struct udp_from from;
};

static const uint8_t own4[4] = {192, 168, 215, 1};

/* The chip's own address, so that packets look like the peer's; or any. */
static void choose_source(struct udp_from *from, const struct vhca *v)
{
	from->ip4 = any(2);
	memcpy(from->mac, v->mac, sizeof(from->mac));
	if (from->ip4)
		memcpy(from->dest, own4, sizeof(own4));
	else
		memcpy(from->dest, v->gids[1].gid, sizeof(from->dest));
	memcpy(from->source, from->dest, sizeof(from->dest));
	if (!any(4))
		any_bytes(from->source, sizeof(from->source));
	from->port = (uint16_t)any(65536);
	from->tclass = (uint8_t)any(256);
	from->hop_limit = (uint8_t)any(256);
}

/* A management datagram, now and then of a wrong length or key. */
static size_t choose_mad(uint8_t *to)
{
	const size_t len = BTH_LEN + DETH_LEN + (any(8) ? GSI_BYTES : any(300));

	any_noise(to, len);
	to[0] = BTH_UD << 5 | BTH_SEND_ONLY;
	to[1] = (uint8_t)(any(8) ? 0x40 : any(256));
	to[2] = to[3] = 0xff;
	bth_put32(to + 4, GSI_QPN);
	bth_put32(to + BTH_LEN, any(8) ? 0x80010000 : any(1 << 24));
	return len + ROCE_ICRC;
}

/* A sum of all bytes, so that the sanitizer sees each read. */
static void take_mad(void *sum, struct vhca *v, const struct roce_packet *r, const uint8_t *mad)
{
	uint8_t gid[16];

	(void)v;
	roce_grh_dgid(r->grh, gid);
	for (unsigned int i = 0; i < GSI_BYTES; i++)
		*(unsigned int *)sum += 1u * mad[i] + gid[i % 16] + r->sgid[i % 16];
	mads++;
}

/* XRC: an SRQ of its domain. UD: a group that it is in. */
static void target_open(struct target *t)
{
	static const uint8_t types[] = {BTH_RC, BTH_UC, BTH_UD, BTH_XRC};
	struct rig_pair *p;

	t->type = types[any(4)];
	p = t->p = rig_pair_open(kinds[t->type]);
	rig_recv(&p->b, p->dst, 512, rig_key(p->md));
	if (t->type == BTH_UD)
		assert_int_equal(mcg_attach(p->b.queue->o.vhca, rig_mgid, p->b.qp), 0);
	if (t->type != BTH_XRC)
		return;
	rig_srq_open(&p->rig, &t->srq, RIG_PD);
	t->srq.srq->xrcd = p->b.qp->xrcd = &t->domain;
	t->srq.srq->cq = p->cb.cq;
	for (uint16_t i = 0; i < RIG_SRQ_ENTRIES; i++)
		rig_srq_entry(&t->srq, i, (uint16_t)((i + 1) % RIG_SRQ_ENTRIES), p->dst, 512,
			      rig_key(p->md));
	rig_srq_post(&t->srq, RIG_SRQ_ENTRIES / 2);
}

static void target_close(struct target *t)
{
	if (t->type == BTH_UD)
		mcg_leave(t->p->b.queue->o.vhca, t->p->b.qp);
	if (t->type == BTH_XRC)
		rig_srq_close(&t->srq);
	rig_pair_close(t->p);
}

/* The headers behind BTH, so that the packet gets beyond it. */
static void choose_key(const struct target *t, uint8_t *to)
{
	if (t->type == BTH_UD)
		bth_put32(to, RIG_QKEY);
	else if (t->type == BTH_XRC)
		bth_put32(to, t->srq.srq->o.id);
}

static void choose_group(struct target *t, uint8_t *to)
{
	t->from.ip4 = true;
	memcpy(t->from.source, own4, sizeof(own4));
	memcpy(t->from.dest, rig_mgid + 12, 4);
	gid_group_mac(rig_mgid, t->from.mac);
	bth_put32(to + 4, any(8) ? 0xffffff : any(1 << 24));
}

static size_t choose_payload(struct target *t, uint8_t *to)
{
	size_t len;

	if (!any(4))
		return choose_mad(to);
	len = any(4) ? 16 + any(200) : any(PORT_PACKET_MAX + 100);

	len -= any(4) ? len % 4 : 0; /* as all that pad is right in */
	any_noise(to, len);
	if (len < 16 || !any(4))
		return len;
	to[0] = (uint8_t)(any(4) ? (uint32_t)t->type << 5 | any(0x20) : any(256));
	to[1] = (uint8_t)any(256);
	to[2] = to[3] = 0xff;
	bth_put32(to + 4, any(4) ? t->p->b.qp->q.o.id : any(1 << 24));
	bth_put32(to + 8, any(4) ? 1u << 31 | (RIG_PSN + any(4)) : any(1 << 16) << 8 | any(256));
	if (any(4))
		choose_key(t, to + BTH_LEN);
	if (t->type == BTH_UD && any(2))
		choose_group(t, to);
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static uint8_t room[UDP_FRAME_ROOM + PORT_PACKET_MAX + 100];
	static const struct front_ops front = {.mad = take_mad};
	struct target t = {0};
	struct rig *rig;
	unsigned int sum = 0;

	fuzz_begin(bytes, len);
	target_open(&t);
	rig = &t.p->rig;
	rig->dev.front = &front;
	rig->dev.front_ctx = &sum;
	for (unsigned int n = 0; fuzz_more() && n < 16; n++) {
		uint8_t *frame;
		bool good;
		size_t n_bytes, payload;

		choose_source(&t.from, &rig->dev.vhca[0]);
		payload = choose_payload(&t, room + UDP_FRAME_ROOM);
		frame = udp_frame_make(&t.from, room + UDP_FRAME_ROOM, payload, &n_bytes, &good);
		if (!frame)
			continue;
		/* Whoever attacks can compute an ICRC. */
		port_receive(rig->dev.port, frame, n_bytes, good || any(2));
		rig_settle(rig);
		if (rig_poll(&t.p->cb))
			reached[t.type]++;
	}
	target_close(&t);
	return 0;
}

static void judge(unsigned int inputs)
{
	assert_in_range(mads, inputs / 8, UINT32_MAX);
	for (unsigned int type = 0; type <= BTH_XRC; type++)
		if (kinds[type] && reached[type] < inputs / 300)
			fail_msg("type %u: %u receives in %u inputs", type, reached[type], inputs);
}

const struct fuzz_target fuzz_target = {.inputs = 600, .longest = 600, .judge = judge};
