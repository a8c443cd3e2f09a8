/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters come in bulks, as many as it takes: a query's reply is limited, and the kernel lets a
 * query through only with the number that a bulk was created with.
 */
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/flow.h>
#include "priv.h"

#define BULK_UNIT 128u /* alloc_flow_counter_in.flow_counter_bulk: 128 << bit counters */
/* The next larger bulk's counters no longer fit into one uverbs reply (64 KiB). */
#define BULK_MOST     2048u
#define COUNTERS_MOST (1u << 24)

/* The device's smallest bulk that holds n, or else its largest one; 0: none. */
static uint32_t bulk_for(struct dvx_dev *dev, uint32_t n)
{
	const void *cap;
	uint32_t sizes, bit, best = 0;

	if (dvx_dev_cap_page(dev, PRM_HCA_CAP_TYPE_GENERAL, &cap))
		return 0;
	sizes = prm_cmd_hca_cap_get_flow_counter_bulk_alloc(cap);
	for (bit = 0; BULK_UNIT << bit <= BULK_MOST; bit++) {
		if (!(sizes & 1u << bit))
			continue;
		best = 1u << bit;
		if (BULK_UNIT << bit >= n)
			break;
	}
	return best;
}

static int lib_flow_counter_command(struct dvx_dev *dev, uint32_t bulk, struct dvx_flow_part *part)
{
	uint8_t in[PRM_ALLOC_FLOW_COUNTER_IN_BYTES] = {0};
	uint8_t reply[PRM_ALLOC_FLOW_COUNTER_OUT_BYTES];
	int err;

	prm_alloc_flow_counter_in_set_opcode(in, PRM_OPCODE_ALLOC_FLOW_COUNTER);
	prm_alloc_flow_counter_in_set_flow_counter_bulk(in, bulk);
	err = dvx_obj_create(dev, in, sizeof(in), reply, sizeof(reply), &part->obj);
	if (err)
		return err;
	part->id = prm_alloc_flow_counter_out_get_flow_counter_id(reply);
	part->size = bulk ? bulk * BULK_UNIT : 1;
	return 0;
}

/* Bulks until there are n counters. Only the last one may be smaller. */
static int lib_flow_counter_fill(struct dvx_flow_counter *counter, uint32_t n)
{
	int err = 0;

	do {
		uint32_t left = n - counter->size;
		struct dvx_flow_part *part = &counter->part[counter->parts];

		err = lib_flow_counter_command(counter->dev,
					       n > 1 ? bulk_for(counter->dev, left) : 0, part);
		if (err)
			break;
		counter->parts++;
		counter->size += part->size;
	} while (counter->size < n);
	return err;
}

static void lib_flow_counter_abandon(struct dvx_flow_counter *counter)
{
	while (counter->parts)
		dvx_obj_forget(counter->part[--counter->parts].obj);
	free(counter);
}

int dvx_flow_counter_create(struct dvx_dev *dev, uint32_t n, struct dvx_flow_counter **out)
{
	int err = dvx_check_not_null("dvx_flow_counter_create", "dev", dev, "out", out, NULL);
	struct dvx_flow_counter *counter;
	uint32_t bulk, parts = 1;

	if (err)
		return err;
	if (n > COUNTERS_MOST)
		return dvx_fail(ERANGE, "dvx_flow_counter_create: n %u is more than %u", n,
				COUNTERS_MOST);
	bulk = n > 1 ? bulk_for(dev, n) : 0;
	if (n > 1 && !bulk)
		return dvx_fail(EOPNOTSUPP,
				"dvx_flow_counter_create: n %u: %s has no flow_counter_bulk_alloc "
				"of up to %u counters",
				n, dvx_dev_name(dev), BULK_MOST);
	if (bulk)
		parts = (n + bulk * BULK_UNIT - 1) / (bulk * BULK_UNIT);
	counter = calloc(1, sizeof(*counter) + parts * sizeof(counter->part[0]));
	if (!counter)
		return dvx_fail(ENOMEM, "no memory for a counter");
	counter->dev = dev;
	err = lib_flow_counter_fill(counter, n);
	if (err) {
		struct dvx_error why = *dvx_last_error();

		lib_flow_counter_abandon(counter);
		return dvx_restore(&why);
	}
	*out = counter;
	return 0;
}

struct dvx_flow_part *dvx_flow_counter_part(struct dvx_flow_counter *counter, uint32_t *index)
{
	/* All parts but the last one have the size of the first one. */
	uint32_t each = counter->part[0].size, i = *index / each;

	i = i < counter->parts ? i : counter->parts - 1;
	*index -= i * each;
	return &counter->part[i];
}

/*
 * Always queries from the bulk's first counter: the kernel allows queries only by the number that
 * the object was created with. Firmware needs a multiple of four counters of a bulk.
 */
static int lib_flow_counter_query(const struct dvx_flow_part *part, uint32_t n, uint8_t *reply,
				  size_t len)
{
	uint8_t in[PRM_QUERY_FLOW_COUNTER_IN_BYTES] = {0};

	prm_query_flow_counter_in_set_opcode(in, PRM_OPCODE_QUERY_FLOW_COUNTER);
	prm_query_flow_counter_in_set_flow_counter_id(in, part->id);
	prm_query_flow_counter_in_set_num_of_counters(in, part->size > 1 ? n : 0);
	return dvx_obj_query(part->obj, in, sizeof(in), reply, len);
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

static int lib_flow_counter_read(const struct dvx_flow_part *part, uint32_t first, uint32_t n,
				 struct dvx_flow_count *out)
{
	uint32_t all = part->size > 1 ? (first + n + 3) & ~3u : 1;
	size_t len = PRM_QUERY_FLOW_COUNTER_OUT_BYTES + (size_t)all * PRM_TRAFFIC_COUNTER_BYTES;
	uint8_t *reply = malloc(len);
	int err;

	if (!reply)
		return dvx_fail(ENOMEM, "no memory for %u counters", all);
	err = lib_flow_counter_query(part, all, reply, len);
	if (!err)
		read_out(reply, first, n, out);
	free(reply);
	return err;
}

int dvx_flow_counter_query(struct dvx_flow_counter *counter, uint32_t first, uint32_t n,
			   struct dvx_flow_count *out)
{
	int err = dvx_check_not_null("dvx_flow_counter_query", "counter", counter, NULL);

	if (!err && n)
		err = dvx_check_not_null("dvx_flow_counter_query", "out", out, NULL);
	if (err)
		return err;
	if (first > counter->size || n > counter->size - first)
		return dvx_fail(
			ERANGE,
			"dvx_flow_counter_query: %u counters from number %u, but there are only %u",
			n, first, counter->size);
	while (n && !err) {
		uint32_t at = first;
		const struct dvx_flow_part *part = dvx_flow_counter_part(counter, &at);
		uint32_t here = n < part->size - at ? n : part->size - at;

		err = lib_flow_counter_read(part, at, here, out);
		first += here;
		out += here;
		n -= here;
	}
	return err;
}

int dvx_flow_counter_destroy(struct dvx_flow_counter *counter)
{
	int err;

	if (!counter)
		return 0;
	if (dvx_in_use(&counter->refs))
		return dvx_fail(EBUSY, "flow counter 0x%x: %d actions still use it",
				counter->part[0].id, counter->refs);
	for (; counter->parts; counter->parts--) {
		struct dvx_flow_part *part = &counter->part[counter->parts - 1];

		err = dvx_obj_destroy(part->obj);
		if (err)
			return err;
		counter->size -= part->size;
	}
	free(counter);
	return 0;
}

uint32_t dvx_flow_counter_size(const struct dvx_flow_counter *counter)
{
	return counter->size;
}
