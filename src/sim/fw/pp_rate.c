/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packet pacing: a table of rates. A send queue of raw packets names a row. Each queue has that
 * rate alone: queues with the same row do not share it. Row 0 means no limit.
 */
#include "cmd.h"
#include "base/clock.h"
#include "obj/device.h"
#include "obj/raw_queue.h"

#define BITS_A_KILOBIT 1000u

static int fw_pp_rate_check(struct fw_cmd *c, const struct pp_rate *r, uint32_t index)
{
	uint32_t kbps = prm_set_pp_rate_limit_context_get_rate_limit(
		prm_set_pp_rate_limit_in_cat_ctx(c->in));

	if (!index || index >= VHCA_PP_RATES)
		return fw_refuse(c, FW_SYN_INDEX, "rate_limit_index %u is not within 1..%u", index,
				 VHCA_PP_RATES - 1);
	if (r->rate.bps && c->uid && r->uid != c->uid)
		return fw_refuse(c, FW_SYN_NO_OBJECT, "rate_limit_index %u is another uid's",
				 index);
	if (kbps > VHCA_PP_MAX_KBPS)
		return fw_refuse(c, FW_SYN_SIZE,
				 "ctx.rate_limit %u is more than qos.packet_pacing_max_rate %u",
				 kbps, VHCA_PP_MAX_KBPS);
	return 0;
}

/* Lets a queue that waits at an old rate send its next packet at once, and without its old debt. */
static void fw_pp_rate_changed(struct raw_sq *sq)
{
	sq->pace.paid = 0;
	if (sq->held.queued)
		(void)timer_set(&sq->q.o.vhca->dev->timers, &sq->held, 0);
}

/*
 * Sets a row. typical_packet_size is a hint for hardware; here each packet counts with its real
 * size. [I] Rate 0 clears a row even while queues name it, and these lose their limit: Linux clears
 * the row before it destroys them.
 */
int fw_set_pp_rate_limit(struct fw_cmd *c)
{
	const void *ctx = prm_set_pp_rate_limit_in_cat_ctx(c->in);
	uint32_t index = prm_set_pp_rate_limit_in_get_rate_limit_index(c->in);
	struct pp_rate *r = &c->vhca->pp_rates[index % VHCA_PP_RATES];
	struct raw_sq *sq;

	if (fw_pp_rate_check(c, r, index))
		return -1;
	r->rate.bps = (uint64_t)prm_set_pp_rate_limit_context_get_rate_limit(ctx) * BITS_A_KILOBIT;
	r->rate.burst = prm_set_pp_rate_limit_context_get_burst_upper_bound(ctx);
	r->uid = c->uid;
	for (uint32_t id = 0; r->users && (sq = obj_next(c->vhca, OBJ_SQ, id)); id = sq->q.o.id + 1)
		if (sq->pp_rate == index)
			fw_pp_rate_changed(sq);
	return 0;
}

void fw_pp_rates_reap(struct vhca *v, uint16_t uid)
{
	for (uint32_t i = 1; i < VHCA_PP_RATES; i++)
		if (v->pp_rates[i].uid == uid && !v->pp_rates[i].users)
			v->pp_rates[i] = (struct pp_rate){0};
}

int fw_pp_rate_usable(struct fw_cmd *c, uint32_t index)
{
	const struct pp_rate *r = &c->vhca->pp_rates[index % VHCA_PP_RATES];

	if (!index)
		return 0;
	if (index >= VHCA_PP_RATES || !r->rate.bps ||
	    (c->uid && r->uid != c->uid && r->uid != FW_UID_SHARED))
		return fw_refuse(c, FW_SYN_NO_OBJECT,
				 "sqc.packet_pacing_rate_limit_index %u names no rate of this uid",
				 index);
	return 0;
}

/* Sets the queue's row. */
void fw_pp_rate_use(struct raw_sq *sq, uint32_t index)
{
	struct vhca *v = sq->q.o.vhca;

	if (sq->pp_rate)
		v->pp_rates[sq->pp_rate].users--;
	if (index)
		v->pp_rates[index].users++;
	sq->pp_rate = (uint8_t)index;
	fw_pp_rate_changed(sq);
}
