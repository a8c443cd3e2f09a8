/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves counters of flows: counters by DevX, two on the same match, counters of verbs with points.
 */
#include <unistd.h>
#include "kernel_flow_rig.h"
#include "host/client.h"

#define DESCS_AT 0x70000u

/* log: of the number of counters; 0: `bulk` decides */
static uint32_t devx_counter_bulk(struct fx *f, uint8_t bulk, uint32_t log, uint32_t *id)
{
	uint8_t in[PRM_ALLOC_FLOW_COUNTER_IN_BYTES] = {0}, out[16];
	uint32_t handle;

	prm_alloc_flow_counter_in_set_opcode(in, PRM_OPCODE_ALLOC_FLOW_COUNTER);
	prm_alloc_flow_counter_in_set_flow_counter_bulk(in, bulk);
	prm_alloc_flow_counter_in_set_flow_counter_bulk_log_size(in, log);
	assert_int_equal(fx_devx_create(f, in, sizeof(in), out, sizeof(out), &handle), 0);
	*id = prm_alloc_flow_counter_out_get_flow_counter_id(out);
	return handle;
}

static uint32_t devx_counter(struct fx *f, uint8_t bulk, uint32_t *id)
{
	return devx_counter_bulk(f, bulk, 0, id);
}

/* Queries counter `id` by DevX; handle may be another object's. */
static int devx_count(struct fx *f, uint32_t handle, uint32_t id, uint64_t *packets)
{
	uint8_t in[PRM_QUERY_FLOW_COUNTER_IN_BYTES] = {0}, out[32];
	int err;

	prm_query_flow_counter_in_set_opcode(in, PRM_OPCODE_QUERY_FLOW_COUNTER);
	prm_query_flow_counter_in_set_flow_counter_id(in, id);
	err = fx_devx_query(f, handle, in, sizeof(in), out, sizeof(out));
	*packets = prm_load64(out, 16);
	return err;
}

TEST(fx, devx_counters)
{
	uint32_t m = good_matcher(f, 0, (struct match){.dport = 0xffff}), id, fl;
	uint32_t handle = devx_counter(f, 1, &id);
	struct ask a = {.matcher = m, .flags = DROP, .value = {.dport = 7}, .counter = handle};
	uint64_t packets;

	a.offset = 128;
	assert_int_equal(flow(f, a, NULL), -EINVAL);
	a.counter = good_matcher(f, 1, (struct match){.dport = 0xffff});
	assert_int_equal(flow(f, a, NULL), -EINVAL);
	a.counter = handle;
	a.offset = 0;
	fl = good_flow(f, a);
	assert_int_equal(ends(f, false, 7), STEER_DROP);
	assert_int_equal(ends(f, false, 7), STEER_DROP);
	assert_int_equal(devx_count(f, handle, id, &packets), 0);
	assert_int_equal(packets, 2);
	/* all counters of the bulk belong to the object */
	assert_int_equal(devx_count(f, handle, id + 127, &packets), 0);
	assert_int_equal(packets, 0);
	assert_int_equal(devx_count(f, handle, id + 128, &packets), -EINVAL);
	/* the rule holds it */
	assert_int_equal(fx_devx_destroy(f, handle), -EBUSY);
	assert_int_equal(no_flow(f, fl), 0);
	assert_int_equal(fx_devx_destroy(f, handle), 0);
}

TEST(fx, counters_by_the_logarithm_of_their_number)
{
	struct ask a = {.flags = DROP, .value = {.dport = 7}, .offset = 3};
	uint32_t id;

	((struct profile *)(uintptr_t)f->dev->profile)->rules_by_wqe = true; /* a copy */
	a.matcher = good_matcher(f, 0, (struct match){.dport = 0xffff});
	a.counter = devx_counter_bulk(f, 0, 2, &id);
	good_flow(f, a);
	a.offset = 4;
	assert_int_equal(flow(f, a, NULL), -EINVAL);
}

/* Proves that two programs with the same match each have a counter, also after one ends. */
TEST(fx, two_counters)
{
	uint32_t m = good_matcher(f, 0, (struct match){.dport = 0xffff}), id[2], fl;
	uint32_t first = devx_counter(f, 0, &id[0]), second = devx_counter(f, 0, &id[1]);
	struct ask a = {.matcher = m, .flags = DROP, .value = {.dport = 7}, .counter = first};
	uint64_t packets;

	fl = good_flow(f, a);
	good_flow(f, a);
	a.counter = second;
	good_flow(f, a);
	assert_int_equal(ends(f, false, 7), STEER_DROP);
	assert_int_equal(no_flow(f, fl), 0);
	assert_int_equal(ends(f, false, 7), STEER_DROP);
	assert_int_equal(devx_count(f, first, id[0], &packets), 0);
	assert_int_equal(packets, 2);
	assert_int_equal(devx_count(f, second, id[1], &packets), 0);
	assert_int_equal(packets, 2);
}

static int read_counters(struct fx *f, uint32_t handle, uint64_t values[4], size_t n)
{
	return FX_CALL(f, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_READ,
		       A_HANDLE(UVERBS_ATTR_READ_COUNTERS_HANDLE, handle),
		       A_OUT(UVERBS_ATTR_READ_COUNTERS_BUFF, values, n * 8),
		       A_VALUE(UVERBS_ATTR_READ_COUNTERS_FLAGS, 0, 4));
}

/*
 * Proves that the whole array is written, with zeroes where there are no points; as in ib_uverbs.
 */
static void whole_array(struct fx *f, uint32_t handle)
{
	static const uint64_t zero[2];
	const struct uverbs_attr *a;
	struct request r;

	rq_init(&r, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_READ);
	rq_handle(&r, UVERBS_ATTR_READ_COUNTERS_HANDLE, handle);
	rq_out(&r, UVERBS_ATTR_READ_COUNTERS_BUFF, 5 * 8 + 3);
	a = rq_attr(&r, UVERBS_ATTR_READ_COUNTERS_BUFF);
	memset(a->out, 0xee, a->len);
	assert_int_equal(rq_run(f, &r), 0);
	assert_int_equal(a->written, 5 * 8);
	assert_memory_equal(a->out + 3 * sizeof(uint64_t), zero, sizeof(zero));
	rq_done(&r);
}

static uint32_t make_counters(struct fx *f)
{
	uint32_t handle;

	assert_int_equal(FX_CALL(f, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE,
				 A_NEW(UVERBS_ATTR_CREATE_COUNTERS_HANDLE, &handle)),
			 0);
	return handle;
}

/* CREATE_FLOW with mlx5's part. */
#define NOT_ANNOUNCED 100u /* the part has counters, but its ncounters_data is 0 */

static int create_from(struct fx *f, const struct verbs_flow *v, uint64_t descs, uint32_t points,
		       uint32_t *fl)
{
	struct {
		struct mlx5_ib_create_flow head;
		struct mlx5_ib_flow_counters_data data;
	} uhw = {.head.ncounters_data = points && points != NOT_ANNOUNCED,
		 .data = {.counters_data = descs, .ncounters = points}};
	struct ib_uverbs_create_flow_resp resp;
	int err = FX_CALL(
		f, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE,
		A_IN(UVERBS_ATTR_CORE_IN, v, sizeof(*v)),
		A_OUT(UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp)),
		A_VALUE(UVERBS_ATTR_WRITE_CMD, CREATE_FLOW, 8),
		A_IN(UVERBS_ATTR_UHW_IN, &uhw, sizeof(uhw.head) + (points ? sizeof(uhw.data) : 0)));

	*fl = resp.flow_handle;
	return err;
}

static int create_counted(struct fx *f, const struct verbs_flow *v, uint32_t points, uint32_t *fl)
{
	return create_from(f, v, (uintptr_t)f->mem + DESCS_AT, points, fl);
}

/* Proves that an address beyond user space is refused: it would be in another program's memory. */
static void foreign_points(struct fx *f, const struct verbs_flow *v)
{
	struct mm *others[4];
	uint32_t fl;

	for (size_t i = 0; i < 4; i++)
		others[i] = mm_open(chip_host(f->chip), getpid(), -1);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(
			create_from(f, v, mm_bus(others[i], (uintptr_t)f->mem + DESCS_AT), 2, &fl),
			-EFAULT);
	assert_int_equal(create_from(f, v, (1ull << 48) - 8, 2, &fl), -EFAULT);
	assert_int_equal(create_from(f, v, UINT64_MAX - 8, 2, &fl), -EFAULT);
	for (size_t i = 0; i < 4; i++)
		mm_close(others[i]);
}

TEST(fx, verbs_counters)
{
	const struct mlx5_ib_flow_counters_desc desc[2] = {{1, 0}, {0, 2}}; /* bytes, packets */
	uint32_t qp = raw_qp(f), counters = make_counters(f), fl, second;
	struct verbs_flow v = udp_flow(qp, 53);
	uint64_t values[4];

	v.count.type = 0x1003;
	v.count.size = sizeof(v.count);
	v.count.handle = counters;
	v.head.flow_attr.num_of_specs = 5;
	v.head.flow_attr.size += sizeof(v.count);
	memcpy(f->mem + DESCS_AT, desc, sizeof(desc));
	assert_int_equal(read_counters(f, counters, values, 4), -EINVAL);
	assert_int_equal(create_counted(f, &v, 0, &fl), -EINVAL);
	assert_int_equal(create_counted(f, &v, 17, &fl), -EINVAL);
	assert_int_equal(create_counted(f, &v, NOT_ANNOUNCED, &fl), -EOPNOTSUPP);
	foreign_points(f, &v);
	assert_int_equal(create_counted(f, &v, 2, &fl), 0);
	ends(f, false, 53);
	ends(f, false, 53);
	assert_int_equal(read_counters(f, counters, values, 2), -EINVAL);
	assert_int_equal(read_counters(f, counters, values, 4), 0);
	assert_int_equal(values[0], 84);
	assert_int_equal(values[2], 2);
	whole_array(f, counters);
	/* a second flow on the counters must not set points */
	v.udp.val.dst_port = htobe16(54);
	assert_int_equal(create_counted(f, &v, 2, &second), -EINVAL);
	assert_int_equal(create_counted(f, &v, 0, &second), 0);
	ends(f, false, 54);
	assert_int_equal(read_counters(f, counters, values, 4), 0);
	assert_int_equal(values[2], 3);
	assert_int_equal(FX_DESTROY(f, COUNTERS, counters), -EBUSY);
	assert_int_equal(no_flow(f, fl), 0);
	assert_int_equal(no_flow(f, second), 0);
	assert_int_equal(read_counters(f, counters, values, 4), -EINVAL);
	assert_int_equal(FX_DESTROY(f, COUNTERS, counters), 0);
}
