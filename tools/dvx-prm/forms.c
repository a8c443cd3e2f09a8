/* SPDX-License-Identifier: BSD-2-Clause */
#include "forms.h"

#include <string.h>

#define NUMBER "(0x[0-9a-f]+|[0-9]+)"
#define HEX    "(0x[0-9a-f]+)"
#define VENDOR "vend(or)?[_. ]?(err|error|syndrome|synd)[a-z_]*[ =:(]*" NUMBER
#define MLX5   "the kernel's mlx5 driver"
#define STATUS_WORDS                                                                             \
	"(local length error|local QP operation error|local protection error|Work Request "      \
	"Flushed Error|memory management operation error|bad response error|local access error|" \
	"remote invalid request error|remote access error|remote operation error|"               \
	"transport retry counter exceeded|RNR retry counter exceeded|aborted error)"
#define STATUS_NAME "IBV_WC_([A-Z_]+_ERR)"
#define EVENT_WORDS                                                                              \
	"(CQ error|local work queue catastrophic error|invalid request local work queue error|"  \
	"local access violation work queue error|communication established|send queue drained|"  \
	"path migrated|path migration request error|local catastrophic error|port active|"       \
	"port error|LID change|P_Key change|SM change|SRQ catastrophic error|SRQ limit reached|" \
	"last WQE reached|client reregistration|GID table change|WQ fatal)"
#define ABOUT(who, key, topic, pattern, groups)                \
	{                                                      \
		who, key, pattern, groups, topic, false, false \
	}
#define CQE(who, key, pattern, groups)                              \
	{                                                           \
		who, key, pattern, groups, TOPIC_NONE, false, false \
	}
#define LOOSE(key, pattern, groups)                                                        \
	{                                                                                  \
		"a program with libibverbs", key, pattern, groups, TOPIC_NONE, true, false \
	}
#define CALL(key, topic, pattern, groups)                      \
	{                                                      \
		NULL, key, pattern, groups, topic, true, false \
	}
#define WORD_BEGIN "(^|[^a-z0-9])"
#define WORD_END   "([^a-z0-9]|$)"
#define OBJECT_WORDS                                                                             \
	"(cq|qp|qps|srq|xrc srq|dct|dci|qpair|queue pair|completion queue|shared receive queue|" \
	"completion channel|protection domain|pd|comp channel|rdma queue)"
#define COMMAND_GIVEN_UP "([A-Z0-9_]+)\\(" HEX "\\) "

const struct form forms[] = {
	/* --- refused commands --- */
	CQE(MLX5, "op_mod(",
	    "([a-z0-9_]+)\\(" HEX "\\) op_mod\\(" HEX
	    "\\)[^,]* failed, status [^(]*\\((0x[0-9a-f]+|-?[0-9]+)\\), syndrome \\(" HEX
	    "\\)(, err\\(-?([0-9]+)\\))?",
	    "ncmty-e"),
	CQE("UCX", "obj_modify",
	    "mlx5dv_devx_obj_modify\\(([0-9a-f]{3})\\) failed, syndrome "
	    "(0x)?([0-9a-f]+)",
	    "c-yE"),
	CQE("NVSHMEM", "with syndrome",
	    "(non-zero status: ([0-9]+) )?Error in mlx5dv_devx_[a-z_]+ for ([A-Z0-9_]+) with "
	    "syndrome ([0-9a-f]+)",
	    "-eny"),
	CQE("UCX", "mlx5dv_devx",
	    "mlx5dv_devx_([a-z_]+\\([^)]*\\)) failed( on [^ ,]+)?, syndrome "
	    "(0x)?([0-9a-f]+)",
	    "n--yE"),
	CQE("DPDK", "devx", "DevX (.+) failed errno=([0-9]+) status=" NUMBER " syndrome=" NUMBER,
	    "nety"),
	CQE("libdvx", "op_mod",
	    "([a-z0-9_]+) \\(" HEX "\\) op_mod " HEX ": [a-z0-9_]+ \\(" HEX "\\), syndrome " HEX,
	    "ncmty"),
	/* --- failed completions --- */
	CQE("perftest", "failed status",
	    "Failed status ([0-9]+)[^:]*: wr_id [0-9]+ syndrom[e]? " HEX, "wv"),
	CQE("NCCL", "vendor err",
	    "status=([0-9]+) opcode=-?[0-9]+ len=-?[0-9]+ vendor err ([0-9]+)", "wv"),
	CQE("NCCL", "vendor err",
	    "completion (from peer [^ ]+ )?with error ([0-9]+), opcode -?[0-9]+, len -?[0-9]+, "
	    "vendor err ([0-9]+)",
	    "-wv"),
	CQE("NCCL", "vendor_err",
	    "status=IBV_WC_[A-Z_]+\\(([0-9]+)\\) opcode=.* vendor_err=([0-9]+)", "wv"),
	CQE("NVSHMEM", "ibv_poll_cq failed", "ibv_poll_cq failed, status: ([0-9]+)", "w"),
	CQE("a program with libibverbs", "cq completion failed",
	    "cq completion failed status ([0-9]+)", "w"),
	CQE("a program with libibverbs", "got bad completion",
	    "got bad completion with status: " HEX ", vendor syndrome: " HEX, "wv"),
	CQE("UCX", "wqe[", "QP " HEX " wqe\\[([0-9]+)\\]: .*\\(synd " HEX " vend " HEX, "qisv"),
	CQE("UCX", "(synd ",
	    "\\(synd " HEX " vend " HEX "[^)]*\\).*[A-Z]+ QP " HEX " wqe\\[([0-9]+)\\]", "svqi"),
	{"UCX", "(synd ", "\\(synd " HEX " vend " HEX, "sv", TOPIC_NONE, false, true},
	CQE("UCX", "ompletion with error on qp",
	    "ompletion with error on qp " HEX ": " STATUS_WORDS " syndrome " HEX, "qWv"),
	CQE("UCX", "ompletion with error:",
	    "ompletion with error: " STATUS_WORDS " \\[?qpn " HEX
	    " wrid 0x[0-9a-f]+ ?vendor_err " HEX,
	    "Wqv"),
	CQE(MLX5, "error cqe on",
	    "error cqe on cqn " HEX ", ci " HEX ", [a-z -]*(qpn|sqn|sq|rqn|qn) " HEX
	    ",? +opcode " HEX ", syndrome +" HEX ", vendor syndrome " HEX,
	    "---q-sv"),
	CQE(MLX5, "vendor syndrome", "syndrome " HEX ", vendor syndrome " HEX, "sv"),
	CQE(MLX5, "wc error:", "WC error: ([0-9]+), message: [a-z ]+", "w"),
	CQE(MLX5, "reg umr failed", "reg umr failed \\(([0-9]+)\\)", "w"),
	CQE(MLX5, "error: ",
	    "/[0-9]+: QP ([0-9]+) error: ([a-z ]+) \\(" HEX " 0x[0-9a-f]+ 0x[0-9a-f]+\\)", "qkv"),
	CQE("DPDK", "cqe error syndrome",
	    "CQE error syndrome " HEX " CQN = [0-9]+ [SR]QN = ([0-9]+) wqe_counter = ([0-9]+)",
	    "sqi"),
	CQE("the kernel's iSER", "vend_err", "\\(([0-9]+)\\):? vend_err ([0-9a-f]+)", "wV"),
	CQE("Open MPI", "status number",
	    "with status [A-Z ]+ status number ([0-9]+) for wr_id [0-9a-f]+ opcode [0-9]+ +vendor "
	    "error ([0-9]+)",
	    "wv"),
	CQE("an example of libibverbs", "failed status",
	    "Failed status [a-z ]+\\(([0-9]+)\\) for wr_id", "w"),
	CQE("SPDK", "cq error on queue pair", "Response Index [0-9]+ \\(([0-9]+)\\)", "w"),
	CQE("SPDK", "cq error on cq", "CQ error on CQ [^,]+, Request 0x[0-9]+ \\(([0-9]+)\\)", "w"),
	CQE("SPDK", "on cq ", "on CQ .*status: \\(([0-9]+)\\)", "w"),
	CQE("SPDK", "wc error, qid", "WC error, qid .*status: \\(([0-9]+)\\)", "w"),
	CQE("the kernel's NVMe over RDMA", "failed with status",
	    "CQE .*failed with status [a-z ]+\\(([0-9]+)\\)", "w"),
	CQE("MSCCL++", "a work item failed", "a work item failed: status ([0-9]+)", "w"),
	CQE("UCCL", "cq state error", "CQ state error: ([0-9]+), [0-9]+", "w"),
	CQE("UCCL", "cqe error",
	    "CQE error,? wr_id=[0-9]+,? status=([0-9]+) ?\\([a-z ]+\\),? opcode=[0-9]+,? "
	    "byte_len=[0-9]+,? vendor_err=" NUMBER ",? qp_num=" HEX,
	    "wvq"),
	CQE("libfabric", "prov_err", "prov_err: [a-z ]+\\(([0-9]+)\\)", "w"),

	/* --- health of the device, and its start --- */
	ABOUT(MLX5, "fatal error", TOPIC_HEALTH_FATAL,
	      "poll_health:[0-9]+:\\(pid [0-9]+\\): Fatal error ([0-9]+) detected", "d"),
	ABOUT(MLX5, "device's health compromised", TOPIC_HEALTH_MISSED,
	      "device's health compromised", ""),
	ABOUT(MLX5, "health issue observed", TOPIC_HEALTH_ISSUE,
	      "Health issue observed, ([a-zA-Z ]+), severity\\(([0-9]+)\\)", "nd"),
	ABOUT(MLX5, "health recovery", TOPIC_HEALTH_RECOVERY,
	      "(health recovery (failed|succeeded|flow aborted[a-z, A-Z]*)|starting health "
	      "recovery flow)",
	      "n"),
	ABOUT(MLX5, "handling bad device here", TOPIC_HEALTH_RECOVERY, "handling bad device here",
	      ""),
	ABOUT(MLX5, "will cause a leak of", TOPIC_COMMAND_TIMEOUT,
	      COMMAND_GIVEN_UP "(Async, )?timeout\\. Will cause a leak of a command resource",
	      "nc"),
	ABOUT(MLX5, "no done completion", TOPIC_COMMAND_TIMEOUT,
	      COMMAND_GIVEN_UP "No done completion", "nc"),
	ABOUT(MLX5, "recovered after timeout", TOPIC_COMMAND_LATE,
	      COMMAND_GIVEN_UP "(Async, )?(recovered) after timeout", "nc-x"),
	ABOUT(MLX5, "arrived after timeout", TOPIC_COMMAND_LATE,
	      "Command completion (arrived) after timeout", "x"),
	ABOUT(MLX5, "for a slot", TOPIC_COMMAND_QUEUE,
	      COMMAND_GIVEN_UP "timed out while waiting for a slot", "nc"),
	ABOUT(MLX5, "out of queue timeout", TOPIC_COMMAND_QUEUE,
	      COMMAND_GIVEN_UP "canceled on out of queue timeout", "nc"),
	ABOUT(MLX5, "command semaphore", TOPIC_COMMAND_QUEUE,
	      COMMAND_GIVEN_UP "timeout while waiting for command semaphore", "nc"),
	ABOUT(MLX5, "waiting for fw", TOPIC_FIRMWARE_WAIT,
	      "Waiting for FW [a-z-]+, timeout abort in [0-9]+ ?s( \\(" HEX "\\))?", "-D"),
	ABOUT(MLX5, "initializing state, aborting", TOPIC_FIRMWARE_WAIT,
	      "Firmware over [0-9]+ MS in (pre-)?initializing state, aborting", "-"),
	ABOUT(MLX5, "failed with error code", TOPIC_PROBE,
	      "(mlx5_(load_one|init_one|pci_init|init_once)|probe_one)[^a-z]* ?failed with error "
	      "code -?([0-9]+)",
	      "n-e"),
	ABOUT("the kernel's driver core", "probe of", TOPIC_PROBE,
	      "mlx5_core: probe of ([0-9a-f:.]+) failed with error -([0-9]+)", "ne"),
	ABOUT(MLX5, "hca", TOPIC_PROBE,
	      "(handle_hca_cap[a-z_0-9]*|set_hca_cap|set_hca_ctrl|enable hca|init hca|query "
	      "hca|tear_down_hca) failed",
	      "n"),
	ABOUT(MLX5, "reclaim", TOPIC_PAGES, "failed reclaiming pages:? \\(?(err )?-([0-9]+)", "-e"),
	ABOUT(MLX5, "give_pages", TOPIC_PAGES, "give_pages:[0-9]+:.* err -([0-9]+)", "e"),
	ABOUT(MLX5, "did not return all pages", TOPIC_PAGES, "FW did not return all pages", ""),
	ABOUT(MLX5, "log_max_qp value", TOPIC_PROFILE,
	      "log_max_qp value in current profile is ([0-9]+), changing it to HCA capability "
	      "limit \\(([0-9]+)\\)",
	      "--"),
	ABOUT(MLX5, "pcie", TOPIC_PCIE, "(PCIe (width|speed) is lower than device's capability)",
	      "n"),
	ABOUT("the kernel's PCI core", "available pcie bandwidth", TOPIC_PCIE,
	      "available PCIe bandwidth, limited by ([0-9.]+ GT/s PCIe x[0-9]+ link at [^ ]+)",
	      "n"),
	ABOUT("the kernel's network core", "hw csum failure", TOPIC_CHECKSUM, "hw csum failure",
	      ""),
	ABOUT("FreeBSD's mlx5 driver", ", status: ", TOPIC_MODULE,
	      "Module [0-9]+, status: ((plugged and enabled)|[a-z ]+)", "nx"),
	ABOUT(MLX5, "high temperature on sensors", TOPIC_TEMPERATURE,
	      "High temperature on sensors with bit set (0x)?([0-9a-f]+) (0x)?([0-9a-f]+)", "---D"),
	ABOUT(MLX5, "insufficient power", TOPIC_POWER,
	      "Detected insufficient power on the PCIe slot \\(([0-9]+)W\\)", "d"),
	ABOUT(MLX5, "power capability", TOPIC_POWER_UNKNOWN,
	      "PCIe slot power capability was not advertised", ""),
	ABOUT(MLX5, "port module event", TOPIC_MODULE,
	      "Port module event(\\[error\\])?: module [0-9]+, ((Cable plugged)|[A-Za-z ]+)(, "
	      "([A-Za-z /()]+))?",
	      "-nx"),
	ABOUT(MLX5, "cq error on cqn", TOPIC_CQ_ERROR, "CQ error on CQN 0x[0-9a-f]+, syndrome " HEX,
	      "D"),
	ABOUT(MLX5, "tx timeout", TOPIC_TX_TIMEOUT, "TX timeout (on queue|detected)", "-"),
	ABOUT("the kernel's network core", "netdev watchdog", TOPIC_TX_TIMEOUT,
	      "NETDEV WATCHDOG: [^ ]+ \\(mlx5_core\\): transmit queue ([0-9]+) timed out", "-"),
	ABOUT(MLX5, "async reg mr failed", TOPIC_MKEY_CACHE,
	      "async reg mr failed\\. status -([0-9]+)", "e"),
	ABOUT(MLX5, "mkey page tables", TOPIC_MKEY_CACHE, "Failed to update mkey page tables", ""),
	ABOUT(MLX5, "create mkey failed", TOPIC_MKEY_CACHE, "create mkey failed( -([0-9]+))?",
	      "-e"),

	/* --- queue pairs and memory --- */
	ABOUT("NCCL", "ibv_modify_qp failed with", TOPIC_MODIFY_QP,
	      "ibv_modify_qp failed with ([0-9]+) [^,]+, .*next state ([A-Z]+)", "ex"),
	ABOUT(MLX5, "modify qp", TOPIC_MODIFY_QP, "mlx5_ib: modify QP " HEX " to RESET failed",
	      "q"),
	ABOUT("perftest", "through the link", TOPIC_MODIFY_QP,
	      "Unable to Connect the HCA's through the link", ""),
	ABOUT("libibverbs", "rlimit_memlock", TOPIC_MEMLOCK, "RLIMIT_MEMLOCK is ([0-9]+) bytes",
	      "-"),
	ABOUT("perftest", "mr with error", TOPIC_MEMORY,
	      "^ *(Couldn't allocate MR) with error[ =:]*([0-9]+)", "ne"),
	ABOUT("perftest", "mr", TOPIC_MEMORY, "^ *((Couldn't allocate|failed to create) (MR))\\.?$",
	      "n-x"),
	ABOUT("perftest", " create ", TOPIC_OBJECT,
	      "^ *((Couldn't|Unable to|Failed to) create (CQ|QP|SRQ|PD))\\.?$", "n-x"),
	ABOUT("UCX", "nc_dedicated", TOPIC_OPEN_DEVICE,
	      "(both WC and NC_DEDICATED) UAR allocation types", "x"),
	ABOUT("UCX", "failed to register", TOPIC_MEMORY,
	      "UCX +[A-Z]+ +(failed to register) (address|user buffer)", "x"),
	ABOUT("NIXL", "registermem", TOPIC_MEMORY, "(registerMem).*fail", "n"),
	ABOUT("libibverbs", "fork()-safety", TOPIC_FORK,
	      "(fork\\(\\)-safety) requested but init failed", "n"),
	ABOUT("a program with libfabric", "fi_getinfo", TOPIC_NO_PROVIDER,
	      "fi_getinfo.*(-61|-FI_ENODATA)", "-"),
	ABOUT("a program with GPU memory", "peermem", TOPIC_PEER_MEMORY,
	      "(without nvidia.?peermem|nvidia.?peermem( module)?( is)? not "
	      "(loaded|found|detected))",
	      "-"),
	ABOUT("perftest", "context for the device", TOPIC_OPEN_DEVICE,
	      "^ *(Couldn't get context for the device)", "n"),
	ABOUT("perftest", "to", TOPIC_PERFTEST_PEER,
	      "^ *(Couldn't connect to [^ ]+:[0-9]+|Unable to open file descriptor for socket "
	      "connection|"
	      "Unable to init the socket connection|Failed to exchange data between server and "
	      "clients)",
	      "nE"),
	ABOUT("perftest", "read remote address", TOPIC_PERFTEST_PEER,
	      "(ethernet_read_keys): Couldn't read remote address", "n"),
	ABOUT("SPDK", "cq transport error", TOPIC_SPDK_QPAIR, "CQ transport error -[0-9]+", ""),
	ABOUT("NCCL", "gpu direct rdma disabled", TOPIC_PEER_MEMORY,
	      "NET/IB *: *(GPU Direct RDMA Disabled) for", "x"),
	ABOUT("NVSHMEM", "skipping", TOPIC_IBGDA_DEVICE,
	      "device ([^ ]+) (cannot allocate buffer|is not enumerated as an mlx5 device)", "nx"),
	ABOUT("NVSHMEM", "skipping", TOPIC_IBGDA_DEVICE, "GPU (cannot map UAR) of device ([^ .]+)",
	      "xn"),
	ABOUT("NVSHMEM", "gpu-initiated", TOPIC_IBGDA_DEVICE,
	      "(no active IB device) that supports GPU-initiated", "x"),
	ABOUT("Kubernetes' device plugin", "rdma device spec", TOPIC_DEVICE_PLUGIN,
	      "missing RDMA device spec for device ([0-9a-f:.]+), RDMA device "
	      "[^a-z]*([a-z_]+)[^a-z]* not found",
	      "nx"),
	ABOUT("the kernel", "of symbol ", TOPIC_KERNEL_MODULE,
	      "([a-z0-9_]+: disagrees about version of symbol "
	      "(__)?(ib|rdma|mlx[45]|nvidia_p2p)_[a-z0-9_]+)",
	      "n"),
	ABOUT("the kernel", "unknown symbol ", TOPIC_KERNEL_MODULE,
	      "([a-z0-9_]+: Unknown symbol (__)?(ib|rdma|mlx[45]|nvidia_p2p)_[a-z0-9_]+)", "n"),
	ABOUT("modprobe", "could not insert", TOPIC_KERNEL_MODULE,
	      "could not insert '((mlx|ib_|rdma_|nv_peer|nvidia.peermem|nvme_rdma|nvmet_rdma|"
	      "rpcrdma)[a-z0-9_-]*)': (Unknown symbol|Invalid argument|Exec format)",
	      "n"),
	ABOUT("NVSHMEM", "nv_peer_mem", TOPIC_PEER_MEMORY,
	      "neither nv_peer_mem,? (n?or) nvidia_peermem detected", "-"),

	/* --- events --- */
	ABOUT("UCX", "async event on", TOPIC_ASYNC_EVENT,
	      "Async event on [^ ]+: " EVENT_WORDS "( on (QPN|port|CQN|DCTN|SRQN?)? ?" NUMBER ")?",
	      "x--q"),
	ABOUT("UCX", "was flushed", TOPIC_ASYNC_EVENT,
	      "Async event on [^ ]+: SRQ-attached QP " HEX " (was flushed)", "qx"),
	ABOUT("NCCL", "async", TOPIC_ASYNC_EVENT,
	      "NET/IB : .*async (fatal )?event ?(on [A-Z]+ \\([^)]*\\))?: " EVENT_WORDS, "--x"),
	ABOUT("Mooncake", "async event", TOPIC_ASYNC_EVENT,
	      "Received context async event " EVENT_WORDS, "x"),
	ABOUT("SPDK", "async event", TOPIC_ASYNC_EVENT, "Async event: " EVENT_WORDS, "x"),
	ABOUT("a program with libibverbs", "ibv_event_", TOPIC_ASYNC_EVENT,
	      "(^|[^A-Z_])(IBV_EVENT_[A-Z_]+)", "-x"),
	ABOUT("SPDK", "from cm event channel", TOPIC_CM_EVENT,
	      "received RDMA_CM_EVENT_([A-Z_]+) \\([0-9]+\\) from CM event channel \\(status = "
	      "(-?[0-9]+)\\)",
	      "xr"),
	ABOUT("the kernel's NVMe over RDMA", "connect rejected", TOPIC_CM_EVENT,
	      "Connect (rejected): status (-?[0-9]+)", "xr"),
	ABOUT("the kernel's NVMe over RDMA", "rdma_resolve_addr wait", TOPIC_CM_CALL,
	      "(rdma_resolve_addr) wait failed \\(-([0-9]+)\\)", "ne"),
	ABOUT("the kernel's NVMe over RDMA", "connection establishment", TOPIC_CM_CALL,
	      "(rdma connection establishment) failed \\(-([0-9]+)\\)", "ne"),
	ABOUT("libvma", "failed in rdma_", TOPIC_CM_CALL,
	      "Failed in (rdma_[a-z_]+) \\([^)]*\\) \\(errno=([0-9]+)", "ne"),
	ABOUT("a program with libfabric", "fi_eq_readerr", TOPIC_CM_EVENT,
	      "err: Connection refused \\(111\\), prov_err: [^(]*\\(-([0-9]+)\\)", "d"),
	ABOUT("SPDK", "abort requests after", TOPIC_SPDK_QPAIR,
	      "CQ error, abort requests after transport retry counter exceeded", ""),
	ABOUT("a program with librdmacm", "rdma_cm_event_", TOPIC_CM_EVENT,
	      "RDMA_CM_EVENT_(ADDR_ERROR|ROUTE_ERROR|UNREACHABLE|REJECTED|CONNECT_ERROR|"
	      "DEVICE_REMOVAL|DISCONNECTED)(,? ?\\(?(error|status):? ?(-?[0-9]+))?",
	      "x--r"),

	/* --- no device --- */
	ABOUT("libibverbs", "couldn't load driver", TOPIC_NO_DRIVER,
	      "couldn't load driver '([^']+)'", "n"),
	ABOUT("libibverbs", "no userspace", TOPIC_NO_DRIVER,
	      "no userspace device-specific driver found", ""),
	ABOUT("libibverbs", "config directory", TOPIC_NO_DRIVER,
	      "couldn't open config directory '([^']+)'", "n"),
	ABOUT("ibv_devinfo", "found", TOPIC_NO_DEVICE, "(No IB devices found|^ *0 HCAs found)",
	      "-"),
	ABOUT("ibv_devinfo", "failed to open", TOPIC_NO_DEVICE, "^ *Failed to open device$", ""),
	ABOUT("VPP", "no rdma devices available", TOPIC_NO_DEVICE,
	      "no RDMA devices available, errno = ([0-9]+)", "e"),
	ABOUT("Open MPI", "openfabrics device", TOPIC_OPENIB,
	      "There was an error initializing an OpenFabrics device", ""),
	ABOUT("librdmacm", "no rdma devices", TOPIC_NO_DEVICE, "no RDMA devices found", ""),
	ABOUT("DPDK", "probe of pci device", TOPIC_DPDK_PROBE,
	      "probe of PCI device ([0-9a-f:.]+) aborted after encountering an error", "nE"),
	ABOUT("DPDK", "verbs device matches", TOPIC_DPDK_PROBE,
	      "(No Verbs device) matches PCI device ([0-9a-f:.]+)", "xn"),
	ABOUT("DPDK", "verbs device not found", TOPIC_DPDK_PROBE,
	      "(Verbs device not found): ([0-9a-f:.]+)", "xn"),
	ABOUT("DPDK", "mlx5 shared data", TOPIC_DPDK_PROBE, "Cannot allocate mlx5 shared data", ""),
	ABOUT("DPDK", "glue library", TOPIC_DPDK_PROBE, "cannot load (glue library): ([^:]+)",
	      "xn"),
	ABOUT("DPDK", "rdma-core libraries", TOPIC_DPDK_PROBE,
	      "missing run-time dependency on (rdma-core libraries)", "x"),
	ABOUT("DPDK", "pmd global data", TOPIC_DPDK_PROBE, "Unable to init (PMD global data)",
	      "nE"),
	ABOUT("DPDK", "failed to load driver", TOPIC_DPDK_PROBE,
	      "mlx5[a-z_]*: Failed to load driver =? ?([a-z0-9_]+)", "n"),
	ABOUT("DPDK", "read device counters", TOPIC_DPDK_COUNTERS,
	      "port [0-9]+ cannot read device counters", "E"),
	ABOUT(MLX5, "e-switch: failed", TOPIC_ESWITCH,
	      "E-Switch: (Failed [a-zA-Z ]+) err -([0-9]+)", "ne"),
	ABOUT("devlink", "setting eswitch", TOPIC_ESWITCH, "(Failed setting eswitch to [a-z]+)",
	      "n"),
	ABOUT("Lustre", "timed out tx for", TOPIC_LNET, "Timed out tx for ([^ ]+@o2ib[0-9]*)", "n"),
	ABOUT("infiniband-diags", "umad (", TOPIC_UMAD, "umad \\(([^)]*)\\) bad status ([0-9]+)",
	      "ne"),
	ABOUT("Open vSwitch", "failed to offload", TOPIC_OFFLOAD, "failed to offload flow", "E"),
	ABOUT("Open vSwitch", "recirc_id sharing", TOPIC_OFFLOAD,
	      "flow_put: recirc_id sharing (is )?not supported", "-"),
	ABOUT("DPDK", "refuses to create flow", TOPIC_FLOW_REFUSED,
	      "hardware refuses to create flow", ""),
	ABOUT("DPDK", "flows", TOPIC_FLOW_REFUSED, "mlx5[a-z_]*: .*failed to set defaults? flows",
	      ""),

	ABOUT("DPDK", "scatter offload is not configured", TOPIC_DPDK_MBUF,
	      "Scatter offload is not configured and no enough (mbuf space ?\\([0-9]+\\) to "
	      "contain "
	      "the maximum RX packet length ?\\([0-9]+\\) with head-?room ?\\([0-9]+\\))",
	      "n"),
	ABOUT("DPDK", "too many sges", TOPIC_DPDK_MBUF,
	      "(too many SGEs \\([0-9]+\\) needed [a-z0-9 ]*)", "n"),
	ABOUT("DPDK", "empty mbuf pool", TOPIC_DPDK_POOL, "(empty mbuf pool)", ""),
	ABOUT("DPDK", "queue", TOPIC_DPDK_QUEUE,
	      "mlx5_?[a-z]*: port [0-9]+ (unable to allocate (rx |tx )?queue index [0-9]+|(Rx|Tx) "
	      "queue "
	      "allocation failed)",
	      "nE"),
	ABOUT("DPDK", "queue", TOPIC_DPDK_QUEUE,
	      "mlx5_?[a-z]*: port [0-9]+ ((Rx|Tx) queue [0-9]+ [A-Za-z]+ (creation|modification) "
	      "failure|failed to create (Rx|Tx|hairpin) [a-z ]*queue[a-z ]*)",
	      "nE"),
	ABOUT("DPDK", "queue_setup", TOPIC_DPDK_QUEUE,
	      "(rte_eth_[rt]x_queue_setup)[^a-z]*err ?= ?-([0-9]+)", "ne"),

	/* --- lines of any program --- */
	LOOSE("vend", "(^|[^_a-z])synd(rome)?[ =:(]*" HEX ".*" VENDOR, "--s--v"),
	LOOSE("vend", "status[ =:(]*([0-9]+)[^0-9].*" VENDOR, "w--v"),
	LOOSE("vend", VENDOR ".*status[ =:(]*([0-9]+)", "--vw"),
	LOOSE("vend", STATUS_WORDS ".*" VENDOR, "W--v"),
	LOOSE("ibv_wc_", STATUS_NAME ".*" VENDOR, "N--v"),
	LOOSE("vend", VENDOR, "--v"),
	LOOSE("error", STATUS_WORDS, "W"),
	LOOSE("exceeded", STATUS_WORDS, "W"),
	LOOSE("ibv_wc_", STATUS_NAME, "N"),
	LOOSE("_err", WORD_BEGIN "((LOC|REM|RETRY|RNR|WR)_[A-Z_]*ERR)" WORD_END, "-N"),

	/* --- calls and objects, in lines of any program that report a failure --- */
	CALL("flow", TOPIC_FLOW_REFUSED, "(create_ibv_flow|ibv_create_flow|rte_flow_create)", "n"),
	CALL("flow", TOPIC_FLOW_REFUSED,
	     "((validat|creat)(e|ing)( an?| the)?( ipv[46]| rx| tx| rte)? flow( rule)?)" WORD_END,
	     "n"),
	CALL("dma", TOPIC_DMABUF,
	     "(ibv_reg_dmabuf_mr|fi_mr_reg[a-z]*.*dma-?_?buf|((regist|reg_|mapp?)[^:]* "
	     ")?dma-?_?buf( [a-z]+)? "
	     "?(regist|mr|map|fd)[a-z]*|(regist|reg_|mapp?)[^:]* dma-?_?buf)",
	     "n"),
	CALL("ibv_", TOPIC_MEMORY, "(ibv_(exp_|cmd_)?(re)?reg_[a-z0-9_]*mr[a-z0-9_]*)", "n"),
	CALL("fi_mr_reg", TOPIC_MEMORY, "(fi_mr_reg[a-z]*)", "n"),
	CALL("rdma_reg_", TOPIC_MEMORY, "(rdma_reg_(msgs|read|write))", "n"),
	CALL("umem", TOPIC_MEMORY, "(mlx5dv_devx_umem_reg[a-z_]*|ib_umem_get|umem get)", "n"),
	CALL("umem", TOPIC_MEMORY, "(create( a)?( devx)? umem)", "n"),
	CALL("regist", TOPIC_MEMORY,
	     "(regist(er|ering|ration of|ration for|ration)( [a-z0-9_/-]+)? ?( [a-z0-9_/-]+)? "
	     "(memory|mrs?|(rdma|gpu|device|host|user|data|send|recv|receive) buffers?))" WORD_END,
	     "n"),
	CALL("regist", TOPIC_MEMORY, "((memory|mr|memory region)[ _]regist(ration|er))", "n"),
	CALL("reg", TOPIC_MEMORY, WORD_BEGIN "(reg[ _](gpu[ _]|host[ _])?(mr|mem|memory))" WORD_END,
	     "-n"),
	CALL("mr pool", TOPIC_MEMORY, "(initialize( pi)? mr pool)", "n"),
	CALL(" mr", TOPIC_MEMORY,
	     "((allocat|creat)(e|ing)( a| an| the)?( [a-z0-9_-]+)? mrs?)" WORD_END, "n"),
	CALL("post", TOPIC_POST, "((ibv|rdma|mlx5|fi_ibv|vrb)_post_[a-z_]+)", "n"),
	CALL("ibv_wr_complete", TOPIC_POST, "(ibv_wr_complete)", "n"),
	CALL("post", TOPIC_POST,
	     WORD_BEGIN "(post(ing)?[ _](a |an |the )?(rdma (write|read)s?|([a-z_0-9]+ "
			")?(sends?|recvs?|receives?|wrs?|"
			"work requests?)))" WORD_END,
	     "-n"),
	CALL("ah", TOPIC_ADDRESS_HANDLE,
	     "(ibv_create_ah[a-z_]*|ib_create_ah|creat(e|ing)( a| an)? ah)" WORD_END, "n"),
	CALL("address handle", TOPIC_ADDRESS_HANDLE, "(address handle)", "n"),
	CALL("qp", TOPIC_MODIFY_QP,
	     "(modify|move|transition|chang)[a-z]*[ _(].*(INIT|RTR|RTS)" WORD_END, "-x"),
	CALL("qp", TOPIC_MODIFY_QP, "(ibv_modify_qp|modify(ing)? (the )?([a-z]+ )?qp)", "-"),
	CALL("queue pair", TOPIC_MODIFY_QP, "(modify|move|transition|chang)[a-z]* .*queue pair",
	     "-"),
	CALL("post", TOPIC_POST,
	     WORD_BEGIN "(rdma (send|recv|receive|read|write)[ _]post)" WORD_END, "-n"),
	CALL("ibv_fork_init", TOPIC_FORK, "(ibv_fork_init)", "n"),
	CALL("event", TOPIC_NO_CM,
	     "(rdma_create_event_channel|creat(e|ing)( a| an| rdma)? event channel|event channel "
	     "creation)",
	     ""),
	CALL("mlx5dv_create_", TOPIC_OBJECT, "(mlx5dv_create_[cq][qp](\\([^)]*\\))?)", "n"),
	CALL("_create_", TOPIC_OBJECT,
	     "((ibv|rdma|mlx5dv|ib)_(exp_|cmd_)?create_(cq|qp|srq|comp_channel|wq|rwq_ind_table|"
	     "xrc)[a-z_]*)",
	     "n"),
	CALL("xrcd", TOPIC_OBJECT, "(ibv_open_xrcd)", "n"),
	CALL("alloc_", TOPIC_OBJECT, "(ibv?_alloc_(pd|td|mw|dm)[a-z_]*)", "n"),
	CALL("creat", TOPIC_OBJECT,
	     "((failed to )?creat(e|ed|ing|ion of)([ _][a-z0-9/-]+)? ?([ _][a-z0-9_/-]+)?[ "
	     "_]" OBJECT_WORDS ")" WORD_END,
	     "n"),
	CALL("creat", TOPIC_OBJECT, "(" OBJECT_WORDS " creation)", "n"),
	CALL("alloc", TOPIC_OBJECT,
	     "(allocat(e|ing)( a| an| the)? (pd|protection domain|completion channel))" WORD_END,
	     "n"),
	CALL("fi_", TOPIC_OBJECT, "(fi_(enable|endpoint|cq_open))", "n"),
	CALL("cq resize", TOPIC_OBJECT, "((rdma )?cq resize)", "n"),
	CALL("_alloc_uar", TOPIC_OPEN_DEVICE, "(mlx5dv_devx_alloc_uar)", "n"),
	CALL("open device", TOPIC_OPEN_DEVICE,
	     "(open device (mlx[45]_|ib|roce|rdma|hfi|bnxt|irdma|erdma|efa)[a-z0-9_]*)", "n"),
	CALL("open_device", TOPIC_OPEN_DEVICE, "((ibv|mlx5dv)_open_device)", "n"),
	CALL("mlx5dv_", TOPIC_DV_CALL,
	     WORD_BEGIN "(mlx5dv_[a-z0-9_]+(\\([^)]*\\))?)([^a-z0-9_.]|$)", "-n"),
	CALL("rdma_", TOPIC_CM_CALL,
	     "(rdma_(resolve_addr|resolve_route|bind_addr|listen|connect|accept|establish|create_"
	     "ep|"
	     "create_id|getaddrinfo|get_request|get_cm_event|disconnect|join_multicast)[a-z_]*)",
	     "n"),
	CALL("rdma", TOPIC_CM_CALL, "RDMA(_CM)?:? +(accept|connect|listen|bind|resolve)" WORD_END,
	     "-n"),
	CALL("address resolution", TOPIC_CM_CALL, "(RDMA address resolution)", "n"),
	CALL(": ", TOPIC_CM_CALL,
	     "(cmatose|udaddy|mckey|rping): .*(bind|listen|connect|address|route)", "-"),
	CALL("ibv_", TOPIC_DESTROY, "(ibv_(dealloc|destroy|dereg)_[a-z_]+)", "n"),
	CALL("ibv_query_gid", TOPIC_GID_TYPE, "(ibv_query_gid[a-z_]*)", "n"),
	CALL("gid", TOPIC_GID_TYPE, WORD_BEGIN "((query|read|get)(ing)? (the )?gid)" WORD_END,
	     "-n"),
	CALL("ncclibrocegetversionnum", TOPIC_GID_TYPE, "(ncclIbRoceGetVersionNum)", "n"),
	CALL("gid_attrs", TOPIC_GID_TYPE, "(gid_attrs/[a-z]+/[0-9]+)", "n"),
	ABOUT("NVSHMEM", "non-zero status", TOPIC_NVSHMEM, "non-zero status: ([0-9]+)", "d"),
	CALL("ucp_", TOPIC_GAVE_UP, "(ucp_[a-z_]+)(\\([^)]*\\))? failed", "n"),
	CALL("uc", TOPIC_GAVE_UP,
	     "(create UCP worker|resolve UCX endpoint|UCX +ERROR +Failed to allocate memory pool)",
	     "n"),
	CALL("nccl", TOPIC_GAVE_UP, "(ncclSystemError|NCCL error[^:]*: unhandled system error)",
	     "n"),
	CALL("nixl_err_backend", TOPIC_GAVE_UP, "(NIXL_ERR_BACKEND)", "n"),
	ABOUT("Mooncake", "no available rnic", TOPIC_GAVE_UP, "(No available RNIC)", "n"),
	CALL("ibv_", TOPIC_VERB, WORD_BEGIN "(ibv_[a-z0-9_]+)([^a-z0-9_.]|$)", "-n"),
};
const size_t form_count = sizeof(forms) / sizeof(forms[0]);
_Static_assert(sizeof(forms) / sizeof(forms[0]) <= FORMS_MOST, "FORMS_MOST");

/* Marks of programs, in lower case, the most certain first. */
static const struct {
	const char *mark, *program;
} programs[] = {
	{"ucx  ", "UCX"},
	{"ucx error", "UCX"},
	{"[ucx]", "UCX"},
	{"uct_", "UCX"},
	{"ucp_", "UCX"},
	{"nvshmem", "NVSHMEM"},
	{"non-zero status: ", "NVSHMEM"},
	{"ibgda", "NVSHMEM"},
	{"ibrc.cpp", "NVSHMEM"},
	{"util_rdma.h", "UCCL"},
	{"uccl", "UCCL"},
	{"nccl", "NCCL"},
	{"vma error", "libvma"},
	{"xlio error", "libxlio"},
	{"rte_flow", "DPDK"},
	{"nixl", "NIXL"},
	{"mlx5_net:", "DPDK"},
	{"mlx5_common:", "DPDK"},
	{"net_mlx5:", "DPDK"},
	{"libfabric:", "libfabric"},
	{"prov/verbs", "libfabric"},
	{"fi_", "a program with libfabric"},
	{"rpma_", "librpma"},
	{"rpma:", "librpma"},
	{"nvmf_rdma", "SPDK"},
	{"nvme_rdma", "SPDK"},
	{"spdk_", "SPDK"},
	{"_qp_reset_failed_", "SPDK"},
	{"rdma.c", "SPDK"},
	{"mooncake", "Mooncake"},
	{"rdma_context.cpp", "Mooncake"},
	{"rdma_helper.cpp", "brpc"},
	{"async-rdma", "async-rdma"},
	{"xio_", "Accelio"},
	{"librdmacm:", "librdmacm"},
	{"libibverbs:", "libibverbs"},
	{"ib_umem_get", "the kernel's mlx5 driver"},
	{"umem get failed", "the kernel's mlx5 driver"},
	{"infiniband mlx5_", "the kernel's mlx5 driver"},
	{"mlx5_core 0", "the kernel's mlx5 driver"},
	{"nvme nvme", "the kernel's NVMe over RDMA"},
	{"nvmet_rdma", "the kernel's NVMe over RDMA"},
	{"isert", "the kernel's iSER"},
	{"iser:", "the kernel's iSER"},
	{"ib_srp", "the kernel's SRP"},
	{"svcrdma", "the kernel's NFS over RDMA"},
	{"rpcrdma", "the kernel's NFS over RDMA"},
	{"smb_direct", "the kernel's SMB Direct"},
	{"smbd_", "the kernel's SMB Direct"},
	{"kiblnd", "the kernel's Lustre network"},
	{"o2iblnd", "the kernel's Lustre network"},
};

const char *form_program(const char *lower, enum topic_id topic)
{
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		if (strstr(lower, programs[i].mark) &&
		    (strcmp(programs[i].mark, "rdma.c") || strstr(lower, "*error*")))
			return programs[i].program;
	return topic == TOPIC_CM_CALL || topic == TOPIC_NO_CM ? "a program with librdmacm"
							      : "a program with libibverbs";
}
