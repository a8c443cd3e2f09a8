# SPDX-License-Identifier: BSD-2-Clause
# dvx-copy: programs without a device, for which copy_fake.c moves the bytes, and scripts with both ends on a device.
COPY_TESTS += tests/copy/filter tests/copy/bwlimit tests/copy/workers tests/copy/crc tests/copy/msg \
	tests/copy/copy_link tests/copy/gate tests/copy/access tests/copy/confine tests/copy/paths \
	tests/copy/hostile tests/copy/clients
COPY_FAKE = tests/copy/copy_fake.c tests/copy/copy_fake.h tests/copy/copy_fds.h tests/copy/copy_swap.h
tests_copy_msg_SOURCES = tests/copy/msg.c tests/copy/copy_sample.h
tests_copy_hostile_SOURCES = tests/copy/hostile.c tests/copy/copy_clock.c tests/copy/copy_disk.c \
	tests/copy/copy_theirs.c tests/copy/copy_pull.c tests/copy/copy_pull.h tests/copy/copy_actor.c tests/copy/copy_actor.h \
	$(COPY_FAKE)
tests_copy_hostile_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=close,--wrap=fstatfs,--wrap=syncfs,--wrap=renameat,--wrap=linkat,--wrap=mkdirat,--wrap=flock,--wrap=readdir,--wrap=unlinkat,--wrap=getgrnam_r \
	-Wl,--wrap=fstatat,--wrap=openat,--wrap=clock_gettime,--wrap=time
tests_copy_clients_SOURCES = tests/copy/clients.c tests/copy/clients_source.c tests/copy/clients.h $(COPY_FAKE)
tests_copy_clients_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=syscall,--wrap=llistxattr,--wrap=lgetxattr,--wrap=getdents64
tests/copy/%.$(OBJEXT): private TOOL = -I$(top_srcdir)/tools/dvx-copy
dist_check_SCRIPTS += tests/copy/tree.sh tests/copy/refuse.sh tests/copy/network.sh tests/copy/copy_death.sh \
	tests/copy/resume.sh tests/copy/disk.sh tests/copy/copy_faults.sh tests/copy/rsync.sh \
	tests/copy/sync.sh tests/copy/entries.sh tests/copy/habits.sh
EXTRA_DIST += tests/copy/proxy.pl tests/copy/random.pl tests/copy/copy_lib.sh
