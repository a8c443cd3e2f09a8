/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The queues that rules send to: a thread of their own takes their packets, counts them and writes them
 * down, so that none waits while rules are inserted. It sleeps while nothing comes.
 */
#ifndef DVX_FLOW_PUMP_H
#define DVX_FLOW_PUMP_H

#include <dvx/common.h>
#include <dvx/rxq.h>

#define QUEUES_MAX 64u
#define TAGS_KEPT  32u /* different tags that a queue counts apart */

struct tag_count {
	uint32_t tag;
	uint64_t packets;
};

struct queue_count {
	uint64_t packets, bytes, errors;
	uint64_t captured;
	int capture_err; /* errno that ended its capture; 0: none */
	struct tag_count tag[TAGS_KEPT];
	unsigned int ntags;
};

struct pump;

/* capture: a directory, or NULL. -errno, with the sentence in why. */
int pump_start(struct dvx_dev *dev, unsigned int queues, const char *capture, struct pump **out,
	       char *why, size_t size);
void pump_stop(struct pump *p);
unsigned int pump_queues(const struct pump *p);
struct dvx_rxq *pump_rxq(const struct pump *p, unsigned int queue);
void pump_count(struct pump *p, unsigned int queue, struct queue_count *out);

#endif
