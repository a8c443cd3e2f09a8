/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Switching by the FDB's flow tables. A packet meets the FDB once: what a function sends, behind its
 * NIC TX tables, and what the wire brings, before any function has it. A vport's address ends the
 * walk; from there the packet passes the port to the function's NIC RX tables, or the wire.
 */
#include <string.h>
#include "priv.h"

/* --- into the FDB ---------------------------------------------------------------------------- */

/* Walks a packet. [I] Registers and the flow tag of the sender's tables end with these. */
static void fdb_walk(struct device *dev, const struct vhca *from, struct packet *p)
{
	p->source_vhca = from ? from->id : STEER_FROM_WIRE;
	p->source_vport = from ? from->vport : 0;
	p->reg_a = p->reg_b = p->flow_tag = 0;
	memset(p->reg_c, 0, sizeof(p->reg_c));
	p->vxlan_ports = dev->vxlan_ports;
	packet_parse_headers(p);
	steer_fdb(dev, p, from);
}

/* Walks a copy of a frame's bytes, as actions change them. */
static void fdb_walk_frame(struct device *dev, const struct vhca *from, const struct frame *f)
{
	uint8_t buf[STEER_BUFFER];
	struct packet p = steer_packet(buf, f->len);

	memcpy(p.data, f->data, f->len);
	fdb_walk(dev, from, &p);
}

void eswitch_transmit(struct vhca *from, const struct packet *sent)
{
	struct packet p;

	if (!steer_has_fdb(from->dev)) {
		port_transmit(from, sent->data, sent->len);
		return;
	}
	p = *sent;
	fdb_walk(from->dev, from, &p);
}

void eswitch_switch(struct vhca *from, struct frame *f)
{
	fdb_walk_frame(from->dev, from, f);
	frame_free(f);
}

void fdb_receive(struct eswitch *e, const struct frame *f)
{
	fdb_walk_frame(e->dev, NULL, f);
}

/* --- out of the FDB -------------------------------------------------------------------------- */

/* Delivers a packet that passed the port before the FDB. */
static void fdb_deliver(struct eswitch *e, struct vhca *to, struct frame *f)
{
	f->arrived = true;
	legacy_deliver_to(e, to, f);
	frame_free(f);
}

/* Sets the registers that come with a packet: those of the vport's fdb_to_vport_reg_c_id. */
static void fdb_keep_registers(const struct vhca *to, const struct packet *p, struct frame *f)
{
	for (unsigned int i = 0; to && i < FRAME_REGISTERS; i++)
		if (to->fdb_to_vport_reg_c_id >> i & 1)
			f->reg_c[i] = p->reg_c[i];
}

void eswitch_to_vport(struct device *dev, struct vhca *to, const struct packet *p)
{
	const bool wire = p->source_vhca == STEER_FROM_WIRE;
	struct vhca *from = wire ? NULL : device_vhca_by_id(dev, p->source_vhca);
	struct frame *f = port_packet(from ? from : to, p->data, p->len);

	if (!f)
		return;
	f->to = to;
	f->from = from;
	f->switched = true;
	fdb_keep_registers(to, p, f);
	if (wire)
		fdb_deliver(dev->eswitch, to, f);
	else
		port_send(dev->port, f);
}
