/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work that steer.sh counts of the device: pairs of WRITE and READ on steering memory, one for
 * each turn, as libmlx5 posts them when the device is the faster one (dr_send.c of rdma-core 44).
 * The program's memory is shared with the device, as preload/share.c does it.
 */
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>
#include "chip/datapath.h"
#include "obj/icm.h"
#include "perf_mem.h"

#define LOG_SQ	8u
#define PAIRS	8u /* libmlx5 wants two completions for so many */
#define SLOT	(64u << 10)
#define BACK	(PAIRS * SLOT) /* where all READs go */
#define ENTRIES 4096u

static __attribute__((noipa)) void turn(struct device *dev)
{
	datapath_run(dev);
}

static struct mkey *icm_key(struct rig *rig)
{
	static struct sw_icm memory;
	struct vhca *v = &rig->dev.vhca[BLUEFIELD2_HOST];
	struct mkey *m = rig_mkey(rig, BLUEFIELD2_HOST, NULL, ENTRIES * 64, MKEY_RW | MKEY_RR);

	assert_int_equal(icm_alloc(v, icm_addr(ICM_STE, 0), ENTRIES * 64), 0);
	m->nentries = 0; /* instead of pages */
	m->icm = &memory;
	m->icm_addr = icm_addr(ICM_STE, 0);
	mkey_place(m);
	return m;
}

static void post(struct rig_qp *q, uint8_t opcode, const uint8_t *local, uint32_t lkey,
		 uint32_t entry, uint32_t rkey, bool signaled)
{
	struct rig_wqe w = rig_begin(q, opcode, signaled ? SIGNALED : 0, 0);

	rig_raddr(&w, (const void *)(uintptr_t)(entry * 64), rkey);
	rig_data(&w, local, 64, lkey);
	rig_end(&w);
}

/* The program's side of the queues, with their records. */
static struct {
	struct rig_cq cq;
	struct rig_qp q;
} records;

/* steer_pair ROUNDS */
int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? (unsigned int)atoi(argv[1]) : 1;
	const void *heap = mallopt(M_MMAP_THRESHOLD, 16 << 20) ? sbrk(0) : NULL;
	struct rig_pair *p;
	struct mkey *icm;

	p = rig_pair_open(&rig_rc);
	rig_cq_open(&p->rig, &records.cq, 0, 8, false);
	rig_qp_open(&p->rig, &records.q, 0, &records.cq, &records.cq, LOG_SQ, 0);
	records.q.qp->fl = true;
	rig_connect(&records.q, &records.q);
	icm = icm_key(&p->rig);
	p->ms->rights = MKEY_LR | MKEY_LW;
	perf_mem_share(p->rig.mm, &records, &records + 1);
	perf_mem_share(p->rig.mm, heap, sbrk(0));
	for (unsigned int i = 0; i < rounds * PAIRS; i++) {
		uint32_t entry = i * 7 % ENTRIES;

		p->src[i % PAIRS * SLOT] = (uint8_t)i;
		post(&records.q, PRM_WQE_OPCODE_RDMA_WRITE, p->src + i % PAIRS * SLOT, rig_key(p->ms),
		     entry, rig_key(icm), false);
		post(&records.q, PRM_WQE_OPCODE_RDMA_READ, p->src + BACK, rig_key(p->ms), entry,
		     rig_key(icm), i % 4 == 3);
		rig_ring(&records.q);
		turn(&p->rig.dev);
		if (i % 4 == 3)
			assert_non_null(rig_poll(&records.cq));
		assert_int_equal(p->src[BACK], (uint8_t)i);
	}
	return 0;
}
