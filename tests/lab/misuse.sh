#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-check finds each misuse of a table, at both places in the program, and nothing in its correct twin;
# and the rules of a device that was started with --check likewise.
. "$top_srcdir/tests/tap.sh"
misuse=$top_builddir/tests/lab/misuse
dvx_check=$top_builddir/tools/dvx-check/dvx-check
needs "$misuse"
chips=misuse
all=
case $asan in
*libtsan*) skip_all "TSan does not start behind a second preload" ;
esac

# One run of jq for all cases takes a third of the time.
watch() { # CASE [COMMAND...]
	case=$1
	shift
	"$dvx_sim" exec misuse -- "$dvx_check" --json -- "$@" "$misuse" "$case" >"$scratch/$case" 2>"$scratch/$case.err"
	echo $? >"$scratch/$case.code"
}
found() {
	(cd "$scratch" && jq -r '([.findings[] | [.kind, (.places[] | .function // "?")] | join(" ")] | sort | join(";")) as $f |
		input_filename + "|" + $f' $all) >"$scratch/found"
}
# finds CASE FINDINGS: each is a kind and the functions of its places
finds() {
	code=$(cat "$scratch/$1.code")
	grep "^$1|" "$scratch/found"
	echo "exit code $code" && cat "$scratch/$1.err"
	grep -qxF -- "$1|$2" "$scratch/found" || return
	if [ -n "$2" ]; then [ "$code" = 86 ]; else [ "$code" = 0 ]; fi
}

check "up --check" "$dvx_sim" up misuse --check
cat >"$scratch/table" <<'TABLE'
changed|buffer_changed misuse_post_at misuse_poll
ok_changed|
changed_unsignaled|buffer_changed misuse_post_at misuse_poll
changed_ex|buffer_changed misuse_begin_ex misuse_poll
changed_dv|buffer_changed misuse_begin_ex misuse_poll
ok_ex|
early|receive_read_early misuse_post_at
ok_early|
freed|memory_freed misuse_receive_at freed
ok_freed|
unmapped|memory_unmapped misuse_receive_at unmapped
key_ended|key_ended misuse_receive_at key_ended
ok_key_ended|
key_old|key_old misuse_post_at key_old
key_ending|key_old misuse_post_at key_ending
ok_qp_ending|
changed_refused|buffer_changed misuse_post_at misuse_poll
unsignaled|unsignaled_tail misuse_post_at misuse_qp
ok_unsignaled|
send_depth|send_depth misuse_post_at misuse_qp
receive_depth|receive_depth misuse_receive_at misuse_qp
cq_asked|cq_asked misuse_post_at misuse_open_cq
cq_small|cq_asked misuse_post_at misuse_open_cq;cq_small misuse_post_at misuse_open_cq
ok_cq|
inline_asked|inline_asked misuse_post_at misuse_qp
inline_ex|inline_asked misuse_begin_ex misuse_qp_ex
ok_inline_ex|
ok_abort|
ok_batch|
failed_field|failed_field misuse_failed_ex
ok_failed_field|
ok_umr|
ok_acknowledged|
ok_acknowledged_late|
other_cq|events_other_cq other_cq misuse_open_cq
slept|slept_without_poll misuse_event misuse_sleep
ok_slept|
ok_slept_request|
ah_destroyed|ah_destroyed misuse_ah misuse_ah
ok_ah|
receive_error|receive_in_error misuse_receive_at misuse_qp
ok_receive_error|
two_threads|two_threads misuse_poller misuse_poller
ok_threads|
one_domain|two_threads misuse_post_at misuse_post_at
ok_domains|
forked|fork_luck misuse_fork
ok_forked|
ok_forked_unmaps|
forked_unmaps|memory_unmapped misuse_receive_at misuse_unmap
srq_depth|receive_depth misuse_srq_receive_at misuse_srq_open
srq_refused|receive_depth misuse_srq_receive_at misuse_srq_open
ok_srq_order|
srq_key_ended|key_ended misuse_srq_receive_at misuse_srq_key
ok_srq_key_ended|
ok_dct|
ok_xrc|
unacknowledged|events_unacknowledged unacknowledged misuse_open_cq
TABLE
# The sanitizer's free() and fork() come before dvx-check's.
[ -z "$asan" ] || sed -i '/^freed|/d; /^forked|/d' "$scratch/table"
while IFS='|' read -r case findings; do
	case $case in
	unacknowledged) watch "$case" timeout -k 1 4 ;; # found after a second; the call never returns
	ok_batch) watch "$case" timeout -k 1 60 ;; # two threads might wait for each other
	*) watch "$case" ;;
	esac
	all="$all $case"
done <"$scratch/table"
check "all print JSON" found
while IFS='|' read -r case findings; do
	check "$case" finds "$case" "$findings"
done <"$scratch/table"
# --- the device's rules: what is found of all these programs, and of those whose rings are written by hand
cat >"$scratch/device" <<'TABLE'
key_old key_used_after_end wrong
key_ending key_used_after_end wrong
rnr_zero rnr_timer_zero right on mlx5 by luck
ok_rnr
rd_atomic rd_atomic_differs wrong
ok_rd_atomic
ok_rd_unused
rkey_old key_used_after_end wrong
ok_rkey
ok_rkey_of_nothing
ci_ahead consumer_index_ahead wrong
ok_ci
arm_old arm_index_old right on mlx5 by luck
arm_ahead arm_index_ahead wrong
ok_arm
register_first register_before_record wrong
ok_register
ok_register_next
wqe_changed wqe_changed wrong
ok_wqe
TABLE
by_hand() {
	for case in $(sed '1,2d; s/ .*//' "$scratch/device"); do
		"$dvx_sim" exec misuse -- "$misuse" "$case" >"$scratch/$case.err" || { echo "$case fails"; return 1; }
	done
}
check "rings by hand" by_hand
"$dvx_sim" check misuse --json >"$scratch/checked"
code=$?
cat "$scratch"/*.err | sed -n 's/^\([0-9]*\) is /\1 /p' >"$scratch/pids"
jq -r -R -n --slurpfile all "$scratch/checked" '[inputs | split(" ")] as $names
	| $all[0].findings[] | . as $f | ($names[] | select(.[0] == ($f.pid | tostring)) | .[1]) + " " + $f.kind + " " + $f.class' \
	"$scratch/pids" | sort -u >"$scratch/seen"
# device CASE FINDING
device() {
	grep "^$1 " "$scratch/seen" >"$scratch/of_case"
	cat "$scratch/of_case"
	[ "$(cat "$scratch/of_case")" = "${2:+$1 $2}" ]
}
while read -r case finding; do
	check "the device: $case" device "$case" "$finding"
done <"$scratch/device"
check "nothing of the others" [ "$(wc -l <"$scratch/seen")" = "$(grep -c ' ' "$scratch/device")" ]
check "its exit code" [ $code = 86 ]
check "as text" says 86 'QP 0x[0-9a-f]*: its min_rnr_timer is 0: .* (right on mlx5 by luck; [1-9] times*)$' "$dvx_sim" check misuse
# text CODE TEXT [OPTION...]: what a changed buffer prints
text() {
	code=$1 text=$2
	shift 2
	says "$code" "$text" "$dvx_sim" exec misuse -- "$dvx_check" "$@" -- "$misuse" changed
}
check "a place has its line" text 86 '  posted at misuse_post_at (.*misuse.c:[0-9]*)$'
check "a summary" text 86 '  buffer_changed: 1 time, at 1 place$'
echo 'buffer_changed misuse_p* # known' >"$scratch/known"
check "suppressed by kind and function" text 0 ': 1 suppressed$' -s "$scratch/known"
echo '*_changed other' >"$scratch/known"
check "another function is not suppressed" text 86 buffer_changed -s "$scratch/known"
printf '# nothing\nbuffer_changed\n' >"$scratch/known"
check "a suppression without a function" text 3 'known:2:15: a function was expected' -s "$scratch/known"
echo 'buffer_lost *' >"$scratch/known"
check "a suppression of no kind" text 3 'known:1:1: no finding has this kind' -s "$scratch/known"
check "no file of suppressions" text 3 "can't read" -s "$scratch/none"
check "the program's exit code" says 7 'opened no device that dvx-check saw: nothing was watched' "$dvx_check" -- sh -c 'exit 7'
check "a signal that ends the program" says 143 '' "$dvx_check" -- sh -c 'kill $$'
check "dvx-sim run --check" says 86 buffer_changed "$dvx_sim" run --check -- "$misuse" changed
check "with the device's rules" says 86 'its min_rnr_timer is 0' "$dvx_sim" run --check -- "$misuse" rnr_zero
check "a key again, of device memory" says 0 '' "$dvx_sim" run --check --set=log_max_mkey=4 -- "$misuse" ok_key_again
check "neither finds anything" says 0 '' "$dvx_sim" run --check -- "$misuse" ok_rnr
plain() { chips="$chips plain" && "$dvx_sim" up plain && says 3 'plain was started without --check$' "$dvx_sim" check plain; }
check "no findings without --check" plain
printf 'int main(void) { return 0; }\n' >"$scratch/static.c"
if ${CC:-cc} -static -o "$scratch/static" "$scratch/static.c" 2>"$scratch/err"; then
	check "a static program" says 0 'is statically linked: nothing of it is watched' "$dvx_check" -- "$scratch/static"
else
	skip "a static program" "no static libc"
fi
plan
