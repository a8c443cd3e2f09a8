# SPDX-License-Identifier: BSD-2-Clause
libcommon_la_SOURCES += src/sim/sysfs/sysfs.c src/sim/sysfs/sysfs.h src/sim/sysfs/sysfs_change.c \
	src/sim/sysfs/sysfs_counters.c src/sim/sysfs/sysfs_priv.h
