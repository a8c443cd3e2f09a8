/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of features. Its rows follow the checks that Linux's mlx5_ib and rdma-core's libmlx5
 * make before they offer a feature. Where no public code checks anything, the capability's name
 * decides [I].
 */
#include "features.h"
#include <ctype.h>
#include <string.h>
#include <dvx/prm/alias.h>
#include <dvx/prm/cap.h>
#include <dvx/prm/cmd.h>
#include <dvx/prm/object.h>
#include "tools/cli/names.h"

#define G    PRM_HCA_CAP_TYPE_GENERAL
#define G2   PRM_HCA_CAP_TYPE_GENERAL_2
#define ODP  PRM_HCA_CAP_TYPE_ODP
#define ATOM PRM_HCA_CAP_TYPE_ATOMIC
#define ROCE PRM_HCA_CAP_TYPE_ROCE
#define FT   PRM_HCA_CAP_TYPE_FLOW_TABLE
#define ESW  PRM_HCA_CAP_TYPE_ESWITCH_FLOW_TABLE
#define MEM  PRM_HCA_CAP_TYPE_DEV_MEM
#define QOS  PRM_HCA_CAP_TYPE_QOS
#define ETH  PRM_HCA_CAP_TYPE_ETHERNET_OFFLOADS

#define HAS(page_, field_, what_) {.page = page_, .field = field_, .value = 1, .what = what_}
#define OR(page_, field_, what_)                                                                   \
	{.page = page_, .field = field_, .value = 1, .or_before = true, .what = what_}
#define BITS(page_, field_, mask_, what_)                                                          \
	{.page = page_, .field = field_, .mask = mask_, .what = what_}
#define HOST(need_, what_) {.need = need_, .what = what_}
#define LOOK(what_, remedy_) {.need = NEED_ELSEWHERE, .what = what_, .remedy = remedy_}

#define OBJ(n) (1ull << (n))
#define RX     "flow_table_properties_nic_receive."
#define TX     "flow_table_properties_nic_transmit."
#define RC_ODP "transport_page_fault_scheme_cap.rc_odp_caps."
#define RC_MEM "memory_page_fault_scheme_cap.rc_odp_caps."

const struct feature features[] = {
	{"devx", "umem uctx", "Firmware commands, objects and umems from user space", true, {
		HAS(G, "log_max_umem", "registered memory for DevX objects")}},
	{"dma-copy", "mmo dma-mmo memcpy", "The MMO DMA engine: copies between two mkeys", true, {
		HAS(G, "dma_mmo_qp", "DMA copies on RC or DC queues"),
		{.page = G, .field = "dma_mmo_sq", .value = 1, .or_before = true,
		 .what = "DMA copies on raw send queues",
		 .remedy = "use RDMA WRITE or READ on a queue connected to itself (dvx_post_write)"},
		HAS(G, "qpc_extension",
		    "the extended QP context, by which a QP is allowed to use the engine")}},
	{"cross-vhca-export", "export allow-other-vhca",
	 "Let another VHCA use an mkey of ours", true, {
		HAS(G, "hca_cap_2", "the second page of general capabilities"),
		{.page = G2, .field = "allowed_object_for_other_vhca_access",
		 .mask = PRM_ALLOWED_OBJECT_MKEY, .what = "ALLOW_OTHER_VHCA_ACCESS takes mkeys",
		 .remedy = "its public users are BlueFields in DPU mode, and their hosts: "
			   "mlxconfig -d DEV q INTERNAL_CPU_MODEL shows the mode"}}},
	{"cross-vhca-import", "import alias alias-mkey",
	 "Use an mkey of another VHCA through an alias", true, {
		HAS(G, "hca_cap_2", "the second page of general capabilities"),
		{.page = G2, .field = "cross_vhca_object_to_object_supported",
		 .mask = PRM_CROSS_VHCA_OBJECT_LOCAL_MKEY_TO_REMOTE_MKEY,
		 .what = "an alias mkey may stand for a remote mkey",
		 .remedy = "its public users run on the Arm cores of a BlueField in DPU mode"},
		LOOK("that the other side exports: ask there with dvx-info why-not cross-vhca-export",
		     NULL)}},
	{"cross-channel", "cd wait send-enable recv-enable core-direct managed",
	 "Queues that wait for completions and start others (WAIT, SEND_EN, RECV_EN)", true, {
		HAS(G, "cd", "cross-channel requests")}},
	{"crossing-mkey", "crossing-vhca introspection", "mkeys of access mode CROSSING_VHCA", true, {
		HAS(G, "crossing_vhca_mkey", "mkeys that point at another VHCA's mkey")}},
	{"blueflame", "bf uar uar-kinds doorbell-pages", "A WQE pushed through the doorbell page", true, {
		HAS(G, "bf", "BlueFlame registers"),
		HAS(G, "log_bf_reg_size", "their size"),
		HOST(NEED_BF_UAR, "a write-combining doorbell page")}},
	{"atomics", "atomic fetch-add compare-swap",
	 "64-bit fetch-and-add and compare-and-swap", false, {
		HAS(G, "atomic", "the page of atomic capabilities"),
		BITS(ATOM, "atomic_operations", 0x3, "compare and swap, fetch and add"),
		BITS(ATOM, "atomic_size_qp", 0x8, "of 8 bytes on QPs")}},
	{"masked-atomics", "extended-atomics", "Atomics with masks", false, {
		HAS(G, "atomic", "the page of atomic capabilities"),
		BITS(ATOM, "atomic_operations", 0xc, "masked compare and swap, masked fetch and add")}},
	{"srq", "shared-receive-queue limit-events srq-limit", "Receives that many queues share", false, {
		HAS(G, "log_max_srq_sz", "WQEs in an SRQ"),
		HAS(G, "log_max_srq", "SRQs")}},
	{"rmp", "receive-memory-pool", "Receives that many queues of DevX share", true, {
		HAS(G, "log_max_rmp", "RMPs")}},
	{"rc", "reliable-connection", "Reliable connections", false, {
		HAS(G, "rc", "the RC transport"), HAS(G, "log_max_qp", "QPs"),
		HOST(NEED_ACTIVE_PORT, "a port that is up")}},
	{"uc", "unreliable-connection", "Unreliable connections", false, {
		HAS(G, "uc", "the UC transport")}},
	{"ud", "datagrams address-handles q-keys", "Datagrams", false, {HAS(G, "ud", "the UD transport")}},
	{"multicast", "mcg mcast", "Datagrams to groups", false, {
		HAS(G, "log_max_mcg", "multicast groups"),
		HAS(G, "max_qp_mcg", "QPs in a group")}},
	{"xrc", "xrcd", "Extended reliable connections", false, {
		HAS(G, "xrc", "the XRC transport"), HAS(G, "log_max_xrcd", "XRC domains"),
		HAS(G, "log_max_srq", "SRQs, to which XRC messages go")}},
	{"dc", "dct dci dynamically-connected", "Dynamically connected queues", false, {
		HAS(G, "dct", "the DC transport")}},
	{"dc-streams", "dci-streams", "DCIs of several streams of requests", false, {
		HAS(G, "dct", "the DC transport"),
		HAS(G, "log_max_dci_stream_channels", "streams of a DCI"),
		HAS(G, "log_max_dci_errored_streams", "streams in error")}},
	{"out-of-order", "ooo dp-ordering ddp",
	 "Packets that are written in the order in which they arrive", false, {
		HAS(G, "dp_ordering_ooo_all_rc", "RC queues whose packets come in any order")}},
	{"ece", "enhanced-connection-establishment",
	 "Options that two ends agree on as they connect", false, {
		HAS(G, "ece_support", "options of QPs")}},
	{"udp-sport", "udp-source-port", "A QP's UDP source port", false, {
		HAS(G, "rts2rts_qp_udp_sport", "it can be changed in RTS")}},
	{"rdma-cm", "librdmacm rdmacm", "Connections by IP address (librdmacm)", false, {
		HOST(NEED_RDMA_CM, "the device of the connection manager")}},
	{"netdev", "network-interface", "The port's network interface", false, {
		HOST(NEED_NETDEV, "an interface, whose addresses are GIDs")}},
	{"umad", "umad0 mads", "Management datagrams by programs", false, {
		LOOK("the device file: ls /dev/infiniband/umad*",
		     "sudo modprobe ib_umad; a RoCE port answers no subnet management")}},
	{"roce-v1", "rocev1", "RDMA behind an Ethernet header", false, {
		HAS(G, "roce", "the page of RoCE capabilities"),
		BITS(ROCE, "roce_version", 0x1, "version 1"),
		HOST(NEED_ACTIVE_PORT, "a port that is up")}},
	{"roce-v2", "roce rocev2", "RDMA over UDP", false, {
		HAS(G, "roce", "the page of RoCE capabilities"),
		BITS(ROCE, "roce_version", 0x4, "version 2"),
		HOST(NEED_ACTIVE_PORT, "a port that is up"),
		HOST(NEED_IPV4_GID, "a RoCE v2 GID with an IP address")}},
	{"odp", "on-demand-paging page-faults",
	 "Memory that is registered without being pinned", false, {
		HAS(G, "pg", "the page of on-demand paging capabilities"),
		HAS(ODP, RC_ODP "read", "an RC READ may fault (transport scheme)"),
		OR(ODP, RC_MEM "read", "an RC READ may fault (memory scheme)"),
		HAS(ODP, RC_ODP "write", "an RC WRITE may fault (transport scheme)"),
		OR(ODP, RC_MEM "write", "an RC WRITE may fault (memory scheme)"),
		HOST(NEED_ODP, "the kernel offers it for this device")}},
	{"devx-odp", "odp-devx memory-scheme", "On-demand paging for queues of DevX", true, {
		HAS(G, "pg", "the page of on-demand paging capabilities"),
		HAS(ODP, RC_MEM "read", "an RC READ may fault (memory scheme)"),
		HAS(ODP, RC_MEM "write", "an RC WRITE may fault (memory scheme)")}},
	{"implicit-odp", "implicit-mr", "One region on demand for the whole address space", false, {
		HAS(G, "pg", "the page of on-demand paging capabilities"),
		HAS(G, "null_mkey", "the null mkey"),
		HAS(G, "fixed_buffer_size", "indirect mkeys of parts of one size"),
		HAS(G, "umr_extended_translation_offset", "UMR of large lists"),
		{.page = G, .field = "umr_indirect_mkey_disabled", .zero = true,
		 .what = "UMR may change indirect mkeys"},
		HOST(NEED_ODP, "the kernel offers on-demand paging for this device")}},
	{"tso", "lso large-send", "Raw packets that the device cuts out of a large send", false, {
		HAS(ETH, "max_lso_cap", "large sends")}},
	{"sw-steering-rx", "sw-steering-nic-rx sws-rx nic-rx",
	 "Receive rules that software writes into the device (mlx5dv_dr)", true, {
		HAS(G, "nic_flow_table", "flow tables of the NIC"),
		HAS(FT, RX "ft_support", "receive tables"),
		HAS(FT, RX "sw_owner", "tables that software owns"),
		OR(FT, RX "sw_owner_v2", "tables that software owns, ConnectX-6 Dx and later"),
		HAS(MEM, "log_steering_sw_icm_size", "device memory for rules"),
		HOST(NEED_NET_RAW, "CAP_NET_RAW")}},
	{"sw-steering-tx", "sw-steering-nic-tx sws-tx nic-tx",
	 "Send rules that software writes into the device (mlx5dv_dr)", true, {
		HAS(G, "nic_flow_table", "flow tables of the NIC"),
		HAS(FT, TX "ft_support", "send tables"),
		HAS(FT, TX "sw_owner", "tables that software owns"),
		OR(FT, TX "sw_owner_v2", "tables that software owns, ConnectX-6 Dx and later"),
		HAS(MEM, "log_steering_sw_icm_size", "device memory for rules"),
		HOST(NEED_NET_RAW, "CAP_NET_RAW")}},
	{"sw-steering-fdb", "sws-fdb fdb eswitch",
	 "Switch rules that software writes into the device (mlx5dv_dr)", true, {
		{.page = G, .field = "eswitch_manager", .value = 1, .what = "this function owns the switch",
		 .remedy = "use the PF; on a BlueField in DPU mode the Arm side owns the switch"},
		{.page = ESW, .what = "the page of switch tables"},
		HAS(MEM, "log_steering_sw_icm_size", "device memory for rules"),
		HOST(NEED_NET_RAW, "CAP_NET_RAW"),
		LOOK("that the switch is in switchdev mode: devlink dev eswitch show pci/ADDRESS",
		     "devlink dev eswitch set pci/ADDRESS mode switchdev")}},
	{"hw-steering", "hws", "Rules that the device itself writes (HWS, mlx5dv_hws)", true, {
		HAS(G, "nic_flow_table", "flow tables of the NIC"),
		HAS(G, "wqe_based_flow_table_update_cap", "rules written by WQEs"),
		HOST(NEED_NET_RAW, "CAP_NET_RAW")}},
	{"flow-rules", "ibv-flow raw-flow",
	 "Flow rules of the kernel (ibv_create_flow, mlx5dv_create_flow)", false, {
		BITS(G, "port_type", 0x1, "Ethernet ports"),
		HAS(G, "nic_flow_table", "flow tables of the NIC"),
		HAS(FT, RX "ft_support", "receive tables"),
		HAS(FT, RX "flow_modify_en", "rules that can be changed"),
		HOST(NEED_NET_RAW, "CAP_NET_RAW")}},
	{"flow-encap", "reformat packet-reformat encap decap",
	 "Rules that add and remove tunnels", true, {
		HAS(G, "nic_flow_table", "flow tables of the NIC"),
		HAS(FT, "log_max_packet_reformat_context", "headers to add"),
		HAS(FT, TX "reformat", "send rules that add them"),
		HAS(FT, RX "reformat", "receive rules that remove them")}},
	{"match-definers", "matcher-layout definers",
	 "Layouts of matchers that a program chooses (mlx5dv_dr_matcher_set_layout)", true, {
		HAS(G, "match_definer_format_supported", "their formats")}},
	{"flow-counters", "counters", "Counters of rules", false, {
		HAS(G, "flow_counter_bulk_alloc", "many at once"),
		HAS(G, "max_flow_counter_15_0", "how many there are"),
		OR(G, "max_flow_counter_31_16", "how many there are")}},
	{"flow-samplers", "sampler", "Rules that copy a share of the packets", true, {
		BITS(G, "general_obj_types", OBJ(0x20), "samplers")}},
	{"flow-meters", "meters aso-meter", "Rules with a rate", true, {
		BITS(G, "general_obj_types", OBJ(0x24), "meters")}},
	{"connection-tracking", "ct aso-ct", "Rules that know the state of TCP connections", true, {
		BITS(G, "general_obj_types", OBJ(0x31), "tracked connections")}},
	{"raw-packets", "raw-ethernet packet-qp",
	 "Whole Ethernet frames (IBV_QPT_RAW_PACKET)", false, {
		BITS(G, "port_type", 0x1, "Ethernet ports"),
		HAS(G, "eth_net_offloads", "the page of Ethernet offloads"),
		HAS(G, "log_max_sq", "send queues"), HAS(G, "log_max_rq", "receive queues"),
		HOST(NEED_NET_RAW, "CAP_NET_RAW")}},
	{"hw-timestamps", "timestamps clock clock-page", "Completions with the device's clock", false, {
		HAS(G, "device_frequency_khz", "the clock's frequency"),
		OR(G, "device_frequency_mhz", "the clock's frequency"),
		HOST(NEED_CLOCK, "the kernel's parameters that convert timestamps to nanoseconds")}},
	{"real-time-timestamps", "utc ptp", "Completions with UTC instead of a counter", false, {
		HAS(G, "sq_ts_format", "real time on send queues"),
		HAS(G, "rq_ts_format", "real time on receive queues"),
		HAS(ROCE, "qp_ts_format", "real time on queue pairs"),
		LOOK("that the firmware keeps UTC: mlxconfig -d DEV q REAL_TIME_CLOCK_ENABLE", NULL)}},
	{"memory-windows", "mw send-with-invalidate local-invalidate bind",
	 "Memory windows of type 2, SEND with invalidate", false, {
		HAS(G, "imaicl", "the bit that Linux asks before it offers them")}},
	{"memory-regions", "mr rereg-mr zero-length-mr",
	 "Memory that is registered and pinned (ibv_reg_mr)", false, {
		HAS(G, "log_max_mkey", "mkeys"),
		HOST(NEED_MEMLOCK, "memory that may be pinned")}},
	{"dmabuf", "dma-buf", "Memory of other devices (ibv_reg_dmabuf_mr)", false, {
		{.page = G, .field = "umr_modify_entity_size_disabled", .zero = true,
		 .what = "UMR may change the page size, by which Linux maps it"},
		HOST(NEED_DMABUF, "the kernel registers dma-bufs for the device"),
		LOOK("a device that exports it, as a GPU with its open kernel modules", NULL)}},
	{"imports", "import-device shared-pd import-pd import-mr",
	 "Contexts, PDs and regions of another program (ibv_import_device)", false, {
		LOOK("a kernel with QUERY_CONTEXT, and a descriptor of the other program by SCM_RIGHTS",
		     NULL)}},
	{"parent-domains", "thread-domains td", "Domains of one thread, without locks", false, {
		HAS(G, "log_max_pd", "PDs"),
		HOST(NEED_BF_UAR, "a doorbell page for each thread")}},
	{"dma-handles", "dmah tph", "Hints for caches in PCI requests (ibv_alloc_dmah)", false, {
		HAS(G, "tph", "hints in mkeys"),
		LOOK("Linux 6.17 or later", NULL)}},
	{"null-mr", "null-mkey", "A region that discards writes", false, {
		HAS(G, "null_mkey", "the null mkey")}},
	{"umr", "indirect-mkey klm ksm interleaved", "mkeys that a WQE makes and changes", false, {
		HAS(G, "log_max_klm_list_size", "entries of an indirect mkey"),
		HAS(G, "max_indirection", "levels of mkeys over mkeys"),
		{.page = G, .field = "umr_indirect_mkey_disabled", .zero = true,
		 .what = "UMR may change indirect mkeys"},
		{.page = G, .field = "umr_modify_entity_size_disabled", .zero = true,
		 .what = "UMR may change the page size"}}},
	{"signature", "sig t10dif t10-dif crc crc32 crc64", "Signatures that the device makes and checks", false, {
		HAS(G, "sho", "signature handover")}},
	{"crypto", "aes-xts dek crypto-login", "AES-XTS on the fly", true, {
		HAS(G, "crypto", "the page of crypto capabilities"),
		BITS(G, "general_obj_types", OBJ(0xc), "key objects (DEK)"),
		HAS(G, "log_max_dek", "keys"),
		HAS(G, "aes_xts_multi_block_be_tweak", "AES-XTS with big-endian tweaks"),
		OR(G, "aes_xts_single_block_le_tweak", "AES-XTS with little-endian tweaks"),
		LOOK("that the card is a crypto-enabled part (its name ends in ...C or says Crypto Enabled)",
		     NULL)}},
	{"tag-matching", "tm xrq multi-packet-srq mp-srq", "Receives that the device matches by tag", false, {
		{.page = G, .field = "tag_matching", .value = 1, .what = "tag matching",
		 .remedy = "use a port whose link layer is InfiniBand: Ethernet ports have none"},
		HAS(G, "log_tag_matching_list_sz", "length of the list"),
		HAS(G, "log_max_xrq", "XRQs")}},
	{"device-memory", "memic dm", "Memory on the device (ibv_alloc_dm)", false, {
		HAS(G, "device_memory", "the page of device memory"),
		HAS(MEM, "memic", "memory for users"), HAS(MEM, "max_memic_size", "how much")}},
	{"cq-resize", "resize-cq", "CQs whose size changes", false, {
		HAS(G, "cq_resize", "MODIFY_CQ takes another ring")}},
	{"cq-moderation", "moderation coalescing",
	 "Events after several completions or a time", false, {
		HAS(G, "cq_moderation", "count and period of a CQ")}},
	{"cqe-padding", "cqe-128-pad cqe-128 padding", "Completions of 128 bytes that are padded", false, {
		HAS(G, "cqe_128_always", "128-byte completions of any size of the message")}},
	{"cqe-compression", "mini-cqe", "Several completions in one entry", false, {
		HAS(G, "cqe_compression", "completions may be compressed")}},
	{"striding-rq", "multi-packet-rq mprq", "Receive WQEs for many packets", false, {
		HAS(G, "striding_rq", "striding receive queues"),
		OR(G, "ib_striding_wq", "the same for InfiniBand")}},
	{"rss", "rx-hash indirection-tables wq work-queues", "Receive queues chosen by a packet's hash", false, {
		HAS(G, "eth_net_offloads", "the page of Ethernet offloads"),
		HAS(G, "log_max_rqt", "indirection tables"),
		HAS(ETH, "rss_ind_tbl_cap", "queues in one")}},
	{"end-padding", "end-pad", "Writes of the device that end with a cache line", false, {
		HAS(G, "end_pad", "padding at the end")}},
	{"delay-drop", "rq-delay-drop",
	 "Packets that wait for a receive (IBV_WQ_FLAGS_DELAY_DROP)", false, {
		HAS(G, "rq_delay_drop", "receive queues that let packets wait"),
		HAS(G, "general_notification_event", "the event when they waited too long")}},
	{"relaxed-ordering", "ro", "PCI may reorder the device's accesses", false, {
		HAS(G, "relaxed_ordering_write", "writes"),
		HAS(G, "relaxed_ordering_read", "reads"),
		OR(G, "relaxed_ordering_read_pci_enabled", "reads, and PCI allows it")}},
	{"packet-pacing", "rate-limit", "Send queues with a rate limit", false, {
		HAS(G, "qos", "the page of QoS capabilities"),
		HAS(QOS, "packet_pacing", "packet pacing"),
		HAS(QOS, "packet_pacing_rate_table_size", "rates")}},
	{"scheduling", "sched qos-tree sched-elements",
	 "Shares and limits of bandwidth (mlx5dv_sched_*)", true, {
		HAS(G, "qos", "the page of QoS capabilities"),
		BITS(QOS, "nic_element_type", 1 << PRM_SCHED_ELEMENT_TYPE_TSAR |
		     1 << PRM_SCHED_ELEMENT_TYPE_QUEUE_GROUP, "arbiters and queue groups"),
		BITS(QOS, "nic_tsar_type", 1 << PRM_TSAR_TYPE_DWRR, "arbiters that share by weight"),
		HAS(QOS, "nic_sq_scheduling", "send queues; libmlx5 asks it for weights and limits"),
		HAS(QOS, "nic_qp_scheduling", "queue pairs")}},
	{"reserved-qpns", "reserved-qpn external-qpn",
	 "QP numbers that no queue pair has (mlx5dv_reserved_qpn_alloc)", true, {
		BITS(G, "general_obj_types", OBJ(PRM_OBJ_TYPE_RESERVED_QPN),
		     "RESERVED_QPN objects")}},
	{"ah-mapping", "map-ah-to-qp av-qp-mapping",
	 "Congestion control by address (mlx5dv_map_ah_to_qp)", true, {
		BITS(G, "general_obj_types", OBJ(PRM_OBJ_TYPE_AV_QP_MAPPING),
		     "AV_QP_MAPPING objects")}},
	{"lag", "bonding lag-ports", "The port of a bond that a queue sends by", true, {
		{.page = G, .field = "num_lag_ports", .value = 2, .what = "two ports to bond",
		 .remedy = "a chip with one port has none"},
		HAS(G, "lag_tx_port_affinity", "the choice of a port")}},
	{"var", "vdpa virtio-doorbells", "Doorbells of virtio queues (mlx5dv_alloc_var)", true, {
		BITS(G, "general_obj_types", OBJ(PRM_OBJ_TYPE_VIRTIO_NET_Q),
		     "virtio queues, without which mlx5_ib offers no VAR")}},
	{"memic-operations", "dm-operations",
	 "Loads and stores that operate on device memory (mlx5dv_dm_map_op_addr)", true, {
		HAS(MEM, "memic", "memory on the device"),
		HAS(MEM, "memic_operations", "operations on it")}},
	{"packet-pacing-index", "pp", "Rates that DevX programs allocate (mlx5dv_pp_alloc)", true, {
		HAS(G, "qos", "the page of QoS capabilities"),
		HAS(QOS, "packet_pacing", "packet pacing"),
		HAS(QOS, "packet_pacing_uid", "rates belong to a uid")}},
	{"q-counters", "queue-counters", "Counters of one's own QPs", true, {
		HAS(G, "max_qp_cnt", "sets of counters")}},
	{"qp-statistics", "rdma-statistic statistic-qp",
	 "Counters that an administrator binds to queue pairs (rdma statistic qp)", false, {
		HAS(G, "max_qp_cnt", "sets of counters"),
		HAS(G, "rts2rts_qp_counters_set_id", "a queue pair that works may change its set")}},
	{"data-direct", "direct-data-path",
	 "Another PCI function that reaches the memory of GPUs", false, {
		HAS(G, "data_direct", "mkeys of the other function")}},
	{"scatter-to-cqe", "inline-receive", "Short messages inside the completion", false, {
		HAS(G, "sctr_data_cqe", "received data in the completion")}},
	{"hugepage-rings", "hugepages", "Rings and buffers on huge pages", false, {
		HOST(NEED_HUGEPAGES, "free huge pages")}},
	{"events", "interrupts channel async-events devx-events fd-num", "Sleeping until a completion or an event comes", false, {
		HAS(G, "log_max_eq", "event queues"),
		HOST(NEED_CHANNEL, "an event channel")}},
	{"devx-interrupts", "devx-eq msi-vector",
	 "Event queues and interrupts of programs (mlx5dv_devx_create_eq)", true, {
		HOST(NEED_VFIO, "a device that no kernel driver has")}},
};

const size_t feature_count = sizeof(features) / sizeof(features[0]);

static bool features_same(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((a[i] == '_' ? '-' : tolower((unsigned char)a[i])) != b[i])
			return false;
	return !a[n];
}

static bool among(const char *name, const char *words)
{
	for (size_t n; *words; words += n + (words[n] == ' ')) {
		n = strcspn(words, " ");
		if (features_same(name, words, n))
			return true;
	}
	return false;
}

const struct feature *feature_find(const char *name)
{
	for (size_t i = 0; *name && i < feature_count; i++)
		if (among(name, features[i].name) || among(name, features[i].also))
			return &features[i];
	return NULL;
}

const char *feature_near(const char *name, char *buf, size_t size)
{
	struct near near = {.count = 0};

	for (size_t i = 0; i < feature_count; i++)
		near_offer(&near, name, features[i].name);
	return near_text(&near, buf, size);
}
