# SPDX-License-Identifier: BSD-2-Clause
libsim_la_SOURCES += src/sim/host/bar.c src/sim/host/bar.h src/sim/host/client.h src/sim/host/clock_page.c src/sim/host/dma.c src/sim/host/dmabuf.c src/sim/host/eventfd.c src/sim/host/host.c \
	src/sim/host/host.h src/sim/host/lockstep.c src/sim/host/mappings.c src/sim/host/memlock.c src/sim/host/mem.h src/sim/host/mm.c src/sim/host/pinnable.c src/sim/host/pinnable.h src/sim/host/share.c src/sim/host/uar.h \
	src/sim/host/idle.c src/sim/host/strict.c src/sim/host/uffd.c
