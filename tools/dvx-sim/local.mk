# SPDX-License-Identifier: BSD-2-Clause
bin_PROGRAMS += tools/dvx-sim/dvx-sim
tools_dvx_sim_dvx_sim_SOURCES = tools/dvx-sim/check.c tools/dvx-sim/down.c tools/dvx-sim/dvx-sim.h tools/dvx-sim/exec.c \
	tools/dvx-sim/inject.c tools/dvx-sim/install.c tools/dvx-sim/ls.c tools/dvx-sim/main.c \
	tools/dvx-sim/others.c tools/dvx-sim/registry.c tools/dvx-sim/run.c tools/dvx-sim/server.c \
	tools/dvx-sim/up.c tools/dvx-sim/why.c src/sim/base/finding.c src/sim/base/inject_parse.c \
	src/sim/port/fault_rates.c src/sim/obj/ip.c src/sim/obj/profile.c src/sim/obj/setting.c

# Files of packets, and wires between chips.
tools_dvx_sim_dvx_sim_SOURCES += tools/dvx-sim/wire/pcap.h tools/dvx-sim/wire/pcap_in.c tools/dvx-sim/wire/pcap_out.c \
	tools/dvx-sim/wire/replay.c tools/dvx-sim/wire/capture.c tools/dvx-sim/wire/wire.c

# A command run many times: each run with another fault or seed.
tools_dvx_sim_dvx_sim_SOURCES += tools/dvx-sim/trials/many.c tools/dvx-sim/trials/many.h tools/dvx-sim/trials/seeds.c \
	tools/dvx-sim/trials/sweep.c

# Costs of messages.
tools_dvx_sim_dvx_sim_SOURCES += tools/dvx-sim/stat/stat.c tools/dvx-sim/stat/stat.h tools/dvx-sim/stat/stat_advice.c \
	tools/dvx-sim/stat/stat_budget.c tools/dvx-sim/stat/stat_columns.c tools/dvx-sim/stat/stat_compare.c \
	tools/dvx-sim/stat/stat_join.c tools/dvx-sim/stat/stat_model.c tools/dvx-sim/stat/stat_print.c

# Recordings: written, shown, compared.
tools_dvx_sim_dvx_sim_SOURCES += tools/dvx-sim/record/record.c tools/dvx-sim/record/record_diff.c tools/dvx-sim/record/recorded.c \
	tools/dvx-sim/record/recorded_json.c tools/dvx-sim/record/recording.c tools/dvx-sim/record/recording.h \
	tools/dvx-sim/record/show.c tools/dvx-sim/record/show_chrome.c

tools_dvx_sim_dvx_sim_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/src -I$(top_srcdir)/src/sim $(JANSSON_CFLAGS) $(PCAP_CFLAGS) \
	-DBINDIR='"$(bindir)"' -DPKGLIBDIR='"$(pkglibdir)"' -DPKGLIBEXECDIR='"$(pkglibexecdir)"' \
	-DPKGLIB_FROM_BIN='"$(call FROM_BIN,$(pkglibdir))"' -DPKGLIBEXEC_FROM_BIN='"$(call FROM_BIN,$(pkglibexecdir))"'
# Where libdir is /usr/lib/x86_64-linux-gnu or /usr/lib64, a prefix that has moved has them there.
FROM_BIN = $(shell realpath -ms --relative-to=$(bindir) $(1))
tools_dvx_sim_dvx_sim_LDADD = tools/cli/libcli.la src/sim/link/liblink.la src/prm/libprm.la src/record/librecord.la $(JANSSON_LIBS) $(PCAP_LIBS) -lm
