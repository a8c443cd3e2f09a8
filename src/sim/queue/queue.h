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
 * The device's side of the rings. Firmware starts and stops queues; chip.c connects doorbells and
 * the loop (datapath.h).
 */
int queues_init(struct device *);
void queues_fini(struct device *);

/* After CREATE_CQ filled the object in (parks 0xffffffff in the arm record); before it goes. */
int cq_start(struct cq *);
void cq_stop(struct cq *);
/*
 * MODIFY_CQ: the last CQE in the old ring is RESIZE_CQ, the next one is the first in the new ring,
 * which the CQ owns from then on. -ENOSPC: one of the rings has no room for what was not polled yet;
 * -EIO: the CQ has failed.
 */
struct ring;
int cq_resize(struct cq *, const struct ring *, uint8_t log_size);
/* Its moderation was changed. */
void cq_moderate(struct cq *);

/* After the command that makes it has filled the object in, -ENOMEM; before it goes. */
int queue_start(struct queue *);
void queue_stop(struct queue *);
/* The fields of the context are set; the state is still the one before. */
void queue_set_state(struct queue *, uint8_t to);
/* Brings the PSNs of the next packets into the queue pair's context, where a command reads them. */
void queue_psns(struct queue *);

/* The same for an SRQ. */
int srq_start(struct srq *);
void srq_stop(struct srq *);
/* With fewer posted an event is due, once: at once if it is so now. 0 disarms. */
void srq_arm(struct srq *, uint16_t lwm);

/* A UAR register was written (host/uar.h doorbell_fn; ctx is the device). */
void queue_doorbell(void *device, uint32_t uar, uint32_t offset, uint64_t be_value);
/* Strict doorbells (host/uar.h strict_ops): a store is about to come; a WQE that was in a register. */
void queue_trapped(void *device, uint32_t uar);
void queue_blueflame(void *device, uint32_t uar, const uint8_t *bytes, size_t len);

/*
 * One bounded turn of the rings, before and after frames moved: reads doorbell records, hands
 * WQEs to their transports, flushes queues in error; and writes the CQEs that are ready. True if
 * something was done.
 */
bool queues_fetch(struct device *);
bool queues_flush(struct device *, uint64_t now);
/*
 * Flushes posted writes: before a command changes what they would go through, and before the loop
 * sleeps. True if there were any.
 */
bool queues_settle(struct device *);

#endif
