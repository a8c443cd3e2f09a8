#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# dvx-prm as people call it: each command, each form of input, each exit code of dvx-prm(1).
prm=${top_builddir:?}/tools/dvx-prm/dvx-prm
. "${top_srcdir:?}/tests/tap.sh" || exit 99
tmp=$scratch
# says WHAT CODE PATTERN ARG...: dvx-prm ARG... ends with CODE; what it prints matches PATTERN (none: nothing).
says() {
	what=$1 code=$2 pattern=$3
	shift 3
	"$prm" "$@" >"$tmp/out" 2>"$tmp/err" <"${input:-/dev/null}"
	rc=$?
	[ "$rc" -eq "$code" ] && {
		[ -z "$pattern" ] && ! [ -s "$tmp/out" ] || grep -qE -e "$pattern" "$tmp/out" "$tmp/err"
	}
	report $? "$what" "exit code $rc, wanted $code and $pattern"
}
# same WHAT FILE: FILE decodes to the same fields as the binary.
same() {
	"$prm" decode err_cqe --json "$2" 2>"$tmp/err" |
		/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["fields"])' >"$tmp/out" \
			2>>"$tmp/err"
	[ -s "$tmp/out" ] && cmp -s "$tmp/out" "$tmp/fields"
	report $? "$1"
}
json() {
	"$prm" "$@" --json >"$tmp/out" 2>"$tmp/err" <"${input:-/dev/null}"
	/usr/bin/python3 -m json.tool <"$tmp/out" >/dev/null 2>>"$tmp/err"
	report $? "$1 --json parses"
}
have() {
	command -v "$1" >/dev/null
}

# list and show
says "list has structures" 0 '^mkc +64 bytes' list
says "list has enumerations" 0 '^wqe_opcode +8 bits' list
says "list PATTERN with * matches whole names" 0 '^err_cqe ' list 'err_*'
! grep -vq '^err_' "$tmp/out"
report $? "and nothing else"
says "list PATTERN finds words of the texts" 0 '^wqe_raddr_seg ' list 'remote address'
says "list finds a report's words" 0 '^health_buffer ' list assert
says "list finds fields where no name or text matches" 0 '^    irisc_index$' list irisc_
says "list with a PATTERN of nothing: exit code 1" 1 'matches "zzz"' list zzz
says "show tells a variant and what chooses it" 0 'umr when opcode is UMR' show wqe_ctrl_seg
says "show --variant draws it" 0 'umr_mkey  +\|' show --variant umr wqe_ctrl_seg
says "show of an enumeration" 0 'NOP' show wqe_opcode
says "show of an unknown structure: nearest name" 2 'err_cqe' show err_cqee

# One completion in each form
"$prm" encode err_cqe -f bin opcode=REQ_ERR syndrome=LOCAL_PROT_ERR vendor_err_synd=0x51 \
	qpn=0x123 s_wqe_opcode=RDMA_WRITE wqe_counter=7 signature=0xfe owner=1 >"$tmp/bin"
"$prm" decode err_cqe --json "$tmp/bin" |
	/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["fields"])' >"$tmp/fields"
says "decode of binary" 0 'syndrome +4 LOCAL_PROT_ERR' decode err_cqe "$tmp/bin"
if have xxd; then
	xxd "$tmp/bin" >"$tmp/in" && same "decode of xxd" "$tmp/in"
	xxd -p "$tmp/bin" >"$tmp/in" && same "decode of xxd -p" "$tmp/in"
	xxd -i "$tmp/bin" >"$tmp/in" && same "decode of xxd -i, a C array" "$tmp/in"
fi
if have hexdump; then
	hexdump -C "$tmp/bin" >"$tmp/in" && same "decode of hexdump -C" "$tmp/in"
	hexdump "$tmp/bin" >"$tmp/in" && same "decode of hexdump, words of the host" "$tmp/in"
fi
od -t x1 "$tmp/bin" >"$tmp/in" && same "decode of od -t x1" "$tmp/in"
od -A x -v -t x1z "$tmp/bin" >"$tmp/in" && same "decode of od -A x -v -t x1z" "$tmp/in"
input=$tmp/bin
says "- is standard input" 0 'syndrome +4 LOCAL_PROT_ERR' decode err_cqe -
says "so is no FILE" 0 'syndrome +4 LOCAL_PROT_ERR' decode err_cqe
input=
{
	echo '[ 1205.503182] infiniband mlx5_0: dump_cqe:273:(pid 0): dump error cqe'
	od -A n -v -t x1 "$tmp/bin" | awk '{ printf "[ 1205.503%03d] %08x:%s\n", NR, (NR-1)*16, $0 }'
} >"$tmp/in"
same "decode of the kernel's dump of an error completion" "$tmp/in"
od -A n -v -t x1 "$tmp/bin" | tr -d ' ' | awk '{
	printf "mlx5_core 0000:08:00.0: cmd[0]: %03x: %s %s %s %s\n", (NR-1)*16,
		substr($0, 1, 8), substr($0, 9, 8), substr($0, 17, 8), substr($0, 25, 8) }' >"$tmp/in"
same "decode of the kernel's dump of a command" "$tmp/in"
{
	echo 'mlx5: host: got completion with error:'
	od -A n -v -t x1 "$tmp/bin" | tr -d ' ' | sed 's/......../& /g'
} >"$tmp/in"
same "decode of what libmlx5 prints for an error completion" "$tmp/in"

printf '{0x1, 0x2, 0x3, 0x4}' >"$tmp/in"
# Fresh memory is not 0.
export MALLOC_PERTURB_=165
says "decode of a C array, bytes of one digit" 0 'wqe_index +0x203 ' decode wqe_ctrl_seg "$tmp/in"
unset MALLOC_PERTURB_

# encode
for form in dump hex c bin; do
	"$prm" encode err_cqe -f $form opcode=REQ_ERR syndrome=LOCAL_PROT_ERR vendor_err_synd=0x51 \
		qpn=0x123 s_wqe_opcode=RDMA_WRITE wqe_counter=7 signature=0xfe owner=1 >"$tmp/in"
	same "encode --format $form comes back from decode" "$tmp/in"
done
"$prm" encode --json wqe_ctrl_seg opcode=SEND qpn=0xabcdef |
	/usr/bin/python3 -c 'import json, sys; print(json.load(sys.stdin)["hex"])' >"$tmp/hex" 2>"$tmp/err"
"$prm" encode -f hex wqe_ctrl_seg opcode=SEND qpn=0xabcdef | cmp - "$tmp/hex" >>"$tmp/err" 2>&1
report $? "encode --json has the bytes"
"$prm" encode -f bin wqe_eth_seg 'cs_flags=L3_CSUM|l4_csum' >"$tmp/in"
says "encode takes flags by name, decode tells them" 0 'cs_flags +0xc0 L3_CSUM\|L4_CSUM' decode wqe_eth_seg "$tmp/in"
says "encode refuses a flag that is none" 2 'cs_flags: "L3_CSUM\|L5_CSUM"' encode wqe_eth_seg 'cs_flags=L3_CSUM|L5_CSUM'
says "encode refuses an or where there are no flags" 2 'opcode: "NOP\|SEND"' encode wqe_ctrl_seg 'opcode=NOP|SEND'
echo 'dvx-sim: x wqe_eth_seg cs_flags=L3_CSUM|L4_CSUM(0xc0)' >"$tmp/in"
says "a line of the trace with flags comes back" 0 'cs_flags +0xc0 L3_CSUM\|L4_CSUM' decode wqe_eth_seg "$tmp/in"
says "show tells flags from an enumeration" 0 'cs_flags +flags eth_cs_flag:' show wqe_eth_seg
says "encode refuses a value that does not fit" 2 'qpn: 0x1000000 does not fit' \
	encode wqe_ctrl_seg qpn=0x1000000
says "encode: a number that a name has is hinted at" 2 '4096 bytes is its value 5 \(4K\)' encode qpc mtu=4096
says "encode: a size where its logarithm belongs is hinted at" 2 'logarithm to base 2: 10$' \
	encode qpc log_rq_size=1024
says "encode refuses a name that is none" 2 'opcode: "NOPP".*NOP\?' encode wqe_ctrl_seg opcode=NOPP
says "encode refuses an unknown field, with the nearest" 2 'no field "qbn".*qpn' \
	encode wqe_ctrl_seg qbn=1
says "encode refuses an unknown structure, with the nearest" 2 'wqe_ctrl_seg' encode wqe_ctrl_sge
says "encode refuses two fields of one union" 2 'union' encode wqe_ctrl_seg imm=1 umr_mkey=1
says "encode refuses an index past an array without end" 2 'pas has elements from 0' \
	encode create_cq_in 'pas[99999999999]=1'
says "encode refuses an element too far for a structure" 2 'beyond' \
	encode create_cq_in 'pas[99999999]=1'
says "encode refuses what is no assignment" 2 'not of the form' encode wqe_ctrl_seg =1
says "encode refuses an unknown format" 2 'format' encode wqe_ctrl_seg -f yaml
says "encode takes bytes of an array in an element" 0 ' 01 02$' \
	encode query_packet_reformat_context_out 'packet_reformat_context[0].reformat_data=0102'
"$prm" encode err_cqe qpn=1 >"$tmp/a"
"$prm" encode err_cqe qpn=2 syndrome=WR_FLUSH_ERR >"$tmp/b"

# diff
echo 5aa55aa5a55aa55a5aa55aa5a55aa55a >"$tmp/x1"
echo 5aa55aa5a55aa55a5aa55aa5a55aa55b >"$tmp/x2"
head -c 64 /dev/zero >"$tmp/zero"
says "diff of equal dumps: exit code 0, no output" 0 '' diff --as err_cqe "$tmp/a" "$tmp/a"
says "diff of different dumps: exit code 1, the field named" 1 'qpn +0x1 -> 0x2' \
	diff --as err_cqe "$tmp/a" "$tmp/b"
says "diff with an unreadable one: exit code 3" 3 'nowhere' diff --as err_cqe "$tmp/a" "$tmp/nowhere"
says "diff with an unknown structure: exit code 2" 2 'did you mean err_cqe' diff --as err_cq "$tmp/a" "$tmp/b"
"$prm" encode err_cqe opcode=REQ_ERR syndrome=LOCAL_PROT_ERR qpn=5 >"$tmp/c"
"$prm" encode err_cqe opcode=REQ_ERR syndrome=WR_FLUSH_ERR qpn=5 >"$tmp/d"
says "diff recognises both dumps by itself" 1 '^err_cqe: 1 field differs .*likely' diff "$tmp/c" "$tmp/d"
says "and names the field" 1 'syndrome +0x4 LOCAL_PROT_ERR -> 0x5 WR_FLUSH_ERR' diff "$tmp/c" "$tmp/d"
says "diff of equal dumps that are recognised" 0 '' diff "$tmp/c" "$tmp/c"
golden=${top_srcdir:?}/tests/golden/wqe
says "diff of two WQEs tells the segment" 1 '^  0x30 wqe_data_seg.byte_count +0x0 -> 0x1 ' \
	diff "$golden/write.hex" "$golden/write_three.hex"
says "diff of two kinds names both and compares bytes" 1 'a: send WQE, RDMA_WRITE; b: error completion' \
	diff "$golden/write.hex" "$tmp/c"
says "and rows that differ" 1 'bytes at 0x030 +-> 0000' diff "$golden/write.hex" "$tmp/c"
says "diff of bytes that are nothing: compared all the same" 1 'not recognised.*1 row of 16 bytes differs' \
	diff "$tmp/x1" "$tmp/x2"
inline='0000000a 00001102 00000000 00000000 80000004'
echo "$inline 41414141 00000000 00000000" >"$tmp/inline1"
echo "$inline 42424242 00000000 00000000" >"$tmp/inline2"
echo "$inline 41414141 00000000 00000000 00000000" >"$tmp/inline3"
says "diff of bytes that are no field: data in a WQE" 1 \
	'a: send WQE, .*; b: send WQE, .*; their fields are equal; 1 row of 16 bytes differs' diff "$tmp/inline1" "$tmp/inline2"
says "... behind the structure" 1 'bytes at 0x010 ' diff --as wqe_ctrl_seg "$tmp/inline1" "$tmp/inline2"
says "... that one has not" 1 'bytes at 0x020 +-> 00000000' diff --as wqe_ctrl_seg "$tmp/inline1" "$tmp/inline3"
says "diff of dumps of which one is nothing by itself: taken for the other's kind" 1 \
	'^err_cqe: .*a: error completion' diff "$tmp/c" "$tmp/zero"
says "... and the fields are compared" 1 'syndrome +0x4 LOCAL_PROT_ERR -> 0x0' diff "$tmp/c" "$tmp/zero"
says "... whichever of them it is" 1 'syndrome +0x0 -> 0x4 LOCAL_PROT_ERR' diff "$tmp/zero" "$tmp/c"
cat "$tmp/c" "$tmp/d" | sed 's/^.*: //' >"$tmp/ring1"
cat "$tmp/c" "$tmp/c" | sed 's/^.*: //' >"$tmp/ring2"
says "diff of two rings: entry by entry" 1 'byte 0x40: err_cqe: 1 field differs' diff "$tmp/ring1" "$tmp/ring2"
says "diff --as KIND" 1 'syndrome' diff --as cqe "$tmp/c" "$tmp/d"

# export, JSON
"$prm" export --json >"$tmp/out" 2>"$tmp/err"
/usr/bin/python3 -c 'import json, sys; assert json.load(sys.stdin)["version"]' <"$tmp/out" >"$tmp/err" 2>&1
rc=$?
: >"$tmp/out"
report $rc "export --json has a version"
json list
json show wqe_ctrl_seg
json show wqe_opcode
json decode err_cqe "$tmp/a"
json encode err_cqe qpn=1
json diff --as err_cqe "$tmp/a" "$tmp/b"

# Bad input
printf '00 11 22 33\n44 55 6g 77\n' >"$tmp/in"
says "wrong hex: line and column" 3 'line 2, column 7: "6g" is not hex' decode mkc "$tmp/in"
printf '00123\n' >"$tmp/in"
says "an odd number of digits: line and column" 3 'line 1, column 1' decode mkc "$tmp/in"
says "empty input" 3 'empty' decode mkc
echo 'nothing but words' >"$tmp/in"
says "no dump at all" 3 'none of the 1 lines is a row of a dump' decode mkc "$tmp/in"
says "a file that is not there" 3 'nowhere: No such file' decode mkc "$tmp/nowhere"
says "a directory" 3 'directory' decode mkc /
head -c 6000000 /dev/zero >"$tmp/in"
says "6 MB of binary are cut, and it says so" 0 'ignored' decode mkc "$tmp/in"
yes '00 11 22 33 44 55 66 77' | head -c 6000000 >"$tmp/in"
says "6 MB of hex end with a sentence" 3 'cut the input' decode mkc "$tmp/in"
printf '00000000: 01\n00000004: 02\n' >"$tmp/in"
says "a hole in the offsets is told" 0 'hole' decode mkc "$tmp/in"
printf '01\n' >"$tmp/in"
says "a short dump is told" 0 'last 63 of its 64 bytes' decode mkc "$tmp/in"

# Command line
says "no command: exit code 2" 2 'Usage'
says "an unknown command, with the nearest" 2 'decode' decdoe
says "an argument too few" 2 'needs STRUCT' decode
says "an argument too many" 2 'too many' list a b
says "a wrong --words" 2 'words is be or le' decode mkc --words xe
for command in '' list show decode encode explain diff export; do
	"$prm" $command --help | awk 'length > 79 || NR > 24 { bad = 1 } END { exit bad }'
	report $? "dvx-prm $command --help fits 80 columns and 24 lines"
done
page=${top_srcdir:?}/doc/man/dvx-prm.1
for command in list show decode encode explain diff export; do
	"$prm" $command --help | grep -oE -- '--[a-z-]+' | grep -vx -e --quiet | sort -u >"$tmp/options"
	grep -q "^\.SS $command" "$page" || echo "$command" >>"$tmp/lost"
	while read -r option; do
		sed 's/\\-/-/g' "$page" | grep -q -e "$option" || echo "$command $option" >>"$tmp/lost"
	done <"$tmp/options"
done
check "dvx-prm(1) has each command and option" sh -c '! cat "$0" 2>/dev/null' "$tmp/lost"
plan
