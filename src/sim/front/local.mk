# SPDX-License-Identifier: BSD-2-Clause
# What both halves read, the tree that a program sees, and the kernel half.
libsim_la_SOURCES += src/sim/front/kernel.h src/sim/front/methods.h src/sim/front/methods.c src/sim/front/sysfs.h src/sim/front/sysfs.c \
	src/sim/front/kernel/uverbs.h src/sim/front/kernel/devx.h src/sim/front/kernel/kernel.c src/sim/front/kernel/cmd.c \
	src/sim/front/kernel/uobj.c src/sim/front/kernel/pins.c src/sim/front/kernel/kattr.c src/sim/front/kernel/channel.c src/sim/front/kernel/events.c \
	src/sim/front/kernel/uverbs_write.c src/sim/front/kernel/uverbs_context.c src/sim/front/kernel/uverbs_device.c \
	src/sim/front/kernel/uverbs_port.c src/sim/front/kernel/uverbs_pd.c src/sim/front/kernel/uverbs_mr.c \
	src/sim/front/kernel/uverbs_dm.c src/sim/front/kernel/uverbs_cq.c src/sim/front/kernel/uverbs_qp.c src/sim/front/kernel/uverbs_qp_modify.c \
	src/sim/front/kernel/raw.h src/sim/front/kernel/uverbs_raw.c \
	src/sim/front/kernel/uverbs_rss.c src/sim/front/kernel/uverbs_wq.c src/sim/front/kernel/uverbs_ah.c src/sim/front/kernel/uverbs_event.c src/sim/front/kernel/mlx5_uar.c \
	src/sim/front/kernel/devx_cmd.c src/sim/front/kernel/devx_obj.c src/sim/front/kernel/devx_flow.c src/sim/front/kernel/devx_umem.c \
	src/sim/front/kernel/devx_event.c \
	src/sim/front/kernel/flow.h src/sim/front/kernel/flow.c src/sim/front/kernel/flow_action.c src/sim/front/kernel/flow_anchor.c \
	src/sim/front/kernel/flow_counters.c src/sim/front/kernel/flow_matcher.c src/sim/front/kernel/flow_create.c src/sim/front/kernel/flow_spec.c src/sim/front/kernel/flow_spec.h \
	src/sim/front/kernel/fs.h src/sim/front/kernel/fs_priv.h src/sim/front/kernel/fs_anchor.c src/sim/front/kernel/fs_cmd.c \
	src/sim/front/kernel/fs_rule.c src/sim/front/kernel/fs_table.c

include src/sim/front/link/local.mk
