# SPDX-License-Identifier: BSD-2-Clause
# Rules of other tools, both ways: no device needed. The unit tests and the fuzzer link it.
noinst_LTLIBRARIES += tools/dvx-flow/libimport.la
tools_dvx_flow_libimport_la_CPPFLAGS = $(tools_dvx_flow_libgrammar_la_CPPFLAGS)
# Functions in tables take what one of them needs.
tools_dvx_flow_libimport_la_CFLAGS = $(AM_CFLAGS) -Wno-unused-parameter
tools_dvx_flow_libimport_la_SOURCES = tools/dvx-flow/import/import.h tools/dvx-flow/import/reasons.def \
	tools/dvx-flow/import/slots.def \
	tools/dvx-flow/import/tokens.h tools/dvx-flow/import/tokens.c \
	tools/dvx-flow/import/iface.h tools/dvx-flow/import/iface.c \
	tools/dvx-flow/import/draft.h tools/dvx-flow/import/draft.c tools/dvx-flow/import/draft_text.c \
	tools/dvx-flow/import/draft_switch.c tools/dvx-flow/import/draft_ct.c \
	tools/dvx-flow/import/tables.c \
	tools/dvx-flow/import/values.h tools/dvx-flow/import/values.c \
	tools/dvx-flow/import/dialect.h tools/dvx-flow/import/dialect.c \
	tools/dvx-flow/import/tc.h tools/dvx-flow/import/tc.c tools/dvx-flow/import/tc_keys.c \
	tools/dvx-flow/import/tc_actions.c \
	tools/dvx-flow/import/ethtool.c \
	tools/dvx-flow/import/testpmd.h tools/dvx-flow/import/testpmd.c \
	tools/dvx-flow/import/testpmd_items.c tools/dvx-flow/import/testpmd_actions.c \
	tools/dvx-flow/import/iptables.h tools/dvx-flow/import/iptables.c tools/dvx-flow/import/iptables_words.c \
	tools/dvx-flow/import/nft.h tools/dvx-flow/import/nft.c tools/dvx-flow/import/nft_rule.c \
	tools/dvx-flow/import/nft_match.c \
	tools/dvx-flow/import/ovs.h tools/dvx-flow/import/ovs.c tools/dvx-flow/import/ovs_match.c \
	tools/dvx-flow/import/ovs_actions.c \
	tools/dvx-flow/import/dpctl.h tools/dvx-flow/import/dpctl.c tools/dvx-flow/import/dpctl_actions.c \
	tools/dvx-flow/import/export.h tools/dvx-flow/import/entry.h tools/dvx-flow/import/export.c \
	tools/dvx-flow/import/export_tc.c tools/dvx-flow/import/export_testpmd.c
tools_dvx_flow_libimport_la_LIBADD = tools/dvx-flow/librules.la
