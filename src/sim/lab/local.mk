# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += src/sim/lab/check.c src/sim/lab/check.h src/sim/lab/check_conn.c src/sim/lab/check_cq.c \
	src/sim/lab/check_priv.h src/sim/lab/check_sq.c src/sim/lab/record.c src/sim/lab/record.h src/sim/lab/stat.c src/sim/lab/stat.h src/sim/lab/stat_distinct.c src/sim/lab/stat_distinct.h \
	src/sim/lab/why.c src/sim/lab/why.h src/sim/lab/why_cq.c src/sim/lab/why_priv.h \
	src/sim/lab/why_rq.c src/sim/lab/why_sq.c
