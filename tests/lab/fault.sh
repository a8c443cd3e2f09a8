#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that faults requested in a file come when they are due and once: the second command of an opcode, a packet
# lost, doubled, damaged or late, a completion that becomes an error, a lost event, no memory, a device that fails; that
# they change while the chip runs; and that a wrong file is refused with line, column and what was expected.
. "$top_srcdir/tests/tap.sh"
hangs=$top_builddir/tests/lab/why_hangs
needs "$hangs"
chips=faulty
file=$scratch/faults

# with FAULTS CODE TEXT CASE: run of a program that ends at once
with() {
	printf '%b\n' "$1" >"$file"
	says "$2" "$3" "$dvx_sim" run --fault "$file" -- "$hangs" "$4" </dev/null
}
on_chip() { "$dvx_sim" exec faulty -- "$hangs" "$1" </dev/null; }
# packet FAULT COUNT: ok_send meets it and succeeds; the chip has counted it
packet() {
	printf 'packet 1 %s\n' "$1" >"$file"
	"$dvx_sim" fault faulty "$file" || return
	on_chip ok_send || return
	"$dvx_sim" fault faulty --json | tee "$scratch/json" | jq -e ".packets.$2 == 1 and .requested[0].done" ||
		{ cat "$scratch/json"; return 1; }
}
seen() { "$dvx_sim" fault faulty | tee /dev/stderr | grep -q "^ *[1-9][0-9]*  seen: packet 1 $1 (done)$"; }
# The second change is requested when the first was seen.
port() {
	for state in down up; do
		printf 'port %s after 10ms\n' $state >"$file"
		"$dvx_sim" fault faulty "$file" || return
		until "$dvx_sim" fault faulty --json | jq -e '.requested[0].done' >/dev/null; do :; done
		"$dvx_sim" link faulty | grep "^faulty: $state," || return
	done
}
# A program that has the device open gets the event, its next request fails, and why says it. The chip is of no use then.
fatal() {
	"$dvx_sim" exec faulty -- "$hangs" fatal >"$scratch/line" 2>&1 </dev/null &
	program=$!
	printf 'device fatal after 1us\n' >"$file"
	shows_up "$scratch/line" open $program && "$dvx_sim" fault faulty "$file" && wait $program && cat "$scratch/line" &&
		"$dvx_sim" why faulty | tee /dev/stderr | grep -q 'DEVICE 0x1: the device has failed' && ! on_chip ok_send
}
off() { "$dvx_sim" fault faulty off && "$dvx_sim" fault faulty --json | jq -e '.requested == []' && on_chip ok_signaled; }
# wrong TEXT PLACE WORDS
wrong() {
	printf '%b\n' "$1" >"$file"
	says 125 "--fault: $file:$2: expected $3" "$dvx_sim" run --fault "$file" -- true
}
wrong_on_chip() {
	printf 'packet 0 drop\n' >"$file"
	says 2 "$file:1:8: expected which one: a number from 1, not \"0\"" "$dvx_sim" fault faulty "$file"
}

check "the second CREATE_QP fails" with 'command CREATE_QP 2 status NO_RES syndrome 0x1234' 1 'not so: qp' ok_send
check "the third is another program's" with 'command CREATE_QP 3 status 0x0f' 0 ready ok_send
check "the first completion becomes an error" with 'completion 1 syndrome REMOTE_ACCESS_ERR' 1 'not so: !hangs_poll' ok_signaled
check "the second is not reached" with '# none\n\ncompletion 2 syndrome 0x13' 0 ready ok_signaled
check "a completion of another QP is not concerned" with 'completion 1 qp 0x999 syndrome 0x13' 0 ready ok_signaled
check "its error is the one that was requested" with 'completion 1 syndrome REMOTE_ACCESS_ERR' 0 ready failed_as_asked
check "the ninth command of all fails" with 'command any 9 status NO_RES' 1 'not so: p->mr' ok_send
check "the first event is lost" with 'event 1 lose' 0 ready event_lost
check "none is" with 'event 1 cq 0x999 lose' 1 'not so: !poll' event_lost
check "there is no memory" with 'memory short after 0 objects' 1 'not so: p->ctx' ok_send
check "nor for a later object" with 'memory short after 5 objects' 1 'not so: p->mr' ok_send
check "there is enough" with 'memory short after 999 objects' 0 ready ok_send
check "up" "$dvx_sim" up faulty
check "a packet is lost, and sent again" packet drop dropped
check "the table says so" seen drop
check "a packet is doubled" packet double doubled
check "a packet is damaged" packet corrupt corrupted
check "a packet is late" packet 'delay 5ms' delayed
check "the port goes down, after a time, and up again" port
check "off" off
while IFS='|' read -r text place words; do
	check "wrong: $text" wrong "$text" "$place" "$words"
done <<'TABLE'
packet 1 lose|1:10|"qp", drop, double, corrupt or delay, not "lose"
\n  paket 1 drop|2:3|command, packet, completion, event, memory, port or device, not "paket"
packet|1:7|which one: a number from 1
packet 1 drop now|1:15|the line's end, not "now"
packet 1 delay 5|1:16|a time up to 60s, with ns, us, ms or s, not "5"
packet 1 delay 61s|1:16|a time up to 60s
command CREAT_QP 1 status 5|1:9|a command, as CREATE_QP or 0x500, or any, not "CREAT_QP"
event 1 loose|1:9|"cq" or "lose", not "loose"
event 1 cq 3|1:13|"lose"
memory small|1:8|"short", not "small"
memory short after 1|1:21|"objects"
device fatal soon|1:14|"after", not "soon"
command CREATE_QP 1|1:20|"status"
command CREATE_QP 1 status OK|1:30|a status that is not OK before this
port sideways|1:6|down or up, not "sideways"
port up|1:8|"after"
completion 1 syndrome NONE|1:23|a syndrome of a CQE, by name or number, not "NONE"
TABLE
check "a wrong file does not reach a chip" wrong_on_chip
check "a file that is not there" says 125 'No such file' "$dvx_sim" run --fault "$scratch/none" -- true
check "the device fails" fatal
check "down" "$dvx_sim" down faulty
plan
