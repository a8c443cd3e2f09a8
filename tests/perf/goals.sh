#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Reports the device's figures beside the machine's own limits of the same run, and the goals, as a table. No time fails
# this test: a program that fails does. The full measurement takes minutes (DVX_TEST_LONG=1).
. "${top_srcdir:?}/tests/tap.sh" || exit 99
[ -z "$DVX_SAN" ] || skip_all "this build has sanitizers ($DVX_SAN)"
program=$top_builddir/tests/perf/goals
needs "$program"
if [ -n "${DVX_TEST_LONG-}" ]; then
	sizes="65536 1048576 16777216" queues="1 64" qps=10000 keys=1000000 ms=10000
else
	sizes=65536 queues="1 64" qps=1000 keys=1000 ms=2000
fi

row() { # what device limit ratio goal
	printf '# %-44s %10s %10s %8s  %s\n' "$@" >>"$scratch/table"
}
ratio() { awk "BEGIN { printf \"%.2f\", $1 / $2 }"; }

# measured NAME ARG...: what the program printed is in $1, $2, ...
measured() {
	name=$1
	shift
	timeout 3000 "$dvx_sim" run -- "$program" "$@" >"$scratch/said" 2>"$scratch/err"
	report $? "$name"
	read -r a b c d <"$scratch/said"
}

row what device limit ratio goal
measured "round trips" handover
row "8-byte WRITE, ns; a cache line and back" "$a" "$b" "$(ratio "$a" "$b")" "<= 3"
for size in $sizes; do
	for n in $queues; do
		measured "WRITE of $size bytes on $n queues" large "$size" "$n"
		row "WRITE of $size on $n queues, GB/s; memcpy" "$a" "$b" "$(ratio "$a" "$b")" ">= 0.8"
	done
done
measured "$qps queues and $keys keys" many "$qps" "$keys"
row "8-byte WRITE among $qps QPs, $keys mkeys, ns; 10" "$a" "$b" "$(ratio "$a" "$b")" "<= 1.5"
# What the cold lines of program and device take without either, which neither can do without.
row "... ns; 10, and its cold lines alone" "$a" "$((b + c))" "$(ratio "$a" "$((b + c))")" -

# --- from outside: bytes of queues, an idle chip, four programs ---------------------------------------
check "a chip is up" "$dvx_sim" up goals
chips=goals
pid=$("$dvx_sim" ls | sed -n 's/^goals (pid \([0-9]*\)).*/\1/p')
held_kib() { awk '/^RssAnon:/ { print $2 }' "/proc/$pid/status"; }
ticks() { sed 's/.*) //' "/proc/$pid/stat" | awk '{ print $12 + $13 }'; }

mkfifo "$scratch/go"
"$dvx_sim" exec goals -- "$program" hold "$qps" <"$scratch/go" >"$scratch/held" 2>"$scratch/err" &
holder=$!
exec 9>"$scratch/go"
shows_up "$scratch/held" ready "$holder"
before=$(held_kib)
echo >&9
shows_up "$scratch/held" made "$holder"
report $? "$qps queues"
row "bytes of the device for an idle RC QP" "$((($(held_kib) - before) * 1024 / qps))" - - "<= 2048"

before=$(ticks)
sleep "$((ms / 1000))"
row "ticks of CPU in $((ms / 1000)) s, $qps idle queues" "$(($(ticks) - before))" - - "< 1 %"
exec 9>&-
wait "$holder"

for i in 1 2 3 4; do
	"$dvx_sim" exec goals -- taskset -c 0,1 "$program" spin "$ms" >"$scratch/spun.$i" 2>"$scratch/err" &
	spinners="$spinners $!"
done
for i in $spinners; do
	wait "$i"
	report $? "a spinning program"
done
set -- $(cat "$scratch"/spun.? | sort -n)
row "WRITEs in $ms ms: least of 4 programs; mean" "$1" "$((($1 + $2 + $3 + $4) / 4))" \
	"$(ratio "$1 * 4" "($1 + $2 + $3 + $4)")" ">= 0.5"
cat "$scratch/table"
plan
