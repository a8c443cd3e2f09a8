#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves what a message of 64 bytes, posted and polled, takes a program under dvx-check: twice the instructions.
. "${top_srcdir:?}/tests/perf/count.sh" || exit 99
must_count
program=${top_builddir:?}/tests/perf/checked_posts
needs "$program"
rounds=200

# message [COMMAND...]: the instructions of a message
message() {
	printf '#!/bin/sh\nexec valgrind --tool=callgrind --callgrind-out-file=%s %s %s %s\n' \
		"$tmp/cg" '--toggle-collect=message_p*' "$program" "$rounds" >"$tmp/run"
	rm -f "$tmp/cg"
	timeout 600 "$dvx_sim" run "$@" -- sh "$tmp/run" >"$tmp/log" 2>&1 </dev/null || sed 's/^/# /' "$tmp/log" >&2
	echo $(($(total) / rounds))
}

plain=$(message)
judge "a message of 64 bytes under dvx-check ($plain without)" "$(message --check)" $((plain * 2))
plan
