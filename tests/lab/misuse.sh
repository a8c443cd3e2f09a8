#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-check finds each misuse of a table, at both places in the program, and nothing in its correct twin.
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

check "up" "$dvx_sim" up misuse
cat >"$scratch/table" <<'TABLE'
changed|buffer_changed misuse_post_at misuse_poll
ok_changed|
changed_unsignaled|buffer_changed misuse_post_at misuse_poll
changed_ex|buffer_changed misuse_write_ex misuse_poll
changed_dv|buffer_changed misuse_write_ex misuse_poll
ok_ex|
early|receive_read_early misuse_post_at
ok_early|
freed|memory_freed misuse_receive_at freed
ok_freed|
unmapped|memory_unmapped misuse_receive_at unmapped
key_ended|key_ended misuse_receive_at key_ended
ok_key_ended|
key_old|key_old misuse_post_at key_old
unsignaled|unsignaled_tail misuse_post_at misuse_qp
ok_unsignaled|
send_depth|send_depth misuse_post_at misuse_qp
receive_depth|receive_depth misuse_receive_at misuse_qp
cq_asked|cq_asked misuse_post_at misuse_open_cq
cq_small|cq_asked misuse_post_at misuse_open_cq;cq_small misuse_post_at misuse_open_cq
ok_cq|
inline_asked|inline_asked misuse_post_at misuse_qp
inline_ex|inline_asked misuse_write_ex misuse_qp_ex
ok_inline_ex|
failed_field|failed_field misuse_failed_ex
ok_failed_field|
ok_acknowledged|
other_cq|events_other_cq other_cq misuse_open_cq
slept|slept_without_poll misuse_event misuse_sleep
ok_slept|
ah_destroyed|ah_destroyed misuse_ah misuse_ah
ok_ah|
receive_error|receive_in_error misuse_receive_at misuse_qp
ok_receive_error|
two_threads|two_threads misuse_poller misuse_poller
ok_threads|
unacknowledged|events_unacknowledged unacknowledged misuse_open_cq
TABLE
while IFS='|' read -r case findings; do
	case $case in
	unacknowledged) watch "$case" timeout -k 1 1 ;; # the call never returns
	*) watch "$case" ;;
	esac
	all="$all $case"
done <"$scratch/table"
check "all print JSON" found
while IFS='|' read -r case findings; do
	check "$case" finds "$case" "$findings"
done <"$scratch/table"
plan
