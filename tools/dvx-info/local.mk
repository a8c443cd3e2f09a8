# SPDX-License-Identifier: BSD-2-Clause
bin_PROGRAMS += tools/dvx-info/dvx-info
noinst_LTLIBRARIES += tools/dvx-info/libinfo.la
# All but main and what only works on a machine: the unit tests link it. hex, names and walk are dvx-prm's.
tools_dvx_info_libinfo_la_SOURCES = tools/dvx-info/dvx-info.h \
	tools/dvx-info/list.c tools/dvx-info/gids.c tools/dvx-info/gidrank.h tools/dvx-info/gidrank.c \
	tools/dvx-info/page.h tools/dvx-info/page.c tools/dvx-info/dump.h tools/dvx-info/dump.c \
	tools/dvx-info/source.h tools/dvx-info/source.c tools/dvx-info/words.h tools/dvx-info/words.c \
	tools/dvx-info/caps.c tools/dvx-info/diff.c \
	tools/dvx-info/features.h tools/dvx-info/features.c tools/dvx-info/verbs.c tools/dvx-info/whynot.c \
	tools/dvx-info/facts.h tools/dvx-info/facts.c \
	tools/dvx-info/doctor.h tools/dvx-info/doctor.c tools/dvx-info/doctor_mem.c \
	tools/dvx-info/doctor_host.c tools/dvx-info/doctor_rdma.c tools/dvx-info/doctor_peer.c
tools_dvx_info_libinfo_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_builddir) $(JANSSON_CFLAGS)
tools_dvx_info_libinfo_la_LIBADD = tools/cli/libcli.la $(JANSSON_LIBS) $(MLX5_LIBS) $(IBVERBS_LIBS)
tools_dvx_info_dvx_info_SOURCES = tools/dvx-info/main.c
tools_dvx_info_dvx_info_CPPFLAGS = $(tools_dvx_info_libinfo_la_CPPFLAGS)
tools_dvx_info_dvx_info_LDADD = tools/dvx-info/libinfo.la tools/dvx-prm/libtool.la src/lib/libdvx.la \
	$(JANSSON_LIBS)
dist_man_MANS += doc/man/dvx-info.1
