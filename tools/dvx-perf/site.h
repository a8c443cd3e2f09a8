/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_SITE_H
#define DVX_PERF_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include <dvx/dvx.h>
#include "ops.h"

/* A device, and how queues on it are connected. */
struct perf_site {
	struct dvx_dev *dev;
	struct dvx_events *events; /* NULL: the device offers none */
	char board[64];
	uint8_t gid[16];
	uint16_t lid;
	struct dvx_qp_local local; /* of all queues */
};

#define SITE_Q_KEY   0x11111111u	 /* of datagrams to any queue */
#define SITE_DC_KEY  0x6476782d70657266u /* of DC targets: "dvx-perf" */
#define SITE_ANY_GID 256		 /* what dvx_gid_choose() chooses */

/* 0, or an exit code after a sentence. */
int site_open(struct perf_site *, const char *device, uint32_t gid_index);
void site_close(struct perf_site *);
/* After a sentence: the device has disappeared, and nothing will complete any more. */
bool site_gone(const struct perf_site *);

/* Looks after the device once in so many empty polls: they take half a millisecond and more. */
#define SITE_IDLE (1u << 16)

static inline bool site_hopeless(const struct perf_site *site, uint32_t *idle)
{
	return ++*idle % SITE_IDLE == 0 && site_gone(site);
}

/* What an operation needs and the device has not; NULL: nothing. */
const char *site_lacks(const struct perf_site *, enum perf_op);
const char *site_name(const struct perf_site *);
/* The device says itself that it is dvx-sim: what is measured are the emulator's speeds. */
bool site_is_emulator(const struct perf_site *);

/* What one end tells the other of a set of queues. */
struct perf_ends {
	uint32_t n;
	uint32_t *qpn;
	uint8_t gid[16];
	uint16_t lid;
	uint8_t mtu_log;
	uint32_t psn;  /* the first, of all queues */
	uint64_t addr; /* of the memory, and its key */
	uint32_t key;
	uint32_t lane_keys; /* of windows of each queue, or one, its XRC SRQ; 0: there are none */
	uint32_t *keys;	    /* those of queue 0 first */
};

/* Of so many queues on this site; the caller has the memory for their numbers. */
struct perf_ends site_ends(const struct perf_site *, uint32_t n, uint32_t *qpn);
/* The other end's queue `i`. */
struct dvx_qp_peer site_peer(const struct perf_ends *, uint32_t i);
/* Connects a queue with the other end's `i`; one whose messages are addressed gets ready. */
int site_connect(struct dvx_qp *, const struct perf_transport *, const struct dvx_qp_local *,
		 const struct perf_ends *far, uint32_t i);
/* Bytes of the longest message, as a datagram may be. */
uint32_t site_mtu(const struct perf_site *);

#endif
