# SPDX-License-Identifier: BSD-2-Clause
# The kernel's half, fed with flattened requests on a whole chip in the process; RDMA_CM.
SIM_TESTS += tests/kernel/kernel_cq tests/kernel/kernel_abi tests/kernel/kernel_verbs tests/kernel/qp \
	tests/kernel/kernel_ud tests/kernel/devx tests/kernel/kernel_events tests/kernel/devx_events \
	tests/kernel/kernel_flow tests/kernel/kernel_share tests/kernel/errno tests/kernel/errno_create \
	tests/kernel/flow_verbs tests/kernel/flow_counters tests/kernel/kernel_raw tests/kernel/kernel_srq \
	tests/kernel/kernel_xrc tests/kernel/device tests/kernel/kernel_dmabuf tests/kernel/cm_conn \
	tests/kernel/cm_ids tests/kernel/mads
VERBS_TESTS += tests/kernel/cm_calls
tests_libkernel_a_SOURCES = tests/kernel/kernel_fixture.c tests/kernel/kernel_fixture.h \
	tests/kernel/kernel_flow_rig.c tests/kernel/kernel_flow_rig.h
tests_kernel_kernel_events_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=read,--wrap=__read_chk
tests_kernel_devx_events_LDFLAGS = $(tests_kernel_kernel_events_LDFLAGS)
EXTRA_DIST += tests/kernel/events_rig.h
tests_kernel_kernel_dmabuf_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fstatfs
tests_librigs_a_SOURCES += tests/kernel/cm_rig.c tests/kernel/cm_rig.h
