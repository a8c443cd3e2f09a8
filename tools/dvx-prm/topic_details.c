/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Details of topics: the meaning of a number or a word in a line. The sources are those of the
 * topic.
 */
#include "topics.h"

#include <errno.h>

#define EVENT(word, text, remedy)                        \
	{                                                \
		TOPIC_ASYNC_EVENT, word, 0, text, remedy \
	}
#define CM(word, text, remedy)                        \
	{                                             \
		TOPIC_CM_EVENT, word, 0, text, remedy \
	}
#define COUNTS(word, text, remedy)                   \
	{                                            \
		TOPIC_COUNTER, word, 0, text, remedy \
	}

#define NO_ERRNO  "perftest does not print the errno"
#define NO_NUMBER "the line does not have the errno, which names the reason"
#define RAISE_LIMIT                                                                               \
	"raise the limit: ulimit -l unlimited, /etc/security/limits.d, LimitMEMLOCK= of the "     \
	"systemd unit (also of slurmd or sshd), docker run --ulimit memlock=-1; check it inside " \
	"the job itself"
#define CHECK_LIMIT                                                                          \
	"check the limit of locked memory first: ulimit -l in the shell that starts it, or " \
	"dvx-info doctor; strace -e ioctl shows the errno"
#define OF_PROGRAM "look for a failed completion of the same QP: its syndrome names the reason"
#define FROM_PEER                                                                             \
	"look at the peer: its completion with error names the reason; check rkey, address, " \
	"length and access rights that it used"
#define LOSS                                                                                     \
	"look for packets that were dropped on the way: pause or PFC settings, rx_discards_phy " \
	"and out_of_buffer at the receiver, errors of the link"

const struct topic_detail topic_details[] = {
	{TOPIC_HEALTH_FATAL, NULL, 1,
	 "1: reads of the device return all ones, PCI communication is lost",
	 "check the slot, the link (lspci -vv, AER messages) and power; try a power cycle"},
	{TOPIC_HEALTH_FATAL, NULL, 2,
	 "2: the PCI channel is offline, the kernel's error handling has it",
	 "look for EEH or AER messages about this device"},
	{TOPIC_HEALTH_FATAL, NULL, 3,
	 "3: the NIC interface is disabled, firmware has stopped the function", NULL},
	{TOPIC_HEALTH_FATAL, NULL, 4,
	 "4: a software reset of the NIC goes on, maybe asked for by another function", NULL},
	{TOPIC_HEALTH_FATAL, NULL, 5, "5: firmware reported a syndrome and asks for a reset (rfr)",
	 NULL},

	{TOPIC_COMMAND_LATE, "recovered", 0,
	 "the answer's event was lost or late; the driver found it in the EQ, and the command went "
	 "on: nothing failed, it only took long",
	 "look for interrupts that the host did not serve in time (a busy or stalled CPU)"},
	{TOPIC_COMMAND_LATE, "arrived", 0,
	 "the command's entry of the command queue is free again, but its caller has already "
	 "failed",
	 NULL},

	{TOPIC_CQ_ERROR, NULL, 1, "syndrome 1: overrun, more completions came than were read",
	 NULL},
	{TOPIC_CQ_ERROR, NULL, 2, "syndrome 2: the device could not write to the CQ's memory",
	 "check that the CQ's buffer is still mapped, and IOMMU faults in the kernel's log"},

	{TOPIC_MODULE, "Cable plugged", 0, "a module was plugged in: no failure", "none"},
	{TOPIC_MODULE, "plugged and enabled", 0, "a module was plugged in: no failure", "none"},

	{TOPIC_MODIFY_QP, "INIT", 0,
	 "to INIT: port, P_Key index and access rights (or Q_Key) are set", NULL},
	{TOPIC_MODIFY_QP, "RTR", 0,
	 "to RTR: the peer's address, its QP number, the path MTU and the PSN that it begins with "
	 "are set",
	 NULL},
	{TOPIC_MODIFY_QP, "RTS", 0, "to RTS: timeout, retries and the own PSN are set", NULL},
	{TOPIC_MODIFY_QP, NULL, -EINVAL,
	 "EINVAL: an attribute, or the mask of attributes, is not valid for this change",
	 "check port, P_Key and GID index, path MTU (not above the port's active MTU), and that "
	 "both ends use the same link type; on RoCE a GRH (is_global) is compulsory"},
	{TOPIC_MODIFY_QP, NULL, -ETIMEDOUT,
	 "ETIMEDOUT: on RoCE, the MAC address of the peer's IP address was not found in time "
	 "(neighbour lookup)",
	 "ping -I the interface of the local GID to the peer's address; check the GID index on "
	 "both ends, VLAN and routes; in rail networks let only NICs of the same rail talk "
	 "(NCCL_CROSS_NIC=0)"},
	{TOPIC_MODIFY_QP, NULL, -ENETUNREACH,
	 "ENETUNREACH: there is no route from the local GID's interface to the peer's address",
	 "add an address or a route on the interface of the local GID; check the GID index"},
	{TOPIC_MODIFY_QP, NULL, -EHOSTUNREACH, "EHOSTUNREACH: the peer's address did not answer",
	 "ping the peer from the interface of the local GID"},
	{TOPIC_MODIFY_QP, NULL, -ENODEV,
	 "ENODEV: the GID's network interface does not exist here or is down",
	 "check the GID index (dvx-info gids), ip link, and the network namespace"},
	{TOPIC_MODIFY_QP, NULL, -ENOMEM, "ENOMEM: no memory for the change", NULL},
	{TOPIC_MODIFY_QP, NULL, -EREMOTEIO,
	 "EREMOTEIO: firmware refused; the command's status has the reason", NULL},

	{TOPIC_MEMORY, NULL, -ENOMEM,
	 "ENOMEM: mostly the limit of locked memory (RLIMIT_MEMLOCK, ulimit -l); with "
	 "ibv_fork_init() each registration also splits a mapping, until vm.max_map_count is "
	 "reached",
	 RAISE_LIMIT "; if it is unlimited, look in dmesg for a refused CREATE_MKEY and compare "
		     "vm.max_map_count (65530) with the lines of /proc/PID/maps"},
	{TOPIC_MEMORY, NULL, -EFAULT,
	 "EFAULT: the address is not mapped, or is memory that the kernel cannot pin for the "
	 "device to write: a GPU's or another device's BAR, a read-only mapping, and since Linux "
	 "6.5 a shared mapping of a file (MAP_SHARED, not of tmpfs or memfd)",
	 "for GPU memory load nvidia-peermem, or register a dma-buf (ibv_reg_dmabuf_mr(), "
	 "perftest's --use_cuda_dmabuf); for a file use MAP_PRIVATE, memfd or tmpfs, access "
	 "rights that only read, or on-demand paging (IBV_ACCESS_ON_DEMAND)"},
	{TOPIC_MEMORY, NULL, -EOPNOTSUPP,
	 "EOPNOTSUPP: the memory is that of a file on a DAX file system (FS-DAX), which may not be "
	 "pinned for long; or an access flag asks for what kernel or device lack, as on-demand "
	 "paging",
	 "for persistent memory use device DAX, or on-demand paging (IBV_ACCESS_ON_DEMAND); else "
	 "compare the access flags with ibv_devinfo -v"},
	{TOPIC_MEMORY, NULL, -EINVAL,
	 "EINVAL: a size or access flag that the device does not have; or, on huge pages after "
	 "ibv_fork_init() (RDMAV_FORK_SAFE), a range that does not begin and end at borders of "
	 "huge "
	 "pages: the kernel refuses libibverbs' madvise(MADV_DONTFORK)",
	 "compare with ibv_devinfo -v (max_mr_size); remote write needs local write; on huge pages "
	 "align the range, or set RDMAV_HUGEPAGES_SAFE=1 before ibv_fork_init() is called"},
	{TOPIC_MEMORY, NULL, -EPERM,
	 "EPERM: the limit of locked memory is 0, and the process lacks CAP_IPC_LOCK", RAISE_LIMIT},
	{TOPIC_MEMORY, NULL, -EPROTONOSUPPORT,
	 "EPROTONOSUPPORT: ib_uverbs of this kernel (or OFED) has no such method: "
	 "ibv_reg_dmabuf_mr(), which perftest calls with --use_cuda_dmabuf, needs Linux 5.12",
	 "a newer kernel, or nvidia-peermem and ibv_reg_mr(); dvx-info why-not dmabuf asks the "
	 "device"},
	{TOPIC_MEMORY, NULL, -EIO,
	 "EIO: the driver that owns the memory failed (a GPU whose BAR1 is too small for it), or "
	 "the "
	 "RDMA device is gone",
	 "for GPU memory try a smaller region, and compare with nvidia-smi -q (BAR1); look in "
	 "dmesg "
	 "for a health report"},
	{TOPIC_MEMORY, "failed to register", 0,
	 "the words at its end are a status of UCX's own, no errno: the line before it (ib_md.c) "
	 "has the errno",
	 "read the line before it"},
	{TOPIC_MEMORY, TOPIC_NO_ERRNO, 0, NO_NUMBER, CHECK_LIMIT},

	{TOPIC_OBJECT, NULL, -ENOMEM,
	 "ENOMEM: mostly the limit of locked memory (RLIMIT_MEMLOCK, ulimit -l), or more work "
	 "requests and segments than the device has for a queue",
	 RAISE_LIMIT
	 "; ask for less (max_send_wr, max_recv_wr, max_send_sge, max_inline_data, cqe); "
	 "look in dmesg for a refused command"},
	{TOPIC_OBJECT, NULL, -EINVAL,
	 "EINVAL: a size or access flag that the device does not have, or one that does not go "
	 "with the type",
	 "compare with ibv_devinfo -v (max_cqe, max_qp_wr, max_sge, max_srq_wr); try a smaller "
	 "max_inline_data"},
	{TOPIC_OBJECT, NULL, -EPERM, "EPERM: the process may not do that",
	 "raw queues need CAP_NET_RAW; a limit of locked memory of 0 needs CAP_IPC_LOCK"},
	{TOPIC_OBJECT, NULL, -EOPNOTSUPP,
	 "EOPNOTSUPP: the device or its driver lacks this type or one of its attributes",
	 "compare with ibv_devinfo -v; leave out extended attributes"},
	{TOPIC_OBJECT, NULL, -EMFILE, "EMFILE: the process has no file descriptors left",
	 "ulimit -n; each completion channel takes one"},
	{TOPIC_OBJECT, TOPIC_NO_ERRNO, 0, NO_NUMBER, CHECK_LIMIT},

	{TOPIC_KERNEL_OBJECT, NULL, -ENOMEM,
	 "ENOMEM: the kernel had no memory for it in one piece, the queue is longer than the "
	 "device "
	 "has, or firmware has no more of it (status LIM)",
	 NULL},
	{TOPIC_KERNEL_OBJECT, NULL, -EINVAL,
	 "EINVAL: a size or feature that the device does not have, as integrity (PI) regions",
	 NULL},

	{TOPIC_DMABUF, NULL, -EPROTONOSUPPORT,
	 "EPROTONOSUPPORT: ib_uverbs of this kernel (or OFED) has no such method: "
	 "ibv_reg_dmabuf_mr() needs Linux 5.12",
	 "a newer kernel, or nvidia-peermem and ibv_reg_mr()"},
	{TOPIC_DMABUF, NULL, -EOPNOTSUPP,
	 "EOPNOTSUPP: the device's driver does not take dma-bufs (mlx5_ib does with on-demand "
	 "paging compiled into the kernel), or the exporter does not support what was asked for",
	 NULL},
	{TOPIC_DMABUF, NULL, -524,
	 "ENOTSUPP leaked out of the kernel: this device cannot map the exporter's dma-buf, "
	 "because "
	 "the exporter's driver does not support it, or because a dma-buf that is mapped over PCIe "
	 "is meant for a Data Direct function",
	 "look at the exporter's driver (its version, open kernel modules of the GPU); on systems "
	 "with Data Direct register it with mlx5dv_reg_dmabuf_mr() (UCX and NCCL do in newer "
	 "versions)"},
	{TOPIC_DMABUF, NULL, -EBADF, "EBADF: the file descriptor is closed, or never was one",
	 "keep the dma-buf open until it is registered"},
	{TOPIC_DMABUF, NULL, -EINVAL,
	 "EINVAL: the descriptor is no dma-buf, the range goes past its end, or offset and address "
	 "differ within a page",
	 "compare offset and length with the dma-buf's size (lseek to its end)"},
	{TOPIC_DMABUF, NULL, -EREMOTEIO,
	 "EREMOTEIO: the device cannot reach the exporter's memory over PCIe (no peer-to-peer "
	 "path), "
	 "or firmware refused the mkey",
	 "lspci -t: both devices below one switch or root; ACS and IOMMU (dvx-info doctor); dmesg "
	 "has a refused CREATE_MKEY"},
	{TOPIC_DMABUF, NULL, -ENOMEM,
	 "ENOMEM: the kernel, the device or the exporter (a GPU's BAR1) had no room; the limit of "
	 "locked memory does not count here",
	 "look in dmesg for a refused CREATE_MKEY; nvidia-smi -q shows the use of BAR1"},

	{TOPIC_NONE, NULL, -EPROTONOSUPPORT,
	 "EPROTONOSUPPORT: ib_uverbs of this kernel (or OFED) has no such method",
	 "a newer kernel"},
	{TOPIC_NONE, NULL, -524,
	 "ENOTSUPP leaked out of the kernel: a driver lacks what was asked for", NULL},
	{TOPIC_NONE, NULL, -EAGAIN,
	 "EAGAIN: firmware has no resources left (status NO_RES), as those of processes that "
	 "did not end cleanly",
	 "rdma resource show; dmesg has the refused command"},
	{TOPIC_NONE, NULL, -EREMOTEIO, "EREMOTEIO: firmware refused the command",
	 "dmesg has the refused command, with status and syndrome"},
	{TOPIC_NONE, NULL, -ENODEV, "ENODEV: the device went away, or is being reset",
	 "look in dmesg for a health report of this device"},
	{TOPIC_NONE, NULL, -EIO,
	 "EIO: the device is gone or in a fatal state, or firmware gave an unknown status",
	 "look in dmesg for a health report or a refused command"},
	{TOPIC_NONE, NULL, -ENOSYS, "ENOSYS: the device's library lacks this call",
	 "compare the versions of rdma-core"},

	{TOPIC_FORK, NULL, -EINVAL,
	 "EINVAL: memory was registered before the call, by this program or a library", NULL},
	{TOPIC_FORK, NULL, -ENOSYS, "ENOSYS: the kernel lacks madvise(MADV_DONTFORK)", NULL},
	{TOPIC_DESTROY, NULL, -EBUSY,
	 "EBUSY: others still use it: MRs and QPs a PD, QPs a CQ or SRQ, memory windows an MR, "
	 "QPs a multicast group or a flow",
	 "destroy these first, and acknowledge all events"},
	{TOPIC_DESTROY, NULL, -EINVAL, "EINVAL: there is no such object (any more)",
	 "look for what destroyed it before"},
	{TOPIC_CM_CALL, NULL, -EADDRNOTAVAIL,
	 "EADDRNOTAVAIL: the address is on no interface of this network namespace, or no port is "
	 "free for it",
	 "ip addr; ports of RDMA_CM are its own: rdma resource show cm_id"},
	{TOPIC_CM_CALL, NULL, -EADDRINUSE, "EADDRINUSE: another RDMA_CM user has this port",
	 "rdma resource show cm_id; another port, or RDMA_OPTION_ID_REUSEADDR"},
	{TOPIC_CM_CALL, NULL, -ENODEV,
	 "ENODEV: the address, or the way to it, is of no interface of an RDMA device",
	 "ip addr and rdma link: use an address of such an interface; 127.0.0.1 is none"},
	{TOPIC_CM_CALL, NULL, -ETIMEDOUT,
	 "ETIMEDOUT: the address did not answer in time (ARP), or the peer did not answer the "
	 "request",
	 "ping the address from the RDMA device's interface; UDP 4791 has to pass firewalls"},
	{TOPIC_CM_CALL, NULL, -ENETUNREACH, "ENETUNREACH: there is no route to the address",
	 "ip route get the address, from an interface of an RDMA device"},
	{TOPIC_CM_CALL, NULL, -EHOSTUNREACH, "EHOSTUNREACH: the address does not answer",
	 "ping the address from the RDMA device's interface"},
	{TOPIC_CM_CALL, NULL, -ECONNREFUSED, "ECONNREFUSED: the peer rejected the connection",
	 "check that the server listens on this port, and look at its log"},
	{TOPIC_CM_CALL, NULL, -EINVAL,
	 "EINVAL: the id is not in the state that the call needs, or an argument is not valid; "
	 "where the call also makes a QP, its sizes may be more than the device has",
	 "look at the call before it, and at the event that was not waited for; compare the QP's "
	 "sizes with ibv_devinfo -v"},
	{TOPIC_CM_CALL, NULL, -EACCES, "EACCES: ports below 1024 need CAP_NET_BIND_SERVICE", NULL},
	{TOPIC_CM_CALL, NULL, -ENOMEM,
	 "ENOMEM: where the call also makes a QP, mostly the limit of locked memory or a QP that "
	 "is "
	 "too large",
	 "dvx-info doctor; ask for fewer work requests, segments and inline bytes"},

	{TOPIC_MEMORY, "MR", 0, NO_ERRNO, CHECK_LIMIT},
	{TOPIC_OBJECT, "CQ", 0, NO_ERRNO, CHECK_LIMIT},
	{TOPIC_OBJECT, "QP", 0, NO_ERRNO, CHECK_LIMIT},
	{TOPIC_OBJECT, "SRQ", 0, NO_ERRNO, CHECK_LIMIT},
	{TOPIC_OBJECT, "PD", 0, NO_ERRNO, NULL},

	{TOPIC_OPEN_DEVICE, "both WC and NC_DEDICATED", 0,
	 "UCX wants a doorbell page: a write-combining one (WC), or a non-cached one of its own "
	 "(NC_DEDICATED), and got neither",
	 "dvx-info doctor, line wc; compare the versions of the kernel's mlx5_ib and of rdma-core "
	 "(NC_DEDICATED is the younger type); some Arm cores, as in DPUs and virtual machines, "
	 "have "
	 "no write-combining mappings"},
	{TOPIC_POST, NULL, -ENOMEM,
	 "ENOMEM: the queue is full, or the request has more segments or inline bytes than the "
	 "queue was made for; it has nothing to do with memory",
	 "poll completions: a place is free when a completion behind it was polled, so signal at "
	 "least one request per length of the queue; compare max_send_wr, max_send_sge and "
	 "max_inline_data with what is posted; before RTS libmlx5 takes no segments at all"},
	{TOPIC_POST, NULL, -EINVAL, "EINVAL: the opcode, or a flag, is none of this queue's",
	 "compare opcode and flags with the queue's type and with send_ops_flags"},
	{TOPIC_OPEN_DEVICE, NULL, -ENOMEM,
	 "ENOMEM: mostly no UAR is left; then dmesg has a refused ALLOC_UAR with status LIM",
	 "fewer contexts (processes times devices), or fewer registers for each "
	 "(MLX5_TOTAL_UUARS); a larger BAR: mlxconfig PF_LOG_BAR_SIZE, then a cold boot"},
	{TOPIC_OPEN_DEVICE, NULL, -EACCES, "EACCES: /dev/infiniband/uverbsN is not for this user",
	 "check its rights, and SELinux; in a container pass --device /dev/infiniband"},
	{TOPIC_OPEN_DEVICE, NULL, -EPERM, "EPERM: the container's device rules do not allow it",
	 "pass --device /dev/infiniband"},
	{TOPIC_OPEN_DEVICE, NULL, -ENODEV, "ENODEV: the device went away, or is being reset",
	 "look in dmesg for a health report of this device"},
	{TOPIC_NO_DEVICE, NULL, -EACCES, "EACCES: a file of /dev/infiniband is not for this user",
	 "check the rights of /dev/infiniband/*, and SELinux (ausearch -m avc)"},
	{TOPIC_CM_EVENT, NULL, -ENODEV,
	 "ENODEV: the address, or the way to it, is of no interface of an RDMA device",
	 "ip addr and rdma link: use an address of such an interface; 127.0.0.1 is none"},
	{TOPIC_CM_EVENT, NULL, -ETIMEDOUT, "ETIMEDOUT: the address did not answer in time (ARP)",
	 "ping the address from the RDMA device's interface"},
	{TOPIC_ADDRESS_HANDLE, NULL, -EINVAL,
	 "EINVAL: port, GID index or rate is not valid, or there is no global routing header on "
	 "RoCE",
	 "zero ibv_ah_attr before its fields are set; check the GID index (dvx-info gids) at both "
	 "ends"},
	{TOPIC_ADDRESS_HANDLE, NULL, -ENETUNREACH,
	 "ENETUNREACH: there is no route from the local GID's interface to the peer's address",
	 "add an address or a route on the interface of the local GID; check the GID index"},
	{TOPIC_ADDRESS_HANDLE, NULL, -EHOSTUNREACH,
	 "EHOSTUNREACH: the peer's address did not answer",
	 "ping the peer from the interface of the local GID"},
	{TOPIC_ADDRESS_HANDLE, NULL, -ENODEV,
	 "ENODEV: the GID's network interface does not exist here or is down",
	 "check the GID index (dvx-info gids), ip link, and the network namespace"},
	{TOPIC_ADDRESS_HANDLE, NULL, -ETIMEDOUT,
	 "ETIMEDOUT: the MAC address of the peer's IP address was not found in time",
	 "ping -I the interface of the local GID to the peer's address"},
	{TOPIC_DV_CALL, NULL, -EPROTONOSUPPORT,
	 "EPROTONOSUPPORT: kernel or device lack DevX, or what the call is about", NULL},
	{TOPIC_DV_CALL, NULL, -EOPNOTSUPP,
	 "EOPNOTSUPP: the context is not one of libmlx5, or the device lacks what the call is "
	 "about",
	 NULL},
	{TOPIC_NONE, NULL, -ECANCELED,
	 "ECANCELED: the command found no free entry of the kernel's command queue in time, and "
	 "never reached firmware",
	 "look in dmesg for the first command timeout: it holds an entry"},
	{TOPIC_NONE, NULL, -ETIMEDOUT, "ETIMEDOUT: firmware did not answer the command",
	 "look in dmesg for the command that timed out"},
	{TOPIC_DPDK_PROBE, "No Verbs device", 0,
	 "libibverbs lists no device of this PCI address: mlx5_ib is not loaded, the port is bound "
	 "to vfio-pci, or its RDMA device is in another network namespace",
	 "lsmod (mlx5_ib), ibv_devices, lspci -k (the port's driver must be mlx5_core), rdma "
	 "system; in a container pass --device /dev/infiniband"},
	{TOPIC_DPDK_PROBE, "Verbs device not found", 0,
	 "the driver looked for an RDMA device of this PCI address; the line before it has more",
	 NULL},
	{TOPIC_DPDK_PROBE, "glue library", 0,
	 "this DPDK loads libibverbs and libmlx5 by a plug-in, librte_*_mlx5_glue.so, which is not "
	 "where it looks",
	 "install the plug-in with DPDK's libraries, or build DPDK without ibverbs_link=dlopen"},
	{TOPIC_DPDK_PROBE, "rdma-core libraries", 0,
	 "libibverbs or libmlx5 (or the plug-in that loads them) are missing",
	 "install rdma-core's libraries, of the version that DPDK was built with or newer"},

	{TOPIC_FLOW_REFUSED, NULL, -EEXIST,
	 "EEXIST: a rule of the same match is there already, maybe another program's",
	 "look for the program that has this address and port; ethtool -n shows rules of ethtool"},
	{TOPIC_FLOW_REFUSED, NULL, -EPERM, "EPERM: the process may not steer packets",
	 "it needs CAP_NET_RAW"},

	{TOPIC_PEER_MEMORY, "GPU Direct RDMA Disabled", 0,
	 "NCCL looks for /sys/module/nvidia_peermem/version, for nv_mem or nv_mem_nc in "
	 "/sys/kernel/mm/memory_peers, and for dma-bufs, and found none of them here, which in a "
	 "container may differ from the host; it goes on through host memory",
	 NULL},

	{TOPIC_DEVICE_PLUGIN, "issm", 0, "issm is made by ib_umad", NULL},
	{TOPIC_DEVICE_PLUGIN, "umad", 0, "umad is made by ib_umad", NULL},
	{TOPIC_DEVICE_PLUGIN, "uverbs", 0, "uverbs is made by ib_uverbs", NULL},
	{TOPIC_DEVICE_PLUGIN, "rdma_cm", 0, "rdma_cm is made by rdma_ucm", NULL},

	{TOPIC_IBGDA_DEVICE, "cannot allocate buffer", 0,
	 "memory of the kind that NVSHMEM_IBGDA_FORCE_NIC_BUF_MEMTYPE names, or the GPU's, could "
	 "not be registered for the NIC's queues (mlx5dv_devx_umem_reg())",
	 NULL},
	{TOPIC_IBGDA_DEVICE, "cannot map UAR", 0,
	 "the GPU may not map the NIC's doorbell page (cuMemHostRegister() of I/O memory)", NULL},
	{TOPIC_IBGDA_DEVICE, "is not enumerated as an mlx5 device", 0,
	 "it is another vendor's device, or an older one", "name others: NVSHMEM_HCA_LIST"},
	{TOPIC_IBGDA_DEVICE, "no active IB device", 0,
	 "all devices were left out: a line before has the reason of each", NULL},

	EVENT("CQ error",
	      "IBV_EVENT_CQ_ERR (mlx5 CQ_ERROR): the CQ overran or could not be written",
	      "make the CQ as long as all work that can be outstanding on its queues"),
	EVENT("local work queue catastrophic error",
	      "IBV_EVENT_QP_FATAL (mlx5 WQ_CATAS_ERROR): the QP is in error; its completions could "
	      "not be reported",
	      OF_PROGRAM),
	EVENT("invalid request local work queue error",
	      "IBV_EVENT_QP_REQ_ERR (mlx5 WQ_INVAL_REQ_ERROR): the responder got a request that is "
	      "not valid for this QP",
	      FROM_PEER),
	EVENT("local access violation work queue error",
	      "IBV_EVENT_QP_ACCESS_ERR (mlx5 WQ_ACCESS_ERROR): the responder got a request that "
	      "violates access rights",
	      FROM_PEER),
	EVENT("communication established",
	      "IBV_EVENT_COMM_EST (mlx5 COMM_EST): the first packet arrived on a QP in RTR; no "
	      "failure",
	      "none"),
	EVENT("send queue drained", "IBV_EVENT_SQ_DRAINED (mlx5 SQ_DRAINED): no failure", "none"),
	EVENT("path migrated", "IBV_EVENT_PATH_MIG (mlx5 PATH_MIG)", "none"),
	EVENT("path migration request error", "IBV_EVENT_PATH_MIG_ERR (mlx5 PATH_MIG_FAILED)",
	      "check the alternate path"),
	EVENT("local catastrophic error",
	      "IBV_EVENT_DEVICE_FATAL (mlx5 INTERNAL_ERROR, or the driver's health poll): the "
	      "device is unusable for this process",
	      "look in dmesg for mlx5_core health reports; close the device, and open it again "
	      "after recovery"),
	EVENT("port active", "IBV_EVENT_PORT_ACTIVE (mlx5 PORT_CHANGE): the link came up", "none"),
	EVENT("port error", "IBV_EVENT_PORT_ERR (mlx5 PORT_CHANGE): the link went down",
	      "check cable, switch port and dmesg (Link down, Port module event); work in flight "
	      "fails after its retries"),
	EVENT("LID change",
	      "IBV_EVENT_LID_CHANGE (mlx5 PORT_CHANGE): the subnet manager gave the port another "
	      "LID",
	      "connections that use the old LID must be made anew"),
	EVENT("P_Key change",
	      "IBV_EVENT_PKEY_CHANGE (mlx5 PORT_CHANGE): the port's P_Key table changed",
	      "read the P_Key index again"),
	EVENT("SM change", "IBV_EVENT_SM_CHANGE: another subnet manager", "none"),
	EVENT("SRQ catastrophic error",
	      "IBV_EVENT_SRQ_ERR (mlx5 SRQ_CATAS_ERROR): the SRQ is unusable",
	      "destroy it with its QPs; check its buffer"),
	EVENT("SRQ limit reached",
	      "IBV_EVENT_SRQ_LIMIT_REACHED (mlx5 SRQ_RQ_LIMIT): few receives are left; no failure",
	      "post receives and arm the limit again"),
	EVENT("last WQE reached",
	      "IBV_EVENT_QP_LAST_WQE_REACHED (mlx5 SRQ_LAST_WQE): a QP in error took its last "
	      "receive from the SRQ",
	      OF_PROGRAM),
	EVENT("client reregistration",
	      "IBV_EVENT_CLIENT_REREGISTER: the subnet manager lost its registrations",
	      "join multicast groups again"),
	EVENT("GID table change",
	      "IBV_EVENT_GID_CHANGE: the GID table of the port changed, as when an address is "
	      "added or removed",
	      "look up the GID index again (dvx-info gids); connections made with the old GID may "
	      "fail"),
	EVENT("WQ fatal", "IBV_EVENT_WQ_FATAL (mlx5 WQ_CATAS_ERROR): a receive WQ failed",
	      OF_PROGRAM),
	EVENT("was flushed",
	      "IBV_EVENT_QP_LAST_WQE_REACHED (mlx5 SRQ_LAST_WQE): a QP in error took its last "
	      "receive from the SRQ",
	      OF_PROGRAM),

	CM("ADDR_ERROR", "the peer's address could not be resolved to an RDMA device",
	   "check that the address is on a network of an RDMA interface (ip route get), and that "
	   "it answers (ARP)"),
	CM("ROUTE_ERROR", "no path to the peer was found",
	   "InfiniBand: check the subnet manager; RoCE: check the route and the GID type"),
	CM("UNREACHABLE", "the peer did not answer the request to connect",
	   "check that it listens on that port, that UDP 4791 passes firewalls, and that both use "
	   "the same RoCE version"),
	CM("REJECTED", "the peer rejected the connection", "look at the peer's log"),
	{TOPIC_CM_EVENT, NULL, 3,
	 "reason 3 (IB_CM_REJ_NO_RESOURCES): the peer has no resources left", NULL},
	{TOPIC_CM_EVENT, NULL, 8,
	 "reason 8 (IB_CM_REJ_INVALID_SERVICE_ID): nobody listens on the port",
	 "start the server, and compare port and port space"},
	{TOPIC_CM_EVENT, NULL, 10,
	 "reason 10 (IB_CM_REJ_STALE_CONN): the peer still has a connection of these numbers",
	 "try again"},
	{TOPIC_CM_EVENT, NULL, 28,
	 "reason 28 (IB_CM_REJ_CONSUMER_DEFINED): the application refused", NULL},
	CM("CONNECT_ERROR", "the connection could not be made or accepted",
	   "look at the peer's log, and for refused commands in dmesg"),
	CM("DEVICE_REMOVAL", "the device of this connection is going away",
	   "close its objects; look in dmesg for the reason"),
	CM("DISCONNECTED", "the peer closed the connection, or died", "look at the peer's log"),

	COUNTS("rx_out_of_buffer", "packets for a queue that had no receive buffer were dropped",
	       "larger rings (ethtool -G), more queues, or faster reading"),
	COUNTS("out_of_buffer", "packets for a queue that had no receive posted were dropped",
	       "post receives in time"),
	COUNTS("rx_discards_phy", "received packets were dropped for lack of buffers of the port",
	       "host or PCIe are too slow, or flow control is off"),
	COUNTS("tx_discards_phy", "packets were dropped before the wire", LOSS),
	COUNTS("rx_crc_errors_phy", "frames came with a wrong checksum",
	       "check cable and transceivers"),
	COUNTS("rx_symbol_err_phy", "the link had symbol errors", "check cable and transceivers"),
	COUNTS("link_down_events_phy", "the link went down",
	       "check cable, transceivers and the switch port"),
	COUNTS("out_of_sequence",
	       "requests arrived out of their sequence: packets were lost or reordered", LOSS),
	COUNTS("packet_seq_err", "the peer sent sequence error NAKs: packets to it were lost",
	       LOSS),
	COUNTS("local_ack_timeout_err", "the acknowledge timer of a QP ran out", LOSS),
	COUNTS("rnr_nak_retry_err",
	       "the peer answered that it had no receive posted (RNR NAK), and the request was "
	       "retried",
	       "post receives at the peer earlier, or raise rnr_retry and min_rnr_timer"),
	COUNTS("implied_nak_seq_err",
	       "a later request was acknowledged before a read or atomic was answered: that answer "
	       "was lost",
	       LOSS),
	COUNTS("duplicate_request", "requests came twice: acknowledges were lost or late", LOSS),
	COUNTS("req_cqe_error", "completions of the requester with an error", OF_PROGRAM),
	COUNTS("resp_cqe_error", "completions of the responder with an error", OF_PROGRAM),
	COUNTS("req_remote_access_errors", "the peer answered with a remote access error",
	       "compare rkey, address and length with the peer's registration"),
	COUNTS("req_remote_invalid_request", "the peer answered that a request was invalid",
	       "check the size of its receives, and what its QP allows"),
	COUNTS("resp_remote_access_errors", "the peer's requests violated access rights here",
	       FROM_PEER),
	COUNTS("resp_local_length_error", "messages were longer than the receive",
	       "post larger receives"),
	COUNTS("rx_icrc_encapsulated", "RoCE packets came with a wrong ICRC",
	       "check the link, and devices on the way that change packets"),
	COUNTS("np_ecn_marked_roce_packets", "RoCE packets came with a mark of congestion (ECN)",
	       "look for the congested port of the switches"),
	COUNTS("tx_timeout", "transmit queues made no progress", "look in dmesg for TX timeout"),
	{TOPIC_NONE, NULL, 0, NULL, NULL},
};
