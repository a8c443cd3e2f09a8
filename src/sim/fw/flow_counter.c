/* SPDX-License-Identifier: BSD-2-Clause */
/* Flow counters, single ones and bulks. */
#include "cmd.h"
#include "obj/counter.h"
#include "obj/device.h"

/* [I] Alignment of a bulk query's first counter, as mlx5_core uses it. */
#define QUERY_ALIGN 4u

struct counter *fw_flow_counter(struct fw_cmd *c, uint32_t id)
{
	struct counter *counter = counter_find(c->vhca, id);

	if (counter && (!c->uid || counter->uid == c->uid))
		return counter;
	fw_refuse(c, FW_SYN_NO_OBJECT, "flow_counter_id 0x%x is no counter of this uid", id);
	return NULL;
}

/*
 * Returns the number of counters: each bit adds its bulk. Linux passes the whole capability, and
 * expects 128 times its value.
 */
static uint32_t fw_flow_counter_bulk_size(uint32_t bits)
{
	return bits ? COUNTER_BULK_MIN * bits : 1;
}

static int fw_flow_counter_check_log(struct fw_cmd *c, uint32_t log)
{
	const uint32_t most = c->vhca->dev->profile->rules_by_wqe ? VHCA_LOG_MAX_COUNTERS : 0;

	if (!log || (log >= COUNTER_LOG_GRANULARITY && log <= most))
		return 0;
	return fw_refuse(c, FW_SYN_SIZE,
			 "flow_counter_bulk_log_size %u: flow_counter_bulk_log_granularity is %u, "
			 "flow_counter_bulk_log_max_alloc %u",
			 log, COUNTER_LOG_GRANULARITY, most);
}

int fw_alloc_flow_counter(struct fw_cmd *c)
{
	const uint32_t log = prm_alloc_flow_counter_in_get_flow_counter_bulk_log_size(c->in);
	const uint32_t bits = prm_alloc_flow_counter_in_get_flow_counter_bulk(c->in);
	const uint32_t n = log ? 1u << log : fw_flow_counter_bulk_size(bits);
	const uint32_t pd = prm_alloc_flow_counter_in_get_pd(c->in);
	uint32_t id;

	if (fw_flow_counter_check_log(c, log) || (pd && !fw_find(c, OBJ_PD, pd, "pd")))
		return -1;
	id = counter_new(c->vhca, c->uid, pd, n);
	if (!id)
		return fw_refuse(c, FW_SYN_LIMIT, "no %u flow counters in a row are left", n);
	prm_alloc_flow_counter_out_set_flow_counter_id(c->out, id);
	return 0;
}

static int fw_flow_counter_check_query(struct fw_cmd *c, uint32_t id, uint32_t n)
{
	size_t need = PRM_QUERY_FLOW_COUNTER_OUT_BYTES + (size_t)n * PRM_TRAFFIC_COUNTER_BYTES;

	if (n > 1 && id % QUERY_ALIGN)
		return fw_refuse(
			c, FW_SYN_ALIGNMENT,
			"flow_counter_id 0x%x: the first of several must be a multiple of %u", id,
			QUERY_ALIGN);
	if (fw_reply_fits(c, need))
		return -1;
	for (uint32_t i = 0; i < n; i++)
		if (!fw_flow_counter(c, id + i))
			return -1;
	return 0;
}

int fw_query_flow_counter(struct fw_cmd *c)
{
	uint32_t id = prm_query_flow_counter_in_get_flow_counter_id(c->in);
	uint32_t n = prm_query_flow_counter_in_get_num_of_counters(c->in);
	bool clear = prm_query_flow_counter_in_get_clear(c->in);

	n = n ? n : 1;
	if (fw_flow_counter_check_query(c, id, n))
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		struct counter *counter = counter_find(c->vhca, id + i);
		void *to = prm_query_flow_counter_out_at_flow_statistics(c->out, i);

		prm_traffic_counter_set_packets(to, counter->packets);
		prm_traffic_counter_set_octets(to, counter->octets);
		if (clear)
			counter->packets = counter->octets = 0;
	}
	return 0;
}

int fw_dealloc_flow_counter(struct fw_cmd *c)
{
	uint32_t id = prm_dealloc_flow_counter_in_get_flow_counter_id(c->in), users;
	const struct counter *counter = fw_flow_counter(c, id);

	if (!counter)
		return -1;
	if (!counter->n)
		return fw_refuse(
			c, FW_SYN_NO_OBJECT,
			"flow_counter_id 0x%x: a bulk is freed as a whole, by its first counter",
			id);
	users = counter_users(c->vhca, id);
	if (users)
		return fw_refuse(c, FW_SYN_BUSY, "flow_counter_id 0x%x is used by %u entries", id,
				 users);
	counter_free(c->vhca, id);
	return 0;
}

void fw_flow_counters_reap(struct vhca *v, uint16_t uid)
{
	for (uint32_t id = counter_next(v, uid, 0); id; id = counter_next(v, uid, id + 1))
		counter_free(v, id);
}
