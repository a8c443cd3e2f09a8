/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams from anybody: any bytes, or transport headers for queue pairs that are connected, with
 * a right ICRC or not, from any address. */
#include "fuzz.h"
#include <stdio.h>
#include "port/packets.h"
#include "port/udp_frame.h"
#include "queue/queue.h"
#include "tests/unit/queue_rig.h"
#include "transport/bth.h"
#include "transport/gsi.h"

static unsigned int mads;

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

static size_t choose_payload(struct rig_pair *p, uint8_t *to)
{
	size_t len;

	if (!any(4))
		return choose_mad(to);
	len = any(4) ? 16 + any(200) : any(PORT_PACKET_MAX + 100);

	any_noise(to, len);
	if (len < 16 || !any(4))
		return len;
	to[0] = (uint8_t)(any(4) ? any(0x20) : any(256));
	to[1] = (uint8_t)any(256);
	to[2] = to[3] = 0xff;
	bth_put32(to + 4, any(4) ? p->b.qp->q.o.id : any(1 << 24));
	bth_put32(to + 8, any(1 << 16) << 8 | any(256));
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	static uint8_t room[UDP_FRAME_ROOM + PORT_PACKET_MAX + 100];
	struct rig_pair *p;
	unsigned int sum = 0;

	fuzz_begin(bytes, len);
	p = rig_pair_open(rig_setup);
	p->rig.dev.on_mad = take_mad;
	p->rig.dev.mad_ctx = &sum;
	rig_recv(&p->b, p->dst, 512, rig_key(p->md));
	for (unsigned int n = 0; fuzz_more() && n < 16; n++) {
		struct udp_from from = {0};
		uint8_t *frame;
		bool good;
		size_t n_bytes, payload;

		choose_source(&from, &p->rig.dev.vhca[0]);
		payload = choose_payload(p, room + UDP_FRAME_ROOM);
		frame = udp_frame_make(&from, room + UDP_FRAME_ROOM, payload, &n_bytes, &good);
		if (!frame)
			continue;
		/* Whoever attacks can compute an ICRC. */
		port_receive(p->rig.dev.port, frame, n_bytes, good || any(2));
		rig_settle(&p->rig);
	}
	rig_pair_close(p);
	return 0;
}

static void judge(unsigned int inputs)
{
	assert_in_range(mads, inputs / 8, UINT32_MAX);
}

const struct fuzz_target fuzz_target = {.inputs = 1500, .longest = 600, .judge = judge};
