/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that --trace shows doorbell, each segment of each WQE (bad ones too), CQE and EQE, one
 * line each, decoded. */
#include "tests/test.h"
#include <stdio.h>
#include <unistd.h>
#include "queue_rig.h"
#include "chip/trace.h"

TEST(pair, test_lines)
{
	static const char *const want[] = {
		"doorbell uar 3 offset 0x800 uar_sq_db",
		"wqe_ctrl_seg opcode=RDMA_WRITE(0x8)",
		"wqe_raddr_seg raddr=",
		"wqe_inline_seg is_inline=0x1 byte_count=0x5",
		"wqe_data_seg byte_count=0x64",
		"psn 0xfffff0 packets 1 bytes 105",
		"cqe64 ",
		"s_wqe_opcode=RDMA_WRITE(0x8)",
		"wqe_ctrl_seg opmod=",
		"err_cqe ",
		"syndrome=LOCAL_QP_OP_ERR(0x2)",
		"eqe ",
	};
	FILE *f = tmpfile();
	char text[16384];
	struct rig_wqe w = rig_begin(&p->a, PRM_WQE_OPCODE_RDMA_WRITE, SIGNALED, 0);
	size_t n;
	off_t end;

	assert_non_null(f);
	trace_to(fileno(f));
	rig_arm(&p->ca, 0, false);
	rig_raddr(&w, p->dst, rig_key(p->md));
	rig_inline(&w, "small", 5);
	rig_data(&w, p->src, 100, rig_key(p->ms));
	rig_end(&w);
	w = rig_begin(&p->a, 0x7f, SIGNALED, 0);
	prm_wqe_ctrl_seg_set_opmod(w.bytes, 9);
	rig_go(&w);
	trace_to(-1);
	end = lseek(fileno(f), 0, SEEK_CUR);
	rig_arm(&p->ca, 0, false); /* the trace is off */
	assert_int_equal(lseek(fileno(f), 0, SEEK_CUR), end);
	rewind(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	for (unsigned int i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		if (!strstr(text, want[i]))
			fail_msg("'%s' is missing in\n%s", want[i], text);
}
