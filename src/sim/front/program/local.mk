# SPDX-License-Identifier: BSD-2-Clause
# The half that lives in the program: in the preload only.
src_sim_libdvx_sim_la_SOURCES += \
	src/sim/front/program/client.h src/sim/front/program/client.c \
	src/sim/front/program/drop.h src/sim/front/program/drop.c \
	src/sim/front/program/fair.h src/sim/front/program/fair.c \
	src/sim/front/program/flatten.c \
	src/sim/front/program/hooks_fd.c \
	src/sim/front/program/hooks_open.c \
	src/sim/front/program/hooks_stat.c \
	src/sim/front/program/move.h src/sim/front/program/move.c \
	src/sim/front/program/real.h src/sim/front/program/real.c \
	src/sim/front/program/share.h src/sim/front/program/share.c \
	src/sim/front/program/share_fork.h src/sim/front/program/share_fork.c \
	src/sim/front/program/transport_link.c
