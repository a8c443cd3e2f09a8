# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += \
	src/sim/obj/alias.c \
	src/sim/obj/alias.h \
	src/sim/obj/aso.c \
	src/sim/obj/aso.h \
	src/sim/obj/counter.c \
	src/sim/obj/counter.h \
	src/sim/obj/cq.h \
	src/sim/obj/crypt.c \
	src/sim/obj/crypt.h \
	src/sim/obj/dct.h \
	src/sim/obj/device.h \
	src/sim/obj/flex_sample.h \
	src/sim/obj/flow.c \
	src/sim/obj/flow.h \
	src/sim/obj/gid.c \
	src/sim/obj/gid.h \
	src/sim/obj/icm.c \
	src/sim/obj/icm.h \
	src/sim/obj/ip.c \
	src/sim/obj/klm.c \
	src/sim/obj/limits.h \
	src/sim/obj/mcg.c \
	src/sim/obj/mcg.h \
	src/sim/obj/memic.c \
	src/sim/obj/memic.h \
	src/sim/obj/mkey.c \
	src/sim/obj/mkey.h src/sim/obj/mkey_bytes.h \
	src/sim/obj/mkey_demand.c \
	src/sim/obj/obj.c \
	src/sim/obj/obj.h \
	src/sim/obj/table.h \
	src/sim/obj/pace.c \
	src/sim/obj/pace.h \
	src/sim/obj/q_counter.h \
	src/sim/obj/qp.h \
	src/sim/obj/queue.h \
	src/sim/obj/raw_queue.h \
	src/sim/obj/rep.c \
	src/sim/obj/rep.h \
	src/sim/obj/ring.c \
	src/sim/obj/ring.h \
	src/sim/obj/rtc.c \
	src/sim/obj/rtc.h \
	src/sim/obj/sched_elem.h \
	src/sim/obj/setting.c \
	src/sim/obj/sig.c \
	src/sim/obj/sig.h \
	src/sim/obj/srq.h \
	src/sim/obj/tir.h \
	src/sim/obj/types.def \
	src/sim/obj/umem.c \
	src/sim/obj/vhca.c \
	src/sim/obj/vhca.h
libcommon_la_SOURCES += src/sim/obj/profile.c src/sim/obj/profile.h
