#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-prm explain reads what users really post, and says what their threads say.
prm=${top_builddir:?}/tools/dvx-prm/dvx-prm
dumps=${top_srcdir:?}/tests/golden/dumps
. "$top_srcdir/tests/tap.sh" || exit 99
out=$scratch/out
# said FILE HOW_MANY LINE...: each LINE is in the output, which explains HOW_MANY dumps
said() {
	file=$1 many=$2
	shift 2
	"$prm" explain "$dumps/$file.txt" >"$out" 2>&1 && ok=0 || ok=1
	[ "$(grep -c '^line .*error completion' "$out")" -eq "$many" ] || ok=1
	for line; do
		grep -qF -- "$line" "$out" || { ok=1; echo "# missing: $line"; }
	done
	report $ok "$file"
}

said remote_access_read 1 0x12abe REMOTE_ACCESS_ERR RDMA_READ 'IBV_WC_REM_ACCESS_ERR (10)' 'vendor syndrome 0x88'
said remote_access_read_2 1 0x76ab REMOTE_ACCESS_ERR RDMA_READ 'IBV_WC_REM_ACCESS_ERR (10)'
said remote_access_write 1 0x361b3 REMOTE_ACCESS_ERR RDMA_WRITE 'index 7841'
said remote_inval_send 2 0xe2dd 0x3eb2b REMOTE_INVAL_REQ_ERR 'IBV_WC_REM_INV_REQ_ERR (9)' 'vendor syndrome 0x8a: error reports'
said local_prot_send 2 0x1542 0x1534 LOCAL_PROT_ERR 'IBV_WC_LOC_PROT_ERR (4)' 'vendor syndrome 0x53: error reports'
said local_prot_recv 1 0x1e9 'receive WQE' LOCAL_PROT_ERR 'vendor syndrome 0x56: error reports'
said mw_bind_umr 1 UMR MW_BIND_ERR 'IBV_WC_MW_BIND_ERR (6)' 'vendor syndrome 0x78: error reports'
said rnr_retry_send 1 0x1f8e RNR_RETRY_EXC_ERR 'IBV_WC_RNR_RETRY_EXC_ERR (13)' 'vendor syndrome 0x87: error reports'

# A ring of completions is several, wherever it comes from.
words='00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000
00000000 00000000 00000000 00000000 00000000 00008813 10012abe 0dd0c1d3'
printf '%s\n' "$words" "$words" "$words" | "$prm" explain >"$out" 2>&1
[ "$(grep -c 'error completion of' "$out")" -eq 3 ]
report $? "three completions in one dump"

# What dvx-sim --trace writes of a command whose reply has only zeros.
printf 'dvx-sim: cmd< vhca 1 uid 2 DEALLOC_UAR dealloc_uar_out\n' | "$prm" explain >"$out" 2>&1
grep -q 'dealloc_uar_out (out, certain)' "$out"
report $? "a trace line without fields"

# A receive WQE has no mark of its own: its length must not be taken for the opcode NOP.
"$prm" explain "$top_srcdir/tests/golden/wqe/recv_four_of_four.hex" >"$out" 2>&1
! grep -q 'send WQE, NOP' "$out"
report $? "a receive is no NOP"
plan
