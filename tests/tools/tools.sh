#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that all tools have the face that dvx(7) describes: options, JSON of failures, exit status, no device.
. "$top_srcdir/tests/tap.sh"
man=$top_srcdir/doc/man/dvx.7
for t in info prm flow copy perf sim check verify; do
	PATH=$(cd "$top_builddir" && pwd)/tools/dvx-$t:$PATH
done
nodev='no mlx5 device among 0 RDMA devices (dvx-info doctor finds out why): No such device'

# same TOOL: help, -h, --help and help COMMAND agree, the version has one form, and options are rows of dvx(7)
same() {
	tool=$1
	"$tool" --help >"$scratch/help" && "$tool" help | cmp - "$scratch/help" && "$tool" -h | cmp - "$scratch/help" || return 1
	"$tool" --version | grep -qx "$tool (dvx) [0-9.]*" && "$tool" -V | grep -q . || return 1
	for c in $(commands); do
		"$tool" "$c" --help >"$scratch/one" && "$tool" help "$c" | cmp - "$scratch/one" || return 1
		cat "$scratch/one" >>"$scratch/help"
	done
	! grep -E -e '--(json|quiet|help|version|device)\b' "$scratch/help" | grep -vE \
		-e '^  -h, --help  |^  -q, --quiet  |^  -V, --version  |^  -j, --json  |^  -d, --device=DEV  |[a-z(].*--(json|help)'
}
# dvx-verify has no commands, but hundreds of rows.
commands() { "$tool" --complete "" | if [ "$tool" = dvx-verify ]; then sed 3q; else grep -vx help; fi; }
for t in info prm flow copy perf sim check verify; do
	check "dvx-$t has the common options" same dvx-$t
done

# row CODE TEXT COMMAND...: exit code and sentence, which dvx(7) lists for the tool; the same as JSON where there is some
row() {
	code=$1 text=$2 tool=${3#dvx-}
	shift 2
	grep -E "^$code	(.* )?($tool|all)( .*)?	T\{" "$man" >/dev/null || { echo "dvx(7) has no $code of $tool"; return 1; }
	"$@" >"$scratch/said" 2>"$scratch/err" </dev/null
	got=$?
	cat "$scratch/said" "$scratch/err"
	[ "$got" = "$code" ] || { echo "exit code $got, not $code"; return 1; }
	cat "$scratch/said" "$scratch/err" | grep -qF -- "$text" || { echo "does not say: $text"; return 1; }
}
as_json() {
	code=$1 text=$2
	shift 2
	"$@" --json >"$scratch/said" 2>"$scratch/err" </dev/null
	[ $? = "$code" ] && jq -e --arg t "$text" '.error | .exit == '"$code"' and (.message | contains($t))' <"$scratch/said" &&
		grep -qF -- "$text" "$scratch/err"
}
echo 'drop in udp dst prt 53' >"$scratch/wrong"
echo 'count in' >"$scratch/rules"
while IFS='|' read -r code json text command; do
	# Words are to be split here.
	# shellcheck disable=SC2086
	check "$command" row "$code" "$text" $command
	# shellcheck disable=SC2086
	[ "$json" = - ] || check "... as JSON" as_json "$code" "$text" $command
done <<END
0|-|No mlx5 device|dvx-info list
3|j|$nodev|dvx-info gids
3|j|$nodev|dvx-info caps
3|j|$nodev|dvx-info why-not srq
3|j|$nodev|dvx-perf
3|j|$nodev|dvx-verify
3|j|$nodev|dvx-copy serve --root /tmp
3|j|$nodev|dvx-copy pull 127.0.0.1:x $scratch/y
3|j|$nodev|dvx-flow daemon
3|j|no mlx5 device mlx5_9 among 0|dvx-info gids -d mlx5_9
3|j|no mlx5 device mlx5_9 among 0|dvx-flow check -d mlx5_9 $scratch/rules
3|j|no mlx5 device mlx5_9 among 0|dvx-perf --device mlx5_9
1|-|FAIL|dvx-info doctor
1|j|no structure, enumeration, field or value matches|dvx-prm list nothing_like_it
1|j|prt|dvx-flow check $scratch/wrong
2|j|no feature is called|dvx-info why-not frob
2|j|no row is called chek-ds (did you mean check-ds|dvx-verify chek-ds
2|j|no structure is called|dvx-prm show frob
2|j|unrecognized option '--frob'|dvx-prm list --frob
2|j|one argument too many|dvx-perf localhost frob
2|j|takes a number from 1 to 4096|dvx-copy pull a:b c --slots 0
2|j|no command "show" (did you mean list?)|dvx-flow show
2|j|no command "delete" (did you mean del?)|dvx-flow delete
2|j|no command "frob"|dvx-flow frob
2|j|no command "append" (did you mean add?)|dvx-flow append
2|j|no command "frob"|dvx-sim frob
3|j|No such file|dvx-prm decode err_cqe $scratch/none
3|j|No such file|dvx-flow check $scratch/none
3|j|no daemon holds|dvx-flow list --socket $scratch/none
3|j|no chip named|dvx-sim replay none $scratch/none
3|-|no chip named|dvx-sim down none
3|j|$nodev|dvx-perf serve
11|j|not a loopback address|dvx-copy serve --root /tmp --listen 0.0.0.0
125|-|no chip named|dvx-sim exec none -- true
126|-|can't run /etc/passwd|dvx-sim run -- /etc/passwd
127|-|can't run /nonexistent|dvx-sim run -- /nonexistent
126|-|can't run /etc/passwd|dvx-check -- /etc/passwd
127|-|can't run /nonexistent|dvx-check -- /nonexistent
END
place() { [ "$(dvx-flow check --json "$scratch/wrong" 2>/dev/null | jq -c '.error | [.line, .column]')" = "[1,17]" ]; }
check "a mistake's line and column as JSON" place
letters() { # JSON COMMAND...: a wrong command line whose error is JSON, too, or is not
	json=$1
	shift
	"$@" >"$scratch/said" 2>"$scratch/err"
	[ $? = 2 ] && [ -s "$scratch/err" ] && if $json; then jq -es '.[0].error.exit == 2' "$scratch/said"; else [ ! -s "$scratch/said" ]; fi
}
check "-j among other letters" letters true dvx-prm decode -aj
check "--json, shortened" letters true dvx-prm decode --js
check "a j that is an option's argument" letters false dvx-prm decode -awj
chips=face
check "a chip without the DMA engine" dvx-sim up face --set dma_mmo=0,sw_owner_rx=0
chip() { dvx-sim exec face -- "$@"; }
check "no connection" says 10 'cannot connect' chip dvx-copy pull 127.0.0.1:1:x "$scratch/y"
check "no connection: dvx-perf" says 10 'cannot connect to 127.0.0.1 port 1' chip dvx-perf 127.0.0.1:1
check "the device lacks something: dvx-flow" says 4 'sw_owner' chip dvx-flow check -d mlx5_0 "$scratch/rules"
check "something is missing" says 1 'missing' chip dvx-info why-not dma-copy
quiet() { [ -z "$("$@" 2>&1)" ]; }
check "--quiet says nothing" quiet chip dvx-info list --quiet
check "... and the exit code says so" says 1 '' chip dvx-info why-not -q dma-copy
check "... but --json prints" says 0 mlx5_0 chip dvx-info list -qj

# full COMMAND...: no member of the JSON is null or ""
full() {
	"$@" --json 2>/dev/null | tee "$scratch/said" |
		jq -es 'length > 0 and ([.. | objects | to_entries[] | select(.value == null or .value == "")] == [])'
}
echo 'UCX  ERROR ibv_reg_mr failed: Cannot allocate memory' >"$scratch/line"
while read -r command; do
	# shellcheck disable=SC2086 # words
	check "no empty members: $command" full $command
done <<END
dvx-info doctor
dvx-info why-not --list
dvx-sim run -- dvx-info list
dvx-sim run -- dvx-info gids
dvx-sim run -- dvx-info caps
dvx-sim run -- dvx-info why-not odp
dvx-sim run -- dvx-info doctor
dvx-prm list cqe
dvx-prm show cqe64
dvx-prm show opcode
dvx-prm encode err_cqe syndrome=4
dvx-prm explain $scratch/line
dvx-prm explain $scratch/rules
dvx-flow check $scratch/rules
dvx-sim ls
END

plan
