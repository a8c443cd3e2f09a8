/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_ASO_ASO_H
#define SIM_STEER_ASO_ASO_H

#include <stdbool.h>
#include <stdint.h>

struct packet;

/*
 * Advanced steering operations: the effect of a packet on a context (obj/aso.h). Each returns the
 * byte for the packet's register.
 */

/* One of a context's two meters: PRM flow_meter_parameters. It must be valid. */
#define ASO_METER_BYTES 32u
bool aso_meter_valid(const uint8_t *meter);
/* Returns the bytes that the packet costs, by the meter's mode. */
uint32_t aso_meter_cost(const uint8_t *meter, const struct packet *);
/* Takes tokens at this time, in ns; color and result: PRM meter_color. */
uint8_t aso_meter(uint8_t *meter, uint8_t color, uint32_t cost, uint64_t now);

/* Returns the bit of a flow as it was, and sets it unless it is only read. */
#define ASO_HIT_FLOWS 512u
uint8_t aso_hit(uint8_t *context, unsigned int flow, bool set);

/* Result of connection tracking (as DPDK matches it). */
enum aso_ct_result {
	ASO_CT_BAD = 1 << 0,	 /* alone: no TCP packet, a wrong checksum, or wrong flags */
	ASO_CT_CHANGED = 1 << 1, /* the connection has another state now */
	ASO_CT_VALID = 0 << 6,
	ASO_CT_INVALID = 1 << 6,
	ASO_CT_TRAP = 2 << 6, /* software decides */
};
/* PRM conn_track_aso; reply: the packet is the responder's. */
uint8_t aso_ct(uint8_t *context, const struct packet *, bool reply);

#endif
