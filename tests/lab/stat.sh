#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-sim stat counts what messages of each class cost as computed by hand, to the PCIe packet, and judges
# by budgets and comparisons.
. "$top_srcdir/tests/tap.sh"
costs=$top_builddir/tests/lab/stat_costs
exact=$top_builddir/tests/lab/stat_exact
needs "$costs" "$exact" "$top_builddir/examples/dc"

# By hand, with a Max_Payload_Size of 256 and a Max_Read_Request_Size of 512: a write of n bytes takes a TLP with 24
# bytes for each 256, a read a request of 24 for each 512 and a completion with 20 for each 256. Each first is the least,
# each second the most: there a NIC reads the doorbell record for each doorbell (24 up, 24 down), WQEs block by block,
# receive entries by lines of 64.
# CASE CLASS: UP DOWN TARGET_UP TARGET_DOWN WQES_PER_DOORBELL
cat >"$scratch/hand" <<'TABLE'
write_inline write 88,112 88,112 32,32 0,0 1
write_wr write 88,112 88,112 32,32 0,0 1
write_unsignaled write 5.5,29.5 88,112 32,32 0,0 1
write_pointer write 112,136 116,140 32,32 0,0 1
write_4096 write 280,304 4504,4528 4480,4480 0,0 1
write_batch write 91,113.5 71,87.5 32,32 0,0 16
wr_batch write 91,113.5 71,87.5 32,32 0,0 16
read_4096 read 4568,4592 88,112 192,192 4416,4416 1
atomic atomic 120,144 88,112 32,56 28,28 1
send send 112,136 172,196 - - 1
send receive 200,200 36,84 - - -
send_inline send 88,112 88,112 - - 1
send_inline receive 112,112 36,84 - - -
send_srq receive 200,200 52,84 - - -
datagram datagram 112,136 260,284 - - 1
datagram receive 240,240 36,84 - - -
TABLE
counted() {
	# shellcheck disable=SC2046
	"$dvx_sim" stat --json -- "$costs" $(cut -d' ' -f1 "$scratch/hand" | uniq) late >"$scratch/all.json" 2>"$scratch/numbers" ||
		{ cat "$scratch/numbers"; return 1; }
}
# row CASE CLASS FILTER: the filter's output for the case's queue of this class
row() {
	jq -r --slurpfile all "$scratch/all.json" -R -n --arg case "$1" --arg class "$2" "
		[inputs | split(\" \") | select(.[0] == \$case) | .[1:][] | tonumber] as \$qps
		| \$all[0].queues[] | select(.object == \"qp\" and .class == \$class) | select(.id as \$id | \$qps | index(\$id)) | $3" \
		"$scratch/numbers"
}
as_by_hand() {
	want="$3 $4 $5 $6 $7 64"
	got=$(row "$1" "$2" '[.up_bytes, .down_bytes, .target_up_bytes, .target_down_bytes | if . then map(tostring) | join(",") else "-" end] +
		[(.wqes_per_doorbell // "-" | tostring), (.messages | tostring)] | join(" ")')
	[ "$got" = "$want" ] || { echo "by hand: $want"; echo "counted: $got"; return 1; }
}
check "the programs run" counted
while read -r case class rest; do
	# shellcheck disable=SC2086
	check "$case: $class" as_by_hand "$case" "$class" $rest
done <"$scratch/hand"
check "TLPs of 4096 bytes: 8 requests, 16 completions" [ "$(row write_4096 write '.up_tlps[0], .down_tlps[0], .target_up_tlps[0]' | xargs)" = "9 17 16" ]
check "units of Intel PCM" [ "$(row write_pointer write '[.pcie_rdcur, .itom, .target_itom][] | join(",")' | xargs)" = "1,2 1,1 1,1" ]
check "an RNR NAK, and the time lost in it" [ "$(row late send '.rnr[0] > 0 and (.rnr_us[0] / .rnr[0] - 640 | fabs) < 0.001')" = true ]

# More rows than a socket takes at once.
many() {
	# shellcheck disable=SC2046
	"$dvx_sim" stat --json -- "$costs" $(yes send | head -n 900) >"$scratch/many.json" 2>"$scratch/numbers" ||
		{ tail "$scratch/numbers"; return 1; }
	jq -e '.queues | length == 1800' "$scratch/many.json"
}
check "1800 queues" many

# --- two programs, of two functions: their QPs have equal numbers, and so have their CQs
two() {
	"$dvx_sim" stat --json --set vfs=1 -- sh -c '"$0" write_batch && DVX_SIM_FUNCTION=vf0 "$0" write_inline' "$costs" >"$scratch/two.json" 2>"$scratch/numbers" ||
		{ cat "$scratch/numbers"; return 1; }
	jq -e '[.queues[] | select(.object == "qp" and .class == "write") | .id] | length == 2 and .[0] == .[1]' "$scratch/two.json"
}
check "two functions" two
check "calls of equal QP numbers of two functions are not added" jq -e \
	'[.queues[] | select(.object == "qp" and .class == "write") | .wqes_per_doorbell] | sort == [1, 16]' "$scratch/two.json"
check "polls of equal CQ handles of two processes are not added" jq -e \
	'[.cqs[] | select(.completions > 0)] | length == 2 and .[0].handle == .[1].handle and all(.[]; .completions == 64)' "$scratch/two.json"

# --- doorbells, trapped: of verbs, and of a program that calls no verbs (each of its messages has a doorbell)
exactly() { # JQ COMMAND...
	want=$1
	shift
	"$dvx_sim" stat --exact --json --ip 10.9.8.7/24 -- "$@" 2>"$scratch/numbers" | sed -n '/^{/,$p' >"$scratch/exact.json"
	jq -e ".exact and ([.queues[] | select(.doorbells) | [.messages, .doorbells, .blueflame]] | $want)" "$scratch/exact.json" ||
		{ cat "$scratch/numbers" "$scratch/exact.json"; return 1; }
}
trapped() {
	timeout 60 "$dvx_sim" stat --exact --json -- "$exact" "$1" >"$scratch/exact.json" &&
		jq -e '.exact and all(.queues[] | select(.doorbells); .messages == 400 and .doorbells == 400 and .blueflame == 1)' "$scratch/exact.json"
}
if [ "$(uname -m)" = x86_64 ]; then
	check "exact doorbells of verbs" exactly '. == [[64, 64, 1], [64, 4, 0], [64, 4, 0]]' "$costs" write_inline write_batch wr_batch
	check "exact doorbells of DevX" exactly '. == [[9, 9, 0]]' "$top_builddir/examples/dc"
	check "arms of two threads: each arrives" trapped arms
	check "arms that are stepped over" trapped stepped
	check "a file's page is no register" trapped file
	if [ -n "${DVX_TEST_LONG-}" ] && command -v ib_write_bw >/dev/null; then
		cat >"$scratch/pair.sh" <<'PAIR'
ib_write_bw -n 2000 -s 64 &
until ib_write_bw -n 2000 -s 64 localhost; do kill -0 $! || exit 1; done >/dev/null 2>&1
wait
PAIR
		check "exact doorbells of ib_write_bw: one a message" exactly '. == [[2000, 2000, 1]]' sh "$scratch/pair.sh"
	fi
else
	check "exact doorbells need x86-64" says 2 'on x86-64 only' "$dvx_sim" stat --exact -- true
fi

# --- one program: text, budgets, comparisons
stat() { "$dvx_sim" stat "$@" 2>"$scratch/err"; }
inline() { stat --json -- "$costs" write_inline >"$scratch/inline.json"; }
pointer() { stat -r 2 --pcm -- "$costs" write_pointer && cat "$scratch/err" && grep -q "$1" "$scratch/err"; }
check "a table" pointer '^  qp 0x[0-9a-f]* *write  *128  *8  *1 *100%  *1  *0%  *100%  *112..136  *116..140  *32  *0  *1..2  *1  *0  *1$'
prints() { cat "$scratch/err"; grep -q -- "$1" "$scratch/err"; }
check "polls" prints '^  CQ with handle [0-9]*: [0-9]* polls, [0-9]* empty ([0-9]*%); 128 completions, 0 arms$'
check "what is distinct" prints '^  distinct in up to 1000 sends: 1.0 send queues, 1.0 keys, 2.0 pages of 4 KiB;'
check "the spread of runs" prints '^  messages a run: 64 (+- 0%)$'
check "advice with its gain" prints '^  \* write: send the data inline (max_inline_data, IBV_SEND_INLINE): saves 52.0 bytes a message$'

# budgeted CODE BUDGETS TEXT: stat's exit code with these budgets, and what it prints
budgeted() {
	printf "$2" >"$scratch/budget"
	stat --budget "$scratch/budget" -- "$costs" write_inline >"$scratch/lines"
	code=$?
	prints "$3" && [ $code = "$1" ]
}
check "within its budgets" budgeted 0 '# CI\nwrite up_bytes 112\n\nwrite down_tlps 2 # with the record\nread up_bytes 0\n' '^dvx-sim stat: 1 run;'
check "over a budget" budgeted 1 'write up_bytes 112\nwrite down_bytes 88\n' '^dvx-sim: over budget: write down_bytes is 112 a message, the most is 88 (line 2)$'
while IFS='|' read -r text error; do
	check "a bad budget: $error" budgeted 3 "$text" "budget:$error"
done <<'TABLE'
wriet up_bytes 1|1:1: expected a class of messages: send, write
\nwrite up 1|2:7: expected a cost: up_bytes,
write bytes 1|1:7: expected a cost: up_bytes,
write up_bytes|1:15: expected a number
write up_bytes 12x|1:16: expected a number
write up_bytes -1|1:16: expected a number
write up_bytes 1 2|1:18: expected the end of the line
TABLE

compared() {
	"$dvx_sim" stat --compare "$2" "$3" >"$scratch/printed" 2>&1
	code=$?
	cat "$scratch/printed"
	[ $code = "$1" ] && grep -q -- "$4" "$scratch/printed"
}
same() { "$dvx_sim" stat --compare "$scratch/inline.json" "$scratch/inline.json" >"$scratch/printed" && [ ! -s "$scratch/printed" ]; }
check "JSON of one case" inline
check "the same costs" same
jq '(.classes[] | select(.class == "write")).up_bytes = [112, 136]' "$scratch/inline.json" >"$scratch/dear.json"
check "dearer" compared 1 "$scratch/inline.json" "$scratch/dear.json" '^write up_bytes: 88..112 -> 112..136 (+21.4%)$'
check "cheaper" compared 0 "$scratch/dear.json" "$scratch/inline.json" '^write up_bytes: 112..136 -> 88..112 (-17.6%)$'
printf '{"classes":\n [}' >"$scratch/bad.json"
check "no JSON" compared 3 "$scratch/bad.json" "$scratch/inline.json" 'bad.json:2:3: '
echo '[]' >"$scratch/bad.json"
check "another JSON" compared 3 "$scratch/inline.json" "$scratch/bad.json" 'bad.json:1:1: expected an object with an array "classes"'
# A file that is cut anywhere is refused.
cut_short() {
	for n in 0 1 17 100 333 700 1200; do
		head -c $n "$scratch/inline.json" >"$scratch/bad.json"
		compared 3 "$scratch/bad.json" "$scratch/inline.json" 'bad.json:[0-9]*:[0-9]*: ' || return
	done
}
check "JSON that is cut short" cut_short
no_text() { head -c 300 "$dvx_sim" >"$scratch/budget" && ! stat --budget "$scratch/budget" -- true && prints 'budget:1:1: expected a class'; }
check "a budget that is no text" no_text
fails() { stat -- sh -c 'exit 7' >"$scratch/lines"; [ $? = 7 ]; }
check "the command's exit code" fails
refuses() { ! stat --mps 100 -- true && prints '^dvx-sim stat: --mps: expected 64, 128, 256... 4096, not "100"$'; }
check "an impossible size" refuses
plan
