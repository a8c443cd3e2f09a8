/* SPDX-License-Identifier: BSD-2-Clause */
/* When a CQ makes an event: how it is armed, and moderation. */
#include "priv.h"

#define INDEX_MASK 0xffffffu
#define ST_FIRED 0xau
#define ST_ARMED 0x9u
#define ST_ARMED_SOLICITED 0x6u

static struct device *device_of(const struct cq *cq)
{
	return cq->o.vhca->dev;
}

static uint64_t visible_pi(const struct cq *cq)
{
	return cq->pi - cq->made;
}

static void cq_fire(struct cq *cq)
{
	cq->armed = false;
	cq->arm_state = ST_FIRED;
	cq->notified_pi = visible_pi(cq);
	if (cq->period) {
		timer_cancel(&device_of(cq)->timers, &cq->priv->moderate);
		cq->priv->last_event = device_of(cq)->clock->now(device_of(cq)->clock);
	}
	eq_completion(cq);
}

/* Returns whether a CQE is newer than the armed index and than the last one reported. */
static bool cq_is_due(const struct cq *cq)
{
	uint64_t newest = visible_pi(cq);

	if (!cq->armed)
		return false;
	if (cq->armed_solicited && cq->solicited_pi < newest)
		newest = cq->solicited_pi;
	return (int64_t)newest > cq->armed_ci && newest > cq->notified_pi;
}

static void cq_period_over(struct timer *t)
{
	struct cq *cq = ((struct cq_priv *)((char *)t - offsetof(struct cq_priv, moderate)))->cq;

	if (cq_is_due(cq))
		cq_fire(cq);
}

/*
 * Returns whether an event must wait: until max_count CQEs have come since the last event, or its
 * period is over, whichever is set and first. [I] With only a count it may wait for ever.
 */
static bool cq_is_moderated(struct cq *cq)
{
	struct device *dev = device_of(cq);
	uint64_t fresh = visible_pi(cq) - cq->notified_pi, now, at;

	if ((cq->max_count && fresh >= cq->max_count) ||
	    (cq->solicited_breaks && cq->solicited_pi > cq->notified_pi))
		return false;
	if (!cq->period)
		return cq->max_count != 0;
	now = dev->clock->now(dev->clock);
	at = (cq->period_from_cqe ? now : cq->priv->last_event) + cq->period * 1000ull;
	cq->priv->moderate.fire = cq_period_over;
	return at > now && !timer_set(&dev->timers, &cq->priv->moderate, at);
}

void cq_notify(struct cq *cq)
{
	if (cq_is_due(cq) && !cq_is_moderated(cq))
		cq_fire(cq);
}

/* Returns the 64-bit index nearest to the newest CQE's that has the program's low 24 bits. */
static int64_t cq_index_near(const struct cq *cq, uint32_t index)
{
	int32_t ahead = (int32_t)((index - (uint32_t)cq->pi) << 8) >> 8;

	return (int64_t)cq->pi + ahead;
}

/*
 * Ignores a word that it has seen: cmd_sn changes with each event that a program takes, so a record
 * that is read twice arms once. A later request for solicited CQEs does not narrow an unserved
 * request for the next CQE (IBTA vol. 1, 11.4.2.2).
 */
void cq_arm_word(struct cq *cq, uint32_t word)
{
	if (word == CQ_PARKED || word == cq->arm_seen)
		return;
	cq->arm_seen = word;
	cq->armed_solicited = (word >> 24 & 1) && !(cq->armed && !cq->armed_solicited);
	cq->armed = true;
	cq->armed_ci = cq_index_near(cq, word & INDEX_MASK);
	cq->arm_state = cq->armed_solicited ? ST_ARMED_SOLICITED : ST_ARMED;
	cq_notify(cq);
}

void cq_moderate(struct cq *cq)
{
	timer_cancel(&device_of(cq)->timers, &cq->priv->moderate);
	cq_notify(cq);
}

void cq_event_stop(struct cq *cq)
{
	timer_cancel(&device_of(cq)->timers, &cq->priv->moderate);
}
