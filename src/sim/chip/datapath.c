/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>
#include "datapath.h"
#include "queue/queue.h"
#include "transport/raw/raw.h"
#include "transport/transport.h"
#include "transport/sched.h"
#include "obj/tir.h"
#include "obj/device.h"
#include "obj/rep.h"
#include "steer/steer.h"
#include "eswitch/eswitch.h"
#include "port/port.h"
#include "port/wire.h"

#define ROUNDS 8u /* of frames and requests between two polls of doorbells and timers */
#define FRAMES 32u

/* Sends a copy to each function's tables: actions change the bytes. */
static void datapath_to_tables(struct vhca *v, const struct frame *f)
{
	uint8_t buf[STEER_BUFFER];
	struct packet p = steer_packet(buf, f->len);

	p.source_vhca = f->from ? f->from->id : STEER_FROM_WIRE;
	p.source_vport = f->from ? f->from->vport : 0;
	memcpy(p.reg_c, f->reg_c, sizeof(f->reg_c));
	memcpy(p.data, f->data, f->len);
	p.vxlan_ports = v->dev->vxlan_ports;
	packet_parse_headers(&p);
	steer_rx(v, &p);
}

static bool datapath_netdev(const struct vhca *v, const uint8_t mac[6])
{
	return v->netdev.present &&
	       (mac[0] & 1 || v->netdev.promiscuous || !memcmp(mac, v->mac, sizeof(v->mac)));
}

static void datapath_to_port(struct vhca *v, unsigned int port, const struct packet *p)
{
	if (!v->dev->front->to_netdev(v->dev->front_ctx, v, port, p->data, p->len))
		v->drops.n[DROP_NETDEV]++;
}

/* Passes a packet to the representor of its source: Linux's rules for these match that alone. */
static void datapath_to_rep(struct vhca *v, const struct packet *p)
{
	const bool wire = p->source_vhca == STEER_FROM_WIRE;
	const unsigned int port = vhca_vport_port(v, wire ? VPORT_UPLINK : p->source_vport);

	if (vhca_port_netdev(v, port)->present)
		datapath_to_port(v, port, p);
	else
		v->drops.n[DROP_NO_RULE]++;
}

/*
 * Passes a packet that no rule took to the interface. [I] Not the interface's own frames, which the
 * loop returns if they are for a group: a NIC does not loop back its function's frames.
 */
static void datapath_to_netdev(struct vhca *v, const struct packet *p)
{
	if (vhca_has_reps(v))
		datapath_to_rep(v, p);
	else if (!datapath_netdev(v, p->data))
		v->drops.n[DROP_NO_RULE]++;
	else if (memcmp(p->data + 6, v->mac, sizeof(v->mac)))
		datapath_to_port(v, 1, p);
}

static const struct eswitch_ops eswitch_ops = {
	.roce = transport_receive,
	.ethernet = datapath_to_tables,
	.netdev = datapath_netdev,
};

static const struct steer_ops steer_ops = {
	.to_tir = raw_receive,
	.to_wire = eswitch_transmit,
	.to_vport = eswitch_to_vport,
	.to_kernel = datapath_to_netdev,
};

static int datapath_resolve(struct device *dev, const struct gid_entry *from,
			      const uint8_t gid[16], uint8_t mac[6])
{
	struct wire *w = port_wire(dev->port);

	return w ? w->ops->resolve(w, from, gid, mac) : -EHOSTUNREACH;
}

int datapath_open(struct device *dev)
{
	dev->port = port_new(dev);
	dev->eswitch = dev->port ? eswitch_new(dev, &eswitch_ops) : NULL;
	dev->sched = sched_new(dev);
	dev->steer = steer_new(dev);
	if (!dev->eswitch || !dev->sched || !dev->steer || queues_init(dev)) {
		datapath_close(dev);
		return -ENOMEM;
	}
	steer_set_ops(dev->steer, &steer_ops);
	dev->resolve_outside = datapath_resolve;
	return 0;
}

void datapath_close(struct device *dev)
{
	queues_fini(dev);
	port_free(dev->port);
	eswitch_free(dev->eswitch);
	sched_free(dev->sched);
	steer_free(dev->steer);
	dev->port = NULL;
	dev->eswitch = NULL;
	dev->sched = NULL;
	dev->steer = NULL;
}

static bool datapath_deliver(struct device *dev, uint64_t from)
{
	unsigned int n = 0;

	while (n < FRAMES && !(n && steer_enough(dev, from)) && port_run(dev->port))
		n++;
	return n > 0;
}

/*
 * Runs a message, its acknowledgement and all that becomes ready in one turn, so that a lone
 * message costs one turn. CQEs become visible at its end, after all data.
 */
bool datapath_run(struct device *dev)
{
	uint64_t now = dev->clock->now(dev->clock);
	uint64_t from = dev->steer_work;
	bool did, round = true;

	dev->now = now;
	dev->now_used = false;
	did = queues_fetch(dev);

	for (unsigned int i = 0; i < ROUNDS && round && !(i && steer_enough(dev, from)); i++) {
		round = sched_run(dev->sched, now);
		round |= datapath_deliver(dev, from);
		did |= round;
	}
	return queues_flush(dev, now) || did;
}
