#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What a connection's two sides put into the device's context, as the trace shows it.
. "${top_srcdir:?}/tests/tap.sh" || exit 99
program=$top_builddir/tests/lib/lib_connect
needs "$program"
"$dvx_sim" run --trace -- "$program" >"$scratch/log" 2>&1

# sent COMMAND WORD...: the command has all of these words
sent() {
	line=$(grep "cmd> .* $1 " "$scratch/log" | tail -1)
	shift
	for word; do
		case "$line " in
		*"$word "*) ;;
		*) echo "no $word in: $line" && return 1 ;;
		esac
	done
}
check "INIT2RTR_QP: the peer's MTU, which is the smaller one" sent INIT2RTR_QP "mtu=512(0x2)"
check "RTR2RTS_QP: the peer's number of reads" sent RTR2RTS_QP log_sra_max=0x2 next_send_psn=0xabcdef rnr_retry=0x3
zeros() { sent RTR2RTS_QP next_send_psn=0xabcdef && case $line in *" retry_count="* | *ack_timeout=*) echo "$line" && false ;; esac; }
check "... and retries and a timeout of 0, as asked" zeros
plan
