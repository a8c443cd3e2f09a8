#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-sim why names the reason of each hang of a table and nothing for its correct twin, with the numbers
# in its sentences, in text and JSON; and that run prints the same by itself.
. "$top_srcdir/tests/tap.sh"
hangs=$top_builddir/tests/lab/why_hangs
needs "$hangs"
chips=why

kinds() { "$dvx_sim" why why --json | jq -r '[.findings[]? | .object + "." + .kind] | unique | join(" ")'; }
# found KINDS: the device may not have come to the last doorbell yet.
found() {
	tries=20
	until [ "$(kinds)" = "$1" ]; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || { echo "found: $(kinds)"; return 1; }
	done
}
begin() {
	rm -f "$scratch/go"
	mkfifo "$scratch/go"
	"$dvx_sim" exec why -- "$hangs" "$1" <"$scratch/go" >"$scratch/line" 2>"$scratch/hung" &
	hung=$!
	exec 9>"$scratch/go"
	shows_up "$scratch/line" ready $hung
}
end() {
	exec 9>&-
	wait $hung
	ended=$?
	cat "$scratch/hung"
	: >"$scratch/line"
	return $ended
}
# hangs CASE KINDS SENTENCE...
hangs() {
	begin "$1" || return
	found "$2" && "$dvx_sim" why why >"$scratch/why" && cat "$scratch/why" && grep -q -- "$3" "$scratch/why"
	code=$?
	[ "$1" != acknowledge ] || kill -s KILL $hung
	end
	return $code
}
lost() {
	"$dvx_sim" fault why drop=1 >/dev/null && hangs "$@"
	code=$?
	"$dvx_sim" fault why off >/dev/null
	return $code
}

check "up" "$dvx_sim" up why
while IFS='|' read -r case kinds words; do
	check "$case" hangs "$case" "$kinds" "$words"
done <<'TABLE'
rnr|qp.refused qp.rnr|: SEND 0 was refused [0-9]* times* (RNR): QP 0x[0-9a-f]* has no receive posted$
rnr_srq|qp.rnr_srq|: SEND 0 was refused [0-9]* times* (RNR): SRQ 0x[0-9a-f]* of QP 0x[0-9a-f]* has no receive posted$
ok_send||^Nothing waits.$
unsignaled|qp.unsignaled|: WQEs 1 to 2 are done and unsignaled: no completion reports them$
ok_signaled||^Nothing waits.$
send_full|qp.unsignaled|: WQEs 0 to [0-9]* are done and unsignaled: no completion reports them$
cqes|cq.cqes|CQ 0x[0-9a-f]*: 1 CQE that the program has not taken$
event_unread|cq.cqes_event_unread|: 1 CQE that the program has not taken; the event is in the completion channel, unread$
event_read|cq.cqes_event_read|; the event was delivered, and the CQ was not armed again$
before_arm|cq.cqes_before_arm|; the CQ was armed after them, so only the next CQE makes an event$
unsolicited|cq.cqes_unsolicited|; the CQ is armed for solicited ones, and none is new$
acknowledge|cq.acknowledge|CQ 0x[0-9a-f]*: it is destroyed; the call returns when the program has acknowledged all that it got of its events: 1$
ok_acknowledge||^Nothing waits.$
armed|cq.armed|: it is armed, and no CQE came since$
unarmed|cq.unarmed|: its event was delivered; it is not armed, so a CQE makes no event$
srq_limit|srq.srq_limit|SRQ 0x[0-9a-f]*: its limit event came 1 time and the limit is not set again; 1 receive left$
srq_limit_again|srq.srq_receives|: 1 receive posted$
receives|qp.receives|: 1 receive posted, in RTS$
no_peer|qp.peer_gone|: RDMA_WRITE 0 (psn 0x0) was sent and is not answered: there is no QP 0x[0-9a-f]*$
idle_peer|qp.peer_state|: RDMA_WRITE 0 (psn 0x0) was sent and is not answered: QP 0x[0-9a-f]* is in INIT$
send_state|qp.send_state|: WQEs from 0 on (1 block) are posted, and it is in INIT$
failed|qp.error_state qp.failed|: it is in ERR since WQE 0 failed: REMOTE_ACCESS_ERR (0x13)$
doorbell|qp.doorbell|: its doorbell record counts WQEs from 0 on (1 block), and its register was not written since$
arm_register|cq.arm_register|: its arm record changed, and the CQ's register was not written since$
cq_failed|cq.cq_failed qp.error_state|: it has failed (status 0x9) and reports nothing more$
TABLE
listed() {
	begin cqes && found cq.cqes && "$dvx_sim" ls >"$scratch/ls" && cat "$scratch/ls"
	grep -q '^  waits: 1 (dvx-sim why why prints for what)$' "$scratch/ls" && "$dvx_sim" ls --json | jq -e '.[0].waits == 1'
	code=$?
	end
	return $code
}
check "ls has a line for it" listed
check "lost packets" lost lost qp.no_answer ' was sent and is not answered by QP 0x[0-9a-f]*; [0-7] of 7 retries are used$'
check "down" "$dvx_sim" down why

# --- run, by itself
# start_run CASE OPTION...: starts it on a device of its own; $hung is dvx-sim
start_run() {
	case=$1
	shift
	rm -f "$scratch/go"
	: >"$scratch/line"
	mkfifo "$scratch/go"
	"$dvx_sim" run "$@" -- "$hangs" "$case" <"$scratch/go" >"$scratch/line" 2>"$scratch/hung" &
	hung=$!
	exec 9>"$scratch/go"
	shows_up "$scratch/line" ready $hung
}
reported() { cat "$scratch/hung"; [ "$(grep -c "$1" "$scratch/hung")" = 1 ]; }
# The shell lets its background jobs ignore SIGINT.
signaled() {
	start_run rnr && kill -s "$1" $hung && shows_up "$scratch/hung" ': SEND 0 was refused [0-9]* time.* (RNR): QP' $hung &&
		{ end || [ "$1" = TERM ]; } && reported ': SEND 0 was refused'
}
# A correct program is ended by a signal, and nothing is said.
silent() { start_run ok_send && kill -s TERM $hung && ! wait $hung && ! end && [ ! -s "$scratch/hung" ]; }
hang_after() {
	start_run event_read --hang-after 1 && shows_up "$scratch/hung" 'the CQ was not armed again$' $hung && end &&
		reported 'nothing has moved since the last look: the device'
}
dies() {
	start_run rnr || return
	kill -s KILL "$("$dvx_sim" ls --json | jq '.[0].clients[0].pid')" && ! end &&
		reported '^host, why_hangs (pid [0-9]*), which ended with this under way:' && reported ': SEND 0 was refused'
}
ends_well() { start_run rnr && end && [ ! -s "$scratch/hung" ]; }

check "run prints it at SIGINT" signaled INT
check "and at SIGTERM" signaled TERM
check "for a program that waits for nothing, nothing" silent
check "--hang-after prints what has not moved, once" hang_after
check "a program is killed with work under way" dies
check "one that ends with it and returns 0 is told nothing" ends_well
plan
