/* SPDX-License-Identifier: BSD-2-Clause */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include "flow_priv.h"

#define BULK_UNIT 128u /* alloc_flow_counter_in.flow_counter_bulk: 128 << bit counters */
/* The next larger bulk's counters no longer fit into one uverbs reply (64 KiB). */
#define MAX_COUNTERS 2048u

/* The device's smallest bulk that holds n; 0: none. */
static uint32_t bulk_for(struct dvx_dev *dev, uint32_t n)
{
	const void *cap;
	uint32_t sizes, bit;

	if (dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap))
		return 0;
	sizes = prm_cmd_hca_cap_get_flow_counter_bulk_alloc(cap);
	for (bit = 0; BULK_UNIT << bit <= MAX_COUNTERS; bit++)
		if (sizes & 1u << bit && BULK_UNIT << bit >= n)
			return 1u << bit;
	return 0;
}

static int lib_flow_counter_command(struct dvx_flow_counter *counter, uint32_t bulk)
{
	uint8_t in[PRM_ALLOC_FLOW_COUNTER_IN_BYTES] = {0};
	uint8_t reply[PRM_ALLOC_FLOW_COUNTER_OUT_BYTES];
	int err;

	prm_alloc_flow_counter_in_set_opcode(in, PRM_OPCODE_ALLOC_FLOW_COUNTER);
	prm_alloc_flow_counter_in_set_flow_counter_bulk(in, bulk);
	err = dvx_obj_create(counter->dev, in, sizeof(in), reply, sizeof(reply), &counter->obj);
	if (!err)
		counter->id = prm_alloc_flow_counter_out_get_flow_counter_id(reply);
	return err;
}

int dvx_flow_counter_create(struct dvx_dev *dev, uint32_t n, struct dvx_flow_counter **out)
{
	int err = dvx_given("dvx_flow_counter_create", "dev", dev, "out", out, NULL);
	struct dvx_flow_counter *counter;
	uint32_t bulk;

	if (err)
		return err;
	bulk = n > 1 ? bulk_for(dev, n) : 0;
	if (n > MAX_COUNTERS)
		return dvx_fail(ERANGE, "dvx_flow_counter_create: n %u is more than %u", n,
				MAX_COUNTERS);
	if (n > 1 && !bulk)
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_counter_create: n %u: %s has no flow_counter_bulk_alloc "
				"of that size",
				n, dvx_dev_name(dev));
	counter = calloc(1, sizeof(*counter));
	if (!counter)
		return dvx_fail(ENOMEM, "no memory for a counter");
	counter->dev = dev;
	counter->size = bulk ? bulk * BULK_UNIT : 1;
	err = lib_flow_counter_command(counter, bulk);
	if (err) {
		free(counter);
		return err;
	}
	*out = counter;
	return 0;
}

/*
 * Always queries from the bulk's first counter: the kernel allows queries only by the number that
 * the object was created with. Firmware needs a multiple of four counters of a bulk.
 */
static int lib_flow_counter_query(struct dvx_flow_counter *counter, uint32_t n, uint8_t *reply,
				  size_t len)
{
	uint8_t in[PRM_QUERY_FLOW_COUNTER_IN_BYTES] = {0};

	prm_query_flow_counter_in_set_opcode(in, PRM_OPCODE_QUERY_FLOW_COUNTER);
	prm_query_flow_counter_in_set_flow_counter_id(in, counter->id);
	prm_query_flow_counter_in_set_num_of_counters(in, counter->size > 1 ? n : 0);
	return dvx_obj_query(counter->obj, in, sizeof(in), reply, len);
}

static void read_out(const uint8_t *reply, uint32_t first, uint32_t n, struct dvx_flow_count *out)
{
	const uint8_t *stats = reply + PRM_QUERY_FLOW_COUNTER_OUT_BYTES;
	uint32_t i;

	for (i = 0; i < n; i++) {
		const uint8_t *at = stats + (size_t)(first + i) * PRM_TRAFFIC_COUNTER_BYTES;

		out[i].packets = prm_traffic_counter_get_packets(at);
		out[i].bytes = prm_traffic_counter_get_octets(at);
	}
}

int dvx_flow_counter_query(struct dvx_flow_counter *counter, uint32_t first, uint32_t n,
			   struct dvx_flow_count *out)
{
	uint32_t all;
	uint8_t *reply;
	size_t len;
	int err = dvx_given("dvx_flow_counter_query", "counter", counter, NULL);

	if (!err && n)
		err = dvx_given("dvx_flow_counter_query", "out", out, NULL);
	if (err)
		return err;
	if (first > counter->size || n > counter->size - first)
		return dvx_fail(
			ERANGE,
			"dvx_flow_counter_query: %u counters from number %u, but there are only %u",
			n, first, counter->size);
	if (!n)
		return 0;
	all = counter->size > 1 ? (first + n + 3) & ~3u : 1;
	len = PRM_QUERY_FLOW_COUNTER_OUT_BYTES + (size_t)all * PRM_TRAFFIC_COUNTER_BYTES;
	reply = malloc(len);
	if (!reply)
		return dvx_fail(ENOMEM, "no memory for %u counters", all);
	err = lib_flow_counter_query(counter, all, reply, len);
	if (!err)
		read_out(reply, first, n, out);
	free(reply);
	return err;
}

int dvx_flow_counter_destroy(struct dvx_flow_counter *counter)
{
	int err;

	if (!counter)
		return 0;
	if (dvx_in_use(&counter->refs))
		return dvx_fail(EBUSY, "flow counter 0x%x: %d actions still use it", counter->id,
				counter->refs);
	err = dvx_obj_destroy(counter->obj);
	if (!err)
		free(counter);
	return err;
}

uint32_t dvx_flow_counter_size(const struct dvx_flow_counter *counter)
{
	return counter->size;
}
