#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-prm explain understands the lines in which tools and drivers tell a failure without its bytes: each
# line is as users posted it (the thread is named), and what is said is what its numbers mean.
prm=${top_builddir:?}/tools/dvx-prm/dvx-prm
. "${top_srcdir:?}/tests/tap.sh" || exit 99
tmp=$scratch
# told WHERE LINE WANTED...: the line is explained with exit code 0, and each WANTED is said
told() {
	where=$1 line=$2 ok=0
	shift 2
	printf '%s\n' "$line" | "$prm" explain >"$tmp/out" 2>&1 || ok=1
	for want; do
		grep -qF -e "$want" "$tmp/out" || { ok=1; echo "# missing: $want"; }
	done
	report $ok "$where"
}
retry='status 12 of libibverbs is IBV_WC_RETRY_EXC_ERR; mlx5'
told "NCCL (NVIDIA/nccl#1664)" \
	'NET/IBP:Got completion from peer 7.6.13.83<36315> with status=12 opcode=32698 len=32696 vendor err 129 (Send)' \
	'reported by NCCL' "$retry" '0x15 TRANSPORT_RETRY_EXC_ERR' 'remedy: check that the peer lives' \
	'vendor syndrome 0x81: error reports show it together with TRANSPORT_RETRY_EXC_ERR' 'opcode and byte_len are undefined'
told "NCCL, newer: names and numbers" \
	'NET/IB: Got completion from peer 10.1.2.3<41234> with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) vendor_err=129   hca mlx5_0' \
	'reported by NCCL' "$retry" 'vendor syndrome 0x81'
told "rping" 'cq completion failed status 10' 'status 10 of libibverbs is IBV_WC_REM_ACCESS_ERR'
told "a status by its name, with the vendor's byte" \
	'rdma send error IBV_WC_RNR_RETRY_EXC_ERR to 10.0.0.1 on mlx5_0 port 1 vendor_err 135' \
	'status 13 of libibverbs is IBV_WC_RNR_RETRY_EXC_ERR' 'vendor syndrome 0x87'
told "NCCL, older" 'NET/IB : Got completion with error 12, opcode 1, len 11155, vendor err 129' 'reported by NCCL' "$retry" 0x81
told "perftest (linux-rdma/perftest#173)" '  Failed status 4: wr_id 0 syndrom 0x51' 'reported by perftest' LOC_PROT_ERR \
	'0x04 LOCAL_PROT_ERR' 'remedy: check lkey' 'vendor syndrome 0x51: error reports' 'not the vendor'
told "UCX (openucx/ucx#5199)" \
	'[master:19546:0:19546] ib_mlx5_log.c:139  Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)' \
	'reported by UCX' 'syndrome 0x15 TRANSPORT_RETRY_EXC_ERR' 0x81
told "UCX, older (openucx/ucx#2973)" \
	'FATAL: Error on mlx5_3:1 QP 0xe6d7 wqe[7821]: Transport retry count exceeded (synd 0x15 vend 0x81) opcode SEND' \
	'reported by UCX' 0x15
told "UCX, DevX (openucx/ucx#4986)" 'UCX  ERROR mlx5dv_devx_qp_modify(503) failed, syndrome 0: Invalid argument' \
	'qp_modify(503)' 'syndrome 0: firmware did not answer' 'the first byte of the reply'
told "UCX, DevX with a syndrome (openucx/ucx#10451)" \
	'ib_mlx5dv_md.c:468 UCX ERROR mlx5dv_devx_obj_create(MKEY_KSM) failed, syndrome 0x2c4154: Remote I/O error' \
	'syndrome 0x2c4154 is firmware' 'no public list'
told "mlx5_core (openucx/ucx#9488)" \
	'[5365309.262528]mlx5_cmd_check:810:(pid 923941): create_mkey(0x200) op_mod(0x0) failed, status bad parameter(0x3), syndrome (0x35e6ec)' \
	'failed command CREATE_MKEY' 'opcode 0x200 CREATE_MKEY, op_mod 0x0' 'dvx-prm show create_mkey_in' \
	'status 0x03 BAD_PARAM' 'errno 22' 'remedy: decode the input' 'syndrome 0x35e6ec is firmware'
told "mlx5_core with errno" \
	'mlx5_core 0000:08:00.0: mlx5_cmd_out_err:808:(pid 100): CREATE_MKEY(0x200) op_mod(0x0) failed, status bad parameter(0x3), syndrome (0x3a9c4f), err(-22)' \
	'CREATE_MKEY' BAD_PARAM 0x3a9c4f 'errno 22: Invalid argument'
told "mlx5_ib (linux-nvme/nvme-cli#3268)" \
	'[15601.662158] infiniband rocep33s0f0: mlx5_poll_one:530:(pid 0): syndrome 0x5, vendor syndrome 0xf9' \
	"kernel's mlx5 driver" 'syndrome 0x05 WR_FLUSH_ERR' 'find the first completion' 0xf9
told "mlx5_en" \
	'mlx5_core 0000:03:00.0 eth2: Error cqe on cqn 0x401, ci 0x1e6, qpn 0x1087, opcode 0xd, syndrome 0x2, vendor syndrome 0x68' \
	'0x02 LOCAL_QP_OP_ERR' 'vendor syndrome 0x68: no public source'
told "DPDK, a queue" 'mlx5_net: Unexpected CQE error syndrome 0x04 CQN = 7 SQN = 36 wqe_counter = 3 wq_ci = 9 cq_ci = 1' \
	'reported by DPDK' LOCAL_PROT_ERR
told "DPDK, DevX" 'mlx5_common: DevX create mkey failed errno=121 status=0x3 syndrome=0x6d8' 'failed command CREATE_MKEY' BAD_PARAM 0x0006d8 \
	'errno 121: Remote I/O error - firmware refused'
told "ibv_rc_pingpong" 'Failed status transport retry counter exceeded (12) for wr_id 2' "$retry"
told "iSER" 'isert: isert_print_wc: login failure: RETRY_EXC_ERR (12) vend_err 81' 'iSER' "$retry" 'vendor syndrome 0x81'
told "NVMe over RDMA" 'nvme nvme1: RECV for CQE 0x00000000d2 failed with status WR flushed (5)' WR_FLUSH_ERR
told "SPDK (spdk/spdk#1387)" \
	'rdma.c:spdk_nvmf_rdma_poller_poll:3868 Error on CQ 0x7f38b89f66e0, request 0x139881275013272, type 2, status: (5): Work Request Flushed Error' \
	SPDK 'status 5 of libibverbs'
told "any program (charmplusplus/charm#2532)" 'wc.status 9, wc.vendor_err 138' REMOTE_INVAL_REQ_ERR \
	'vendor syndrome 0x8a: error reports show it together with REMOTE_INVAL_REQ_ERR'
told "any program, another order (uccl-project/uccl#617)" \
	'CQE ERROR wr_id=12887842422 status=12(transport retry counter exceeded) opcode=4 byte_len=0 vendor_err=0xa qp_num=0x2e24' \
	"$retry" 'vendor syndrome 0x0a: no public source'
told "the vendor byte alone" 'completion failed, vendor error 0x51' 'only the vendor'"'"'s byte, not the status' LOCAL_PROT_ERR
told "a byte and a status that do not go together" 'status=10 vendor_err=0x81' 'here it comes with another one'
told "in words" 'poll: remote access error' 'status 10 of libibverbs is IBV_WC_REM_ACCESS_ERR'
told "a status that mlx5 never makes" 'status=20 vendor_err=0x0' 'mlx5 has no syndrome of its own'
told "a connection that the application refuses: no errno" 'cma_event_handler: RDMA_CM_EVENT_REJECTED, error 28' \
	'reason 28 (IB_CM_REJ_CONSUMER_DEFINED)' "look at the peer's log"
! grep -q 'errno 28' "$tmp/out"
report $? "a positive status of RDMA_CM is no errno"
told "a connection with an errno" 'cma event RDMA_CM_EVENT_UNREACHABLE, error -110' 'errno 110' 'did not answer the request'
told "an errno that is also the number of a reason" 'RDMA_CM_EVENT_CONNECT_ERROR, error -28' 'errno 28'
! grep -q 'CONSUMER_DEFINED' "$tmp/out"
report $? "it is not taken for the reason"
told "perftest, a QP" "Couldn't create QP" 'RLIMIT_MEMLOCK'
told "a QP with its type" 'Failed to modify UD QP to INIT' 'to INIT: port'
told "an address handle" 'ibv_create_ah: No such device' 'an address handle could not be made' 'errno 19'
told "a command whose event was lost" 'mlx5_core 0000:5e:00.0: cmd[3]: CREATE_QP(0x500) recovered after timeout' \
	'opcode 0x500 CREATE_QP' 'nothing failed, it only took long' "(the remedy is dvx's own advice)"
told "ibv_rc_pingpong, INIT" 'Failed to modify QP to INIT' 'to INIT: port'
told "perftest, RTS" 'Failed to modify QP 0x12 to RTS' 'to RTS: timeout'
told "a CQ that overran" 'mlx5_core 0000:3b:00.0: CQ error on CQN 0x410, syndrome 0x1' 'syndrome 1: overrun' 'make the CQ as long'
told "libibverbs' warning" 'libibverbs: Warning: RLIMIT_MEMLOCK is 65536 bytes.' 'ulimit -l unlimited'
told "ethtool" '     rx_out_of_buffer: 123' 'had no receive buffer'
told "a counter of more than 32 bits" 'rx_discards_phy: 5000000000' 'about: rx_discards_phy 5000000000'
told "rdma statistic" 'link mlx5_0/1 rx_write_requests 0 out_of_sequence 12 packet_seq_err 3' 'lost or reordered' 'sequence error NAKs'
told "libdvx" 'CREATE_QP (0x500) op_mod 0x0: BAD_RES (0x5), syndrome 0xdf000009: Invalid argument' CREATE_QP BAD_RES \
	"dvx-sim's own and means nothing on a NIC"

# A log is told in its order, equal lines once, and dumps between them as ever.
{
	echo 'x: Got completion from peer 1.2.3.4<5> with status=5 opcode=1 len=0 vendor err 249 (Send)'
	echo 'x: Got completion from peer 1.2.3.5<5> with status=5 opcode=2 len=9 vendor err 249 (Recv)'
	echo 'mlx5: host: got completion with error:'
	echo '00000000 00000000 00000000 00000000'
	echo '00000000 00000000 00000000 00000000'
	echo '00000000 00000000 00000000 00000000'
	echo '00000000 00008914 080001f7 0003f0d3'
	echo 'Failed status 11: wr_id 0 syndrom 0x89'
} >"$tmp/log"
"$prm" explain "$tmp/log" >"$tmp/out"
grep -q '2 lines say the same' "$tmp/out" && [ "$(grep -c '^line' "$tmp/out")" -eq 3 ] &&
	[ "$(grep '^line' "$tmp/out" | cut -d: -f1 | tr '\n' ' ')" = "line 1 line 4 line 8 " ]
report $? "a log with lines and a dump"
"$prm" explain --json "$tmp/log" >"$tmp/out"
/usr/bin/python3 -c 'import json, sys
a = json.load(open(sys.argv[1]))
assert [o["kind"] for o in a] == ["text", "cqe", "text"], a
assert a[0]["facts"] == {"wc_status": 5, "syndrome": 5, "vendor_err_synd": 249, "times": 2}, a[0]["facts"]
assert a[2]["sure"] == "certain" and a[2]["input"]["line"] == 8, a[2]' "$tmp/out" 2>"$tmp/err" || cp "$tmp/err" "$tmp/out"
[ ! -s "$tmp/err" ]
report $? "the same as JSON"

for row in 'assert_var[0] 0x00000001' 'assert_callra 0x0080365c' 'synd 0x8: unrecoverable hardware error'; do
	for port in 0 1; do echo "mlx5_core 0000:41:00.$port: print_health_info:410:(pid 0): $row"; done
done >"$tmp/x"
"$prm" explain "$tmp/x" >"$tmp/out"
[ "$(grep -c '3 lines of the report are here' "$tmp/out")" -eq 2 ]
report $? "health reports of two ports at once are two"

# Lines that tell no failure of a device.
printf '%s\n' 'status=0 vendor_err=0x0' 'got IBV_WC_SOME_ERR' 'exit status 5' 'the vendor is nice' 'syndrome' >"$tmp/x"
"$prm" explain "$tmp/x" >"$tmp/out" 2>&1
[ $? -eq 1 ] && grep -q '^nothing was recognised' "$tmp/out" && grep -q 'none of the 5 lines' "$tmp/out" &&
	! grep -q 'no hex' "$tmp/out"
report $? "text that says nothing: exit code 1, without a word on hex"
"$prm" explain --json "$tmp/x" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 1 ] && [ ! -s "$tmp/err" ] && grep -q 'none of the 5 lines' "$tmp/out" && grep -q '"recognised": *false' "$tmp/out"
report $? "the same as JSON"
# A line that is no hex does not hide the others.
printf '%s\n' '00 11 22 zz 44' 'status=12 vendor_err=0x81' >"$tmp/x"
"$prm" explain "$tmp/x" >"$tmp/out" 2>"$tmp/err" && grep -q RETRY_EXC "$tmp/out" &&
	grep -q 'broken: line 1, column 10: "zz" is not hex' "$tmp/out"
report $? "a broken dump beside a known line: the line is explained, the dump's fault told"
"$prm" explain --json "$tmp/x" | grep -q 'line 1, column 10: ."zz." is not hex'
report $? "the same as JSON"
{ printf '%s\n' 'the result was' '12345' 'and then' '*' 'of' '00 zz 11 22'; cat "$tmp/log"; } >"$tmp/x"
"$prm" explain "$tmp/x" >"$tmp/out" 2>&1 && [ "$(grep -c '^line.*failed completion\|^line.*error completion' "$tmp/out")" -eq 3 ] &&
	grep -q 'broken: line 2, column 1: an odd number' "$tmp/out"
report $? "lines of a log that look like a broken dump do not hide the dumps after them"
printf '00 11 22 zz 44\n' | "$prm" decode --json mkc 2>"$tmp/err" |
	grep -q '"error":.*is not hex.*"exit":3,.*"line":1,.*"column":10'
report $? "decode --json: the error object has line and column"
# What terminals and launchers put around lines.
esc=$(printf '\033')
{
	echo "$esc[31m[1,0]<stdout>:mlx5: host: got completion with error:$esc[0m"
	for row in 0 1 2; do echo "[1,0]<stdout>:00000000 00000000 00000000 00000000"; done
	echo "$esc[1;31m[1,0]<stdout>:00000000 00008914 080001f7 0003f0d3$esc[0m"
	echo "web-1  | Failed status 4: wr_id 0 syndrom 0x51"
	echo "> Nov 26 13:42:27 node7 kernel: infiniband mlx5_0: WC error: 12, Message: transport retry counter exceeded"
} >"$tmp/x"
"$prm" explain "$tmp/x" >"$tmp/out" 2>&1 && grep -q 'error completion of a send WQE' "$tmp/out" &&
	grep -q 'index 3 in QP 0x1f7' "$tmp/out" && grep -q LOC_PROT_ERR "$tmp/out" && grep -q RETRY_EXC_ERR "$tmp/out" &&
	grep -q '^line 6:' "$tmp/out"
report $? "colours, mpirun's and docker compose's prefixes, journald, quotes"
# A line that is longer than any, and a binary byte in one
{ head -c 100000 /dev/zero | tr '\0' 's'; echo ' status=12 vendor_err=0x81'; } >"$tmp/x"
timeout 300 "$prm" explain "$tmp/x" >"$tmp/out" 2>&1
[ $? -eq 1 ]
report $? "a line of 100000 characters ends soon"
i=0
while [ $i -lt 3000 ]; do
	echo "status=$((i % 20)) vendor_err=$((i % 256)) of a log with error, syndrome and status"
	i=$((i + 1))
done >"$tmp/x"
timeout 300 "$prm" explain "$tmp/x" >"$tmp/out" 2>&1 && [ "$(grep -c '^line' "$tmp/out")" -le 256 ] &&
	grep -q 'left out: [0-9]* more lines report failures, after 256 different ones' "$tmp/out"
report $? "thousands of lines end soon, with at most 256 findings, and the rest is counted"
plan
