/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_ASO_H
#define DVX_ASO_H

/*
 * Objects that packets change: meters, first-hit bits, tracked connections (PRM: advanced steering
 * operations, ASO). A rule with such an action changes the object with each packet, and puts the
 * result into the low byte of a metadata register, which a table behind it matches:
 *
 *	dvx_aso_queue_create(dev, &queue);
 *	dvx_aso_create(queue, DVX_ASO_METERS, 1, &meters);
 *	dvx_aso_set_meter(meters, 0, &(struct dvx_meter){.size = sizeof(struct dvx_meter),
 *		.rate = 100000000, .burst = 64 << 10});
 *	dvx_flow_action_create_aso(domain, meters, 0, 3, 0, &meter);
 *	dvx_flow_action_create_table(domain, behind, &go);     both are actions of one rule
 *	dvx_flow_match_set(&over, "metadata_reg_c_3", DVX_METER_RED, 0xff);     in table `behind`
 *
 * Rules change objects in all levels but the root. A queue, its objects, and the calls about them
 * belong to one thread at a time. Each call waits until the device has answered.
 */
#include <dvx/flow.h>

DVX_BEGIN_DECLS

struct dvx_aso_queue;
struct dvx_aso;

/* --- objects --- */

enum dvx_aso_kind {
	DVX_ASO_METERS = 0,
	DVX_ASO_HITS = 1, /* a bit each: whether a packet came */
	DVX_ASO_CONNECTIONS = 2,
};

/* Makes the queue by which objects are written and read. Needs CAP_NET_RAW on a kernel's device. */
int dvx_aso_queue_create(struct dvx_dev *dev, struct dvx_aso_queue **out);
int dvx_aso_queue_destroy(struct dvx_aso_queue *queue);

/*
 * Makes at least n objects of a kind, numbered from 0. Hits begin as 0. A meter or connection that
 * has not been set yet: a packet's result is undefined, and connections are DVX_CT_TRAP.
 */
int dvx_aso_create(struct dvx_aso_queue *queue, enum dvx_aso_kind kind, uint32_t n,
		   struct dvx_aso **out);
int dvx_aso_destroy(struct dvx_aso *aso);
uint32_t dvx_aso_size(const struct dvx_aso *aso);

/*
 * Reads the objects first .. first + n - 1. Of meters and connections, out gets their contexts, of
 * 32 and 64 bytes: PRM flow_meter_parameters, conn_track_aso (dvx/prm/object.h). Of hits, it gets a
 * byte each, 0 or 1.
 */
int dvx_aso_read(struct dvx_aso *aso, uint32_t first, uint32_t n, void *out);
/*
 * Reads hits, and clears them. The device does both at one moment for all bits of a group of 512,
 * which begins at a multiple of 512: bits of these groups outside first .. first + n - 1 are lost,
 * too. So read all at once.
 */
int dvx_aso_take_hits(struct dvx_aso *aso, uint32_t first, uint32_t n, uint8_t *out);

/* --- meters --- */

enum dvx_meter_flags {
	/* Rates are packets a second, and bursts packets. Else they are bits a second, and bytes of
	 * whole frames without their FCS. */
	DVX_METER_PACKETS = 1 << 0,
	/* RFC 2698: excess_rate is the peak rate, and a green packet counts for both rates. Else
	 * tokens that do not fit the first bucket go to the second one (RFC 2697, RFC 4115). */
	DVX_METER_PEAK = 1 << 1,
};

/*
 * Two token buckets: a packet that the first one has tokens for is green, else the second one's are
 * yellow, others red. The last packet of a burst may be longer than what is left [I]. A rate is the
 * nearest that the device has, within 0.4 % from 1 kbit/s and 2 packets/s on.
 */
struct dvx_meter {
	uint32_t size;
	uint32_t flags; /* enum dvx_meter_flags */
	uint64_t rate;	/* green */
	uint64_t burst;
	uint64_t excess_rate; /* of the second bucket; may be 0 */
	uint64_t excess_burst;
};

/* Results of a packet. */
enum dvx_meter_color {
	DVX_METER_RED = 0,
	DVX_METER_YELLOW = 1,
	DVX_METER_GREEN = 2,
};

/* Sets a meter; its buckets are full. -ERANGE: a value is beyond the device's, a rate is 0. */
int dvx_aso_set_meter(struct dvx_aso *aso, uint32_t index, const struct dvx_meter *meter);

/* --- tracked connections --- */

/*
 * Results of a packet. The two highest bits: whether its connection's state and windows allow it,
 * as in Linux's conntrack.
 */
enum dvx_ct_result {
	DVX_CT_VALID = 0,
	DVX_CT_BAD = 1 << 0,	 /* with VALID: no TCP packet, or a wrong checksum or flags */
	DVX_CT_CHANGED = 1 << 1, /* the connection has another state now */
	DVX_CT_INVALID = 1 << 6,
	DVX_CT_TRAP = 2 << 6,	 /* software decides */
	DVX_CT_VERDICT = 3 << 6, /* mask of VALID, INVALID and TRAP */
};

#define DVX_CONNECTION_NO_SCALE 0xff

/* One side of a connection, by its SYN or SYN-ACK. */
struct dvx_connection_side {
	uint32_t seq; /* sequence number of that packet */
	uint16_t window;
	uint8_t scale; /* window scale option, 0 to 14, or DVX_CONNECTION_NO_SCALE */
	uint8_t sack;  /* 1: it has the option SACK permitted */
};

struct dvx_connection {
	uint32_t size;
	uint32_t flags; /* 0 */
	struct dvx_connection_side syn, syn_ack;
};

/* Sets a connection to its state between the SYN-ACK and the initiator's ACK. */
int dvx_aso_set_connection(struct dvx_aso *aso, uint32_t index,
			   const struct dvx_connection *connection);

/* --- the action --- */

enum dvx_flow_aso_flags {
	/* The rule's packets are those of a connection's responder; else of its initiator. */
	DVX_FLOW_ASO_RESPONDER = 1 << 0,
};

/*
 * Makes an action that changes object `index`. The result goes into metadata register C 1, 3 or 5;
 * of a hit: the bit before. A rule has at most one such action. In RX domains a rule with a
 * meter or a connection cannot drop: let the table behind it drop.
 */
int dvx_flow_action_create_aso(struct dvx_flow_domain *domain, struct dvx_aso *aso, uint32_t index,
			       uint8_t reg_c, uint32_t flags, struct dvx_flow_action **out);

DVX_END_DECLS

#endif
