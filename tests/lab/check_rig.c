/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves the device's rules that depend on the port or on RDMA_CM, and that they end when they are stopped. */
#include "tests/test.h"
#include <dvx/prm/cmd.h>
#include <stdio.h>
#include "base/probe.h"
#include "fw/cmd.h"
#include "lab/check.h"
#include "tests/queue/queue_rig.h"

struct checked {
	char text[256]; /* kinds, each in brackets */
	struct lab_finding last;
	bool by_cm;
};

static void checked_add(void *ctx, UNUSED const struct obj *o, const struct lab_finding *f)
{
	struct checked *all = ctx;
	const size_t n = strlen(all->text);

	snprintf(all->text + n, sizeof(all->text) - n, "[%s]", finding_name(f->kind));
	all->last = *f;
}

static bool checked_by_cm(void *ctx, UNUSED const struct vhca *v, UNUSED uint32_t peer)
{
	return ((const struct checked *)ctx)->by_cm;
}

/* The queue pair is modified; `text` is found. */
static void checked_modify(struct rig_qp *q, bool by_cm, const char *text)
{
	struct checked all = {.by_cm = by_cm};
	const struct why_sink sink = {.found = checked_add, .by_cm = checked_by_cm, .ctx = &all};
	uint8_t out[16] = {0};
	const struct fw_cmd c = {.vhca = q->queue->o.vhca,
				 .opcode = PRM_OPCODE_RTS2RTS_QP,
				 .out = out,
				 .obj = q->qp};

	check_start(&q->rig->dev, &sink);
	probe(PROBE_COMMAND, .command = &c);
	assert_string_equal(all.text, text);
	check_stop();
	probe(PROBE_COMMAND, .command = &c);
	assert_string_equal(all.text, text);
}

TEST(pair, path_mtu)
{
	p->a.qp->min_rnr_nak = 1;
	p->a.qp->mtu = PRM_QPC_MTU_4K;
	checked_modify(&p->a, false, "");
	device_set_mtu(&p->rig.dev, 1500);
	checked_modify(&p->a, false, "[path_mtu_large]");
	p->a.qp->mtu = PRM_QPC_MTU_1K;
	checked_modify(&p->a, false, "");
}

/* The kernel's part of RDMA_CM chooses 0. */
TEST(pair, rnr_timer)
{
	p->a.qp->min_rnr_nak = 0;
	checked_modify(&p->a, false, "[rnr_timer_zero]");
	checked_modify(&p->a, true, "");
}
