/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include "datapath.h"
#include "dp/dp.h"
#include "net/net.h"
#include "obj/vhca.h"
#include "wire/wire.h"

#define ROUNDS 8u   /* of frames and requests between two looks at doorbells and timers */
#define FRAMES 32u

static void port_send(void *wire, struct frame *f)
{
	wire_send(wire, f);
}

static bool port_room(void *wire)
{
	return wire_room(wire);
}

static bool port_observed(void *wire)
{
	return wire_observed(wire);
}

static void port_purge(void *wire, bool (*match)(const struct frame *, void *), void *arg)
{
	wire_purge(wire, match, arg);
}

int datapath_open(struct silicon *si)
{
	struct net_port port = {
		.send = port_send,
		.room = port_room,
		.observed = port_observed,
		.purge = port_purge,
	};

	si->wire = wire_new();
	si->net = net_new(si);
	if (!si->wire || !si->net || dp_init(si)) {
		datapath_close(si);
		return -ENOMEM;
	}
	port.ctx = si->wire;
	net_set_port(si->net, &port);
	wire_on_frame(si->wire, net_rx, si->net);
	return 0;
}

void datapath_close(struct silicon *si)
{
	dp_fini(si);
	wire_free(si->wire);
	net_free(si->net);
	si->wire = NULL;
	si->net = NULL;
}

/*
 * A message, its acknowledgement and what they make ready run in one turn, so that a lone message
 * costs one turn; CQEs become visible at its end, after all data.
 */
bool datapath_run(struct silicon *si)
{
	uint64_t now = si->clock->now(si->clock);
	bool did = dp_fetch(si), round;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		round = net_run(si->net, now);
		round |= wire_run(si->wire, FRAMES) > 0;
		did |= round;
		if (!round)
			break;
	}
	return dp_flush(si) || did;
}
