/* SPDX-License-Identifier: BSD-2-Clause */
#include "forms.h"

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
#define ERROR_WORDS                                                                     \
	"(Cannot allocate memory|Connection timed out|Invalid argument|No such device|" \
	"Network is unreachable|No route to host|Bad address|Operation not permitted|"  \
	"Remote I/O error|Resource temporarily unavailable|No such file or directory|"  \
	"Operation not supported|Permission denied|Protocol not supported|File exists|" \
	"No space left on device|Input/output error|Device or resource busy|"           \
	"Operation canceled|Connection refused)"
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
#define COMMAND_GIVEN_UP "([A-Z0-9_]+)\\(" HEX "\\) "

const struct form forms[] = {
	/* Refused commands */
	CQE(MLX5, "op_mod(",
	    "([a-z0-9_]+)\\(" HEX "\\) op_mod\\(" HEX
	    "\\)[^,]* failed, status [^(]*\\((0x[0-9a-f]+|-?[0-9]+)\\), syndrome \\(" HEX
	    "\\)(, err\\(-?([0-9]+)\\))?",
	    "ncmty-e"),
	CQE("UCX", "obj_modify",
	    "mlx5dv_devx_obj_modify\\(([0-9a-f]{3})\\) failed, syndrome "
	    "(0x)?([0-9a-f]+)(: " ERROR_WORDS ")?",
	    "c-y-E"),
	CQE("NVSHMEM", "with syndrome",
	    "(non-zero status: ([0-9]+) )?Error in mlx5dv_devx_[a-z_]+ for ([A-Z0-9_]+) with "
	    "syndrome ([0-9a-f]+)",
	    "-eny"),
	CQE("UCX", "mlx5dv_devx",
	    "mlx5dv_devx_([a-z_]+\\([^)]*\\)) failed( on [^ ,]+)?, syndrome "
	    "(0x)?([0-9a-f]+)(: " ERROR_WORDS ")?",
	    "n--y-E"),
	CQE("DPDK", "devx", "DevX ([^=]+) failed errno=([0-9]+) status=" NUMBER " syndrome=" NUMBER,
	    "nety"),
	CQE("libdvx", "op_mod",
	    "([a-z0-9_]+) \\(" HEX "\\) op_mod " HEX ": [a-z0-9_]+ \\(" HEX "\\), syndrome " HEX,
	    "ncmty"),
	/* Failed completions */
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
	CQE("UCCL", "cq state error", "CQ state error: ([0-9]+), [0-9]+", "w"),
	CQE("UCCL", "cqe error",
	    "CQE error,? wr_id=[0-9]+,? status=([0-9]+) ?\\([a-z ]+\\),? opcode=[0-9]+,? "
	    "byte_len=[0-9]+,? vendor_err=" NUMBER ",? qp_num=" HEX,
	    "wvq"),
	CQE("libfabric", "prov_err", "prov_err: [a-z ]+\\(([0-9]+)\\)", "w"),

	/* Health of the device, and its start */
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

	/* Queue pairs and memory */
	ABOUT("NCCL", "ibv_modify_qp failed with", TOPIC_MODIFY_QP,
	      "ibv_modify_qp failed with ([0-9]+) [^,]+, .*next state ([A-Z]+)", "ex"),
	ABOUT("NCCL", "ibv_modify_qp failed with", TOPIC_MODIFY_QP,
	      "ibv_modify_qp failed with error " ERROR_WORDS, "E"),
	ABOUT("UCX", "ibv_modify_qp(", TOPIC_MODIFY_QP,
	      "ibv_modify_qp\\([A-Z0-9a-z_ ]+, (INIT|RTR|RTS)\\) failed ?: " ERROR_WORDS, "xE"),
	ABOUT("a program with libibverbs", "modify qp", TOPIC_MODIFY_QP,
	      "Failed to modify QP [0-9a-fx]* ?to (INIT|RTR|RTS)[^\\[]*\\[([0-9]+)\\]", "xe"),
	ABOUT("a program with libibverbs", "failed to modify", TOPIC_MODIFY_QP,
	      "Failed to modify ([a-z]+ )?QP [0-9a-fx]* ?(state )?to (INIT|RTR|RTS)(.*" ERROR_WORDS
	      ")?",
	      "--x-E"),
	ABOUT(MLX5, "modify qp", TOPIC_MODIFY_QP, "mlx5_ib: modify QP " HEX " to RESET failed",
	      "q"),
	ABOUT("NVSHMEM", "ibv_modify_qp failed", TOPIC_MODIFY_QP,
	      "non-zero status: ([0-9]+) ibv_modify_qp failed", "e"),
	ABOUT("a program with libibverbs", "ibv_modify_qp", TOPIC_MODIFY_QP,
	      "ibv_modify_qp[^:]*: " ERROR_WORDS, "E"),
	ABOUT("perftest", "through the link", TOPIC_MODIFY_QP,
	      "Unable to Connect the HCA's through the link", ""),
	ABOUT("libibverbs", "rlimit_memlock", TOPIC_MEMLOCK, "RLIMIT_MEMLOCK is ([0-9]+) bytes",
	      "-"),
	ABOUT("UCX", "ulimit -l", TOPIC_MEMORY,
	      "(ibv_[a-z0-9_]+)\\(.*failed: " ERROR_WORDS ".*ulimit -l", "nE"),
	ABOUT("a program with libibverbs", "ibv_create_ah", TOPIC_ADDRESS_HANDLE,
	      "(ibv_create_ah[a-z_]*).*(: | with error )" ERROR_WORDS, "n-E"),
	ABOUT("NCCL", "call to ibv_", TOPIC_MEMORY,
	      "Call to (ibv_(reg|create)[a-z0-9_]+) failed with error " ERROR_WORDS, "n-E"),
	ABOUT("UCX", "_alloc_uar(", TOPIC_OPEN_DEVICE,
	      "(mlx5dv_devx_alloc_uar)\\(.*\\) failed: " ERROR_WORDS, "nE"),
	ABOUT("a program with libibverbs", "ibv_open_device", TOPIC_OPEN_DEVICE,
	      "(ibv_open_device)[^:]*(: | with error )" ERROR_WORDS, "n-E"),
	ABOUT("UCX", "ibv_", TOPIC_MEMORY,
	      "(ibv_(exp_)?(reg|create)[a-z0-9_]+)(\\([^)]*\\))? failed: " ERROR_WORDS, "n---E"),
	ABOUT("a program with libibverbs", "ibv_", TOPIC_MEMORY,
	      "(ibv_(reg|create)[a-z0-9_]+)[^:]*: " ERROR_WORDS, "n-E"),
	ABOUT("a program with libibverbs", "register memory", TOPIC_MEMORY,
	      "Failed to register memory[^:]*: " ERROR_WORDS, "E"),
	ABOUT("a program with libibverbs", "failed to create", TOPIC_MEMORY,
	      ERROR_WORDS "\\) Failed to create (qp|cq|mr)", "E"),
	ABOUT("a program with libibverbs", "failed to create", TOPIC_MEMORY,
	      "(Failed to create (QP|CQ|SRQ|MR))[^:]*: " ERROR_WORDS, "nxE"),
	ABOUT("perftest", "mr", TOPIC_MEMORY, "^ *((Couldn't allocate|failed to create) (MR))",
	      "n-x"),
	ABOUT("perftest", " create ", TOPIC_MEMORY,
	      "^ *((Couldn't|Unable to|Failed to) create (CQ|QP|SRQ|PD))", "n-x"),
	ABOUT("a program with libibverbs", "error code", TOPIC_MEMORY,
	      "(ibv_(reg|create)[a-z0-9_]+) failed \\[error code: ([0-9]+)\\]", "n-e"),
	ABOUT("a program with libibverbs", "failed, errno", TOPIC_MEMORY,
	      "(ibv_(reg|create)[a-z0-9_]+)\\(\\) failed, errno: ([0-9]+)", "n-e"),
	ABOUT("a program with libibverbs", "failed on ibv_cmd_", TOPIC_MEMORY,
	      "failed on (ibv_cmd_create_[a-z]+) with ([0-9]+)", "ne"),
	ABOUT("async-rdma", "ibv_reg_mr err", TOPIC_MEMORY, "(ibv_reg_mr) err, arguments", "n"),
	ABOUT("a program with libfabric", "fi_mr_reg", TOPIC_MEMORY,
	      "(fi_mr_reg)[a-z]* failed.*[^0-9]-([0-9]+)", "ne"),
	ABOUT("SPDK", "cq resize failed", TOPIC_MEMORY, "(RDMA CQ resize) failed: errno ([0-9]+)",
	      "ne"),
	ABOUT("a program with libibverbs", "ibv_post_", TOPIC_POST,
	      "(ibv_post_(send|recv|srq_recv))[^:]*: " ERROR_WORDS, "n-E"),
	ABOUT("NVSHMEM", "unable to create ah", TOPIC_ADDRESS_HANDLE, "(Unable to create ah)", "n"),
	ABOUT("UCX", "mlx5dv_", TOPIC_DV_CALL,
	      "(mlx5dv_[a-z0-9_]+(\\([^)]*\\))?) failed: " ERROR_WORDS, "n-E"),

	/* Events */
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
	ABOUT("the kernel's NVMe over RDMA", "rdma_resolve_addr wait", TOPIC_CM_EVENT,
	      "(rdma_resolve_addr) wait failed \\(-([0-9]+)\\)", "ne"),
	ABOUT("libvma", "failed in rdma_", TOPIC_CM_EVENT,
	      "Failed in (rdma_[a-z_]+) \\([^)]*\\) \\(errno=([0-9]+)", "ne"),
	ABOUT("a program with libfabric", "fi_eq_readerr", TOPIC_CM_EVENT,
	      "err: Connection refused \\(111\\), prov_err: [^(]*\\(-([0-9]+)\\)", "d"),
	ABOUT("a program with librdmacm", "rdma_create_event_channel", TOPIC_NO_CM,
	      "rdma_create_event_channel[^a-z]*failed", ""),
	ABOUT("SPDK", "abort requests after", TOPIC_SPDK_QPAIR,
	      "CQ error, abort requests after transport retry counter exceeded", ""),
	ABOUT("a program with librdmacm", "rdma_cm_event_", TOPIC_CM_EVENT,
	      "RDMA_CM_EVENT_(ADDR_ERROR|ROUTE_ERROR|UNREACHABLE|REJECTED|CONNECT_ERROR|"
	      "DEVICE_REMOVAL|DISCONNECTED)(,? ?\\(?(error|status):? ?(-?[0-9]+))?",
	      "x--r"),

	/* No device */
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
	      "probe of PCI device ([0-9a-f:.]+) aborted after encountering an error: " ERROR_WORDS,
	      "nE"),
	ABOUT("DPDK", "verbs device matches", TOPIC_DPDK_PROBE,
	      "(No Verbs device) matches PCI device ([0-9a-f:.]+)", "xn"),
	ABOUT("DPDK", "glue library", TOPIC_DPDK_PROBE, "cannot load (glue library): ([^:]+)",
	      "xn"),
	ABOUT("DPDK", "rdma-core libraries", TOPIC_DPDK_PROBE,
	      "missing run-time dependency on (rdma-core libraries)", "x"),
	ABOUT("DPDK", "pmd global data", TOPIC_DPDK_PROBE,
	      "Unable to init (PMD global data): " ERROR_WORDS, "nE"),
	ABOUT("DPDK", "failed to load driver", TOPIC_DPDK_PROBE,
	      "mlx5[a-z_]*: Failed to load driver =? ?([a-z0-9_]+)", "n"),
	ABOUT("DPDK", "read device counters", TOPIC_DPDK_COUNTERS,
	      "port [0-9]+ cannot read device counters: " ERROR_WORDS, "E"),
	ABOUT(MLX5, "e-switch: failed", TOPIC_ESWITCH,
	      "E-Switch: (Failed [a-zA-Z ]+) err -([0-9]+)", "ne"),
	ABOUT("devlink", "setting eswitch", TOPIC_ESWITCH, "(Failed setting eswitch to [a-z]+)",
	      "n"),
	ABOUT("Lustre", "timed out tx for", TOPIC_LNET, "Timed out tx for ([^ ]+@o2ib[0-9]*)", "n"),
	ABOUT("infiniband-diags", "umad (", TOPIC_UMAD, "umad \\(([^)]*)\\) bad status ([0-9]+)",
	      "ne"),
	ABOUT("Open vSwitch", "failed to offload", TOPIC_OFFLOAD,
	      "failed to offload flow: " ERROR_WORDS, "E"),
	ABOUT("DPDK", "refuses to create flow", TOPIC_FLOW_REFUSED,
	      "hardware refuses to create flow", ""),

	/* Of no certain program */
	LOOSE("vend", "status[ =:(]*([0-9]+)[^0-9].*" VENDOR, "w--v"),
	LOOSE("vend", VENDOR ".*status[ =:(]*([0-9]+)", "--vw"),
	LOOSE("vend", STATUS_WORDS ".*" VENDOR, "W--v"),
	LOOSE("ibv_wc_", STATUS_NAME ".*" VENDOR, "N--v"),
	LOOSE("vend", VENDOR, "--v"),
	LOOSE("error", STATUS_WORDS, "W"),
	LOOSE("exceeded", STATUS_WORDS, "W"),
	LOOSE("ibv_wc_", STATUS_NAME, "N"),
};
const size_t form_count = sizeof(forms) / sizeof(forms[0]);
_Static_assert(sizeof(forms) / sizeof(forms[0]) <= FORMS_MOST, "FORMS_MOST");
