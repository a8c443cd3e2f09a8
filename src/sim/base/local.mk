# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += src/sim/base/bar_file.h src/sim/base/clock.c src/sim/base/clock.h src/sim/base/crc.c src/sim/base/crc.h src/sim/base/crc32.c src/sim/base/crc32.h src/sim/base/crc32_fold.c src/sim/base/crc32_fold.h src/sim/base/drops.c src/sim/base/drops.def src/sim/base/drops.h src/sim/base/finding.c src/sim/base/hostile.c src/sim/base/hostile.h src/sim/base/inject.c src/sim/base/inject.h src/sim/base/inject_parse.c src/sim/base/finding.h src/sim/base/findings.def src/sim/base/hash.h src/sim/base/heap.c src/sim/base/heap.h src/sim/base/prefetch.h \
	src/sim/base/mounts.c src/sim/base/mounts.h \
	src/sim/base/port_stats.h src/sim/base/queue_stats.def src/sim/base/stat.h src/sim/base/timer.c src/sim/base/thread.c src/sim/base/thread.h src/sim/base/probe.c src/sim/base/probe.h \
	src/sim/base/xts.c src/sim/base/xts.h
libcommon_la_SOURCES += src/sim/base/intervals.c src/sim/base/intervals.h src/sim/base/line.c src/sim/base/line.h \
	src/sim/base/log.c src/sim/base/log.h src/sim/base/maps.c src/sim/base/maps.h
