/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_QUEUE_RAW_RIG_H
#define TESTS_QUEUE_RAW_RIG_H

#include <dvx/prm/eth.h>
#include "queue_rig.h"
#include "queue/queue.h"
#include "transport/raw/raw.h"
#include "transport/transport.h"
#include "obj/tir.h"
#include "steer/steer.h"

#define RAW_TAG 0xabcdefu

/* An SQ whose packets return into an RQ, through the tables' ops. */
struct raw {
	struct rig rig;
	struct rig_cq scq, rcq;
	struct rig_qp sq, rq;
	struct tir *tir;
	uint8_t *src, *dst;
	struct mkey *mkey;
	uint8_t sent[VHCA_FRAME_MAX + 64];
	uint32_t sent_len, sent_reg_a, sent_sqn;
	unsigned int nsent;
};

/* cmocka fixtures: *state is a struct raw. */
int raw_setup(void **state);
int raw_teardown(void **state);
#define FIXTURE_raw(name) FIXTURE(name, struct raw *r, raw_setup, raw_teardown)
/* Opens an SQ or an RQ of 2^log entries of 64 bytes, RDY. */
void raw_queue_open(struct rig *, struct rig_qp *, enum obj_type, struct rig_cq *,
		    unsigned int log);

/* Begins a SEND with this much of its headers in the Ethernet segment; segments may follow. */
struct rig_wqe raw_begin(struct raw *, const void *hdr, uint16_t len, uint8_t cs_flags);
/* Posts one packet of len bytes of memory. */
void raw_post(struct raw *, const void *at, uint32_t len, uint8_t cs_flags);
/* Rings, and runs until nothing is left to do; raw_send() posts before. */
void raw_go(struct raw *);
void raw_send(struct raw *, const void *at, uint32_t len, uint8_t cs_flags);
/* Posts a receive of len bytes at dst + off. */
void raw_recv(struct raw *, uint32_t off, uint32_t len);
/* Restarts a queue through RST to RTS, empty. */
void raw_reset(struct rig_qp *);
/* Return the next CQE: of a good send, of a received packet. */
const uint8_t *raw_sent_ok(struct raw *);
const uint8_t *raw_received(struct raw *);

/* An IPv4 and UDP packet; all bytes behind the headers are 0x5a. */
#define UDP4_LEN (14u + 0x73u)
void raw_make_udp4(uint8_t *);
uint16_t raw_rfc1071(const uint8_t *, size_t n, uint32_t sum);

#endif
