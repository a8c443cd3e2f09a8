# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += src/sim/queue/queue.h \
	src/sim/queue/aso.c \
	src/sim/queue/cq.c \
	src/sim/queue/cq_compress.c \
	src/sim/queue/cq_event.c \
	src/sim/queue/cq_inject.c \
	src/sim/queue/cross.c \
	src/sim/queue/crypt.c \
	src/sim/queue/data_seg.h \
	src/sim/queue/doorbell.c \
	src/sim/queue/eq.c \
	src/sim/queue/error_stats.c \
	src/sim/queue/hostile.c \
	src/sim/queue/mmo.c \
	src/sim/queue/post.c \
	src/sim/queue/priv.h \
	src/sim/queue/queue.c \
	src/sim/queue/queues.c \
	src/sim/queue/remote.c \
	src/sim/queue/rq.c \
	src/sim/queue/rule.c \
	src/sim/queue/segs.c \
	src/sim/queue/services.h \
	src/sim/queue/sig.c \
	src/sim/queue/sig_access.h \
	src/sim/queue/sq.c \
	src/sim/queue/sq_done.c \
	src/sim/queue/srq.c \
	src/sim/queue/umr.c \
	src/sim/queue/wqe.c
