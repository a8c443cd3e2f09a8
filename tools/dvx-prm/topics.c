/* SPDX-License-Identifier: BSD-2-Clause */
#include "topics.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define CORE   "Linux, drivers/net/ethernet/mellanox/mlx5/core/"
#define REPORT "keep the report and the firmware's version for the vendor's support"

const struct topic topics[TOPICS] = {
	[TOPIC_HEALTH_FATAL] = {"health_fatal", "the device is in a fatal state",
				"the driver polls the device and has stopped using it: commands "
				"fail, and every user of the device gets IBV_EVENT_DEVICE_FATAL",
				CORE "health.c",
				"read the health report that follows; devlink health show tells "
				"whether recovery worked; if the function stays in this state, try "
				"a reset (devlink dev reload, a power cycle); " REPORT},
	[TOPIC_HEALTH_MISSED] =
		{"health_missed", "the device's health counter stands still",
		 "firmware counts as long as it lives; the driver found the number unchanged three "
		 "times in a row, so firmware hangs or has given up",
		 CORE "health.c",
		 "read the health report that follows, if there is one; look for command timeouts "
		 "after it; reset the function; " REPORT},
	[TOPIC_HEALTH_ISSUE] =
		{"health_issue", "the head of a health report",
		 "firmware wrote a reason (synd) into its health buffer and the driver prints it",
		 CORE "health.c", "explain the lines that follow it, too"},
	[TOPIC_HEALTH_REPORT] =
		{"health_report", "health report of firmware",
		 "the lines are the health buffer of the initialization segment (dvx-prm show "
		 "health_buffer); assert_var, assert_exit_ptr, assert_callra and ext_synd are "
		 "firmware's own addresses and numbers: no public list explains them",
		 CORE "health.c and include/linux/mlx5/device.h",
		 "devlink health show and devlink health dump show (reporter fw_fatal) have the "
		 "driver's view; update firmware if it is old; " REPORT},
	[TOPIC_HEALTH_RECOVERY] =
		{"health_recovery", "the driver tries to recover a device in a fatal state",
		 "it unloads the function, waits for the PCI device to answer, and loads it again",
		 CORE "health.c",
		 "if it says that PCI reads still do not work, check the slot and power cycle the "
		 "host; else try to reload the function; look before it for the first fatal error"},
	[TOPIC_COMMAND_TIMEOUT] =
		{"command_timeout", "a firmware command got no answer in time",
		 "the driver waited (60 s by default) and gave up; the entry of the command queue "
		 "stays taken until firmware answers, so that each such timeout leaves fewer",
		 CORE "cmd.c",
		 "look before it for a health report or a PCI error: a device that is gone answers "
		 "no command; if only one command times out, report command and firmware version "
		 "to the vendor; try to reload the function (devlink dev reload), which makes the "
		 "command queue anew"},
	[TOPIC_COMMAND_LATE] = {"command_late", "a firmware command was answered after its time",
				"the driver waited until the command's time was over, and saw the "
				"answer only then",
				CORE "cmd.c",
				"look which command timed out before it; firmware that is slow "
				"more than once is a matter for the vendor's support"},
	[TOPIC_COMMAND_QUEUE] =
		{"command_queue", "a firmware command found no free entry of the command queue",
		 "other commands hold all entries, so that this one never reached firmware",
		 CORE "cmd.c", "look for the first command timeout in the log: it holds an entry"},
	[TOPIC_FIRMWARE_WAIT] =
		{"firmware_wait", "firmware is still initializing",
		 "the driver reads the bit \"initializing\" of the initialization segment until it "
		 "is 0; the number in parentheses, where there is one, is the word that holds it",
		 CORE "main.c",
		 "0xffffffff means that reads of the device do not work (PCI); else wait for the "
		 "end; if it aborts, power cycle the device and check its firmware image (flint)"},
	[TOPIC_PROBE] = {"probe", "the driver could not start or stop the device",
			 "one step failed; the step's own message is in the lines before",
			 CORE "main.c",
			 "find the first error of this device in the log, most often a refused or "
			 "late firmware command"},
	[TOPIC_PAGES] = {"pages", "firmware's memory could not be given or taken back",
			 "firmware keeps its objects in pages of the host (MANAGE_PAGES); when it "
			 "does not return them in time the driver gives up on them",
			 CORE "pagealloc.c",
			 "look for command timeouts and a health report of the same device; for "
			 "pages that could not be given, look for failed allocations of the host"},
	[TOPIC_TEMPERATURE] =
		{"temperature", "sensors of the device report a high temperature",
		 "each set bit stands for a sensor whose value passed its limit; the driver only "
		 "prints that",
		 CORE "events.c (event TEMP_WARN_EVENT)",
		 "check airflow, fans and the transceivers' temperature (mget_temp, ethtool -m)"},
	[TOPIC_POWER] = {"power", "the PCIe slot offers less power than the device wants",
			 "firmware read the slot's power and found it too low; the number is what "
			 "the slot offers",
			 CORE "events.c (register MPEIN)",
			 "compare with lspci -vv (SlotPowerLimit) and the board's manual; check "
			 "whether it matters: compare the measured rate with the link's"},
	[TOPIC_MODULE] =
		{"module", "event of a cable or transceiver",
		 "the port's module was plugged, unplugged, disabled or failed",
		 CORE "events.c (event PORT_MODULE_EVENT)",
		 "reseat or replace the module, and check that the board supports it (ethtool -m)"},
	[TOPIC_CQ_ERROR] =
		{"cq_error", "a CQ failed",
		 "the device can write no more completions to it; QPs that use it fail next",
		 CORE "eq.c (event CQ_ERROR)",
		 "make the CQ as long as all work that can be outstanding on its queues"},
	[TOPIC_TX_TIMEOUT] =
		{"tx_timeout", "a transmit queue of the network interface made no progress",
		 "the kernel's watchdog found the queue stopped for too long; Cons and Prod are "
		 "the positions of the device and of the driver in the ring",
		 CORE "en_main.c and en/reporter_tx.c",
		 "look for flow control (rx_prio*_pause of ethtool -S), lost interrupts, command "
		 "timeouts and health reports of the same device"},
	[TOPIC_MKEY_CACHE] =
		{"mkey", "the kernel could not make or change an mkey",
		 "ibv_reg_mr() needs CREATE_MKEY, or a UMR for large or on-demand memory; the "
		 "number is an errno, or for \"reg umr failed\" a status of a completion",
		 "Linux, drivers/infiniband/hw/mlx5/mr.c and umr.c",
		 "look for the command's refusal (CREATE_MKEY) or the completion's dump beside it"},
	[TOPIC_MODIFY_QP] =
		{"modify_qp", "a QP did not change its state",
		 "the kernel checks which attributes a change needs, resolves the peer's address "
		 "on RoCE, and sends firmware the command of the change (RST2INIT_QP, INIT2RTR_QP, "
		 "RTR2RTS_QP)",
		 "ibv_modify_qp(3); Linux, drivers/infiniband/core/verbs.c and hw/mlx5/qp.c",
		 "compare both ends' GID index and type, MTU and port; dvx-info gids ranks the "
		 "GIDs; dmesg has the refused command where firmware refused it"},
	[TOPIC_MEMORY] = {"memory", "memory could not be registered",
			  "the kernel pins a registration's pages and counts them against "
			  "RLIMIT_MEMLOCK, unless the process has CAP_IPC_LOCK",
			  "Linux, drivers/infiniband/core/umem.c", NULL},
	[TOPIC_MEMLOCK] = {"memlock", "the limit of locked memory is low",
			   "RDMA memory is pinned and counted against RLIMIT_MEMLOCK, unless the "
			   "process has CAP_IPC_LOCK",
			   "Linux, drivers/infiniband/core/umem.c; libibverbs (the warning)",
			   "raise it: ulimit -l unlimited, /etc/security/limits.d, LimitMEMLOCK= "
			   "of the systemd unit (also of slurmd or sshd), docker run --ulimit "
			   "memlock=-1; dvx-info doctor checks it"},
	[TOPIC_ASYNC_EVENT] =
		{"async_event", "asynchronous event",
		 "the device reported it through ibv_get_async_event(), not through a completion",
		 "libibverbs (ibv_event_type_str(), ibv_get_async_event(3)); Linux, "
		 "drivers/infiniband/hw/mlx5/qp.c and main.c",
		 NULL},
	[TOPIC_CM_EVENT] = {"cm_event", "event of the connection manager (RDMA_CM)",
			    "rdma_get_cm_event(3) gives the event and a status: a negative errno, "
			    "or the peer's reason of a REJECTED",
			    "librdmacm (rdma_get_cm_event(3)); Linux, "
			    "drivers/infiniband/core/cma.c and include/rdma/ib_cm.h",
			    NULL},
	[TOPIC_NO_DRIVER] =
		{"no_driver", "libibverbs found a device but no driver for it",
		 "the kernel lists the device in /sys/class/infiniband_verbs; the library that "
		 "drives it (libmlx5-rdmavNN.so for mlx5) is missing, or of another version of "
		 "libibverbs",
		 "rdma-core, libibverbs/init.c and dynamic_driver.c",
		 "install the drivers that belong to this libibverbs (ibverbs-providers or "
		 "rdma-core); in a container: the same rdma-core inside, and /etc/libibverbs.d"},
	[TOPIC_NO_DEVICE] = {"no_device", "no RDMA device was found",
			     "libibverbs found no device that it can open: none in the kernel, no "
			     "driver library, or no access to /dev/infiniband",
			     "rdma-core, libibverbs/device.c and init.c",
			     "check lspci, lsmod (mlx5_ib), ls /dev/infiniband, and warnings of "
			     "libibverbs before it; in a container pass --device /dev/infiniband; "
			     "dvx-info doctor checks them; without a NIC: dvx-sim run -- PROGRAM"},
	[TOPIC_DPDK_PROBE] = {"dpdk_probe", "DPDK's mlx5 driver could not start a port",
			      "the reason is the errno at its end; the driver's own messages "
			      "before it say which object failed",
			      "DPDK, drivers/common/mlx5 and drivers/net/mlx5",
			      "run with --log-level=pmd.*mlx5:8; check that the port's netdev is "
			      "in this network namespace, that the process may use it "
			      "(CAP_NET_RAW, memlock), and the firmware's version"},
	[TOPIC_FLOW_REFUSED] = {"flow_refused", "a flow rule was refused",
				"the driver or the device has no way to do this combination of "
				"match and action in this table",
				"DPDK, drivers/net/mlx5/mlx5_flow_verbs.c and mlx5_flow_dv.c",
				"take parts away until it is accepted; dvx-flow check --device DEV "
				"tries a rule of dvx-flow's language on the device"},
	[TOPIC_COUNTER] = {"counter", "counter of the port or the device",
			   "it only grows, and does not tell when it grew",
			   "Linux, "
			   "Documentation/networking/device_drivers/ethernet/mellanox/mlx5/"
			   "counters.rst and drivers/infiniband/hw/mlx5/counters.c",
			   "read it twice: only what grows now is a fault of today"},
	[TOPIC_POST] = {"post", "a work request could not be posted",
			"libmlx5 checks opcode, number of segments, inline length and room in the "
			"ring; the device has not seen the request",
			"rdma-core, providers/mlx5/qp.c (_mlx5_post_send(), mlx5_post_recv())",
			NULL},
	[TOPIC_ADDRESS_HANDLE] =
		{"address_handle", "an address handle could not be made",
		 "on RoCE the kernel looks up the peer's MAC address for it, and each handle needs "
		 "the index of an own GID and the global routing header (is_global)",
		 "Linux, drivers/infiniband/core/verbs.c (rdma_create_user_ah()); ibv_create_ah(3)",
		 "set all fields of ibv_ah_attr (zero it first); check the GID index (dvx-info "
		 "gids), and ping the peer from the interface of that GID"},
	[TOPIC_DV_CALL] = {"dv_call", "a call of mlx5dv failed",
			   "such calls make objects with attributes of mlx5, or take a command to "
			   "firmware (DevX); the line has the errno only",
			   "rdma-core, providers/mlx5 (mlx5dv(7))",
			   "dvx-info why-not devx checks context and device; dmesg has the refused "
			   "command where the kernel sent it"},
	[TOPIC_NO_CM] = {"no_cm", "RDMA_CM cannot be used",
			 "librdmacm opens /dev/infiniband/rdma_cm for each event channel",
			 "rdma-core, librdmacm/cma.c (rdma_create_event_channel())",
			 "modprobe rdma_ucm; check the rights of /dev/infiniband/rdma_cm; in a "
			 "container pass --device /dev/infiniband"},
	[TOPIC_OPENIB] =
		{"openib", "Open MPI's component openib could not use a device",
		 "openib drives verbs devices itself; since Open MPI 4.0 UCX is the way for mlx5, "
		 "and openib is off by default for InfiniBand",
		 "Open MPI, opal/mca/btl/openib (help-mpi-btl-openib.txt)",
		 "use UCX (mpirun --mca pml ucx), or leave openib out (--mca btl ^openib)"},
	[TOPIC_OFFLOAD] = {"offload", "a flow of Open vSwitch was not offloaded",
			   "the switch asked the kernel for a tc-flower rule, which was refused; "
			   "the flow goes on in software",
			   "Open vSwitch, lib/dpif-netlink.c and lib/netdev-offload-tc.c",
			   "look in ovs-vswitchd's log and dmesg for the reason; check ethtool -k "
			   "(hw-tc-offload), devlink dev eswitch show (switchdev), and the "
			   "versions of both: newer ones know more matches and actions"},
	[TOPIC_PCIE] =
		{"pcie", "the PCIe link is narrower or slower than the device could use",
		 "the driver compares the link that was negotiated with the capability of the "
		 "device; x0 is what a virtual function shows, whose own link registers are 0",
		 "Linux, drivers/pci/pci.c (__pcie_print_link_status())",
		 "lspci -vv (LnkCap, LnkSta) of the device and of the ports above it; another "
		 "slot, or a BIOS setting of its lanes; for a virtual function look at the "
		 "physical one"},
	[TOPIC_POWER_UNKNOWN] =
		{"power_unknown", "the PCIe slot does not say how much power it has",
		 "a note, no failure: firmware found no value among the slot's capabilities",
		 CORE "events.c (register MPEIN)", "none"},
	[TOPIC_PROFILE] = {"profile", "the driver asked for more QPs than the device has",
			   "it takes the device's limit and goes on: a note, no failure; the "
			   "numbers are log2",
			   CORE "main.c (handle_hca_cap())", "none; the failure is another line"},
	[TOPIC_CHECKSUM] =
		{"checksum", "the checksum that a device computed over a received packet is wrong",
		 "the packet's own checksum is right, else it would be dropped without this "
		 "message; the device's sum over the whole packet (CHECKSUM_COMPLETE) is wrong, or "
		 "the driver changed the packet and not the sum; the lines that follow are the "
		 "packet, no dump of mlx5",
		 "Linux, net/core/dev.c (netdev_rx_csum_fault())",
		 "update kernel and firmware; ethtool -K INTERFACE rx off avoids it; report it "
		 "with the skb lines: the first bytes show which encapsulation is concerned"},
	[TOPIC_DPDK_COUNTERS] =
		{"dpdk_counters", "DPDK cannot read counters of the port",
		 "net_mlx5 reads out_of_buffer from the device's hw_counters in sysfs, and others "
		 "by ethtool's ioctl; the port works without them",
		 "DPDK, drivers/net/mlx5/linux/mlx5_ethdev_os.c",
		 "look for /sys/class/infiniband/DEVICE/ports/1/hw_counters; in a container mount "
		 "the host's /sys"},
	[TOPIC_OPEN_DEVICE] =
		{"open_device", "a device could not be opened, or gave no more doorbell registers",
		 "opening takes /dev/infiniband/uverbsN, and pages of doorbell registers (UARs) of "
		 "the device's BAR for each context",
		 "rdma-core, libibverbs/device.c; mlx5dv(7); UCX, src/uct/ib/mlx5/ib_mlx5.c", NULL},
	[TOPIC_ESWITCH] = {"eswitch", "the e-switch did not change its mode",
			   "in switchdev mode the driver makes tables of the e-switch (FDB); one "
			   "step failed, and a refused command stands in the lines before",
			   CORE "eswitch_offloads.c",
			   "look at the refused command in dmesg; try without virtual functions "
			   "(sriov_numvfs 0), or with theirs unbound, and make them afterwards; "
			   "compare the firmware's version"},
	[TOPIC_LNET] =
		{"lnet", "Lustre's network over verbs waits too long for a send",
		 "a message to this peer was not completed in time, and the connection is closed",
		 "Lustre, lnet/klnds/o2iblnd/o2iblnd_cb.c (kiblnd_check_conns())",
		 "lnetctl ping the peer; check that it lives and that its port is active; look for "
		 "failed completions and errors of the link at both ends"},
	[TOPIC_UMAD] = {"umad", "a management datagram of InfiniBand was not answered",
			"the port at the end of this path, or one on the way, is gone or too slow",
			"rdma-core, infiniband-diags and libibmad",
			"ibtracert and iblinkinfo along the path; a longer time (-t), or run it "
			"again: the fabric may have changed meanwhile"},
	[TOPIC_SPDK_QPAIR] = {"spdk_qpair", "SPDK gives up a queue pair after an error",
			      "SPDK has these words for every failed completion, whatever its "
			      "status: no retry counter need have been exceeded",
			      "SPDK, lib/nvme/nvme_qpair.c",
			      "read the line of the failed completion before it"},
	[TOPIC_OBJECT] =
		{"object", "a queue, or another object of libibverbs, could not be made",
		 "libibverbs checks the sizes that are asked for, the kernel pins the rings "
		 "(counted "
		 "against RLIMIT_MEMLOCK, unless the process has CAP_IPC_LOCK), and firmware makes "
		 "the "
		 "object",
		 "rdma-core, providers/mlx5/verbs.c; Linux, drivers/infiniband/core/umem.c and "
		 "hw/mlx5",
		 NULL},
	[TOPIC_KERNEL_OBJECT] = {"kernel_object",
				 "a module of the kernel could not make a queue or a region",
				 "modules use the device themselves: no limit of locked memory "
				 "counts, and the rights "
				 "of no program; the number is an errno",
				 "Linux, drivers/infiniband/core/verbs.c and hw/mlx5",
				 "look in dmesg for a refused command of firmware (CREATE_QP, "
				 "CREATE_CQ, CREATE_MKEY) "
				 "before it; ask the module for shorter or fewer queues; rdma "
				 "resource show counts what "
				 "is in use"},
	[TOPIC_DMABUF] =
		{"dmabuf", "memory could not be registered: that of a dma-buf",
		 "the exporter (a GPU's driver) hands out a file descriptor, to which the kernel "
		 "attaches the RDMA device; the limit of locked memory does not count here",
		 "Linux, drivers/infiniband/core/umem_dmabuf.c and "
		 "core/uverbs_std_types_mr.c, hw/mlx5/mr.c",
		 "dvx-info why-not dmabuf asks the device; GPU memory can be registered by "
		 "ibv_reg_mr() instead, if nvidia-peermem is loaded (NCCL_DMABUF_ENABLE=0, "
		 "UCX_CUDA_COPY_DMABUF=no)"},
	[TOPIC_PEER_MEMORY] =
		{"peer_memory", "no module for GPU memory is loaded",
		 "ibv_reg_mr() of GPU memory needs one beside the GPU's driver (nvidia-peermem; "
		 "formerly nv_peer_mem), and a kernel or OFED with the peer memory interface; "
		 "dma-bufs need neither",
		 "NVIDIA open-gpu-kernel-modules, kernel-open/nvidia-peermem",
		 "modprobe nvidia-peermem; dvx-info doctor checks it, and dma-bufs"},
	[TOPIC_FORK] =
		{"fork", "libibverbs could not prepare for fork()",
		 "ibv_fork_init() (or RDMAV_FORK_SAFE) keeps registered pages out of children by "
		 "madvise(MADV_DONTFORK); kernels with copy-on-fork do not need it",
		 "rdma-core, libibverbs/memory.c; ibv_fork_init(3)",
		 "call it before any memory is registered, also by libraries; rdma system tells "
		 "whether the kernel has copy-on-fork, and dvx-info doctor, too"},
	[TOPIC_DESTROY] =
		{"destroy", "an object of libibverbs could not be destroyed",
		 "the kernel keeps an object as long as others use it",
		 "Linux, drivers/infiniband/core/rdma_core.c; ibv_destroy_qp(3) and its kin", NULL},
	[TOPIC_CM_CALL] =
		{"cm_call", "a call of RDMA_CM failed",
		 "RDMA_CM finds device, port and GID by IP addresses and routes, and makes the QP "
		 "of "
		 "a connection ready",
		 "rdma-core, librdmacm/cma.c; Linux, drivers/infiniband/core/cma.c and addr.c",
		 "ip addr and rdma link: both ends use addresses of interfaces with an RDMA "
		 "device; "
		 "try rping between them"},
	[TOPIC_GID_TYPE] =
		{"gid_type", "a GID, or its type (RoCE v1 or v2), could not be read",
		 "programs read /sys/class/infiniband/DEVICE/ports/N/gid_attrs/types/INDEX; an "
		 "entry "
		 "of the GID table that is empty has the file, but reading it gives EINVAL; in a "
		 "container the GIDs of other network namespaces are empty entries",
		 "Linux, drivers/infiniband/core/sysfs.c and cache.c; NCCL, "
		 "src/transport/net_ib.cc",
		 "dvx-info gids lists the entries that are not empty: name one to the program "
		 "(NCCL_IB_GID_INDEX, UCX_IB_GID_INDEX), or use a version that goes on at an empty "
		 "entry"},
	[TOPIC_VERB] =
		{"verb", "a call of libibverbs failed", "the line has the call and the errno only",
		 "rdma-core, libibverbs (the call's page of the manual)",
		 "strace -e ioctl,write shows whether the kernel refused it; dmesg has refused "
		 "commands of firmware"},
	[TOPIC_NO_PROVIDER] =
		{"no_provider", "libfabric has no provider for what was asked",
		 "each provider compares address, endpoint type and capabilities of the hints with "
		 "its own; -61 (FI_ENODATA) means that none is left",
		 "libfabric, src/fabric.c; fi_getinfo(3)",
		 "FI_LOG_LEVEL=info shows why each provider refused; verbs needs an IP address on "
		 "the "
		 "interface of the RDMA device (rdma link), and FI_EP_MSG (or verbs;ofi_rxm for "
		 "FI_EP_RDM)"},
	[TOPIC_NVSHMEM] =
		{"nvshmem", "a step of NVSHMEM failed",
		 "the number is most often NVSHMEM's own status, no errno (7 is "
		 "NVSHMEMX_ERROR_INTERNAL, for any reason)",
		 "NVSHMEM, src/include/non_abi/nvshmemx_error.h",
		 "read the first of these lines, and what stands before it: it names the call of "
		 "libibverbs or the command; NVSHMEM_DEBUG=INFO shows more"},
	[TOPIC_PERFTEST_PEER] =
		{"perftest_peer", "perftest's two ends could not talk to each other",
		 "they exchange QP numbers, keys and addresses over TCP (port 18515, -p) before "
		 "the "
		 "first RDMA packet; the other end is not there, gave up, or does not get through",
		 "perftest, src/perftest_communication.c",
		 "look at the other end's output first: its failure ends both; start the server "
		 "before "
		 "the client, with the same options; check the address, and TCP port 18515 in "
		 "firewalls"},
	[TOPIC_DPDK_QUEUE] =
		{"dpdk_queue", "DPDK could not set up a queue of a port",
		 "the errno at the end stands for several reasons; the driver's own message is in "
		 "the lines before",
		 "DPDK, drivers/net/mlx5/mlx5_rxq.c, mlx5_txq.c and mlx5_trigger.c",
		 "read the line before it; else check memlock, the number of descriptors and "
		 "queues, "
		 "and hugepages; run with --log-level=pmd.*mlx5:8"},
	[TOPIC_DPDK_MBUF] =
		{"dpdk_mbuf", "DPDK's receive buffers are smaller than the longest packet",
		 "without scatter a packet has to fit into one mbuf, behind its headroom; with it, "
		 "into as many as a receive WQE has segments",
		 "DPDK, drivers/net/mlx5/mlx5_rxq.c (mlx5_rxq_new())",
		 "larger mbufs (data_room_size of rte_pktmbuf_pool_create()), a smaller MTU, or "
		 "the "
		 "offload RTE_ETH_RX_OFFLOAD_SCATTER"},
	[TOPIC_DPDK_POOL] =
		{"dpdk_pool", "DPDK's pool has no packet buffers left",
		 "each receive queue takes as many mbufs as it has descriptors when the port "
		 "starts",
		 "DPDK, drivers/net/mlx5/mlx5_rxq.c (rxq_alloc_elts())",
		 "more mbufs: descriptors times queues and ports, and the caches of all cores"},
	[TOPIC_KERNEL_MODULE] =
		{"kernel_module", "a kernel module does not fit the RDMA modules that are loaded",
		 "the kernel loads a module if the symbols that it uses exist, with the "
		 "checksums that it was built with; a vendor's package (MLNX_OFED, DOCA) "
		 "replaces ib_core and mlx5_core, and modules of the distribution, or built "
		 "before it, do not fit these; ib_register_peer_memory_client is in such "
		 "packages only",
		 "Linux, kernel/module/version.c",
		 "modinfo -n ib_core shows whose it is; install the package with this module, "
		 "build the module anew after it (dkms; nvidia-peermem: the GPU's driver), or "
		 "remove the package; then reload the modules, or reboot"},
	[TOPIC_DEVICE_PLUGIN] =
		{"device_plugin", "Kubernetes' device plugin leaves out an RDMA device",
		 "the plugin gives out a device that has all of its character devices: "
		 "ib_uverbs makes uverbs, ib_umad makes umad and issm, rdma_ucm makes rdma_cm",
		 "k8s-rdma-shared-dev-plugin, pkg/resources; Linux, "
		 "drivers/infiniband/core/user_mad.c and ucma.c",
		 "on the host: modprobe ib_uverbs ib_umad rdma_ucm (rdma-core's services do it "
		 "at boot), ls /dev/infiniband; if the port has no RDMA device at all (rdma "
		 "link), load mlx5_ib"},
	[TOPIC_IBGDA_DEVICE] =
		{"ibgda_device",
		 "NVSHMEM leaves out a device for communication from the GPU (IBGDA)",
		 "IBGDA takes mlx5 devices whose queues it can place in the memory that was "
		 "asked for, and whose doorbell pages the GPU can map or the CPU rings for it",
		 "NVSHMEM, src/modules/transport/ibgda/ibgda.cpp; its release notes (3.4.5)",
		 "dvx-info doctor checks GPU memory and dma-bufs; set the GPU driver's options "
		 "NVreg_EnableStreamMemOPs=1 and "
		 "NVreg_RegistryDwords=\"PeerMappingOverride=1;\", or let the CPU ring (NVSHMEM "
		 "3.4.5 or newer, NVSHMEM_IBGDA_NIC_HANDLER=cpu)"},
	[TOPIC_GAVE_UP] =
		{"gave_up", "a library above libibverbs gave up",
		 "it prints a status of its own, no errno; the call that failed is in a line "
		 "before it",
		 "UCX, src/ucs/type/status.h; NCCL, src/nccl.h.in; NIXL, src/api/cpp; Mooncake, "
		 "mooncake-transfer-engine",
		 "look for the first error before it; NCCL_DEBUG=WARN and UCX_LOG_LEVEL=info "
		 "(for NIXL, too) show more; programs that take all devices may be limited to "
		 "those of the fabric (UCX_NET_DEVICES)"},
};

const struct topic_detail *topic_of_number(enum topic_id topic, int64_t number)
{
	for (const struct topic_detail *d = topic_details; d->text; d++)
		if (d->topic == topic && !d->word && d->number == number)
			return d;
	return NULL;
}

const struct topic_detail *topic_of_word(enum topic_id topic, const char *word)
{
	size_t n = strlen(word);

	for (const struct topic_detail *d = topic_details; d->text; d++)
		if (d->topic == topic && d->word &&
		    (!strcasecmp(d->word, word) ||
		     (topic == TOPIC_ASYNC_EVENT && !strncmp(d->text, word, n) &&
		      (d->text[n] == ' ' || d->text[n] == ':'))))
			return d;
	return NULL;
}

static bool topic_of_verbs(enum topic_id topic)
{
	return topic == TOPIC_MEMORY || topic == TOPIC_OBJECT || topic == TOPIC_DMABUF ||
	       topic == TOPIC_MODIFY_QP || topic == TOPIC_DV_CALL || topic == TOPIC_OPEN_DEVICE ||
	       topic == TOPIC_ADDRESS_HANDLE || topic == TOPIC_DESTROY || topic == TOPIC_VERB;
}

const struct topic_detail *topic_of_errno(enum topic_id topic, int64_t number)
{
	const struct topic_detail *own = topic_of_number(topic, -number);

	return own || !topic_of_verbs(topic) ? own : topic_of_number(TOPIC_NONE, -number);
}
