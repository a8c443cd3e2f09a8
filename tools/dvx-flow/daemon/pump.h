/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queues that rules send to: a thread of their own takes their packets, counts them and writes
 * them down, so that none waits while rules are inserted. It sleeps while nothing comes.
 */
#ifndef DVX_FLOW_PUMP_H
#define DVX_FLOW_PUMP_H

#include <dvx/common.h>
#include <dvx/rxq.h>

#include "fault.h"
#include "rules/rule.h"

#define TAGS_KEPT 32u /* different tags that a queue counts apart */

struct tag_count {
	uint32_t tag;
	uint64_t packets;
};

struct queue_count {
	uint64_t packets, bytes, errors;
	uint64_t captured; /* in the file, not in a buffer */
	int capture_err;   /* errno that ended its capture; 0: none */
	struct tag_count tag[TAGS_KEPT];
	unsigned int ntags;
	uint64_t other_tags; /* packets of further ones */
};

struct pump;

struct pump_attr {
	struct dvx_dev *dev;
	unsigned int queues;
	const char *capture; /* a directory, or NULL */
	/* Called by the pump's thread when the device is gone: nobody else may hear of it. */
	void (*lost)(void *arg);
	void *arg;
};

int pump_start(const struct pump_attr *attr, struct pump **out, struct flow_fault *f);
void pump_stop(struct pump *p);
unsigned int pump_queues(const struct pump *p);
struct dvx_rxq *pump_rxq(const struct pump *p, unsigned int queue);
/* With all that had come when it was called; the captures have it too. */
void pump_count(struct pump *p, unsigned int queue, struct queue_count *out);

#endif
