# SPDX-License-Identifier: BSD-2-Clause
bin_PROGRAMS += tools/dvx-check/dvx-check
tools_dvx_check_dvx_check_SOURCES = src/check/kinds.def src/check/kinds.h tools/dvx-check/dvx-check.h \
	tools/dvx-check/findings.c tools/dvx-check/kinds.c tools/dvx-check/main.c tools/dvx-check/print.c \
	tools/dvx-check/print_json.c tools/dvx-check/run.c tools/dvx-check/suppress.c tools/dvx-check/symbols.c
tools_dvx_check_dvx_check_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(JANSSON_CFLAGS) $(LIBDW_CFLAGS) $(LIBDW_DEFINE) \
	-DPKGLIBDIR='"$(pkglibdir)"' -DPKGLIB_FROM_BIN='"$(call FROM_BIN,$(pkglibdir))"'
tools_dvx_check_dvx_check_LDADD = tools/cli/libcli.la $(JANSSON_LIBS) $(LIBDW_LIBS)
