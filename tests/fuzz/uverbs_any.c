/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of any method, put together from the table of the ABI alone: attributes that are there or
 * not, too short or too long, with numbers that mean something somewhere. */
#include "uverbs.h"

#include <dvx/prm/cmd.h>
#include <unistd.h>

#define METHODS 128u
#define RANGE	32u
#define MLX5	0x1000u

static const struct method_spec *methods[METHODS];
static unsigned int nmethods;

static void find_methods(void)
{
	for (unsigned int i = 0; i < 4 * RANGE * RANGE; i++) {
		uint32_t object = i / RANGE % RANGE + (i / (RANGE * RANGE) & 1 ? MLX5 : 0);
		uint32_t method = i % RANGE + (i / (RANGE * RANGE) & 2 ? MLX5 : 0);
		const struct method_spec *m = method_find((uint16_t)object, (uint16_t)method);

		if (m && !m->absent)
			methods[nmethods++] = m;
	}
	assert_in_range(nmethods, 50, METHODS);
}

/* A number as programs have them: a handle, a flag, a length, an address, the largest, any. */
static uint64_t value(void)
{
	switch (any(8)) {
	case 0:
		return any(4);
	case 1:
		return 1ull << any(64);
	case 2:
		return (uintptr_t)f->mem + any(FX_MEM) / 64 * 64;
	case 3:
		return UINT64_MAX >> any(64);
	case 4:
		return any(1u << 16);
	default:
		return any(100);
	}
}

/* Mostly zeros, as reserved fields have to be. */
static void fill(uint8_t *bytes, size_t len)
{
	for (unsigned int n = any(12); n && len >= 8; n--) {
		uint64_t v = value();
		size_t at = any((uint32_t)(len - 7)) / 4 * 4;

		memcpy(bytes + at, &v, any(2) ? 4 : 8);
	}
}

/* A mailbox for a DevX method, or a command for INVOKE_WRITE. */
static void fill_head(const struct method_spec *m, const struct attr_spec *s, uint8_t *bytes,
		      size_t len)
{
	static const uint16_t opcodes[] = {
		PRM_OPCODE_CREATE_MKEY,	     PRM_OPCODE_CREATE_CQ,	  PRM_OPCODE_CREATE_QP,
		PRM_OPCODE_CREATE_SQ,	     PRM_OPCODE_CREATE_RQ,	  PRM_OPCODE_CREATE_RQT,
		PRM_OPCODE_CREATE_TIR,	     PRM_OPCODE_CREATE_TIS,	  PRM_OPCODE_ALLOC_PD,
		PRM_OPCODE_QUERY_HCA_CAP,    PRM_OPCODE_CREATE_FLOW_TABLE, PRM_OPCODE_QUERY_QP,
		PRM_OPCODE_CREATE_FLOW_GROUP, PRM_OPCODE_SET_FLOW_TABLE_ENTRY,
		PRM_OPCODE_CREATE_GENERAL_OBJECT, PRM_OPCODE_QUERY_FLOW_COUNTER};

	if (m->object >= MLX5 && s->min_len >= 16 && len >= 16)
		prm_mbox_in_set_opcode(bytes, any(3) ? opcodes[any(16)] : 0x100 + any(0xb00));
	else if (s->id == UVERBS_ATTR_WRITE_CMD && len >= 4)
		memcpy(bytes, &(uint32_t){any(60) | (any(2) ? 1u << 31 : 0)}, 4);
}

static size_t length(const struct attr_spec *s)
{
	switch (any(16)) {
	case 0:
		return any(700);
	case 1:
		return s->min_len ? s->min_len - 1u : 0;
	case 2:
		return s->max_len + 1u + any(8);
	default:
		return s->max_len < 0xffff ? s->max_len : s->min_len + any(400);
	}
}

static void put(struct request *r, const struct method_spec *m, const struct attr_spec *s)
{
	uint8_t bytes[2048] = {0};
	size_t len = length(s) % sizeof(bytes);

	switch (s->kind) {
	case ATTR_IDR:
	case ATTR_FD_IN:
	case ATTR_FD_OUT:
		rq_handle(r, s->id, any(16) ? any(FUZZ_HANDLES) : value());
		break;
	case ATTR_OUT:
		rq_out(r, s->id, len);
		break;
	default:
		fill(bytes, len);
		fill_head(m, s, bytes, len);
		rq_in(r, s->id, bytes, len)->enum_elem = (uint8_t)(any(4) ? 0 : any(256));
	}
}

void any_fill(struct request *r)
{
	const struct method_spec *m;

	if (!nmethods)
		find_methods();
	m = methods[any(nmethods)];
	rq_init(r, m->object, m->method);
	for (unsigned int i = 0; i < m->nattrs && i < 24; i++)
		if (m->attrs[i].mandatory ? any(40) : any(2))
			put(r, m, &m->attrs[i]);
}

void any_request(void)
{
	struct request r;

	any_fill(&r);
	run_request(&r);
}

void run_request(struct request *r)
{
	(void)rq_run(f, r);
	rq_done(r);
}
