#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dvx-prm explain: it recognises each kind by itself, says cause and remedy, and is honest about the rest.
prm=${top_builddir:?}/tools/dvx-prm/dvx-prm
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
n=0
report() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' "$tmp/out" "$tmp/err"
	fi
}
# expect CODE WHAT ARGS < dump; then each further line of $want must be in the output
expect() {
	code=$1 what=$2
	shift 2
	timeout 20 "$prm" explain "$@" >"$tmp/out" 2>"$tmp/err"
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
vendor syndrome 0x89: error reports in the field have it with REMOTE_OP_ERR; that is a correlation
'
expect 0 "libmlx5's error dump" <"$tmp/public"

bin err_cqe opcode=RESP_ERR syndrome=0x13 vendor_err_synd=0x88 qpn=0x42 wqe_counter=7 >"$tmp/err_cqe"
want='error completion of a receive WQE
REMOTE_ACCESS_ERR
compare rkey, address and length
0x88: error reports in the field have it with REMOTE_ACCESS_ERR
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

bin create_qp_in opcode=CREATE_QP uid=5 qpc.pd=7 >"$tmp/in"
want='input of command CREATE_QP (in, likely)
uid 5: it speaks for a user context
qpc.pd
'
expect 0 "a command's input" <"$tmp/in"

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
want='--as is cqe, wqe, in, out, cap, eqe or the name of a structure
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
want='capability page (QUERY_HCA_CAP), general capabilities (cap, likely)
2^18 QPs, 2^24 CQs
cmd_hca_cap at byte 0x10
'
expect 0 "a capability page" <"$tmp/cap"

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

ok=0
for file in err_cqe wqe in mail cap; do
	for len in 1 3 4 8 15 16 17 20 31 47 48 60 63; do
		head -c $len "$tmp/$file" >"$tmp/x"
		for as in "" "--as cqe" "--as wqe" "--as in" "--as out" "--as cap" "--as eqe" "--as qpc"; do
			# shellcheck disable=SC2086
			timeout 20 "$prm" explain $as "$tmp/x" >"$tmp/out" 2>"$tmp/err"
			[ $? -le 3 ] || { ok=1; echo "# $file cut at $len, $as"; }
		done
	done
done
report $ok "cut at any length, nothing crashes or hangs"
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
	head -c $len /dev/urandom >"$tmp/x"
	timeout 60 "$prm" explain "$tmp/x" >"$tmp/out" 2>"$tmp/err"
	rc=$?
	[ $rc -le 1 ] || [ $rc -eq 3 ] || { ok=1; echo "# $len random bytes: $rc"; }
	[ "$(wc -c <"$tmp/out")" -le 1000000 ] || { ok=1; echo "# $len random bytes: output too long"; }
done
report $ok "random bytes end soon and without a crash"

ok=0
for file in public err_cqe wqe in mail cap; do
	"$prm" explain --json "$tmp/$file" >"$tmp/out" 2>"$tmp/err"
	python3 -c 'import json, sys
for o in json.load(sys.stdin):
    assert o["recognised"] and o["kind"] and o["sure"] and o["why"] and o["says"] and o["parts"], o' \
		<"$tmp/out" 2>>"$tmp/err" || ok=1
done
report $ok "--json has the same, structured"
python3 -c 'import json, sys
f = json.load(sys.stdin)[0]["facts"]
assert f["syndrome"] == 0x14 and f["vendor_err_synd"] == 0x89 and f["qpn"] == 0x1f7, f' \
	>"$tmp/err" 2>&1 <<J
$("$prm" explain --json "$tmp/public")
J
report $? "--json: syndrome, vendor syndrome and QP as numbers"
echo "1..$n"
