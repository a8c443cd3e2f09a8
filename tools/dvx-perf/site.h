/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_SITE_H
#define DVX_PERF_SITE_H

#include <stdbool.h>
#include <stdint.h>

#include <dvx/dvx.h>
#include "ops.h"

/* A device, and how queues on it connect. */
struct perf_site {
	struct dvx_dev *dev;
	struct dvx_events *events; /* NULL: the device has none */
	char board[64];
	uint8_t gid[16];
	uint16_t lid;
	struct dvx_qp_local local; /* the local address of all queues */
};

#define SITE_Q_KEY   0x11111111u	 /* Q_Key of datagrams */
#define SITE_DC_KEY  0x6476782d70657266u /* DC access key of targets: "dvx-perf" */
#define SITE_ANY_GID 256		 /* dvx_gid_choose() chooses */

/* Returns 0, or an exit code after an error message. */
int site_open(struct perf_site *, const char *device, uint32_t gid_index);
void site_close(struct perf_site *);
/*
 * Prints an error and returns true if the device has disappeared, so that nothing will complete any
 * more.
 */
bool site_gone(const struct perf_site *);

/* Prints that a message or a receive has failed. Returns -1. */
int site_failed(const char *what, const struct dvx_wc *);

/* Number of empty polls between two checks of the device, which take half a millisecond or more. */
#define SITE_IDLE (1u << 16)

static inline bool site_must_give_up(const struct perf_site *site, uint32_t *idle)
{
	return ++*idle % SITE_IDLE == 0 && site_gone(site);
}

/* Returns what an operation needs and the device lacks, or NULL. */
const char *site_lacks(const struct perf_site *, enum perf_op);
const char *site_name(const struct perf_site *);
/* Whether the device identifies itself as dvx-sim: the figures are then the emulator's speeds. */
bool site_is_emulator(const struct perf_site *);

/* The description of a set of queues that one end sends the other. */
struct perf_ends {
	uint32_t n;
	uint32_t *qpn;
	uint8_t gid[16];
	uint16_t lid;
	uint8_t mtu_log;
	uint32_t psn;  /* first PSN of all queues */
	uint64_t addr; /* address and key of the memory */
	uint32_t key;
	uint32_t lane_keys; /* keys of each queue: windows, or the XRC SRQ's number; 0: none */
	uint32_t *keys;	    /* queue 0's first */
};

/* Makes a description of n queues on this site; the caller owns qpn, the array of their numbers. */
struct perf_ends site_ends(const struct perf_site *, uint32_t n, uint32_t *qpn);
/* Returns queue `i` of the description as a peer. */
struct dvx_qp_peer site_peer(const struct perf_ends *, uint32_t i);
/*
 * Connects a queue with the other end's queue `i`; a queue whose messages carry addresses only
 * becomes ready to send.
 */
int site_connect(struct dvx_qp *, const struct perf_transport *, const struct dvx_qp_local *,
		 const struct perf_ends *responder, uint32_t i);
/* Returns the bytes of the longest datagram. */
uint32_t site_mtu(const struct perf_site *);

#endif
