#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-perf measures all three engines in one run, takes a device by any of its names, and
# says what was wrong with its options, its device and its output.
. "$top_srcdir/tests/sim/tap.sh"
perf=$top_builddir/tools/dvx-perf/dvx-perf

run() {
	"$dvx_sim" run -- "$perf" --count 50 --rounds 2 "$@"
}

json() { # every engine has its samples, none is faster than light
	run --json "$@" >"$scratch/j" && python3 - "$scratch/j" <<'END'
import json, sys
r = json.load(open(sys.argv[1]))
assert r["device"] == "mlx5_0" and r["messages"] == 100, r
assert [e["engine"] for e in r["engines"]] == ["libdvx", "ibv_wr_*", "ibv_post_send"], r
for e in r["engines"]:
    l = e["latency_ns"]
    assert 0 < l["p50"] <= l["p90"] <= l["p99"] <= l["p99.9"] <= l["max"], l
    assert e["rate_per_s"] > 0, e
END
}

check "three engines, one run" json
check "messages larger than an MTU" json --size 10000
check "one outstanding only" json --window 1
check "the device by its PCI address" json --device 0000:03:00.0
check "a size of 0" says 2 '--size takes a number from 1 to 1048576, not "0"' run --size 0
check "a window that is no number" says 2 '--window takes a number from 1 to 4096, not "x"' run --window x
check "a device that is not there" says 3 "no mlx5 device nope" run --device nope
no_room() {
	said=$(run --count 10 --rounds 1 "$@" 2>&1 >/dev/full)
	[ $? = 3 ] && echo "$said" | grep 'standard output cannot be written: No space left'
}
check "its output on a full disk" no_room
check "its JSON on a full disk" no_room --json
plan
