# SPDX-License-Identifier: BSD-2-Clause
# The kernel half. The client half is in client.mk.
libsim_la_SOURCES += src/sim/front/kernel.h src/sim/front/methods.h src/sim/front/methods.c \
	src/sim/front/uverbs.h src/sim/front/devx.h src/sim/front/kernel.c src/sim/front/cmd.c \
	src/sim/front/uobj.c src/sim/front/kattr.c src/sim/front/channel.c src/sim/front/events.c \
	src/sim/front/uverbs_write.c src/sim/front/uverbs_context.c src/sim/front/uverbs_device.c \
	src/sim/front/uverbs_port.c src/sim/front/uverbs_pd.c src/sim/front/uverbs_mr.c \
	src/sim/front/uverbs_cq.c src/sim/front/uverbs_qp.c src/sim/front/uverbs_qp_modify.c \
	src/sim/front/uverbs_ah.c src/sim/front/uverbs_event.c src/sim/front/mlx5_uar.c \
	src/sim/front/devx_cmd.c src/sim/front/devx_obj.c src/sim/front/devx_umem.c \
	src/sim/front/devx_event.c
