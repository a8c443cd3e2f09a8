/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_QUEUE_QUEUE_H
#define SIM_QUEUE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cq;
struct queue;
struct srq;
struct device;

/*
 * The device's side of the rings. Firmware starts and stops queues. chip.c connects doorbells and
 * the loop (datapath.h).
 */
int queues_init(struct device *);
void queues_fini(struct device *);

/* Called when CREATE_CQ has filled the object in (parks 0xffffffff as an arm); before it goes. */
int cq_start(struct cq *);
void cq_stop(struct cq *);
/*
 * MODIFY_CQ: the last CQE in the old ring is RESIZE_CQ, the next CQE is the first in the new ring,
 * which the CQ owns from then on. Returns -ENOSPC if one of the rings has no room for the CQEs not
 * polled yet, -EIO if the CQ has failed.
 */
struct ring;
int cq_resize(struct cq *, const struct ring *, uint8_t log_size);
/* Applies changed moderation. */
void cq_moderate(struct cq *);

/* Called when the creating command has filled the object in (0 or -ENOMEM); before it goes. */
int queue_start(struct queue *);
void queue_stop(struct queue *);
/* Changes the state. The context's fields are set already; its state is still the old one. */
void queue_set_state(struct queue *, uint8_t to);
/* Copies the PSNs of the next packets into the queue pair's context, where a command reads them. */
void queue_psns(struct queue *);

/* Like queue_start() and queue_stop(), for an SRQ. */
int srq_start(struct srq *);
void srq_stop(struct srq *);
/* Requests one event for fewer than lwm posted entries; at once if it is so now. 0 disarms. */
void srq_arm(struct srq *, uint16_t lwm);

/* Handles a write to a UAR register (host/uar.h doorbell_fn; ctx is the device). */
void queue_doorbell(void *device, uint32_t uar, uint32_t offset, uint64_t be_value);
/* Strict doorbells (host/uar.h strict_ops): a store is about to come; a WQE was in a register. */
void queue_trapped(void *device, uint32_t uar);
void queue_blueflame(void *device, uint32_t uar, const uint8_t *bytes, size_t len);

/*
 * Runs one bounded turn of the rings, before and after frames moved: reads doorbell records, hands
 * WQEs to their transports, flushes queues in error, and writes the CQEs that are ready. Returns
 * true if it did something.
 */
bool queues_fetch(struct device *);
bool queues_flush(struct device *, uint64_t now);
/*
 * Flushes posted writes, before a command changes what they would go through and before the loop
 * sleeps. Returns true if there were any.
 */
bool queues_settle(struct device *);
/* Likewise, and lets all happen that a hostile device holds back (base/hostile.h): a command comes. */
void queues_settle_all(struct device *);

#endif
