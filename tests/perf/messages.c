/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The work that messages.sh counts of the device: 8-byte messages between two queue pairs of one
 * function, WINDOW for each doorbell, in memory that the device shares with the program. turn() is
 * the device's part, up to the completion of the last one; with "stat" dvx-sim stat counts them.
 * window_done() is called after each window. messages write|read|send|faa|ud ROUNDS stat|plain WINDOW...
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <dvx/prm/qp.h>
#include "chip/datapath.h"
#include "lab/stat.h"
#include "transport/transport.h"
#include "perf_mem.h"

enum { LEN = 8 };

static __attribute__((noipa)) void turn(struct device *dev)
{
	datapath_run(dev);
}

static __attribute__((noipa)) void window_done(void)
{
}

static const struct {
	const char *name;
	uint8_t opcode;
	const struct rig_kind *kind;
	uint32_t header; /* bytes that a receive has before the message */
} ops[] = {
	{"write", PRM_WQE_OPCODE_RDMA_WRITE, &rig_rc, 0},
	{"read", PRM_WQE_OPCODE_RDMA_READ, &rig_rc, 0},
	{"send", PRM_WQE_OPCODE_SEND, &rig_rc, 0},
	{"faa", PRM_WQE_OPCODE_ATOMIC_FA, &rig_rc, 0},
	{"ud", PRM_WQE_OPCODE_SEND, &rig_ud, ROCE_GRH},
};

static void post(struct rig_pair *p, uint8_t opcode, uint8_t flags)
{
	struct rig_wqe w = rig_begin(&p->a, opcode, flags, 0);

	if (p->a.qp->q.transport == &transport_ud)
		rig_av(&w, &p->b);
	if (opcode != PRM_WQE_OPCODE_SEND)
		rig_raddr(&w, p->dst, rig_key(p->md));
	if (opcode == PRM_WQE_OPCODE_ATOMIC_FA)
		prm_wqe_atomic_seg_pack(w.bytes + 16 * w.ds++, .swap_add = 1);
	rig_data(&w, p->src, LEN, rig_key(p->ms));
	rig_end(&w);
}

static void exchange(struct rig_pair *p, uint8_t opcode, uint32_t header, unsigned int window)
{
	for (unsigned int i = 0; i < window; i++) {
		if (opcode == PRM_WQE_OPCODE_SEND)
			rig_recv(&p->b, p->dst, header + LEN, rig_key(p->md));
		post(p, opcode, i + 1 == window ? SIGNALED : 0);
	}
	rig_ring(&p->a);
	for (unsigned int turns = 0; !rig_poll(&p->ca); turns++) {
		assert_true(turns < 64 * window);
		turn(&p->rig.dev);
	}
	while (rig_poll(&p->cb))
		;
}

int main(int argc, char **argv)
{
	const void *heap = mallopt(M_MMAP_THRESHOLD, 16 << 20) ? sbrk(0) : NULL;
	size_t op = 0;
	struct rig_pair *p;

	assert_true(argc > 4);
	while (strcmp(ops[op].name, argv[1]))
		assert_true(++op < sizeof(ops) / sizeof(*ops));
	p = rig_pair_open(ops[op].kind);
	p->b.qp->rae = true;
	p->b.qp->atomic_mode = PRM_QPC_ATOMIC_MODE_UP_TO_8B;
	if (!strcmp(argv[3], "stat"))
		stat_start(&(struct stat_pcie){256, 512});
	perf_mem_share(p->rig.mm, heap, sbrk(0));
	for (int i = 4; i < argc; i++) {
		for (int n = atoi(argv[2]); n > 0; n--)
			exchange(p, ops[op].opcode, ops[op].header, (unsigned int)atoi(argv[i]));
		window_done();
	}
	return 0;
}
