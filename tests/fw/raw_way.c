/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves the whole way of a raw packet through objects that were created by commands: from a send
 * WQE by the port and a root table into a receive queue, of one function or another, whatever is
 * destroyed meanwhile.
 */
#include "tests/test.h"
#include <endian.h>
#include <dvx/prm/object.h>
#include <dvx/prm/ste1.h>
#include "fw_raw_rig.h"
#include "chip/datapath.h"
#include "port/port.h"
#include "queue/queue.h"
#include "fw/cmd.h"
#include "host/uar.h"
#include "obj/icm.h"
#include "steer/steer.h"

#define DATA 131072u /* offset of packets in the client's memory */

/* Executes a command of the kernel. */
#define KERNEL(f, v, op, ...) \
	(assert_int_equal(fx_cmd(f, v, PRM_OPCODE_##op, 0, FX_FIELDS(__VA_ARGS__)), 0), fx_made(f))

/*
 * Makes a root table, one group without a mask and one entry to the TIR: all packets, with a tag.
 */
static void root(struct fx *f, uint32_t tir, uint32_t tag)
{
	uint32_t table = KERNEL(f, f->v, CREATE_FLOW_TABLE, {"flow_table_context.log_size", 4});
	uint32_t group =
		KERNEL(f, f->v, CREATE_FLOW_GROUP, {"table_id", table}, {"end_flow_index", 1});
	uint8_t in[2048];
	size_t len = FX_FILL(
		in, SET_FLOW_TABLE_ENTRY, {"table_id", table}, {"flow_context.group_id", group},
		{"flow_context.action", PRM_FLOW_ACTION_FWD_DEST}, {"flow_context.flow_tag", tag},
		{"flow_context.destination_list_size", 1});

	prm_dest_format_struct_set_destination_type(in + len, PRM_FLOW_DEST_TYPE_TIR);
	prm_dest_format_struct_set_destination_id(in + len, tir);
	assert_int_equal(fx_exec(f, f->v, PRM_OPCODE_SET_FLOW_TABLE_ENTRY, 0, in, len + 8, 16), 0);
	KERNEL(f, f->v, SET_FLOW_TABLE_ROOT, {"table_id", table});
}

static void run(struct fx *f)
{
	for (unsigned int i = 0; datapath_run(&f->dev); i++)
		assert_true(i < 10000);
}

/* Also fires the timers that are due, as the chip's loop does. */
static void run_due(struct fx *f)
{
	timers_run(&f->dev.timers, f->dev.clock->now(f->dev.clock));
	run(f);
}

static uint32_t lkey(struct fx *f, const struct parts *p)
{
	uint32_t umem = fx_umem(f, f->v, FX_UID, f->mem + DATA, 65536, true);

	return fx_mkey(f, f->v, FX_UID, p->q.pd, umem, f->mem + DATA, 65536) << 8 | 0x42;
}

static void post_recv(struct fx *f, uint16_t index, uint32_t key)
{
	uint8_t *e = f->mem + FX_RQ_AT + 64u * (index % 16);
	uint32_t be = htobe32(index + 1u);

	prm_wqe_data_seg_pack(e, .byte_count = 4096, .lkey = key,
			      .addr = (uintptr_t)f->mem + DATA + 32768);
	prm_wqe_data_seg_pack(e + 16, .byte_count = 0, .lkey = 0x100, .addr = 0);
	memcpy(f->mem + FX_RQ_DBR, &be, sizeof(be));
}

static void post_send(struct fx *f, const struct parts *p, uint16_t index, uint32_t key,
		      uint32_t len)
{
	uint8_t *w = f->mem + FX_SQ_AT + 64u * (index % 16), db[8] = {0};
	uint32_t be = htobe32(index + 1u);
	uint64_t value;

	memset(w, 0, 64);
	prm_wqe_ctrl_seg_pack(w, .opcode = PRM_WQE_OPCODE_SEND, .wqe_index = index, .ds = 3,
			      .qpn = p->sq, .fm_ce_se = PRM_WQE_CTRL_FLAG_CQ_UPDATE);
	prm_wqe_data_seg_pack(w + 32, .byte_count = len, .lkey = key,
			      .addr = (uintptr_t)f->mem + DATA);
	memcpy(f->mem + FX_SQ_DBR + 4, &be, sizeof(be));
	prm_wqe_ctrl_seg_set_qpn(db, p->sq);
	memcpy(&value, db, sizeof(value));
	queue_doorbell(&f->dev, p->q.uar, UAR_BF, value);
}

static const uint8_t *cqe(struct fx *f, unsigned int i)
{
	return f->mem + 4096 + 64u * (i % 64);
}

static void make_packet(struct fx *f, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		f->mem[DATA + i] = (uint8_t)(i * 11 + 1);
	f->mem[DATA] = 0x02;
}

TEST(fx, whole_way)
{
	struct parts p = parts(f);
	uint32_t key = lkey(f, &p);
	uint8_t in[FX_IN];
	uint32_t tir = make(f, PRM_OPCODE_CREATE_TIR, in, fill_tir(in, &p, 0));

	root(f, tir, 0x777);
	assert_int_equal(modify_sq(f, p.sq, 0, 1), 0);
	assert_int_equal(modify_rq(f, p.rq, 0, 1, 0), 0);
	make_packet(f, 500);
	post_recv(f, 0, key);
	post_send(f, &p, 0, key, 500);
	run(f);
	/* the send's CQE, then the receive's: one CQ serves both */
	assert_int_equal(prm_cqe64_get_opcode(cqe(f, 0)), PRM_CQE_OPCODE_REQ);
	assert_int_equal(prm_cqe64_get_user_index(cqe(f, 0)), 0x51);
	assert_int_equal(prm_cqe64_get_opcode(cqe(f, 1)), PRM_CQE_OPCODE_RESP_SEND);
	assert_int_equal(prm_cqe64_get_user_index(cqe(f, 1)), 0x52);
	assert_int_equal(prm_cqe64_get_flow_tag(cqe(f, 1)), 0x777);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe(f, 1)), 500);
	assert_memory_equal(f->mem + DATA + 32768, f->mem + DATA, 500);
	assert_int_equal(steer_stats(f->v)->ends[STEER_TIR], 1);
	assert_int_equal(f->v->raw.received, 1);
	/* from outside as well, and with no receive posted */
	assert_int_equal(port_inject(f->dev.port, f->mem + DATA, 500), 0);
	run(f);
	assert_int_equal(f->v->raw.out_of_buffer, 1);
	post_recv(f, 1, key);
	assert_int_equal(port_inject(f->dev.port, f->mem + DATA, 300), 0);
	run(f);
	assert_int_equal(prm_cqe64_get_byte_cnt(cqe(f, 2)), 300);
}

/* Makes send tables that are one entry of software, which leads to itself. */
static void circle(struct fx *f)
{
	const uint64_t addr = icm_addr(ICM_STE, 0), base = addr >> 5 | 1;
	uint8_t *ste;
	uint32_t table;

	assert_int_equal(fx_sw_icm(f, FX_UID, addr, ICM_LOG_BLOCK), 0);
	ste = (uint8_t *)(uintptr_t)icm_bytes(f->v, addr, 64);
	prm_ste_match_bwc_v1_set_next_table_base_39_32_size(ste, (uint32_t)(base >> 27));
	prm_ste_match_bwc_v1_set_next_table_base_31_5_size(ste, base & 0x7ffffff);
	table = FX_MAKE(f, CREATE_FLOW_TABLE, {"table_type", PRM_FLOW_TABLE_TYPE_NIC_TX},
			{"flow_table_context.sw_owner", 1},
			{"flow_table_context.sw_owner_icm_root_0", addr});
	FX_MAKE(f, SET_FLOW_TABLE_ROOT, {"table_type", PRM_FLOW_TABLE_TYPE_NIC_TX},
		{"table_id", table});
}

/*
 * Once packets of a queue go in a circle, a turn of the loop handles one of them, so that others do
 * not wait for more. (The first turn handles those that are fetched together.)
 */
TEST(fx, short_turns)
{
	struct parts p = parts(f);
	uint32_t key = lkey(f, &p);
	const uint64_t *lost = &steer_stats(f->v)->ends[STEER_LOST];

	circle(f);
	assert_int_equal(modify_sq(f, p.sq, 0, 1), 0);
	make_packet(f, 64);
	post_send(f, &p, 0, key, 64);
	run(f);
	assert_int_equal(*lost, 1);
	for (uint16_t i = 1; i < 9; i++)
		post_send(f, &p, i, key, i & 1 ? 64 : 4000); /* in a batch, or alone */
	for (uint64_t i = 2; i < 10; i++) {
		assert_true(datapath_run(&f->dev));
		assert_int_equal(*lost, i);
	}
	run(f);
	assert_int_equal(*lost, 9);
	assert_int_equal(prm_cqe64_get_wqe_counter(cqe(f, 8)), 8);
}

/*
 * A queue that waits for seconds at a slow rate sends when the rate's row is cleared; at a faster
 * rate it has no debt.
 */
TEST(fx, row_changes)
{
	struct parts p = parts(f);
	uint32_t key = lkey(f, &p);

	assert_int_equal(modify_sq(f, p.sq, 0, 1), 0);
	FX_MAKE(f, SET_PP_RATE_LIMIT, {"rate_limit_index", 1}, {"ctx.rate_limit", 1});
	FX_MAKE(f, MODIFY_SQ, {"sqn", p.sq}, {"sq_state", 1}, {"ctx.state", 1},
		{"modify_bitmask", 1}, {"ctx.packet_pacing_rate_limit_index", 1});
	make_packet(f, 4000);
	for (uint16_t i = 0; i < 4; i++)
		post_send(f, &p, i, key, 4000);
	run(f);
	assert_int_equal(f->v->raw.sent, 1);
	FX_MAKE(f, SET_PP_RATE_LIMIT, {"rate_limit_index", 1}, {"ctx.rate_limit", 2});
	run_due(f);
	assert_int_equal(f->v->raw.sent, 2);
	assert_in_range(timers_next(&f->dev.timers) - f->dev.clock->now(f->dev.clock), 0,
			16000000000);
	FX_MAKE(f, SET_PP_RATE_LIMIT, {"rate_limit_index", 1});
	run_due(f);
	assert_int_equal(f->v->raw.sent, 4);
}

/* Makes a root table without entries: the function gets all packets, and misses them. */
static void bare_root(struct fx *f, struct vhca *v)
{
	uint32_t table = KERNEL(f, v, CREATE_FLOW_TABLE);

	KERNEL(f, v, SET_FLOW_TABLE_ROOT, {"table_id", table});
}

/*
 * A packet to a function's address goes to it alone; unknown and group addresses go to all
 * functions with a root table.
 */
TEST(fx, functions)
{
	static const uint8_t group[6] = {0x01, 0x00, 0x5e, 1, 2, 3},
			     unknown[6] = {0x02, 9, 9, 9, 9, 9};
	struct parts p = parts(f);
	uint8_t in[FX_IN];
	uint32_t tir = make(f, PRM_OPCODE_CREATE_TIR, in, fill_tir(in, &p, 0));
	const struct {
		const uint8_t *mac;
		unsigned int host, dpu;
	} cases[] = {{f->v->mac, 1, 0}, {f->dpu->mac, 0, 1}, {group, 1, 1}, {unknown, 1, 1}};

	root(f, tir, 1);
	bare_root(f, f->dpu);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t host = steer_stats(f->v)->ends[STEER_TIR];
		uint64_t dpu = steer_stats(f->dpu)->ends[STEER_MISS];

		make_packet(f, 100);
		memcpy(f->mem + DATA, cases[i].mac, 6);
		assert_int_equal(port_inject(f->dev.port, f->mem + DATA, 100), 0);
		run(f);
		assert_int_equal(steer_stats(f->v)->ends[STEER_TIR] - host, cases[i].host);
		assert_int_equal(steer_stats(f->dpu)->ends[STEER_MISS] - dpu, cases[i].dpu);
	}
	assert_int_equal(port_unclaimed(f->dev.port), 0);
}

/* Their owner dies while packets are on the wire: they are dropped, and nothing is left. */
TEST(fx, death_in_flight)
{
	struct parts p = parts(f);
	uint32_t key = lkey(f, &p), misses;
	uint8_t in[FX_IN];

	(void)make(f, PRM_OPCODE_CREATE_TIR, in, fill_tir(in, &p, 0));
	assert_int_equal(modify_sq(f, p.sq, 0, 1), 0);
	assert_int_equal(modify_rq(f, p.rq, 0, 1, 0), 0);
	make_packet(f, 64);
	for (uint16_t i = 0; i < 8; i++)
		post_send(f, &p, i, key, 64);
	for (unsigned int i = 0; i < 100; i++)
		assert_int_equal(port_inject(f->dev.port, f->mem + DATA, 64), 0);
	assert_true(queues_fetch(&f->dev));
	fw_uid_reap(f->v, FX_UID);
	run(f);
	misses = (uint32_t)steer_stats(f->v)->ends[STEER_MISS] +
		 (uint32_t)port_unclaimed(f->dev.port);
	assert_int_equal(misses, 100 + f->v->raw.sent);
	assert_int_equal(obj_count(f->v, OBJ_SQ) + obj_count(f->v, OBJ_RQ), 0);
}
