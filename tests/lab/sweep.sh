#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that run --sweep fails each device command and each completion of a program once, and reports the error paths that
# crash, hang, leak or end with 0; that it refuses a program that fails by itself or has no device; and, with
# DVX_TEST_LONG, that a correct program, the tools, the examples and libdvx have no finding.
. "$top_srcdir/tests/tap.sh"
bugs=$top_builddir/tests/lab/sweep_bugs
needs "$bugs"

found() { "$dvx_sim" run --sweep --hang-after 2 -- "$bugs" >"$scratch/table"; [ $? = 1 ] && cat "$scratch/table"; }
has() { cat "$scratch/table"; grep -q -- "$1" "$scratch/table"; }
# silent COMMAND...: it has no finding. Once a request on the ring by which libmlx5 writes steering entries has failed,
# libmlx5 polls that ring's CQ for ever, or uses a matcher that it has freed: with libmlx5=1 completions may do so.
silent() {
	"$dvx_sim" run --sweep --json -- "$@" >"$scratch/json"
	jq -e --arg theirs "${libmlx5-}" '[.runs[] | select(.finding and ($theirs == "" or (.name | startswith("completion") | not)))] |
		if . == [] then true else .[], false end' "$scratch/json"
}

# Two programs on the device: a server, whose first line says that it is ready, and clients. Ends by the server's signal.
served='
	mkdir "${dir:=$(mktemp -d)}/out" && mkfifo "$dir/line"
	serve >"$dir/line" &
	read -r line <"$dir/line" && clients
	code=$?
	kill $! 2>/dev/null
	wait $!
	ended=$?
	rm -rf "$dir"
	case $ended in 0 | 143) ;; 1[3-9]?) kill -s "$(kill -l $ended)" $$ ;; *) code=$ended ;; esac
	exit $code
'
cat >"$scratch/rules" <<'END'
count in udp dst port 53
send in ipv4 dst 10.0.0.0/8 tcp dst port 80-443 to queue 0 tag 7 count
drop in
END
cat >"$scratch/copy.sh" <<END
copy=$top_builddir/tools/dvx-copy/dvx-copy
serve() { exec "\$copy" serve --root "$top_srcdir/examples" --listen 127.0.0.1:0; }
clients() { port=\${line##*127.0.0.1:} && "\$copy" pull "127.0.0.1:\${port%%[!0-9]*}:/" "\$dir/out"; }
$served
END
cat >"$scratch/flow.sh" <<END
flow() { command=\$1 && shift && "$top_builddir/tools/dvx-flow/dvx-flow" "\$command" --socket "\$dir/socket" "\$@"; }
serve() { exec "$top_builddir/tools/dvx-flow/dvx-flow" daemon --socket "\$dir/socket" --state "\$dir/state" --steering "\$steering"; }
clients() { flow apply "$scratch/rules" && flow add drop in udp && flow stats && flow del 1 && flow flush; }
$served
END

check "a program with mistakes on its error paths has findings" found
while IFS='|' read -r what words; do
	check "$what" has "$words"
done <<'TABLE'
a crash|^command [0-9]*, CREATE_CQ  *\(killed by SIG\|a sanitizer's report\)
a leak|^command [0-9]*, CREATE_MKEY  *exit code 1, and pd 0x[0-9a-f]* was left in a closed context$
a hang|^completion 1  *no end within 2[.][0-9]* s$
success after a failure|^command [0-9]*, ALLOC_PD  *exit code 0, although it failed$
the sum|and 1 completions failed, each in a run of its own. Findings: 4. The others: 
TABLE
# A report of AddressSanitizer ends in 1400 bytes of its own.
cat >"$scratch/reports" <<END
"$bugs" ok >"$scratch/ended" 2>&1 && exit
printf '==1==ERROR: AddressSanitizer: heap-use-after-free\\n\\0'
head -c 2000 /dev/zero | tr '\\0' .
exit 1
END
reported() { "$dvx_sim" run --sweep -- sh "$scratch/reports" >"$scratch/table"; [ $? = 1 ] && has "^command [0-9]*, CREATE_QP .*a sanitizer's report"; }
check "a sanitizer's report is a finding, whatever follows it" reported
# The shell's child ends before the first run does.
adopted() { sh -c '(exit 3) & exec "$@"' sh "$dvx_sim" run --seeds 1..3 -- sh -c 'exit 0' >"$scratch/said" 2>&1; code=$?; cat "$scratch/said"; [ $code = 0 ] && grep -q '^0 of 3 seeds fail (0%)' "$scratch/said"; }
check "another child of the process is no run" adopted
# A file's faults are set in each run; the programs of a user who may have no further process do not run at all.
fault() { echo 'command CREATE_QP 1 status NO_RES' >"$scratch/fault" && says "$1" "$2" "$dvx_sim" run "$3" --fault "$scratch/fault" -- "$bugs" ok; }
check "--seeds with a file of faults" fault 1 '^2 of 2 seeds fail' --seeds=1..2
check "--sweep with a file of faults" fault 125 '--sweep makes faults of its own' --sweep
check "--seeds with a trace" says 125 '--trace shows one run' "$dvx_sim" run --seeds 1..2 --trace -- true
alone() { says 1 '^3 of 3 seeds fail' setpriv --reuid=65534 --clear-groups prlimit --nproc=1 "$dvx_sim" run --seeds 1..3 -- true; }
if [ "$(id -u)" = 0 ] && [ -x "$(command -v setpriv)" ]; then
	check "a run that can't be started is no success" alone
else
	skip "a run that can't be started is no success" "needs root, to become another user"
fi
check "a command that fails by itself" says 125 'false fails without a fault (exit code 1)' "$dvx_sim" run --sweep -- false
check "a command without a device" says 125 'true does not use the device' "$dvx_sim" run --sweep -- true
if [ -n "${DVX_TEST_LONG-}" ]; then
	check "its correct twin is silent" silent "$bugs" ok
	for example in post_poll completions chain errors ud srq recover multicast dc; do
		check "example $example" silent "$top_builddir/examples/$example"
	done
	for command in '' caps doctor; do
		# shellcheck disable=SC2086
		check "dvx-info $command" silent "$top_builddir/tools/dvx-info/dvx-info" $command
	done
	for connection in rc uc ud dc xrc; do
		check "dvx-perf $connection" silent "$top_builddir/tools/dvx-perf/dvx-perf" -n 4 -r 1 -o send -c $connection
	done
	check "dvx-copy serve and pull" silent sh "$scratch/copy.sh"
	export DVX_SIM_SET=chip=bf3
	check "dvx-flow daemon --steering hws, and its clients" silent env steering=hws sh "$scratch/flow.sh"
	libmlx5=1
	check "dvx-flow daemon --steering sws, and its clients" silent env steering=sws sh "$scratch/flow.sh"
	check "dvx-flow check" silent "$top_builddir/tools/dvx-flow/dvx-flow" check --device mlx5_0 "$scratch/rules"
	unset DVX_SIM_SET
	check "dvx-perf rules" silent "$top_builddir/tools/dvx-perf/dvx-perf" rules --count 2
fi
plan
