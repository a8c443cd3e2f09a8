/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves how the kernel refuses malformed requests, before any handler runs. */
#include <stdio.h>
#include "kernel/core/file.h"
#include "kernel/core/room.h"
#include "kernel_fixture.h"
#include "uverbs/schema.h"

static int run(struct fx *f, struct request *r)
{
	int err = rq_run(f, r);

	rq_done(r);
	return err;
}

static void query_gid(struct request *r, uint64_t index)
{
	rq_init(r, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY);
	rq_value(r, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, 1, 8);
	rq_value(r, UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, index, 8);
	rq_out(r, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, sizeof(struct ib_uverbs_gid_entry));
}

/* Proves the errno of methods that are unknown, not offered, or of another driver. */
TEST(fx, unknown_methods)
{
	struct request r;

	rq_init(&r, 0x7777, 3);
	FX_REFUSES(f, run(f, &r), -EPROTONOSUPPORT, "object 0x7777 method 0x3");
	rq_init(&r, MLX5_IB_OBJECT_VAR, MLX5_IB_METHOD_VAR_OBJ_ALLOC);
	FX_REFUSES(f, run(f, &r), -EPROTONOSUPPORT, "MLX5_IB_METHOD_VAR_OBJ_ALLOC");
	query_gid(&r, 0);
	r.req.driver = RDMA_DRIVER_MLX4;
	FX_REFUSES(f, run(f, &r), -EINVAL, "driver_id");
}

/* Proves that a newer library's attribute is ignored if optional, and refused if mandatory. */
TEST(fx, unknown_attributes)
{
	struct request r;

	query_gid(&r, 0);
	rq_value(&r, 0x55, 0, 8)->flags = 0;
	assert_int_equal(run(f, &r), 0);
	query_gid(&r, 0);
	rq_value(&r, 0x55, 0, 8);
	FX_REFUSES(f, run(f, &r), -EPROTONOSUPPORT, "attribute 0x55 is marked mandatory");
}

/* Proves the refusal of missing, short, long and repeated attributes. */
TEST(fx, bad_attributes)
{
	struct request r;

	query_gid(&r, 0);
	r.req.nattrs--;
	FX_REFUSES(f, run(f, &r), -EINVAL, "UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY is missing");
	query_gid(&r, 0);
	rq_attr(&r, UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY)->len = 8;
	FX_REFUSES(f, run(f, &r), -EINVAL, "at least");
	query_gid(&r, 0);
	rq_value(&r, UVERBS_ATTR_QUERY_GID_ENTRY_PORT, 1, 8);
	FX_REFUSES(f, run(f, &r), -EINVAL, "twice");
	rq_init(&r, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY);
	rq_handle(&r, UVERBS_ATTR_DESTROY_PD_HANDLE, 0)->len = 4;
	FX_REFUSES(f, run(f, &r), -EINVAL, "its len 4 must be 0");
}

/* Proves that a structure may be longer than the kernel's if the rest is zero. */
TEST(fx, longer_structures)
{
	uint8_t cap[sizeof(struct ib_uverbs_qp_cap) + 4] = {0};
	struct mlx5_ib_create_qp u;
	uint32_t pd = fx_pd(f), cq = fx_cq(f, NULL);
	struct request r;

	for (unsigned int tail = 0; tail < 2; tail++) {
		fx_fill_qp(f, &r, &u, pd, cq);
		rq_in(&r, UVERBS_ATTR_UHW_IN, &u, sizeof(u));
		memcpy(cap, rq_attr(&r, UVERBS_ATTR_CREATE_QP_CAP)->in,
		       sizeof(struct ib_uverbs_qp_cap));
		cap[sizeof(cap) - 1] = (uint8_t)tail;
		rq_attr(&r, UVERBS_ATTR_CREATE_QP_CAP)->in = cap;
		rq_attr(&r, UVERBS_ATTR_CREATE_QP_CAP)->len = sizeof(cap);
		assert_int_equal(run(f, &r), tail ? -EOPNOTSUPP : 0);
	}
}

/* Proves that a file without a context can get one, only one, and do nothing else. */
TEST(fx, context_first)
{
	struct uverbs_file *fresh = kernel_open(f->k, f->mm, BLUEFIELD2_HOST), *old = f->f;
	struct ib_uverbs_alloc_pd in = {0};
	struct ib_uverbs_alloc_pd_resp out;
	struct request r;

	assert_non_null(fresh);
	f->f = fresh;
	query_gid(&r, 0);
	FX_REFUSES(f, run(f, &r), -EINVAL, "no context");
	assert_int_equal(FX_WRITE(f, IB_USER_VERBS_CMD_ALLOC_PD, in, out), -EINVAL);
	assert_int_equal(fx_context(f, fresh, false), 0);
	FX_REFUSES(f, fx_context(f, fresh, false), -EINVAL, "has one already");
	kernel_close(fresh);
	f->f = old;
}

/* Proves how INVOKE_WRITE refuses unknown commands and bits, and short structures. */
TEST(fx, write_commands)
{
	struct ib_uverbs_alloc_pd in = {0};
	struct ib_uverbs_alloc_pd_resp out;
	struct request r;

	assert_int_equal(FX_WRITE(f, 0x7f, in, out), -EOPNOTSUPP);
	assert_int_equal(FX_WRITE(f, 0x100, in, out), -EINVAL);
	assert_int_equal(fx_write(f, IB_USER_VERBS_CMD_ALLOC_PD, &in, 4, &out, sizeof(out)),
			 -ENOSPC);
	assert_int_equal(fx_write(f, IB_USER_VERBS_CMD_ALLOC_PD, &in, sizeof(in), &out, 3),
			 -ENOSPC);
	FX_REFUSES(f, fx_write(f, IB_USER_VERBS_CMD_CREATE_SRQ, &in, sizeof(in), NULL, 0),
		   -EOPNOTSUPP, "CREATE_SRQ");
	rq_init(&r, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE);
	rq_value(&r, UVERBS_ATTR_WRITE_CMD, IB_USER_VERBS_CMD_QUERY_DEVICE, 8);
	assert_int_equal(run(f, &r), -ENOSPC);
}

/* Proves the queries of the GID table: full and empty entries, and too little room. */
TEST(fx, gids)
{
	const struct uverbs_attr *entries;
	const struct ib_uverbs_gid_entry *first;
	struct request r;

	query_gid(&r, VHCA_GIDS);
	FX_REFUSES(f, run(f, &r), -EINVAL, "gid_index");
	for (unsigned int room = 0; room <= VHCA_GIDS; room += VHCA_GIDS) {
		rq_init(&r, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE);
		rq_value(&r, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, 40, 8);
		entries = rq_out(&r, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, room * 40);
		rq_out(&r, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8);
		assert_int_equal(rq_run(f, &r), room ? 0 : -EINVAL);
		if (room) {
			assert_in_range(rq_u32(&r, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES), 1,
					VHCA_GIDS);
			first = (const struct ib_uverbs_gid_entry *)(const void *)entries->out;
			assert_int_equal(first->gid_index, 0);
			assert_memory_equal(first->gid, f->v->gids[0].gid, 16);
		}
		rq_done(&r);
	}
	rq_init(&r, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE);
	rq_value(&r, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, 40, 8);
	rq_value(&r, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 0, 2);
	rq_out(&r, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, VHCA_GIDS * 40);
	rq_out(&r, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8);
	FX_REFUSES(f, run(f, &r), -EINVAL, "neither 4 nor 8");
}

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Returns a random length, often one that the row allows, so that handlers are reached. */
static size_t some_length(const struct attr_spec *s, uint32_t *seed)
{
	uint32_t dice = next(seed) % 8;

	if (dice == 0)
		return next(seed) % 80;
	if (dice == 1)
		return s->min_len + next(seed) % 300;
	return s->min_len > 4 || s->kind == ATTR_OUT
		       ? s->min_len + 8 * (next(seed) % 20) * (s->max_len > 64)
		       : 8;
}

static void garbage_attr(struct request *r, const struct attr_spec *s, uint32_t *seed)
{
	uint8_t bytes[1024];
	size_t len = some_length(s, seed);

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = next(seed) % 3 ? 0 : (uint8_t)next(seed);
	if (s->kind == ATTR_OUT)
		rq_out(r, s->id, len);
	else if (s->kind == ATTR_IN)
		rq_in(r, s->id, bytes, len);
	else
		rq_handle(r, s->id, next(seed) % 4);
}

/* Proves that 60,000 garbage requests to all methods return; sanitizers check the rest. */
TEST(fx, garbage)
{
	uint32_t seed = 42;

	for (unsigned int i = 0; i < 60000; i++) {
		uint16_t ns = next(&seed) % 2 ? UVERBS_ID_NS_MASK & 0x1000 : 0;
		uint16_t object = (uint16_t)(next(&seed) % 17 | (next(&seed) % 2 ? 0x1000 : 0));
		uint16_t method = (uint16_t)(next(&seed) % 7 | ns);
		const struct method_spec *m = method_find(object, method);
		struct request r;

		if (!m)
			continue;
		rq_init(&r, object, method);
		for (unsigned int a = 0; a < m->nattrs; a++) {
			if (m->attrs[a].mandatory || next(&seed) % 2)
				garbage_attr(&r, &m->attrs[a], &seed);
		}
		assert_in_range(-rq_run(f, &r), 0, 4095);
		rq_done(&r);
	}
}

/* Flips random bits, except in addresses: those might be this test's own memory. */
static void spoil(void *p, size_t len, uint32_t *seed)
{
	uint8_t *bytes = p;

	for (uint32_t n = next(seed) % 3; n; n--)
		bytes[16 + next(seed) % (len - 16)] ^= (uint8_t)(1u << next(seed) % 8);
}

static void spoil_values(struct request *r, uint32_t *seed)
{
	struct uverbs_attr *a = &r->attrs[next(seed) % r->req.nattrs];

	if (next(seed) % 2)
		a->data ^= 1ull << next(seed) % 40;
}

static void spoiled_modify(struct fx *f, uint32_t qp, uint32_t *seed)
{
	struct ib_uverbs_modify_qp m = {.qp_handle = qp,
					.attr_mask = 1 | 1 << 3 | 1 << 4 | 1 << 5,
					.qp_state = 1,
					.port_num = 1};

	spoil(&m, sizeof(m), seed);
	assert_in_range(-fx_write(f, IB_USER_VERBS_CMD_MODIFY_QP, &m, sizeof(m), NULL, 0), 0, 4095);
}

/* Proves that close() frees all that good requests with a bit or two flipped have made. */
TEST(fx, spoiled)
{
	uint32_t pd = fx_pd(f), cq = fx_cq(f, NULL), qp = fx_qp(f, pd, cq, NULL), seed = 4711;

	for (unsigned int i = 0; i < 3000; i++) {
		struct mlx5_ib_create_cq c;
		struct mlx5_ib_create_qp q;
		struct request r;

		if (i % 2) {
			fx_fill_cq(f, &r, &c, 127);
			spoil(&c, sizeof(c), &seed);
			rq_in(&r, UVERBS_ATTR_UHW_IN, &c, sizeof(c));
		} else {
			fx_fill_qp(f, &r, &q, pd, cq);
			spoil(&q, sizeof(q), &seed);
			rq_in(&r, UVERBS_ATTR_UHW_IN, &q, sizeof(q));
		}
		spoil_values(&r, &seed);
		assert_in_range(-rq_run(f, &r), 0, 4095);
		rq_done(&r);
		spoiled_modify(f, qp, &seed);
	}
}

/* Counts the handlers for a method in all rooms. */
static unsigned int handlers_of(const struct kernel *k, const struct method_spec *m)
{
	unsigned int n = 0;

	for (const struct kernel_room *const *r = k->rooms; *r; r++)
		for (size_t i = 0; i < (*r)->nmethods; i++)
			n += (*r)->methods[i].object == m->object &&
			     (*r)->methods[i].method == m->method;
	return n;
}

/*
 * Proves that each method has one row, and a handler unless it is absent; each handler has a row.
 */
TEST(fx, schema_and_handlers)
{
	for (size_t i = 0; i < uverbs_nmethods; i++) {
		const struct method_spec *m = &uverbs_methods[i];

		assert_ptr_equal(method_find(m->object, m->method), m);
		assert_int_equal(handlers_of(f->k, m), m->absent ? 0 : 1);
	}
	for (const struct kernel_room *const *r = f->k->rooms; *r; r++)
		for (size_t i = 0; i < (*r)->nmethods; i++)
			assert_non_null(method_find((*r)->methods[i].object,
						    (*r)->methods[i].method));
}
