/* SPDX-License-Identifier: BSD-2-Clause */
/* A rig for raw packets: contexts with a raw packet QP each, packets, and a rule for them. */
#ifndef TESTS_RAW_END_H
#define TESTS_RAW_END_H

#include "tests/test.h"
#include <infiniband/verbs.h>

#define DEPTH 64u
#define SLOT  2048u

extern const uint8_t mac_b[6]; /* destination of make_udp()'s packets */

/* One context with one raw packet QP and its memory. */
struct end {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *scq, *rcq;
	struct ibv_cq_ex *rcq_ex;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *buf; /* DEPTH slots to send from, DEPTH to receive into */
};

struct ibv_context *open_device(void);
/* Opens it in RTS; flags are ibv_create_qp_ex()'s. */
void end_open(struct end *e, uint32_t flags);
void end_close(struct end *e);
void to_rts(struct ibv_qp *qp);

uint8_t *slot_out(struct end *e, unsigned int i);
uint8_t *slot_in(struct end *e, unsigned int i);
void post_recv(struct end *e, unsigned int i, uint32_t len);
void post_send(struct end *e, unsigned int i, uint32_t len, unsigned int flags);
/* Waits for a completion; fails after a minute. */
void poll_one(struct ibv_cq *cq, struct ibv_wc *wc);
/* Waits for the success of this request. */
void poll_ok(struct ibv_cq *cq, uint64_t wr_id, struct ibv_wc *wc);

/* Writes a packet given as hexadecimal digits; returns the length. */
uint32_t from_hex(uint8_t *p, const char *hex);
/* Sends one from slot 0, and waits for its completion. */
void send_hex(struct end *e, const char *hex);

/* Makes Ethernet, IPv4, UDP; the device sets both checksums. Returns the length. */
uint32_t make_udp(uint8_t *p, const uint8_t dst[6], uint16_t sport, uint32_t payload);
/* Adds a rule that sends all packets for this address to the QP. */
struct ibv_flow *steer(struct ibv_qp *qp, const uint8_t mac[6], uint32_t tag);

#endif
