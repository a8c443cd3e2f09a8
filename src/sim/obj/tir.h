/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_TIR_H
#define SIM_OBJ_TIR_H

#include <stdbool.h>
#include <stdint.h>
#include "obj.h"

struct raw_rq;

/* Receive queues in the order of the hash index; each one is referenced. */
struct rqt {
	struct obj o;
	uint16_t n, max;
	struct raw_rq **rq; /* OBJ_RQ; a power of two of them */
};

/* Fields of a packet that are hashed: rx_hash_field_select. */
struct tir_fields {
	bool ipv6, udp;
	uint32_t selected; /* bits: 0, 1 addresses, 2, 3 ports (source, destination), 4 SPI */
};

#define TIR_KEY_BYTES 40u

/*
 * A destination of packets: one receive queue, or a table of queues selected by hash. Rules hold a
 * reference (obj_get). Software's STEs only name a TIR, so a walk looks it up by number.
 */
struct tir {
	struct obj o;
	struct obj *td;	   /* referenced, like rq and rqt */
	struct raw_rq *rq; /* direct: OBJ_RQ; NULL: rqt is used */
	struct rqt *rqt;
	uint8_t hash_fn; /* PRM rx_hash_fn */
	bool symmetric;
	uint8_t key[TIR_KEY_BYTES];
	struct tir_fields outer;
	uint8_t tirc[240]; /* as commands set it, for QUERY_TIR */
};

#endif
