#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that programs of others live with a bad wire: ibv_rc_pingpong compares its bytes while packets are lost,
# doubled, reordered and damaged, counters say what happened, and a wire that passes nothing is reported as the end
# of the retries.
. "$(dirname "$0")/pair.sh"

plan 7
faults() { timeout 60 "$sim" fault "$chip" "$@" >"$dir/faults" 2>&1; }

# counted FIELD...: each was counted
counted()
{
	faults --json
	for field in "$@"; do
		[ "$(jq ".packets.$field" "$dir/faults")" -gt 0 ] || { cp "$dir/faults" "$dir/server"; return 1; }
	done
}

lossy=1
faults drop=1%,seed=5
pair dpu ibv_rc_pingpong -g 3 -c -n 200 -s 9000
counted dropped
result $? "... packets were lost"
faults dup=2%,reorder=2%,corrupt=1%,delay=20us,seed=6
pair dpu ibv_rc_pingpong -g 1 -c -n 200 -s 9000 -e
counted doubled reordered corrupted delayed
result $? "... packets were doubled, reordered, damaged and delayed"
icrc=$(timeout 60 "$sim" exec "$chip" -- cat /sys/class/infiniband/mlx5_0/ports/1/hw_counters/rx_icrc_encapsulated)
[ "$icrc" -gt 0 ]
result $? "... hw_counters/rx_icrc_encapsulated counts those whose ICRC was wrong"
faults drop=2%,dup=1%,reorder=1%,corrupt=1%,seed=7
pair dpu ib_send_bw -x 3 -n 200 -s 20000
faults drop=1
free_port
timeout "$bound" "$sim" exec "$chip" -f dpu -- ibv_rc_pingpong -g 3 -p "$port" >"$dir/server" 2>&1 &
server=$!
: >"$dir/client"
wait_port "$port" $server && timeout "$bound" "$sim" exec "$chip" -- ibv_rc_pingpong -g 3 -p "$port" localhost >"$dir/client" 2>&1
kill $server
wait $server
grep -q "transport retry counter exceeded (12)" "$dir/client"
result $? "a wire that passes nothing: the retries end"
exit "$failed"
