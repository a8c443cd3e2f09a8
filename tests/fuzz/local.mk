# SPDX-License-Identifier: BSD-2-Clause
# One target for each thing that parses. make check replays and damages their corpora (replay.c); make fuzz
# SECONDS=N has clang's libFuzzer work on each for so long.
FUZZ_SIM = tests/fuzz/command tests/fuzz/inject tests/fuzz/flow_table tests/fuzz/wqe tests/fuzz/raw_wqe tests/fuzz/frame tests/fuzz/packet tests/fuzz/uverbs \
	tests/fuzz/hw_rules tests/fuzz/scarce tests/fuzz/link tests/fuzz/cm tests/fuzz/netlink tests/fuzz/udp
FUZZ_FLOW = tests/fuzz/rules tests/fuzz/dump tests/fuzz/import
FUZZ_PRM = tests/fuzz/hex tests/fuzz/explain
FUZZ_TARGETS = $(FUZZ_SIM) $(FUZZ_FLOW) $(FUZZ_PRM) tests/fuzz/copy tests/fuzz/pcap tests/fuzz/recording
SIM_TESTS += $(FUZZ_SIM)
FLOW_TESTS += $(FUZZ_FLOW)
PRM_TESTS += $(FUZZ_PRM)
COPY_TESTS += tests/fuzz/copy
SIM_TESTS += tests/fuzz/pcap tests/fuzz/recording

UVERBS_STEPS = tests/fuzz/uverbs.h tests/fuzz/uverbs_any.c tests/fuzz/uverbs_devx.c tests/fuzz/uverbs_flows.c \
	tests/fuzz/uverbs_queues.c
tests_fuzz_uverbs_SOURCES = tests/fuzz/uverbs.c $(UVERBS_STEPS)
tests_fuzz_link_SOURCES = tests/fuzz/link.c tests/fuzz/uverbs_any.c
tests_fuzz_scarce_SOURCES = tests/fuzz/scarce.c tests/fuzz/uverbs.c $(UVERBS_STEPS)
tests_fuzz_scarce_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray \
	-Wl,--wrap=rq_run,--wrap=datapath_run,--wrap=port_inject,--wrap=queue_doorbell
tests_fuzz_uverbs_LDADD = tests/libreplay.a tests/libkernel.a $(SIM_LIBS) $(CMOCKA_LIBS)
tests_fuzz_link_LDADD = $(tests_fuzz_uverbs_LDADD)
tests_fuzz_scarce_LDADD = $(tests_fuzz_uverbs_LDADD)
tests_fuzz_pcap_SOURCES = tests/fuzz/pcap.c tools/dvx-sim/wire/pcap_in.c
tests_fuzz_pcap_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/src/sim $(PCAP_CFLAGS)
tests_fuzz_recording_SOURCES = tests/fuzz/recording.c tools/dvx-sim/record/recorded.c
tests_fuzz_recording_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/src $(JANSSON_CFLAGS)
tests_fuzz_pcap_LDADD = tests/libreplay.a $(SIM_LIBS) $(PCAP_LIBS) $(CMOCKA_LIBS)

tests_librigs_a_SOURCES += tests/fuzz/fuzz.c tests/fuzz/fuzz.h
if LIBFUZZER
tests_libreplay_a_SOURCES =
FUZZER = -fsanitize=fuzzer
else
tests_libreplay_a_SOURCES = tests/fuzz/replay.c
endif
tests/fuzz/%$(EXEEXT): private AM_LDFLAGS += $(FUZZER)
tests/fuzz/copy.$(OBJEXT): private TOOL = -I$(top_srcdir)/tools/dvx-copy

SECONDS = 60
fuzz:
	$(SHELL) $(top_srcdir)/tests/fuzz/run.sh '$(FUZZ_TARGETS)' $(SECONDS)
EXTRA_DIST += tests/fuzz/run.sh tests/fuzz/corpus
