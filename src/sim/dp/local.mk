# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += src/sim/dp/dp.h \
	src/sim/dp/cq.c \
	src/sim/dp/csum.c \
	src/sim/dp/csum.h \
	src/sim/dp/doorbell.c \
	src/sim/dp/dp.c \
	src/sim/dp/eq.c \
	src/sim/dp/mmo.c \
	src/sim/dp/post.c \
	src/sim/dp/priv.h \
	src/sim/dp/qp.c \
	src/sim/dp/raw.c \
	src/sim/dp/recv.c \
	src/sim/dp/remote.c \
	src/sim/dp/rq.c \
	src/sim/dp/rss.c \
	src/sim/dp/rss.h \
	src/sim/dp/segs.c \
	src/sim/dp/self.c \
	src/sim/dp/sq.c
