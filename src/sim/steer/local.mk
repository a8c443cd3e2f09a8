# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += \
	src/sim/steer/aso/aso.h \
	src/sim/steer/aso/ct.c \
	src/sim/steer/aso/hit.c \
	src/sim/steer/aso/meter.c \
	src/sim/steer/meter.c \
	src/sim/steer/meter.h \
	src/sim/steer/modify.c \
	src/sim/steer/modify.h \
	src/sim/steer/packet.c \
	src/sim/steer/packet.h \
	src/sim/steer/params.c \
	src/sim/steer/params.def \
	src/sim/steer/params.h \
	src/sim/steer/parse.h src/sim/steer/flex.h \
	src/sim/steer/priv.h \
	src/sim/steer/reformat.c \
	src/sim/steer/reformat.h \
	src/sim/steer/rewrite.c \
	src/sim/steer/rewrite.h \
	src/sim/steer/ste/definer.c \
	src/sim/steer/ste/definer.h \
	src/sim/steer/ste/fields.def \
	src/sim/steer/ste/hash.c \
	src/sim/steer/ste/layout.c \
	src/sim/steer/ste/layout.h \
	src/sim/steer/ste/ste.c \
	src/sim/steer/ste/ste.h \
	src/sim/steer/ste/tag.h \
	src/sim/steer/ste/v0.c \
	src/sim/steer/ste/v0.h \
	src/sim/steer/ste/v0_action.c \
	src/sim/steer/ste/v0_tag.c \
	src/sim/steer/ste/v1.c \
	src/sim/steer/ste/v1.h \
	src/sim/steer/ste/v1_action.c \
	src/sim/steer/ste/v1_aso.c \
	src/sim/steer/ste/v1_dwords.def \
	src/sim/steer/ste/v1_tag.c \
	src/sim/steer/ste/v1_move.c \
	src/sim/steer/ste/v2.c \
	src/sim/steer/ste/v3.c \
	src/sim/steer/ste/walk.h \
	src/sim/steer/steer.c \
	src/sim/steer/steer.h \
	src/sim/steer/tunnel.c
