# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += \
	src/sim/fw/alias.c \
	src/sim/fw/av_qp_mapping.c \
	src/sim/fw/buffer.c \
	src/sim/fw/cap.c \
	src/sim/fw/cap_flow.c \
	src/sim/fw/cmd.h \
	src/sim/fw/cq.c \
	src/sim/fw/dct.c \
	src/sim/fw/dek.c \
	src/sim/fw/destroy.c \
	src/sim/fw/exec.c \
	src/sim/fw/flow_counter.c \
	src/sim/fw/flow_entry.c \
	src/sim/fw/flow_group.c \
	src/sim/fw/flow_modify.c \
	src/sim/fw/flow_table.c \
	src/sim/fw/fw.h \
	src/sim/fw/general.c \
	src/sim/fw/mcg.c \
	src/sim/fw/misc.c \
	src/sim/fw/memic.c \
	src/sim/fw/mkey.c \
	src/sim/fw/pd.c \
	src/sim/fw/pp_rate.c \
	src/sim/fw/qp.c \
	src/sim/fw/qp_state.c \
	src/sim/fw/raw_queue.c \
	src/sim/fw/reserved_qpn.c \
	src/sim/fw/rmp.c \
	src/sim/fw/sched_elem.c \
	src/sim/fw/sw_icm.c \
	src/sim/fw/syndromes.def \
	src/sim/fw/tir.c \
	src/sim/fw/trace.c \
	src/sim/fw/umem.c \
	src/sim/fw/wq.c
