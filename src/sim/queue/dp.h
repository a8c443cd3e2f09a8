/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_DP_DP_H
#define SIM_DP_DP_H

#include <stdbool.h>
#include <stdint.h>

struct cq;
struct packet;
struct qp;
struct device;
struct tir;

/*
 * The device's side of the rings. Firmware starts and stops queues; chip.c connects doorbells and
 * the loop (datapath.h).
 */
int dp_init(struct device *);
void dp_fini(struct device *);

/* After CREATE_CQ filled the object in (parks 0xffffffff in the arm record); before it goes. */
int dp_cq_start(struct cq *);
void dp_cq_stop(struct cq *);

/* After CREATE_QP; before it goes. */
int dp_qp_start(struct qp *);
void dp_qp_stop(struct qp *);
/* The fields of the context are set; qp->state still says `from`. Sets qp->state. */
void dp_qp_state(struct qp *, uint8_t to);

/* Tells whether the port takes one more raw packet; send queues wait while it does not. */
void dp_set_port(struct device *, bool (*room)(void *port), void *port);

/* A packet that steering gives to a TIR: hashed, received, or counted as lost. */
void dp_receive(struct tir *, const struct packet *);

/* A UAR register was written (host/uar.h doorbell_fn; ctx is the device). */
void dp_doorbell(void *device, uint32_t uar, uint32_t offset, uint64_t be_value);

/*
 * One bounded turn of the rings, before and after frames moved: looks at doorbell records, hands
 * WQEs to net, flushes queues in error; and writes the CQEs that are ready. True if something was
 * done.
 */
bool dp_fetch(struct device *);
bool dp_flush(struct device *, uint64_t now);
/*
 * Nothing waits any more: before a command changes what it would go through, before the loop sleeps.
 * True if something did, and there may be work.
 */
bool dp_settle(struct device *);

#endif
