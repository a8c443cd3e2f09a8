#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that two programs that spin for each other's messages make progress although they and the
# device share one CPU, and that a device whose clients are quiet takes next to no CPU time.
# Progress is told by the CPU time that a program spins away per round trip: where a device waits for its turn it is
# two ticks (8 ms) in each run, else 0.05 to 0.2 ms in the best of some runs, whoever else steals the machine's time.
. "$top_srcdir/tests/tap.sh"
chips=onecpu
rounds=300
cpu=$(awk '/^Cpus_allowed_list/ { sub(/[-,].*/, "", $2); print $2 }' /proc/self/status)

for program in taskset ibv_rc_pingpong jq; do
	command -v $program >/dev/null || skip_all "$program is not installed"
done

listening() { grep -q "$(printf ':%04X ' "$port").* 0A " /proc/net/tcp /proc/net/tcp6; }
port=$((21000 + $$ % 11000)) # below those that the kernel hands out
while listening; do port=$((port + 1)); done

wait_listening() {
	until listening; do
		kill -0 "$server" || return 1
		sleep 0.05 # a poll, bounded by the server's life
	done
}

pingpong="timeout 300 taskset -c $cpu $dvx_sim exec onecpu -- ibv_rc_pingpong -p $port -g 1 -n $rounds -s 64"
serve() {
	$pingpong >"$scratch/pingpong" 2>&1 &
	server=$!
	wait_listening
}

# The server of the pair waits for its peer with its queues made: a quiet client. A device that spins never
# goes to sleep by itself; how much time it takes is only told.
ticks() { awk '{ print $14 + $15 }' "/proc/$device/stat"; }
sleeps() { awk '/^voluntary_ctxt/ { print $2 }' "/proc/$device/status"; }
goes_to_sleep() {
	start=$(ticks)
	before=$(sleeps)
	until [ "$(sleeps)" -gt $((before + 3)) ]; do
		sleep 0.05 # a poll, bounded by TEST_LIMIT
	done
	echo "# while it slept four times: $(($(ticks) - start)) ticks of 10 ms" >&3
}
queues_made() { "$dvx_sim" ls --json | jq -e '[.[0].objects[] | select(.kind == "qp")] != []'; }

exec 3>&1
check "up, on CPU $cpu alone" taskset -c "$cpu" "$dvx_sim" up onecpu
device=$("$dvx_sim" ls --json | jq '.[0].pid')
check "a client waits" serve
check "it has queues" queues_made
no_uffd() {
	client=$(pgrep -f "^ibv_rc_pingpong -p $port ")
	[ -e "/proc/$client/fd/0" ] && ! ls -l "/proc/$client/fd" | grep userfaultfd
}
# Else the device's death would leave a store of the client trapped for ever.
check "the client holds no userfaultfd" no_uffd
check "the device sleeps while its client is quiet" goes_to_sleep

# Prints the client's CPU time for a round trip, in us.
round_trips() {
	"$PERL" -e 'my $rounds = shift; my $rc = system(@ARGV); my @t = times;
		printf STDERR "%d\n", 1e6 * ($t[2] + $t[3]) / $rounds; exit($rc != 0)' \
		"$rounds" $pingpong localhost >/dev/null 2>"$scratch/us" && wait "$server" && us=$(tail -n 1 "$scratch/us")
}
runs=1
check "$rounds round trips of two spinning programs on the device's CPU" round_trips
while [ "${us:=0}" -ge 4000 ] && [ $runs -lt 10 ]; do
	serve && round_trips || break
	runs=$((runs + 1))
done
echo "# a round trip: $us us of one client, in run $runs"
check "none of them costs a tick" test "$us" -lt 4000
check "down" "$dvx_sim" down onecpu
plan
