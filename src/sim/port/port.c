/* SPDX-License-Identifier: BSD-2-Clause */
#include "port.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "fault.h"
#include "loop.h"
#include "obj/device.h"
#include "wire.h"

_Static_assert(PORT_PACKET_MIN == VHCA_FRAME_MIN && PORT_PACKET_MAX == VHCA_FRAME_MAX,
	       "queues and the port take packets of the same sizes");

#define FRAME_LEAST 60u /* of sent frames, without FCS; any frame has room for it */

struct port {
	struct device *dev;
	const struct port_ops *ops;
	void *ops_ctx;
	struct frame_pool *pool;
	struct loop loop;
	struct fault fault;
	port_hook hook;
	void *hook_ctx;
	const struct port_tap *tap;
	struct wire *wire;
	struct port_results injected;
};

static void port_put(void *port, struct frame *);

struct port *port_new(struct device *dev)
{
	struct port *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->pool = frame_pool_new();
	if (!p->pool) {
		free(p);
		return NULL;
	}
	p->dev = dev;
	dev->paths++; /* 0 in a path means not resolved */
	loop_init(&p->loop);
	fault_init(&p->fault, dev, port_put, p);
	return p;
}

void port_set_ops(struct port *p, const struct port_ops *ops, void *ctx)
{
	p->ops = ops;
	p->ops_ctx = ctx;
}

void port_free(struct port *p)
{
	if (!p)
		return;
	port_set_wire(p, NULL);
	fault_fini(&p->fault);
	loop_fini(&p->loop);
	frame_pool_free(p->pool);
	free(p);
}

struct frame *port_frame(struct port *p, size_t room)
{
	return frame_new(p->pool, room);
}

const struct port_results *port_injected(const struct port *p)
{
	return &p->injected;
}

uint64_t port_unclaimed(const struct port *p)
{
	return p->dev->drops.n[DROP_UNCLAIMED];
}

/* --- in ------------------------------------------------------------------------------------ */

void port_count_injected(struct port *p, const struct port_results *gained)
{
	port_results_add(&p->injected, gained);
}

void port_purge(struct port *p, bool (*match)(const struct frame *, const void *), const void *arg)
{
	loop_purge(&p->loop, match, arg);
	loop_purge(&p->fault.late, match, arg);
}

bool port_run(struct port *p)
{
	struct frame *f;

	if (!p->loop.head && p->fault.held)
		fault_release(&p->fault);
	if (!p->loop.head)
		return false;
	f = loop_take(&p->loop);
	p->ops->receive(p->ops_ctx, f);
	frame_free(f);
	return true;
}

/* --- out ----------------------------------------------------------------------------------- */

unsigned int port_route(const struct port *p, const struct frame *f)
{
	if (f->switched)
		return f->to ? PORT_INSIDE : PORT_OUTSIDE;
	if (!p->wire || f->forced || f->injected || f->arrived || f->burst.npkts)
		return PORT_INSIDE;
	return p->ops->route(p->ops_ctx, f);
}

static void port_send_outside(struct port *p, struct frame *f)
{
	if (p->wire)
		p->wire->ops->send(p->wire, f);
	else
		p->dev->drops.n[DROP_NO_WIRE]++;
}

/*
 * Queues a frame on its way back. [I] Forced loopback stays inside the function: no wire carries
 * it.
 */
void port_queue(struct port *p, struct frame *f)
{
	unsigned int way;

	if (p->tap && !f->forced)
		p->tap->frame(p->tap->ctx, f);
	way = port_route(p, f);
	if (way & PORT_OUTSIDE)
		port_send_outside(p, f);
	if (way & PORT_INSIDE)
		p->dev->drops.n[DROP_FULL] += loop_put(&p->loop, f);
	else
		frame_free(f);
}

/* Takes a frame that passed the faults, perhaps late: the link may have gone down since. */
static void port_put(void *port, struct frame *f)
{
	struct port *p = port;

	if (p->dev->link_down) {
		p->fault.counts.down++;
		frame_free(f);
	} else {
		port_queue(p, f);
	}
}

static void port_to_wire(struct port *p, struct frame *f)
{
	if (f->forced || f->injected)
		port_queue(p, f);
	else if (fault_active(&p->fault) && !p->dev->link_down)
		fault_pass(&p->fault, f);
	else
		port_put(p, f);
}

void port_send(struct port *p, struct frame *f)
{
	if (!f)
		return;
	if (!p->hook) {
		port_to_wire(p, f);
		return;
	}
	f->icrc_good = false;
	p->hook(p->hook_ctx, p, f);
}

static struct frame *port_bytes(struct port *p, const void *bytes, size_t len)
{
	struct frame *f = port_frame(p, len);

	if (!f) {
		p->dev->drops.n[DROP_MEMORY]++;
		return NULL;
	}
	f->len = (uint32_t)len;
	memcpy(f->data, bytes, len);
	return f;
}

/*
 * Tables may have pushed headers, so the length is checked here. Short packets are padded to
 * Ethernet's minimum frame (IEEE 802.3, 64 bytes with FCS), as a MAC does.
 */
struct frame *port_packet(struct vhca *v, const uint8_t *bytes, uint32_t len)
{
	struct frame *f = len <= PORT_PACKET_MAX ? port_bytes(v->dev->port, bytes, len) : NULL;

	if (!f) {
		v->drops.n[DROP_LENGTH] += len > PORT_PACKET_MAX;
		sim_note("vhca %u: a raw packet of %u bytes was dropped at the port", v->id, len);
		return NULL;
	}
	if (f->len < FRAME_LEAST) {
		memset(f->data + f->len, 0, FRAME_LEAST - f->len);
		f->len = FRAME_LEAST;
	}
	return f;
}

void port_transmit(struct vhca *v, const uint8_t *bytes, uint32_t len)
{
	port_send(v->dev->port, port_packet(v, bytes, len));
}

int port_inject(struct port *p, const void *bytes, size_t len)
{
	struct frame *f;

	if (len < PORT_PACKET_MIN || len > PORT_PACKET_MAX)
		return -EMSGSIZE;
	if (p->dev->link_down)
		return -ENETDOWN;
	if (!port_room(p))
		return -EAGAIN;
	f = port_bytes(p, bytes, len);
	if (!f)
		return -ENOMEM;
	f->injected = true;
	port_send(p, f);
	return 0;
}

bool port_room_in(const struct port *p)
{
	return loop_room(&p->loop) && fault_room(&p->fault);
}

bool port_busy(const struct port *p)
{
	return p->loop.head;
}

bool port_room(const struct port *p)
{
	return port_room_in(p) && (!p->wire || p->wire->ops->room(p->wire)) &&
	       (!p->tap || p->tap->room(p->tap->ctx));
}

/* --- the wire ------------------------------------------------------------------------------- */

void port_set_wire(struct port *p, struct wire *wire)
{
	if (p->wire)
		p->wire->ops->close(p->wire);
	p->wire = wire;
	p->dev->paths++;
}

struct wire *port_wire(const struct port *p)
{
	return p->wire;
}

bool port_run_wire(struct port *p)
{
	return p->wire && p->wire->ops->run(p->wire);
}

bool port_flush_wire(struct port *p)
{
	return p->wire && p->wire->ops->flush && p->wire->ops->flush(p->wire);
}

void port_receive(struct port *p, const void *bytes, size_t len, bool icrc_good)
{
	struct frame *f = port_bytes(p, bytes, len);

	if (!f)
		return;
	f->arrived = true;
	f->icrc_good = icrc_good;
	port_to_wire(p, f);
}

/* --- observers ------------------------------------------------------------------------------ */

bool port_observed(const struct port *p)
{
	return p->hook || p->tap || fault_active(&p->fault) || p->dev->link_down;
}

void port_set_faults(struct port *p, const struct fault_rates *rates)
{
	fault_set(&p->fault, rates);
	port_faults_changed(p);
}

void port_faults_changed(struct port *p)
{
	p->dev->paths++;
}

void port_faults(const struct port *p, struct fault_rates *rates, struct fault_counts *counts)
{
	*rates = p->fault.rates;
	*counts = p->fault.counts;
}

void port_gids_changed(struct port *p)
{
	p->dev->paths++;
	if (p->wire && p->wire->ops->gids_changed)
		p->wire->ops->gids_changed(p->wire);
}

void port_set_link(struct port *p, bool up)
{
	p->dev->link_down = !up;
	p->dev->paths++;
}

void port_set_hook(struct port *p, port_hook hook, void *ctx)
{
	p->hook = hook;
	p->hook_ctx = ctx;
	p->dev->paths++;
}

void port_set_tap(struct port *p, const struct port_tap *tap)
{
	p->tap = tap;
	p->dev->paths++;
}
