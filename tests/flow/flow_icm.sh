# SPDX-License-Identifier: BSD-2-Clause
# Proves: steering memory that runs out in the middle of an apply is reported, and the old rules stay.
. "${top_srcdir:?}/tests/flow/flow_lib.sh" || exit 99
# The least memory that libmlx5 takes: 64 MiB, a million entries.
"$dvx_sim" up "$chip" --set log_ste_icm=26 || exit 99
start
echo "drop in udp dst port 53 count" | client apply --quiet -
# Each becomes 900 entries of several steering entries each. A register of the codes keeps them in a list.
echo "drop in reg_c5 4095" >"$work/many"
# They fill all of it. An eighth is libmlx5's at first: where the device refuses the next a tenth of these rules is enough.
rules=60
if [ -n "${DVX_TEST_LONG-}" ]; then
	rules=600
else
	seq -f 'command CREATE_GENERAL_OBJECT %.0f status NO_RES' 64 >"$work/refuses" && "$dvx_sim" fault "$chip" "$work/refuses"
fi
seq $rules | sed 's/.*/drop in ip6 src 2001:db8::&\/128 dst fe80::1 tcp src port 1-65534 dst port 1-65534 ttl 1/' >>"$work/many"
runs_out() { fails 4 "^$work/many:[0-9]*:1: .*the device has no steering memory left" client apply "$work/many"; }
check "memory that runs out is reported" runs_out
"$dvx_sim" fault "$chip" off
still() {
	holds "drop in udp dst port 53 count
" && "$dvx_sim" replay "$chip" "$traffic" --json >"$work/replay" && field dropped "$work/replay" && [ "$value" = 60 ] &&
		is '.rules[0].packets' 60
}
check "the rules that hold are untouched" still
again() { head -n 20 "$work/many" | client apply --quiet - && is '.rules | length' 20; }
check "rules that fit are applied" again
check "the daemon ends on SIGTERM" stop
plan
