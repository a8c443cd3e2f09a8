#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that recordings have the bytes that are in the program's rings and the calls that it made, that two of them
# differ where the programs do, and that damaged ones are read as far as they are good.
. "$top_srcdir/tests/tap.sh"
ring=$top_builddir/tests/lab/record_ring
misuse=$top_builddir/tests/lab/misuse
needs "$ring"
needs "$misuse"
cd "$scratch" || exit 99
record() { "$dvx_sim" record --size 2 "$@"; }
shown() { "$dvx_sim" show --json "$1" >"$1.json"; }

recorded() { record -o "$1" -- "$ring" $2 >"$1.ring" && shown "$1"; }
check "a program is recorded" recorded a 10
check "... with fewer bytes than there was room" [ "$(wc -c <a)" -lt 1000000 ]

# --- an independent witness: the rings, as the program itself reads them
as_in_ring() {
	{
		jq -r 'select(.kind == "wqe" and .ring == "sq") | "\(.index) \(.bytes)"' a.json |
			awk '{b[$1] = b[$1] $2} END {for (i in b) print "wqe", i, b[i]}'
		jq -r 'select(.kind == "cqe") | "cqe \(.index) \(.bytes)"' a.json
	} | sort >a.have
	[ "$(sort a.ring | tee a.want | wc -l)" = 20 ] && diff a.want a.have
}
check "WQEs and CQEs are those in the rings" as_in_ring
calls() {
	[ "$(jq -r 'select(.kind == "post") | .wr_id' a.json | xargs)" = "1 2 3 4 5 6 7 8 9 10" ] &&
		[ "$(jq -r 'select(.kind == "completion") | .wr_id' a.json | xargs)" = "1 2 3 4 5 6 7 8 9 10" ] &&
		[ "$(jq -r 'select(.kind == "post") | "\(.opcode) \(.length) \(.flags) \(.errno)"' a.json | uniq)" = "RDMA_WRITE 8 2 0" ]
}
check "posts and polls are those of the program" calls
in_order() { jq -se 'map(.ns) == (map(.ns) | sort) and all(.[]; .text)' a.json; }
check "events are in the order of time" in_order
table() {
	"$dvx_sim" show a >a.text && grep -q ' device  *wqe qp 0x[0-9a-f]* sq 9 wqe_ctrl_seg .*opcode=RDMA_WRITE(' a.text &&
		grep -q ' device  *cmd> vhca [0-9]* uid [0-9]* CREATE_QP create_qp_in ' a.text &&
		grep -q ' record_ring:[0-9]*  *call create_qp type 2 sends 64 receives 1 .* -> 0x[0-9a-f]* \[[0-9]* ns\]$' a.text &&
		grep -q ' record_ring:[0-9]*  *post qp 0x[0-9a-f]* sq RDMA_WRITE wr_id 0xa bytes 8 pieces 1 signaled \[' a.text
}
check "a table names fields, objects and calls" table

# The device's command has the uid that the kernel's room put into it.
devx() {
	record -o d -- "$top_builddir/tools/dvx-info/dvx-info" caps >/dev/null && shown d && "$dvx_sim" show d >d.text &&
		grep -q 'dvx-info:[0-9]*  *devx> QUERY_HCA_CAP query_hca_cap_in ' d.text && grep -q 'devx< QUERY_HCA_CAP cmd_hca_cap .*log_max_qp=' d.text &&
		jq -se '[.[] | select(.kind == "command")] | map(select(.vhca == null)) as $calls | map(select(.vhca)) as $commands
			| ($calls | length > 3) and all($calls[]; . as $c | any($commands[]; .out == $c.out and .in[0:4] == $c.in[0:4] and .in[8:] == $c.in[8:]))' d.json
}
check "DevX calls are the commands that the device executes, byte by byte" devx

# --- Chrome's trace
chrome() {
	"$dvx_sim" show --chrome a.chrome a && [ "$(jq -r '
		[.traceEvents[] | select(.ph == "b")] as $b | [.traceEvents[] | select(.ph == "e")] as $e
		| [.traceEvents[] | select(.name == "process_name") | .args.name | sub(":.*"; "")] as $names
		| [($b | length), ($e | length), (($b | map(.id)) == ($b | map(.id) | unique)), (($b | map(.id)) - ($e | map(.id)) | length)] + ($names | sort)
		| map(tostring) | join(" ")' a.chrome)" = "20 20 true 0 device record_ring" ] &&
		jq -e 'all(.traceEvents[]; .ph == "M" or .ts >= 0) and any(.traceEvents[]; .ph == "X" and .dur > 0)' a.chrome
}
check "Chrome's trace has a slice for each WQE and for each post" chrome

# --- two recordings
same() { "$dvx_sim" diff a b >diffed && [ ! -s diffed ]; }
differs() { "$dvx_sim" diff "$1" "$2" >diffed; code=$?; cat diffed; [ $code = 1 ] && grep -q "$3" diffed; }
check "another run" recorded b 10
check "two runs of a program do not differ" same
check "a run with one write more" recorded c 11
check "... has a WQE more" differs a c '^WQEs of sq of qp 0x.*: 10 and 11, the first difference is number 11$'
check "... which is shown" grep -q '^+ wqe_ctrl_seg .*wqe_index=0xa.*opcode=RDMA_WRITE.*; wqe_raddr_seg.*; wqe_data_seg' diffed
check "... and a completion, a post, a polled completion more" [ "$(grep -c '10 and 11' diffed)" = 4 ]
check "... the other way round" differs c a '^WQEs of sq of qp 0x.*: 11 and 10, the first difference is number 11$'
pair() {
	record -o "$1" -- sh -c '. "$top_srcdir/tests/until.sh"
		ping() { exec timeout 60 ibv_rc_pingpong -g 1 -n "$@" >/dev/null; }
		ping "$@" &
		wait_port 18515 $! && (ping "$@" 127.0.0.1) && wait $!' sh "$2" -s "$3" && shown "$1"
}
check "two processes" pair p 10 4096
sends() { [ "$(jq -r 'select(.layout == "wqe_ctrl_seg") | .kind' p.json | wc -l) $(jq -r 'select(.kind == "cqe") | .kind' p.json | wc -l)" = "20 40" ]; }
check "... 10 sends each, and twice as many completions" sends
# ibv_rc_pingpong's messages are of "{"; libmlx5 has short ones put into the CQE (cqe_format 1, of byte 63 the bits 3:2).
no_data() {
	pair s 10 16 && [ "$(jq -r 'select(.kind == "cqe") | .bytes' s.json | grep -c '^.*2[4-7]$')" = 20 ] && ! grep -q 7b7b7b7b s.json
}
check "data of messages is not recorded, also if it is in the CQE" no_data
twins() { recorded t "10 send" && recorded u "10 send" && "$dvx_sim" diff t u; }
check "... so messages that differ are no difference" twins
failed() {
	recorded f "2 fail" && [ "$(jq -r 'select(.kind == "completion") | "\(.status > 0) \(.opcode) \(.length) \(.vendor_err > 0)"' f.json | uniq)" = "true 0 0 true" ] &&
		differs b f '^polled completions of failed requests of qp 0x[0-9a-f]*: 0 and 2, '
}
check "a failed completion has neither opcode nor length, and a class of its own" failed
# Their opcodes have the bit of receives.
umr() {
	record -o v -- "$misuse" ok_umr >/dev/null && differs a v '^polled completions of sends of qp 0x[0-9a-f]*: 10 and 3, ' &&
		! grep -q 'completions of receives' diffed && "$dvx_sim" show --chrome v.chrome v &&
		! jq -e 'any(.traceEvents[]; .ph == "e" and .name == "RECEIVE")' v.chrome
}
check "completions of UMRs are of sends, and end no receives" umr
list() {
	recorded m "100 list" && read -r taken error <m.ring && [ "$taken" -gt 16 ] && [ "$error" -gt 0 ] &&
		[ "$(jq -r 'select(.kind == "post") | "\(.wr_id) \(.nth) \(.errno)"' m.json)" = "$(seq "$taken" | while read -r i; do echo "$i $((i - 1)) 0"; done
			echo "$((taken + 1)) $taken $error")" ]
}
check "a call of many requests is recorded up to the one that is refused" list

# --- on a NIC: the program's side alone
nic() {
	"$dvx_sim" run -- "$dvx_sim" record --nic -o nic -- "$ring" 5 >/dev/null && shown nic &&
		[ "$(jq -r 'select(.kind == "post" or .kind == "completion") | .kind' nic.json | sort | uniq -c | xargs)" = "5 completion 5 post" ] &&
		! jq -e 'select(.who == "device")' nic.json
}
check "--nic records calls without dvx-sim's device" nic
for option in --fault=drop=0.1 --set=sfs=1 --hostile --ip=10.0.0.1/24 --vfs=1 --netdev --function=dpu; do
	check "--nic with $option" says 125 '^dvx-sim: --nic starts no device, so it goes with -o and --size alone' "$dvx_sim" record --nic "$option" -o nic -- true
done

# --- processes that are killed
killed() { record -o k -- "$ring" 10 kill; [ $? = 137 ] && shown k && [ "$(grep -c '"kind":"post"' k.json)" = 5 ]; }
check "a program that is killed is recorded up to then" killed
mkfifo go stop
lost() {
	"$dvx_sim" record -o l -- sh -c "'$ring' 10 >/dev/null; echo >go; cat stop" &
	timeout 60 cat go
	kill -9 $!
	until_dead $!
	echo >stop
	says 1 'l has no end: its dvx-sim record runs, or was killed' "$dvx_sim" show --json l && [ "$(grep -c '"kind":"post"' said)" = 10 ]
}
check "a recording whose dvx-sim is killed has all events, and says so" lost
moved() {
	mkdir from && record -o from/m -- sh -c "'$ring' 10 >/dev/null; mv from to"
	[ $? = 125 ] && says 1 'to/m has no end' "$dvx_sim" show --json to/m && [ "$(grep -c '"kind":"post"' said)" = 10 ]
}
check "a recording whose folder is moved has all events" moved
# At half of its writes, another record is to write the same file.
over() {
	exec 3<>go
	"$dvx_sim" record --size 2 -o o -- "$ring" 10 wait <stop >&3 &
	exec 4>stop
	read -r half <&3 && [ "$half" = half ] && "$dvx_sim" record --size 1 -o o -- true && shown o && ! grep -q '"kind":"post"' o.json || return
	echo >&4
	exec 4>&- 3>&-
	wait $! && shown o && [ "$(grep -c '"kind":"post"' o.json)" = 10 ]
}
check "another record of the same file leaves a running one alone" over

# --- a program that can't write, is not checked instead: its receive buffers are its own
unwritten() { record -o u -- env DVX_CHECK_RECORD=nix "$ring" 1 receive >/dev/null 2>said && grep -q "can't record record_ring to nix: No such file" said; }
check "a program that can't be recorded is left alone" unwritten
uncounted() { "$dvx_sim" stat -- env DVX_CHECK_COUNTS=nix "$ring" 1 receive >/dev/null 2>said && grep -q "can't count calls of record_ring in nix: No such file" said; }
check "... and so is one that can't be counted" uncounted

# --- room
full() { record --size 1 -o full -- "$ring" 2000 2>noted; [ $? = 0 ] && grep -q 'full is full: [0-9]* later events are not in it (--size' noted; }
check "a program that does more than there is room for" full
check "... the recording says so" says 1 'full was full: [0-9]* later events' "$dvx_sim" show full
no_room() { cp a small && (trap '' XFSZ; ulimit -f 8; record -o small -- true); code=$?; cmp a small && return $code; }
check "no room on the disk" says 125 "can't record to small: File too large (--size takes less room)" no_room
check "no regular file" says 125 "can't record to /dev/null: Invalid argument (it is no regular file)" "$dvx_sim" record -o /dev/null -- true
check "no file" says 125 "record needs -o FILE" "$dvx_sim" record -- true

# --- recordings that are damaged
cut_short() {
	for n in 64 100 1000 5000 $(($(wc -c <a) - 1)); do
		head -c $n a >cut
		says 1 "cut is cut short at offset [0-9]*: it had $(wc -c <a) bytes" "$dvx_sim" show cut || return
	done
	[ "$(grep -c ' post ' said)" = 10 ]
}
check "a recording that is cut short is shown up to the cut" cut_short
flipped() {
	cp a bad
	byte=$(od -An -tu1 -j"$1" -N1 bad)
	printf "\\$(printf %o $((byte ^ 4)))" | dd of=bad bs=1 seek="$1" conv=notrunc 2>/dev/null
	says 3 "^dvx-sim: bad: offset $2" "$dvx_sim" show bad
}
while read -r at offset expected; do
	check "a flipped bit at $at: expected $expected" flipped "$at" "$offset: expected $expected"
done <<'TABLE'
3 0 "dvx rec", with which recordings begin
8 8 version 1, not 5: show it with that dvx-sim
12 12 0 or 1, not 5
64 64 the length of event 1, not
80 64 the sum 0x[0-9a-f]* of event 1, not 0x
TABLE
# torn BYTES AT: an event whose writer was killed before it had set its sum, or its length
torn() {
	cp a torn
	dd if=/dev/zero of=torn bs=1 count="$1" seek="$2" conv=notrunc 2>/dev/null
	says 1 'torn lacks 1 events whose writer was killed while it wrote' "$dvx_sim" show torn && [ "$(grep -c ' post ' said)" = 10 ]
}
# hostile FILE: the name of its first call begins with bytes that are no text, its object has the highest bit
hostile() {
	perl -e 'local $/; $_ = <STDIN>; my ($at, $sum) = 64;
		$at += unpack "V", substr $_, $at, 4 until 8 == unpack "v", substr $_, $at + 20, 2;
		substr($_, $at + 36, 6) = "\xf0\xff\xff\xff\xff\e";
		my $len = $sum = unpack "V", substr $_, $at, 4;
		for my $word (unpack "Q*", substr $_, $at + 8, $len - 8) {
			{ use integer; $sum = ($sum ^ $word) * 0x9e3779b97f4a7c15 }
			$sum ^= $sum >> 32;
		}
		substr($_, $at + 4, 4) = pack "V", $sum & 0xffffffff; print' <a >"$1"
}
check "a recording with a hostile name" hostile h
check "... is shown" says 0 '' "$dvx_sim" show --json h
check "... with its numbers" grep -q '"object":4294967280' said
check "... is exported" "$dvx_sim" show --chrome h.chrome h
check "... whole" jq -e 'any(.traceEvents[]; .name | startswith("\\xff"))' h.chrome
clean() { differs a h 'calls .*: ' && ! LC_ALL=C grep -q "$(printf '\033')" diffed; }
check "... and compared, without its control characters" clean
check "an event without its end is passed over" torn 4 68
check "... and one without its beginning" torn 40 64
check "another file" says 3 'offset 0: expected "dvx rec"' "$dvx_sim" show "$ring"
: >empty
check "an empty file" says 3 'offset 0: expected "dvx rec"' "$dvx_sim" show empty
check "no such file" says 3 "can't read nix: No such file" "$dvx_sim" show nix
check "a folder" says 3 "can't read .: Invalid argument" "$dvx_sim" show .
check "a difference to a damaged one" says 3 'bad: offset' "$dvx_sim" diff a bad
plan
