# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += src/sim/queue/dp.h \
	src/sim/queue/cq.c \
	src/sim/queue/csum.c \
	src/sim/queue/csum.h \
	src/sim/queue/doorbell.c \
	src/sim/queue/dp.c \
	src/sim/queue/eq.c \
	src/sim/queue/mmo.c \
	src/sim/queue/post.c \
	src/sim/queue/priv.h \
	src/sim/queue/qp.c \
	src/sim/queue/raw.c \
	src/sim/queue/recv.c \
	src/sim/queue/remote.c \
	src/sim/queue/rq.c \
	src/sim/queue/rss.c \
	src/sim/queue/rss.h \
	src/sim/queue/segs.c \
	src/sim/queue/self.c \
	src/sim/queue/sq.c
