#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dvx-prm explain: it recognises each kind by itself, says cause and remedy, and is honest about the rest.
prm=${top_builddir:?}/tools/dvx-prm/dvx-prm
. "${top_srcdir:?}/tests/tap.sh" || exit 99
tmp=$scratch
# expect CODE WHAT ARGS < dump; then each further line of $want must be in the output
expect() {
	code=$1 what=$2
	shift 2
	timeout 300 "$prm" explain "$@" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	ok=0
	[ $rc -eq "$code" ] || { ok=1; echo "# exit code $rc, wanted $code"; }
	printf '%s' "$want" >"$tmp/want"
	while read -r line; do
		grep -qF -- "$line" "$tmp/out" "$tmp/err" || { ok=1; echo "# missing: $line"; }
	done <"$tmp/want"
	report $ok "$what"
}
bin() {
	"$prm" encode -f bin "$@"
}

# libmlx5's dump, as it stands in public reports
cat >"$tmp/public" <<'D'
mlx5: host: got completion with error:
00000000 00000000 00000000 00000000
00000000 00000000 00000000 00000000
00000000 00000000 00000000 00000000
00000000 00008914 080001f7 0003f0d3
D
want='error completion of a send WQE (cqe, likely)
syndrome 0x14 REMOTE_OP_ERR
index 3 in QP 0x1f7; its opcode is 0x08 RDMA_WRITE
remedy: look at the peer
vendor syndrome 0x89: error reports show it together with REMOTE_OP_ERR; that is a correlation
'
expect 0 "libmlx5's error dump" <"$tmp/public"

! grep -q 'unknown to the tables' "$tmp/out"
report $? "all its bits are known, the solicited one too"
bin err_cqe opcode=RESP_ERR syndrome=0x13 vendor_err_synd=0x88 qpn=0x42 wqe_counter=7 >"$tmp/err_cqe"
want='error completion of a receive WQE
REMOTE_ACCESS_ERR
compare rkey, address and length
0x88: error reports show it together with REMOTE_ACCESS_ERR
receive WQE has index 7, of QP 0x42
'
expect 0 "an error completion, binary" <"$tmp/err_cqe"
bin err_cqe opcode=REQ_ERR syndrome=0x15 vendor_err_synd=0x88 qpn=0x42 >"$tmp/x"
want='and here it comes with another one
'
expect 0 "a vendor byte that does not go with its syndrome is said to" <"$tmp/x"
{ head -c 64 /dev/zero; cat "$tmp/err_cqe"; } >"$tmp/x"
want='REMOTE_ACCESS_ERR
err_cqe at byte 0x40
'
expect 0 "an error completion of 128 bytes" <"$tmp/x"

bin cqe64 opcode=REQ s_wqe_opcode=RDMA_READ qpn=0x99 wqe_counter=12 timestamp=0x1234567 byte_cnt=4096 >"$tmp/x"
want='completion, no error (cqe, likely)
index 12 in QP 0x99
RDMA_READ
'
expect 0 "a good completion" <"$tmp/x"

{ bin wqe_ctrl_seg opcode=RDMA_WRITE qpn=0x1f7 wqe_index=3 ds=3 ce=2
	bin wqe_raddr_seg raddr=0x7f0000001000 rkey=0x1234
	bin wqe_data_seg byte_count=64 lkey=0x5678 addr=0x7f0000002000; } >"$tmp/wqe"
want='send WQE, RDMA_WRITE (wqe, likely)
index 3 in queue 0x1f7
wqe_raddr_seg at byte 0x10
wqe_data_seg at byte 0x20
0x5678
'
expect 0 "a write WQE with its segments" <"$tmp/wqe"
{ bin wqe_ctrl_seg opcode=SEND qpn=0x1f7 ds=2; printf '\200\0\0\005hello'; head -c 7 /dev/zero; } >"$tmp/x"
want='5 bytes of data are in the WQE itself
'
expect 0 "inline data" <"$tmp/x"

# Queues' types and long operations
av() {
	bin wqe_datagram_seg av.qkey=0x11111111 av.dqp_dct=0x77 av.ext=1 av.grh=1 av.rmac=0x020304050607
}
raddr() {
	bin wqe_raddr_seg raddr=0x7f0000001000 rkey=0x1234
}
data() {
	bin wqe_data_seg byte_count=64 lkey=0x5678 addr=0x7f0000002000
}
{ bin wqe_ctrl_seg opcode=SEND qpn=0x1f7 ds=5; av; data; } >"$tmp/x"
want='read as the WQE of a datagram or DC queue
wqe_datagram_seg at byte 0x10
wqe_data_seg at byte 0x40
'
expect 0 "a datagram" <"$tmp/x"
{ bin wqe_ctrl_seg opcode=SEND qpn=0x1f7 ds=3; bin wqe_data_seg byte_count=64 lkey=0x5678 \
	addr=0xffff888012345000; data; } >"$tmp/x"
want='of a connected queue
wqe_data_seg at byte 0x10
wqe_data_seg at byte 0x20
'
expect 0 "a send from kernel memory is no datagram" <"$tmp/x"
{ bin wqe_ctrl_seg opcode=SEND qpn=0x1f7 ds=4; bin wqe_eth_seg cs_flags=0xc0 inline_hdr_sz=18 \
	inline_hdr_start=0x0102; head -c 16 /dev/zero | tr '\0' '\7'; data; } >"$tmp/x"
want='type: a raw queue
wqe_eth_seg at byte 0x10
wqe_data_seg at byte 0x30
'
expect 0 "a frame of a raw queue" <"$tmp/x"
{ bin wqe_ctrl_seg opcode=RDMA_WRITE qpn=0x1f7 ds=6; av; raddr; data; } >"$tmp/x"
want='wqe_datagram_seg at byte 0x10
wqe_raddr_seg at byte 0x40
wqe_data_seg at byte 0x50
'
expect 0 "a write of a DC queue" <"$tmp/x"
{ bin wqe_ctrl_seg opcode=RDMA_WRITE qpn=0x1f7 ds=4; bin wqe_xrc_seg xrc_srqn=0x99; raddr; data; } >"$tmp/x"
want='wqe_xrc_seg at byte 0x10
wqe_raddr_seg at byte 0x20
wqe_data_seg at byte 0x30
'
expect 0 "a write of an XRC queue" <"$tmp/x"
{ bin wqe_ctrl_seg opcode=ATOMIC_MASKED_CS opmod=8 qpn=0x1f7 ds=4; raddr
	bin atomic_masked_cswap32_seg swap=1 compare=2; data; } >"$tmp/x"
want='atomic_masked_cswap32_seg at byte 0x20
wqe_data_seg at byte 0x30
'
expect 0 "an extended atomic of 4 bytes" <"$tmp/x"
{ bin wqe_ctrl_seg opcode=ATOMIC_MASKED_CS qpn=0x1f7 ds=5; raddr
	bin wqe_masked_atomic_seg swap_add=1 compare=2; data; } >"$tmp/x"
want='wqe_masked_atomic_seg at byte 0x20
wqe_data_seg at byte 0x40
'
expect 0 "a masked atomic of 8 bytes" <"$tmp/x"
{ bin wqe_ctrl_seg opcode=ATOMIC_MASKED_FA opmod=0xb qpn=0x1f7 ds=3; raddr; data; } >"$tmp/x"
want='no public source has the layout of its operands
'
expect 0 "an atomic of 32 bytes: honest" <"$tmp/x"
umr() {
	bin wqe_umr_ctrl_seg flags=0x80 xlt_octowords="$1" mkey_mask="$2"
	bin mkey_seg flags=0x"$3" qpn=0xffffff length64=0 bsf_en="$4" len=0x2000
}
{ bin wqe_ctrl_seg opcode=UMR qpn=0x1f7 ds=12 umr_mkey=0x900; umr 2 1 9e 0
	bin klm byte_count=4096 mkey=0x111 address=0x7f0000001000
	bin klm byte_count=4096 mkey=0x222 address=0x7f0000005000; head -c 32 /dev/zero; } >"$tmp/x"
want='32 bytes of KLM entries
klm at byte 0x80
klm at byte 0x90
'
expect 0 "an UMR with KLM" <"$tmp/x"
{ bin wqe_ctrl_seg opcode=UMR qpn=0x1f7 ds=16 umr_mkey=0x900; umr 3 0x1001 9e 1
	bin stride_block_ctrl_seg bcount_per_cycle=0x300 op=0x400 repeat_count=9 num_entries=2
	bin stride_block_entry stride=0x400 bcount=0x100 key=0x111 va=0x7f0000001000
	bin stride_block_entry stride=0x400 bcount=0x200 key=0x222 va=0x7f0000002000
	head -c 16 /dev/zero; bin bsf bsf_size=WITH_INLINE raw_data_size=0x1000 m_psv=5; } >"$tmp/x"
want='strided: 9 rounds through 2 entries, 768 bytes a round
stride_block_entry at byte 0xa0
bsf at byte 0xc0
'
expect 0 "an UMR with strided entries and a signature" <"$tmp/x"

# Receive WQEs
want='receive WQE (rwqe, possible)
room for a message of 4096 bytes in 1 piece
key 0x100 at byte 0x10 ends the list
'
expect 0 "a receive WQE, as libmlx5 writes it" "${top_srcdir:?}/tests/golden/wqe/recv.hex"
{ bin wqe_srq_next_seg next_wqe_index=7; data; } >"$tmp/x"
want='it belongs to an SRQ: the next free WQE is 7
wqe_data_seg at byte 0x10
'
expect 0 "a receive WQE of an SRQ" <"$tmp/x"
{ bin rwqe_sig signature=0x5a; data; } >"$tmp/x"
want='a signature (0x5a)
'
expect 0 "a receive WQE with a signature" <"$tmp/x"

# Completions that carry more
title() {
	bin cqe64 "$@" timestamp=0x1234567 wqe_counter=100 cqe_format=COMPRESSED
}
mini() {
	for length; do
		bin mini_cqe8 rx_hash_result=0xaabbccdd byte_cnt="$length"
	done
}
{ title opcode=RESP_SEND byte_cnt=3; mini 64 1500 9000; head -c 40 /dev/zero; } >"$tmp/x"
want='compressed completions, 3 of a receive queue (mini, likely)
2 at 0x50: 9000 bytes into receive WQE 102; hash 0xaabbccdd, or checksum 0xaabb (and stride 52445)
mini_cqe_res_format
'
expect 0 "a title and its array" <"$tmp/x"
{ title opcode=REQ byte_cnt=2 qpn=0x44 s_wqe_opcode=SEND
	bin mini_cqe8 wqe_counter=7 s_wqe_opcode=SEND byte_cnt=0
	bin mini_cqe8 wqe_counter=9 s_wqe_opcode=RDMA_READ byte_cnt=8; head -c 48 /dev/zero; } >"$tmp/x"
want='2 of a send queue
1 at 0x48: send WQE with index 9, RDMA_READ, 8 bytes
'
expect 0 "compressed completions of a send queue" <"$tmp/x"
{ title opcode=RESP_SEND byte_cnt=10; mini 1 2 3 4 5 6 7 8; head -c 384 /dev/zero; mini 9 10
	head -c 112 /dev/zero
	bin cqe64 opcode=RESP_SEND timestamp=5 byte_cnt=77 wqe_counter=110; } >"$tmp/x"
want='compressed completions, 10 of a receive queue
8 at 0x200: 9 bytes into receive WQE 108
9 at 0x208: 10 bytes into receive WQE 109
77 bytes went into the receive WQE with index 110
'
expect 0 "a ring: the second array is 8 entries after the title, the next completion 10" <"$tmp/x"
{ bin cqe64 opcode=RESP_SEND timestamp=5 byte_cnt=77 wqe_counter=10
	mini 64 65; head -c 47 /dev/zero; printf '\034'; } >"$tmp/x"
want='enhanced layout
1 at 0x48: 65 bytes into receive WQE 12
'
expect 0 "the enhanced layout of compressed completions" <"$tmp/x"
bin cqe64 opcode=RESP_SEND_IMM timestamp=5 byte_cnt=77 wqe_counter=10 immediate=0xbeef g=1 >"$tmp/x"
want='immediate data 0x0000beef
40 bytes of GRH
'
expect 0 "immediate data and a GRH" <"$tmp/x"
bin cqe64 opcode=RESP_SEND timestamp=5 byte_cnt=20 wqe_counter=10 cqe_format=INLINE_DATA32 \
	data=ffffffffffffffffffffffffffffffffffffffff >"$tmp/x"
want='its 20 bytes of data are bytes 0x0 and following of the completion itself
'
expect 0 "data in the completion" <"$tmp/x"
{ head -c 64 /dev/zero | tr '\0' '\7'
	bin cqe64 opcode=RESP_SEND timestamp=5 byte_cnt=60 wqe_counter=10 cqe_format=INLINE_DATA64; } >"$tmp/x"
want='its 60 bytes of data are the first of these 128 bytes
'
expect 0 "data in a completion of 128 bytes" <"$tmp/x"
cat "$tmp/x" "$tmp/x" >"$tmp/xx"
want='cqe128 at byte 0x0
'
expect 0 "a ring of completions of 128 bytes" <"$tmp/xx"
[ "$(grep -c 'completion, no error' "$tmp/out")" -eq 2 ]
report $? "and both are told"
bin cqe64 opcode=RESIZE_CQ owner=1 >"$tmp/x"
want='the CQ moved to its new ring
what follows is in the new ring
'
expect 0 "a CQ that moves" <"$tmp/x"
bin cqe64 opcode=RESP_SEND timestamp=5 app=TAG_MATCHING app_op=EXPECTED app_info=3 hw_phase_cnt=8 >"$tmp/x"
want='tag matching 0x2 EXPECTED: data of a message that a receive took; index 3 in the list of tags, 8 unexpected
'
expect 0 "tag matching" <"$tmp/x"

bin create_qp_in opcode=CREATE_QP uid=5 qpc.pd=7 >"$tmp/in"
want='input of command CREATE_QP (in, likely)
uid 5: the command is sent for a user context
qpc.pd
'
expect 0 "a command's input" <"$tmp/in"

{ bin access_register_in opcode=ACCESS_REG op_mod=1 register_id=PPCNT; bin ppcnt_reg local_port=1 grp=RFC_2863
} >"$tmp/x"
want='it reads register 0x5008 PPCNT: Counters of a port
ppcnt_reg at byte 0x10
'
expect 0 "an access to a register, with the register" <"$tmp/x"

{ bin general_obj_in_cmd_hdr opcode=CREATE_GENERAL_OBJECT obj_type=VIRTIO_NET_Q
	bin virtio_net_q_object virtio_q_context.queue_size=256 modify_field_select='STATE|VIRTIO_Q_MKEY'; } >"$tmp/x"
want='its object has type 0xd VIRTIO_NET_Q
STATE|VIRTIO_Q_MKEY
virtio_q_context.queue_size
'
expect 0 "a general object, with the object" <"$tmp/x"
{ bin general_obj_in_cmd_hdr opcode=CREATE_GENERAL_OBJECT obj_type=0x99; head -c 100 "$prm"; } >"$tmp/x"
want='input of command CREATE_GENERAL_OBJECT
its object has type 0x99 ?
'
expect 0 "a general object that no table has" <"$tmp/x"

printf '\003\0\0\0\0\045\130\144\0\0\0\0\0\0\0\0' >"$tmp/mail"
want='output of command (any) (out, certain)
status 0x03 BAD_PARAM
errno 22
syndrome 0x255864 is firmware
remedy: decode the input
'
expect 0 "a command's output with --as" --as out <"$tmp/mail"
want='output of command (any) (out, possible)
'
expect 0 "a command's output by itself is possible only" <"$tmp/mail"
want='--as is cqe, mini, wqe, rwqe, in, out, cap, eqe or the name of a structure
'
expect 2 "an unknown --as" --as nonsense <"$tmp/mail"

bin eqe type=CQ_ERROR cq_err_cqn=0x31 cq_err_syndrome=OVERRUN owner=1 >"$tmp/x"
want='event (EQE) (eqe, likely)
CQ 0x31, reason 1: overrun
'
expect 0 "an event" <"$tmp/x"
bin eqe type=COMP cqn=0x31 >"$tmp/x"
want='it is about CQ 0x31
'
expect 0 "a completion event, not taken for a completion" <"$tmp/x"

{ head -c 16 /dev/zero
	bin cmd_hca_cap log_max_qp=18 log_max_cq=24 log_max_mkey=24 log_max_pd=23 num_ports=1 \
		port_type=1 log_pg_sz=12
	head -c 3840 /dev/zero; } >"$tmp/cap"
want='capability page (QUERY_HCA_CAP), General capabilities (cap, likely)
2^18 QPs, 2^24 CQs
cmd_hca_cap at byte 0x10
'
expect 0 "a capability page" <"$tmp/cap"

{ head -c 16 /dev/zero; bin roce_cap roce_apm=1 r_roce_max_src_udp_port=65535 r_roce_min_src_udp_port=49152 roce_version=6 \
	roce_address_table_size=255; head -c 3840 /dev/zero; } >"$tmp/x"
want='capability page (QUERY_HCA_CAP), RoCE capabilities (cap,
4112 bytes, the first 16 all 0: the reply of QUERY_HCA_CAP
candidate: roce_cap: 
(the best)
op_mod of the command is
roce_cap at byte 0x10
'
expect 0 "a capability page of another type, by its bits" <"$tmp/x"
{ echo 'page 0x4 ROCE'; head -c 272 "$tmp/x" | tail -c 256 | od -A x -v -t x1; } >"$tmp/xx"
want='names the page with roce_cap
RoCE capabilities (cap, likely)
'
expect 0 "a page in a dump of dvx-info, by its line" <"$tmp/xx"
{ echo '[1.2] mlx5_core 0000:08:00.0: dump_command:245:(pid 9): dump command QUERY_HCA_CAP(0x100) OUTPUT'
	od -A x -v -t x1 "$tmp/x"; } >"$tmp/xx"
want='candidate: roce_cap
roce_cap at byte 0x10
'
expect 0 "a page as the output of its command in the kernel's log" <"$tmp/xx"
{ echo 'page 0x14 DEV_EVENT'; head -c 256 /dev/zero | od -A x -v -t x1; } >"$tmp/xx"
want='names the page with device_event_cap
every field is 0
'
expect 0 "an empty page in a dump of dvx-info" <"$tmp/xx"
{ bin roce_cap roce_apm=1 r_roce_max_src_udp_port=65535 r_roce_min_src_udp_port=49152; printf '\377'; head -c 15 /dev/zero; } |
	head -c 256 >"$tmp/x"
printf '\377\377' | dd of="$tmp/x" bs=1 seek=200 conv=notrunc 2>"$tmp/err"
want='unknown to the tables
'
expect 0 "a page with bits that the tables do not know: they are listed" --as roce_cap <"$tmp/x"
bin query_qp_out qpc.pd=5 qpc.state=RTS qpc.mtu=5 qpc.log_rq_size=4 qpc.remote_qpn=77 >"$tmp/x"
want='(out, possible)
candidate: query_qp_out: the best
a reply does not carry its command
query_qp_out at byte 0x0
'
expect 0 "a command's reply by its length and bits" <"$tmp/x"

want='nothing was recognised
none of: a completion
'
for i in 1 2 3 4 5 6; do echo "5aa55aa5 a55aa55a 5aa55aa5 a55aa55$i"; done >"$tmp/x"
expect 1 "bytes that are nothing" <"$tmp/x"
head -c 64 /dev/zero >"$tmp/x"
want='nothing was recognised
all 0
'
expect 1 "zeros" <"$tmp/x"
want='dvx-prm: standard input
'
expect 3 "empty input" </dev/null

head -c 47 "$tmp/err_cqe" >"$tmp/x"
want='47 bytes are too few: cqe has at least 64
'
expect 1 "a completion that is too short says so" --as cqe <"$tmp/x"
head -c 32 "$tmp/wqe" >"$tmp/x"
want='the dump ends after 32 of them
'
expect 0 "a WQE that is cut" --as wqe <"$tmp/x"

ok=0
for len in 16 64 128 256 1000 4112 1048576; do
	"${PERL:-perl}" -e 'srand $ARGV[0]; print map { chr rand 256 } 1 .. $ARGV[0]' $len >"$tmp/x"
	timeout 300 "$prm" explain "$tmp/x" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	[ $rc -le 1 ] || [ $rc -eq 3 ] || { ok=1; echo "# $len random bytes: $rc"; }
	[ "$(wc -c <"$tmp/out")" -le 1000000 ] || { ok=1; echo "# $len random bytes: output too long"; }
done
report $ok "random bytes end, and without a crash"

for file in public err_cqe wqe in mail cap; do
	"$prm" explain --json "$tmp/$file"
done >"$tmp/out" 2>"$tmp/err"
/usr/bin/python3 -c 'import json, sys
text, n = sys.stdin.read().strip(), 0
while text:
    all, end = json.JSONDecoder().raw_decode(text)
    text, n = text[end:].strip(), n + 1
    for o in all:
        assert o["recognised"] and o["kind"] and o["sure"] and o["why"] and o["says"] and o["parts"], o
assert n == 6, n' <"$tmp/out" 2>>"$tmp/err"
report $? "--json has the same, structured"
/usr/bin/python3 -c 'import json, sys
f = json.load(sys.stdin)[0]["facts"]
assert f["syndrome"] == 0x14 and f["vendor_err_synd"] == 0x89 and f["qpn"] == 0x1f7, f' \
	>"$tmp/err" 2>&1 <<J
$("$prm" explain --json "$tmp/public")
J
report $? "--json: syndrome, vendor syndrome and QP as numbers"
plan
