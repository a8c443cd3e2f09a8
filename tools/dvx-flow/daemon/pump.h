/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queues that rules send to. A thread receives, counts and captures their packets while the
 * main thread inserts rules. It sleeps when there are no packets.
 */
#ifndef DVX_FLOW_PUMP_H
#define DVX_FLOW_PUMP_H

#include <dvx/common.h>
#include <dvx/rxq.h>

#include "fault.h"
#include "rules/rule.h"

#define TAGS_KEPT 32u /* tags that a queue counts separately */

struct tag_count {
	uint32_t tag;
	uint64_t packets;
};

struct queue_count {
	uint64_t packets, bytes, errors;
	uint64_t dropped; /* by the device, because the queue was full; if drops_known */
	bool drops_known;
	uint64_t captured; /* in the file, not in a buffer */
	int capture_err;   /* errno that ended its capture; 0: none */
	struct tag_count tag[TAGS_KEPT];
	unsigned int ntags;
	uint64_t other_tags; /* packets with further tags */
};

struct pump;

struct pump_attr {
	struct dvx_dev *dev;
	unsigned int queues;
	const char *capture; /* a directory, or NULL */
	/* Called by the pump's thread when the device is gone. No other thread notices. */
	void (*lost)(void *arg);
	void *arg;
};

int pump_start(const struct pump_attr *attr, struct pump **out, struct flow_fault *f);
/* Ends the thread and completes the captures. pump_stop() or the process's end frees the queues. */
void pump_leave(struct pump *p);
void pump_stop(struct pump *p);
unsigned int pump_queues(const struct pump *p);
struct dvx_rxq *pump_rxq(const struct pump *p, unsigned int queue);
/* Returns a queue's counts. They and the captures include all packets from before the call. */
void pump_count(struct pump *p, unsigned int queue, struct queue_count *out);

#endif
