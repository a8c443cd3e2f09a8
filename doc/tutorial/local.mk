# SPDX-License-Identifier: BSD-2-Clause
# The tutorial: pages, each of which is a test (README.md), and their programs.
TUTORIAL_PAGES = \
	doc/tutorial/01-first-connection.md \
	doc/tutorial/02-rdma-cm.md \
	doc/tutorial/03-completions.md \
	doc/tutorial/04-memory-and-errors.md \
	doc/tutorial/05-shared-receives.md \
	doc/tutorial/06-datagrams.md \
	doc/tutorial/07-xrc.md \
	doc/tutorial/08-windows-and-atomics.md \
	doc/tutorial/09-perftest.md \
	doc/tutorial/10-gids-and-captures.md \
	doc/tutorial/11-memory-limits.md \
	doc/tutorial/12-devx-objects.md \
	doc/tutorial/13-prm-by-hand.md \
	doc/tutorial/14-rings-by-hand.md \
	doc/tutorial/15-direct-rules.md \
	doc/tutorial/16-dma-host-dpu.md \
	doc/tutorial/17-threads.md \
	doc/tutorial/18-key-value.md \
	doc/tutorial/19-nvme-capsules.md \
	doc/tutorial/20-flow-offload.md \
	doc/tutorial/21-hardware-steering.md \
	doc/tutorial/22-why-it-hangs.md
# With libibverbs alone, with librdmacm too, with libdvx.
TUTORIAL_VERBS = \
	doc/tutorial/atomics doc/tutorial/by_gid doc/tutorial/datagrams doc/tutorial/devx_key \
	doc/tutorial/direct_rules doc/tutorial/first_rc doc/tutorial/keys doc/tutorial/order \
	doc/tutorial/overrun doc/tutorial/pinned doc/tutorial/prm_by_hand doc/tutorial/regions \
	doc/tutorial/shared_receives doc/tutorial/stuck doc/tutorial/windows doc/tutorial/xrc
TUTORIAL_CM = \
	doc/tutorial/cm_group doc/tutorial/cm_pair
TUTORIAL_DVX = doc/tutorial/ring_by_hand
EXTRA_DIST += $(TUTORIAL_PAGES) $(TUTORIAL_PAGES:.md=.pic) $(TUTORIAL_PAGES:.md=.svg) \
	doc/tutorial/README.md doc/tutorial/picture.pl doc/tutorial/shell doc/tutorial/tutorial.h
noinst_PROGRAMS += $(TUTORIAL_VERBS) $(TUTORIAL_DVX)
$(TUTORIAL_VERBS): private LDADD = $(MLX5_LIBS) $(IBVERBS_LIBS)
if HAVE_RDMACM
noinst_PROGRAMS += $(TUTORIAL_CM)
$(TUTORIAL_CM): private LDADD = $(RDMACM_LIBS) $(IBVERBS_LIBS)
endif
$(TUTORIAL_DVX): src/lib/libdvx.la
doc_tutorial_ring_by_hand_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/examples
$(TUTORIAL_DVX): private LDADD = src/lib/libdvx.la $(MLX5_LIBS) $(IBVERBS_LIBS)

# A page runs as a test: tests/tutorial/page.pl compares what it says with what happens.
TESTS += $(TUTORIAL_PAGES)
MD_LOG_DRIVER = $(LOG_DRIVER)
MD_LOG_COMPILER = $(RUN_TEST) $(PERL) $(top_srcdir)/tests/tutorial/page.pl
dist_check_SCRIPTS += tests/tutorial/lies.sh
EXTRA_DIST += tests/tutorial/page.pl tests/tutorial/Page.pm tests/tutorial/Terminal.pm
