#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that senders and receivers of raw packets can be killed at any moment, packets under way or not:
# their objects and rules go, the other end and the chip live on.
. "$top_srcdir/tests/tap.sh"
program=$top_builddir/tests/verbs/raw_stream
needs "$program"
chips=rawdeath
mkfifo "$scratch/flood" "$scratch/drain"
# Open at both ends, so that no program waits for its reader.
exec 8<>"$scratch/flood" 9<>"$scratch/drain"

# A bound, for a program that never says anything.
(sleep 300 && echo late >&8 && echo late >&9) >/dev/null 2>&1 &
bound=$!

# end NAME: started; it says "going" when its packets flow.
end() { "$dvx_sim" exec rawdeath -- "$program" "$1" >"$scratch/$1" & }
going() {
	if [ "$1" = flood ]; then read -r word <&8; else read -r word <&9; fi
	[ "$word" = going ]
}
dead() { "$dvx_sim" ls --json | tee /dev/stderr | jq -e '.[0] | .clients == [] and .objects == []'; }
reap() { kill -9 "$1" && { wait "$1" 2>/dev/null || true; }; }

round() {
	end drain
	drain=$!
	end flood
	flood=$!
	going drain && going flood || return 1
	if [ $(($1 % 2)) = 0 ]; then
		reap $flood
		end flood
		flood=$!
		going flood || return 1
	else
		reap $drain
		end drain
		drain=$!
		going drain || return 1
	fi
	reap $flood
	reap $drain
}

check "up" "$dvx_sim" up rawdeath
for i in 1 2 3 4 5 6; do
	check "killed while packets flow, round $i" round $i
done
check "nothing is left" dead
check "down" "$dvx_sim" down rawdeath
kill $bound
plan
