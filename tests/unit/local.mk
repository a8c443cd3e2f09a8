# SPDX-License-Identifier: BSD-2-Clause
# The leaf (log, timers), the far side of PCIe, the chip's loop.
SIM_TESTS += tests/unit/netlink tests/unit/base_crc32 tests/unit/base_intervals tests/unit/base_log tests/unit/base_maps tests/unit/base_timer tests/unit/setting tests/unit/chip_loop tests/unit/chip_wire_wait tests/unit/move_budget \
	tests/unit/host_dma tests/unit/host_pins tests/unit/host_share tests/unit/host_share_moves tests/unit/host_uar tests/unit/host_wake \
	tests/unit/host_lockstep
HOST_SHARE_RIG = tests/unit/host_share_rig.c tests/unit/host_share_rig.h
HOST_BAR_RIG = tests/unit/host_bar_rig.c tests/unit/host_bar_rig.h
tests_unit_host_uar_SOURCES = tests/unit/host_uar.c $(HOST_BAR_RIG)
tests_unit_host_wake_SOURCES = tests/unit/host_wake.c $(HOST_BAR_RIG)
tests_unit_host_lockstep_SOURCES = tests/unit/host_lockstep.c $(HOST_BAR_RIG)
tests_unit_host_dma_SOURCES = tests/unit/host_dma.c $(HOST_SHARE_RIG)
tests_unit_host_share_SOURCES = tests/unit/host_share.c $(HOST_SHARE_RIG)
tests_unit_host_share_moves_SOURCES = tests/unit/host_share_moves.c $(HOST_SHARE_RIG)
# The data path and the transport on a device without firmware (queue_rig.h).
SIM_TESTS += tests/unit/queue_rc tests/unit/queue_atomic tests/unit/queue_umr tests/unit/queue_reg_umr tests/unit/queue_errors tests/unit/queue_cq tests/unit/queue_cross tests/unit/queue_mmo tests/unit/queue_life \
	tests/unit/queue_trace tests/unit/queue_ud tests/unit/queue_xrc tests/unit/queue_self tests/unit/queue_direct tests/unit/queue_post tests/unit/net_loss tests/unit/net_drops \
	tests/unit/queue_raw tests/unit/queue_raw_rx tests/unit/queue_rss tests/unit/queue_functions \
	tests/unit/queue_srq tests/unit/queue_inline tests/unit/queue_dc tests/unit/port tests/unit/port_fault tests/unit/port_peer tests/unit/port_udp
tests_unit_queue_atomic_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=queue_buffer_get
tests_unit_queue_cq_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=syscall
tests_unit_queue_direct_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=port_send
SIM_TESTS += tests/unit/queue_shape
SIM_TESTS += tests/unit/queue_sig tests/unit/queue_lso
SIM_TESTS += tests/unit/queue_cq_event tests/unit/kernel_cq tests/unit/fw_cq
# Firmware's commands.
SIM_TESTS += tests/unit/fw_exec tests/unit/fw_objects tests/unit/fw_queues tests/unit/fw_alias tests/unit/fw_query \
	tests/unit/fw_icm tests/unit/fw_kernel tests/unit/fw_raw tests/unit/fw_raw_way tests/unit/fw_rmp tests/unit/fw_dct tests/unit/fw_xrc tests/unit/fw_q_counter
tests_unit_fw_queues_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=calloc
# Packets through flow tables and steering entries, and the commands that make them.
SIM_TESTS += tests/unit/fw_flow tests/unit/steer_agree tests/unit/steer_packet \
	tests/unit/steer_tables tests/unit/steer_walk
tests_unit_steer_agree_LDADD = tools/dvx-flow/libexplain.la $(SIM_LIBS) $(CMOCKA_LIBS)
# The kernel's half, fed with flattened requests on a whole chip in the process.
SIM_TESTS += tests/unit/kernel_abi tests/unit/kernel_verbs tests/unit/kernel_qp tests/unit/kernel_ud tests/unit/kernel_devx \
	tests/unit/kernel_events tests/unit/kernel_flow tests/unit/kernel_share tests/unit/kernel_errno tests/unit/kernel_errno_create \
	tests/unit/kernel_flow_verbs tests/unit/kernel_flow_counters tests/unit/kernel_raw tests/unit/kernel_srq tests/unit/kernel_xrc tests/unit/kernel_device tests/unit/kernel_dmabuf
tests_unit_kernel_events_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=read,--wrap=__read_chk
tests_unit_kernel_dmabuf_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fstatfs

# The RDMA_CM device on a wire of the test's own, and on the port.
SIM_TESTS += tests/unit/cm_conn tests/unit/cm_ids tests/unit/mads

# libdvx without a device: rings on plain memory, tickets, headers, symbols.
LIB_TESTS += tests/unit/attrs tests/unit/ring_sq tests/unit/ring_cq tests/unit/ring_rq tests/unit/ring_srq tests/unit/ring_users tests/unit/ticket tests/unit/lib_cmd \
	tests/unit/flow_match tests/unit/flow_fake
tests_unit_flow_fake_SOURCES = tests/unit/flow_fake.c tests/unit/flow_fake_rig.c tests/unit/flow_fake_rig.h

# dvx-copy without a device: copy_fake.c moves the bytes.
COPY_TESTS += tests/unit/copy_filter tests/unit/copy_bwlimit tests/unit/copy_workers
COPY_TESTS += tests/unit/copy_crc tests/unit/copy_msg tests/unit/copy_link tests/unit/copy_gate tests/unit/copy_access tests/unit/copy_confine tests/unit/copy_paths \
	tests/unit/copy_hostile tests/unit/copy_clients
COPY_FAKE = tests/unit/copy_fake.c tests/unit/copy_fake.h tests/unit/copy_fds.h tests/unit/copy_swap.h
tests_unit_copy_msg_SOURCES = tests/unit/copy_msg.c tests/unit/copy_sample.h
tests_unit_copy_hostile_SOURCES = tests/unit/copy_hostile.c tests/unit/copy_disk.c tests/unit/copy_theirs.c tests/unit/copy_pull.c tests/unit/copy_pull.h \
	tests/unit/copy_actor.c tests/unit/copy_actor.h $(COPY_FAKE)
tests_unit_copy_hostile_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=close,--wrap=fstatfs,--wrap=syncfs,--wrap=renameat,--wrap=linkat,--wrap=mkdirat,--wrap=flock,--wrap=readdir,--wrap=unlinkat,--wrap=getgrnam_r
tests_unit_copy_clients_SOURCES = tests/unit/copy_clients.c $(COPY_FAKE)
tests_unit_copy_clients_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=syscall,--wrap=llistxattr,--wrap=lgetxattr,--wrap=getdents64

# dvx-flow's rules and its explain, without a device.
FLOW_TESTS += tests/unit/import tests/unit/rules_parse tests/unit/rules_mistakes tests/unit/rules_edit tests/unit/rules_fill
FLOW_TESTS += tests/unit/rules_compile tests/unit/rules_entries tests/unit/rules_acl
tests_unit_rules_compile_SOURCES = tests/unit/rules_compile.c tests/unit/rules_rig.h
tests_unit_rules_entries_SOURCES = tests/unit/rules_entries.c tests/unit/rules_rig.h
tests_unit_rules_edit_SOURCES = tests/unit/rules_edit.c tests/unit/rules_rig.h
tests_unit_rules_acl_SOURCES = tests/unit/rules_acl.c tests/unit/acl_run.c tests/unit/acl_run.h tests/unit/rules_rig.h
tests_unit_rules_fill_SOURCES = tests/unit/rules_fill.c tests/unit/rules_rig.h tools/dvx-flow/daemon/fill.c tools/dvx-flow/daemon/generation_fits.c
FLOW_TESTS += tests/unit/flow_server
tests_unit_flow_server_SOURCES = tests/unit/flow_server.c tools/dvx-flow/daemon/server.c tools/dvx-flow/daemon/pause.c \
	tools/dvx-flow/daemon/members.c tools/dvx-flow/msg.c tools/dvx-flow/fault.c
tests_unit_flow_server_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/tools/dvx-flow $(JANSSON_CFLAGS)
tests_unit_rules_fill_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) -I$(top_srcdir)/tools/dvx-flow -I$(top_srcdir)/src

# The PRM's tables and what dvx-prm and dvx-info read with them.
PRM_TESTS += tests/unit/prm_accessors tests/unit/prm_reflect \
	tests/unit/explain_fit tests/unit/explain_corpus tests/unit/explain_cut tests/unit/info_words

tests_librigs_a_SOURCES += tests/unit/queue_rig.c tests/unit/queue_rig_wqe.c tests/unit/queue_rig_pair.c \
	tests/unit/queue_rig_frame.c tests/unit/queue_rig.h tests/unit/queue_raw_rig.c tests/unit/queue_raw_rig.h \
	tests/unit/fw_fixture.c tests/unit/fw_fixture.h tests/unit/fw_raw_rig.c tests/unit/fw_raw_rig.h \
	tests/unit/flow_rig.c tests/unit/flow_rig.h tests/unit/flow_slow.c tests/unit/flow_slow.h \
	tests/unit/flow_slow_change.c tests/unit/flow_slow_change.h \
	tests/unit/flow_slow_spread.c tests/unit/flow_slow_spread.h \
	tests/unit/acl_sets.c tests/unit/acl_sets.h tests/unit/acl_packets.c tests/unit/acl_packets.h
tests_librigs_a_SOURCES += tests/unit/cm_rig.c tests/unit/cm_rig.h
tests_libkernel_a_SOURCES = tests/unit/kernel_fixture.c tests/unit/kernel_fixture.h \
	tests/unit/kernel_flow_rig.c tests/unit/kernel_flow_rig.h

dist_check_SCRIPTS += tests/unit/attr_list.pl tests/unit/quickstart.sh tests/unit/packages.pl tests/unit/layers.pl tests/unit/names.pl tests/unit/docs.pl tests/unit/prm_gen.pl tests/unit/prm_witness.pl tests/unit/prm_asm.sh \
	tests/unit/prm_export.py tests/unit/prm_pages.py tests/unit/dvx_prm.sh tests/unit/dvx_prm_explain.sh \
	tests/unit/dvx_prm_public.sh tests/unit/dvx_prm_said.sh tests/unit/flow_explain.sh tests/unit/flow_import.sh tests/unit/flow_include.sh tests/unit/completion.sh \
	tests/unit/barriers.sh tests/unit/headers.sh tests/unit/symbols.sh tests/unit/manpages.sh tests/unit/aarch64.sh tests/unit/platforms.sh
EXTRA_DIST += tests/unit/explain.corpus tests/unit/import.rows tests/unit/posts.pl tests/unit/posts.awk tests/unit/WitnessNames.pm tests/unit/man_errors.pl tests/unit/ring.h tests/unit/packets.h tests/unit/cross/cmocka.h tests/golden/dumps
