/* SPDX-License-Identifier: BSD-2-Clause */
#include "tap_wire.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "neighbour.h"
#include "obj/device.h"
#include "packets.h"
#include "port.h"
#include "tap.h"
#include "wire.h"

#define TAP_WIRE_MTU	4200u /* of a new interface: the port's is 4096 */
#define TAP_WIRE_FRAMES 32u   /* read in one turn */

struct tap_wire {
	struct wire w;
	struct device *dev;
	struct neighbours *neighbours;
	bool announced;
	char interface[IFNAMSIZ];
	uint64_t missed;		 /* of the interface when the chip opened it */
	uint8_t in[PORT_PACKET_MAX + 1]; /* one more byte, so that longer frames are noticed */
};

/* Sends a frame. It is lost if the interface is down, or takes frames too slowly. */
static void tap_wire_send(struct wire *wire, const struct frame *f)
{
	if (write(wire->fd, f->data, f->len) == (ssize_t)f->len)
		wire->sent++;
	else
		wire->lost++;
}

static bool tap_wire_room(struct wire *wire)
{
	(void)wire;
	return true;
}

static bool tap_wire_read(struct tap_wire *w)
{
	ssize_t n = read(w->w.fd, w->in, sizeof(w->in));

	if (n < 0 && errno == EBADFD && !w->w.gone) {
		sim_refuse("%s: the network interface was deleted", w->interface);
		w->w.gone = true;
	}
	if (n < 0)
		return false;
	if (n < (ssize_t)PORT_PACKET_MIN || n > (ssize_t)PORT_PACKET_MAX) {
		w->w.bad++;
		return true;
	}
	w->w.received++;
	neighbours_take(w->neighbours, w->in, (size_t)n);
	port_receive(w->dev->port, w->in, (size_t)n, false);
	return true;
}

static bool tap_wire_run(struct wire *wire)
{
	struct tap_wire *w = (struct tap_wire *)wire;
	unsigned int n = 0;

	if (!w->announced)
		neighbours_announce(w->neighbours);
	w->announced = true;
	while (n < TAP_WIRE_FRAMES && port_room_in(w->dev->port) && tap_wire_read(w))
		n++;
	neighbours_notify(w->neighbours);
	return n > 0;
}

static int tap_wire_resolve(struct wire *wire, const struct gid_entry *from, const uint8_t gid[16],
			    uint8_t mac[6])
{
	return neighbours_resolve(((struct tap_wire *)wire)->neighbours, from->vlan, gid, mac);
}

static void tap_wire_gids_changed(struct wire *wire)
{
	((struct tap_wire *)wire)->announced = false;
}

/* Returns the drops since the chip opened the interface. */
static uint64_t tap_wire_missed(struct wire *wire)
{
	const struct tap_wire *w = (struct tap_wire *)wire;
	const uint64_t now = tap_missed(w->interface);

	return now > w->missed ? now - w->missed : 0;
}

static void tap_wire_close(struct wire *wire)
{
	struct tap_wire *w = (struct tap_wire *)wire;

	neighbours_free(w->neighbours);
	if (w->w.fd >= 0)
		close(w->w.fd);
	free(w);
}

static const struct wire_ops tap_wire_ops = {
	.send = tap_wire_send,
	.room = tap_wire_room,
	.run = tap_wire_run,
	.resolve = tap_wire_resolve,
	.gids_changed = tap_wire_gids_changed,
	.missed = tap_wire_missed,
	.close = tap_wire_close,
};

/* Attaches an existing interface, whose administrator sets MTU and state. */
static int tap_wire_attach(struct tap_wire *w, const char *name, char *why)
{
	const bool there = if_nametoindex(name) != 0;
	uint8_t mac[6];
	int err = 0;

	w->w.fd = tap_open(name, true, why);
	if (w->w.fd < 0)
		return -1;
	if (!there)
		err = tap_configure(name, NULL, TAP_WIRE_MTU);
	if (!err)
		err = tap_address(name, mac);
	if (err) {
		snprintf(why, WIRE_WHY, "%s: %s", name, strerror(-err));
		return -1;
	}
	snprintf(w->interface, sizeof(w->interface), "%s", name);
	w->missed = tap_missed(name);
	device_follow_mac(w->dev, mac);
	device_set_mtu(w->dev, tap_mtu(name));
	return 0;
}

struct wire *tap_wire_open(struct device *dev, const char *name, char *why)
{
	struct tap_wire *w = calloc(1, sizeof(*w));

	if (w)
		w->neighbours = neighbours_new(dev);
	if (!w || !w->neighbours) {
		snprintf(why, WIRE_WHY, "out of memory");
		free(w);
		return NULL;
	}
	w->w.ops = &tap_wire_ops;
	w->w.fd = -1;
	w->dev = dev;
	if (!tap_wire_attach(w, name, why))
		return &w->w;
	tap_wire_close(&w->w);
	return NULL;
}
