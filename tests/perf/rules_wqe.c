/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work that rules.sh counts of the device: rules_wqe RULES writes so many rules of hardware
 * steering by WQEs, in bursts of 32, then removes them. Tags are those of IPv4 connections.
 */
#include <stdio.h>
#include "tests/test.h"
#include <dvx/prm/hws.h>
#include "tests/perf/perf_mem.h"
#include "tests/queue/queue_raw_rig.h"
#include "obj/rtc.h"

#define BURST	  32u
#define LOG_BURST 6u /* blocks of 64 bytes */
#define LOG_DEPTH 2u
#define BLOCK	  64u
#define PAGE	  4096u
#define CTRL	  16u
#define ENTRY	  64u

static struct raw *r;
static struct rig_qp sq;
static struct rtc *t;

/* Opens the queue, whose ring and records the device maps, too, as it maps a program's. */
static void queue_open(void)
{
	const size_t len = (size_t)BLOCK << LOG_BURST;

	raw_queue_open(&r->rig, &sq, OBJ_SQ, &r->scq, LOG_BURST);
	free(sq.ring);
	sq.ring = sq.sq = aligned_alloc(PAGE, PAGE);
	assert_non_null(sq.ring);
	sq.queue->ring.offset = (uintptr_t)sq.ring;
	perf_mem_share(r->rig.mm, &sq, &sq + 1);
	perf_mem_share(r->rig.mm, &r->scq, &r->scq + 1);
	perf_mem_share(r->rig.mm, sq.ring, sq.ring + len);
	perf_mem_share(r->rig.mm, r->scq.ring, r->scq.ring + r->scq.cq->ring.len);
}

/* Makes a table with room for twice as many rules. */
static void table_open(uint32_t rules)
{
	struct vhca *v = &r->rig.dev.vhca[BLUEFIELD2_HOST];
	struct stc_range *stcs = obj_new(v, OBJ_STC, 0, sizeof(*stcs) + 2 * sizeof(stcs->stc[0]));
	struct ste_range *entries = obj_new(v, OBJ_STE, 0, sizeof(*entries));

	t = obj_new(v, OBJ_RTC, 0, sizeof(*t));
	assert_true(stcs && entries && t);
	stcs->n = 2;
	for (unsigned int i = 0; i < stcs->n; i++) {
		stcs->stc[i] = calloc(1, sizeof(struct stc));
		stcs->stc[i]->refs = 1;
	}
	while (1u << t->log_rows < rules)
		t->log_rows++;
	t->log_depth = LOG_DEPTH;
	t->stcs = stcs;
	t->entries = entries;
	t->pd = obj_find(v, OBJ_PD, RIG_PD) ?: obj_new_at(v, OBJ_PD, 0, RIG_PD, sizeof(*t->pd));
	entries->n = rtc_entries(t);
	entries->rules = calloc(entries->n, sizeof(entries->rules[0]));
	assert_non_null(entries->rules);
}

static void table_close(void)
{
	ste_range_free(&t->entries->o);
	stc_range_free(&t->stcs->o);
	obj_free(t->pd);
	obj_free(&t->o);
}

/* Posts the WQE of rule i; the last one of a burst asks for a completion. */
static void rule_post(uint32_t i, enum prm_gta_op op, bool last)
{
	struct rig_wqe w = rig_begin(&sq, PRM_WQE_OPCODE_FLOW_TBL_ACCESS, last ? SIGNALED : 0, 0);
	uint8_t *tag = w.bytes + ENTRY + RULE_TAG_AT;

	prm_wqe_ctrl_seg_set_general_id(w.bytes, t->o.id);
	w.ds = 8;
	prm_wqe_gta_ctrl_seg_set_op(w.bytes + CTRL, op);
	if (op == PRM_GTA_OP_ACTIVATE) {
		prm_wqe_gta_ctrl_seg_set_stcs(w.bytes + CTRL, 1);
		prm_wqe_gta_ctrl_seg_set_stc_hit(w.bytes + CTRL, 1);
	}
	prm_store32(tag, 8, 0x0a000000 + i);
	prm_store32(tag, 12, 0x0b000000 + 5 * i);
	prm_store32(tag, 16, (1000 + i % 997) << 16 | 53);
	prm_store32(tag, 20, 0x00180000);
	rig_end(&w);
}

static __attribute__((noipa)) void rules_burst(void)
{
	rig_run(&sq);
}

/* Writes or removes all; returns how many failed. */
static uint32_t rules_all(uint32_t n, enum prm_gta_op op)
{
	uint32_t failed = 0;

	for (uint32_t i = 0; i < n; i++) {
		const bool last = i % BURST == BURST - 1 || i == n - 1;

		rule_post(i, op, last);
		if (!last)
			continue;
		rules_burst();
		for (const uint8_t *cqe; (cqe = rig_poll(&r->scq));)
			failed += prm_cqe64_get_byte_cnt(cqe) != 0;
	}
	return failed;
}

int main(int argc, char **argv)
{
	const uint32_t n = argc == 2 ? (uint32_t)atoi(argv[1]) : 0;
	uint32_t failed;

	if (!n || raw_setup((void **)&r))
		return 2;
	queue_open();
	table_open(n);
	failed = rules_all(n, PRM_GTA_OP_ACTIVATE);
	printf("%u of %u rules have no room\n", failed, n);
	if (rules_all(n, PRM_GTA_OP_DEACTIVATE) != failed)
		return 1;
	table_close();
	return failed > n / 100;
}
