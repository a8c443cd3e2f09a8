#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-perf measures each operation with each engine that has it, in one run, that its numbers are those of
# the messages that it posted, that its JSON, CSV and drawings are what they say, and that it names wrong options.
. "$top_srcdir/tests/tap.sh"
perf=$top_builddir/tools/dvx-perf/dvx-perf

chips=perf
"$dvx_sim" up perf || bail_out "no chip"
run() {
	"$dvx_sim" exec perf -- "$perf" --count 40 --rounds 2 "$@"
}

# json FILTER OPTION...: the run's JSON passes jq's filter; so do the general properties of all results
json() {
	filter=$1
	shift
	# One jq for all: each takes as long as a run.
	run --json "$@" >"$scratch/j" && jq -e '
		def times: .min > 0 and .min <= .p50 and .p50 <= .p90 and .p90 <= .p99 and .p99 <= ."p99.9" and
			."p99.9" <= ."p99.99" and ."p99.99" <= .max;
		('"$filter"') and .device == "mlx5_0" and .board == "dvx-sim" and .emulator == true and
			(.results | length > 0) and all(.results[];
			(.latency_ns | times) and (.post_ns | times) and .post_ns.p50 <= .latency_ns.max and
			.messages_per_s > 0 and (.bytes_per_s == .bytes * .messages_per_s))' <"$scratch/j" ||
		{ jq . <"$scratch/j"; false; }
}
all='["libdvx", "ibv_wr_*", "ibv_post_send"]'
four='["libdvx", "template", "ibv_wr_*", "ibv_post_send"]'
pairs='[.results[] | .operation + " " + .engine]'
rc='[("SEND", "SEND_IMM", "SEND_INVAL", "RDMA_WRITE_IMM", "ATOMIC_FA", "ATOMIC_CS") + " " + '$all'[]] + [("RDMA_WRITE", "RDMA_READ") + " " + '$four'[]] +
	[("MASKED_FA", "MASKED_CS", "UMR", "NOP", "DMA") + " libdvx"] + ["UMR ibv_wr_*"]'
uc='[("SEND", "SEND_IMM", "RDMA_WRITE_IMM") + " " + '$all'[]] + ["RDMA_WRITE " + '$four'[]] + ["NOP libdvx"]'
dc='[("SEND", "SEND_IMM", "RDMA_WRITE", "RDMA_WRITE_IMM", "RDMA_READ") + (" libdvx", " ibv_wr_*")] + ["NOP libdvx"]'
xrc='[("SEND", "SEND_IMM", "RDMA_WRITE", "RDMA_WRITE_IMM", "RDMA_READ") + " " + '$all'[]] + ["NOP libdvx"]'
check "four engines, one run" json "[.results[].engine] == $four and all(.results[]; .messages == 80 and .bytes == 8)"
check "every operation of RC, every engine that has it" json "($pairs | sort) == ($rc | sort)" --op all
check "every operation of UC" json "($pairs | sort) == ($uc | sort) and .transport == \"UC\"" --op all --connection uc
ud='[("SEND", "SEND_IMM") + " " + '$all'[]] + ["NOP libdvx"]'
check "every operation of UD" json "($pairs | sort) == ($ud | sort) and .transport == \"UD\"" --op all --connection ud
check "every operation of DC, by the engines that have it" json "($pairs | sort) == ($dc | sort) and .transport == \"DC\" and .srq" \
	--op all --connection dc --threads 2 --qps 2
check "every operation of XRC, with a target for each initiator" json "($pairs | sort) == ($xrc | sort) and .transport == \"XRC\" and .srq" \
	--op all --connection xrc --threads 2 --qps 3 --window 7 --batch 3
check "... in pieces" json '.sges == 5' --op send,read --connection xrc --size 3000 --sges 5 --window 33
check "shared receives" json 'all(.results[]; .messages == 160) and .srq' --op send,write_imm --srq --threads 2 --qps 2
check "... of datagrams" json .srq --op send --srq -c ud
check "each SEND_INVAL has a valid key" json 'all(.results[]; .messages == 1600)' --op send_inval --count 400 --threads 2 --qps 3 --window 7 --batch 3 --signal 4
check "a UMR of 5 pieces, by both" json '(.results | length == 2) and all(.results[]; .bytes == 0 and .messages == 80 and .warmup == 4)' --op umr --size 100 --sges 5
check "templates of 28 inline bytes, in batches" json '[.results[].engine] == ["template"]' -e template -s 28 -I 28 -b 8 -w 12
check "more inline bytes: no template" json "[.results[].engine] == $all" -I 29
check "... long inline" json 'all(.results[]; .bytes == 200)' --connection ud --size 200 --inline 200 --op send,send_imm
check "... in pieces" json 'all(.results[]; .bytes == 1000)' --connection ud --size 1000 --sges 3 --op send,send_imm
check "... up to the MTU" json '[.results[].bytes] | max == 4096' --connection ud --op send --all --engine libdvx
check "a datagram over the MTU" says 3 '--size=4097: a datagram has at most 4096 bytes, the MTU of mlx5_0' run -c ud -o send -s 4097
check "atomics have 8 bytes" json '.results | length == 6 and all(.[]; .bytes == 8)' --op faa,cas --all --sges 2
check "one engine" json '[.results[].engine] == ["ibv_wr_*"]' --engine ibv_wr
check "messages larger than an MTU" json 'all(.results[]; .bytes == 10000)' --size 10000 --op send,read
check "in pieces" json '.sges == 3 and .inline == 0' --size 1000 --sges 3 --inline 0 --op send,write
check "long inline messages" json '.inline == 200' --size 200 --inline 200 --op send,write_imm
check "one outstanding only" json '.window == 1' --window 1
check "batches, few signaled" json '.batch == 8 and .signal == 5 and (.results | length == 6)' --batch 8 --signal 5 --window 12 --op send,write
check "a count that no batch divides" json 'all(.results[]; .messages == 74)' --count 37 --batch 8 --signal 5
check "the doorbell register" json '.doorbell == "register"' --doorbell register
check "four queues, two threads" json '.threads == 2 and .qps == 2 and all(.results[]; .messages == 160)' \
	--threads 2 --qps 2 --op send,read
check "pinned" json '.threads == 1' --cpus 0
check "for a time" json 'all(.results[]; .messages % 40 == 0)' --duration 0.05
check "the device by its PCI address" json . --device 0000:03:00.0
check "the GID by its index" json . --gid-index 0

sums() { json 'all(.results[]; .messages == ([.histogram_ns[][2]] | add) and
	all(.histogram_ns[]; .[0] < .[1]) and .histogram_ns[0][0] <= .latency_ns.min)' --histogram; }
check "the histogram has all messages" sums
bars() { run --histogram | grep ' us  *[0-9]* #*$'; }
check "the histogram as bars" bars

# What the device saw: each message once, and a completion for each signaled one (40 alone, then 1 of 4).
counts() {
	"$dvx_sim" run --trace -- "$perf" -e libdvx --warmup 0 -n 40 -r 1 -b 4 -Q 4 >/dev/null 2>"$scratch/trace" || return 1
	wqes=$(grep -c 'wqe_ctrl_seg .*opcode=RDMA_WRITE' "$scratch/trace")
	cqes=$(grep -c ' cqe64 .*RDMA_WRITE' "$scratch/trace")
	echo "$wqes WQEs, $cqes CQEs"
	[ "$wqes" = 80 ] && [ "$cqes" = 50 ]
}
check "the device executes what is counted" counts

# All sizes, few messages of each: the sizes and the names of CSV's columns, and as many fields in each line
csv() {
	run --all --csv --engine libdvx --count 1 --rounds 1 >"$scratch/csv" || return 1
	awk -F, '
		NR == 1 { n = NF; for (i = 1; i <= NF; i++) { if (at[$i]) exit 1; at[$i] = i } next }
		NF != n || $at["bytes"] != 2 ^ (NR - 1) || $at["engine"] != "libdvx" || $at["messages"] != 1 { print; exit 1 }
		$at["latency_p50_ns"] <= 0 || $at["messages_per_s"] <= 0 || $at["board"] != "dvx-sim" { print; exit 1 }
		{ last = $at["bytes"] }
		END { exit last != 2 ^ 23 || NR != 24 }' "$scratch/csv"
}
check "all sizes, as CSV" csv
table() {
	run --op nop,write >"$scratch/t" && cat "$scratch/t" && grep -q 'RDMA_WRITE, RC, mlx5_0 (dvx-sim, an emulator' "$scratch/t" &&
		[ "$(grep -c '^ *8 [li].* [0-9.]*$' "$scratch/t")" = 3 ] && [ "$(grep -c '^ *0 libdvx' "$scratch/t")" = 1 ]
}
check "the table names the device, and that it is an emulator" table
help_fits() { [ "$("$perf" --help | wc -l)" -le 24 ] && ! "$perf" --help | grep -E '.{81}'; }
check "--help fits a screen of 24 lines" help_fits
check "... and names the other commands" says 0 'dvx-perf threads' "$perf" --help
warm() { # 30 + 30 messages that do not count, then 40 + 40
	"$dvx_sim" run --trace -- "$perf" -e libdvx --warmup 30 -n 40 -r 1 --json >"$scratch/j" 2>"$scratch/trace" &&
		[ "$(grep -c 'wqe_ctrl_seg .*opcode=RDMA_WRITE' "$scratch/trace")" = 140 ] && jq -e '.results[0].messages == 40' "$scratch/j"
}
check "messages that warm up are not counted" warm
few() { run >"$scratch/t" && grep '^of 80 messages (the fewest of a line) p99 and above are the slowest one' "$scratch/t"; }
check "too few messages for a percentile: the table" few
check "... and JSON" json 'all(.results[]; .too_few_for == ["p99", "p99.9", "p99.99"] and .latency_ns.p99 == .latency_ns.max)'
check "... enough" json '.results[0].too_few_for == ["p99.9", "p99.99"]' --count 100 --rounds 1 -e libdvx
# A terminal, on which Ctrl-C is typed once a round has shown how far it is: typed PROGRESS OPTION...
moved='[0-9.]*[1-9][0-9.]*'
typed() {
	part=$1
	shift
	rm -f "$scratch/keys" "$scratch/tty"
	mkfifo "$scratch/keys"
	script -qfec "'$dvx_sim' exec perf -- '$perf' $*" "$scratch/tty" <"$scratch/keys" >/dev/null &
	tty=$!
	exec 8>"$scratch/keys"
	shows_up "$scratch/tty" "$part %" "$tty"
	(printf '\003' >&8)
	wait "$tty"
	code=$?
	exec 8>&-
	tr '\r' '\n' <"$scratch/tty"
	[ $code = 130 ]
}
alone() {
	typed "RDMA_WRITE, 8 bytes: round 1, libdvx, latency, $moved" -n 10000000 --csv &&
		tr -d '\r' <"$scratch/tty" | grep 'RDMA_WRITE,RC,libdvx,8,.*,[0-9.]*,,$' && grep interrupted "$scratch/tty"
}
windowed() { # unsignaled messages, too
	typed 'round [1-9][0-9]*, ibv_wr_., rate, [0-9.]*' -n 20000 -r 1000000 -e ibv_wr -b 8 -Q 5 -p 2 --csv &&
		tr -d '\r' <"$scratch/tty" | grep 'RDMA_WRITE,RC,ibv_wr_\*,8,.*,[0-9]*,[0-9]*$'
}
cycles() { typed "1 threads, shared queues, $moved" threads -t 2 -n 100000 --csv && grep 'shared queues,1,1000' "$scratch/tty"; }
if command -v script >/dev/null; then
	check "a terminal shows progress; Ctrl-C: the latencies so far" alone
	check "... while the rate is measured" windowed
	check "... of threads" cycles
else
	skip "progress, and Ctrl-C" "there is no script(1)"
fi

check "a size of 0" says 2 '--size takes a number from 1 to 1073741824, not "0"' run --size 0
check "a window that is no number" says 2 '--window takes a number from 1 to 16384, not "x"' run --window x
check "an operation that is none" says 2 '--op takes some of send, .*, dma, or all, not "sned"' run --op read,sned
check "an engine that is none" says 2 '--engine takes some of libdvx, template, ibv_wr, ibv_post_send, or all, not "verbs"' run -e verbs
check "a transport that is none" says 2 '--connection takes one of RC, UC, UD, DC, XRC, not "rd"' run -c rd
check "a doorbell that is none" says 2 '--doorbell takes blueflame or register, not "bf"' run --doorbell bf
check "an operation that UC lacks" says 2 '--op=read: UC has no such operation' run -c uc -o read
check "shared receives of windows" says 2 '--srq: send_inval has receives of each queue' run --srq -o send_inval
check "too many windows" says 3 '8 queues with 32768 windows each are more than 65536 windows' run -o send_inval -w 16384 -p 8 -e ibv_wr
check "an operation that an engine lacks" says 2 '--engine=ibv_wr has no dma of RC' run -e ibv_wr -o dma
check "... of this transport" says 2 '--engine=ibv_post_send has no send of DC' run -e ibv_post_send -o send -c dc
check "all operations of an engine that has none of this transport" says 2 '--op=all: the other options leave no operation of UD' run -o all -e template -c ud
check "unsignaled posts of a template" says 2 '--signal=2: --engine=template has 1 at most' run -e template -Q 2
check "shared receives of what receives nothing" says 2 '--srq is for operations that receive, which read does not' run --srq -o read
lacks() { "$dvx_sim" run --set dma_mmo=0 -- "$perf" -n 5 -r 1 -e libdvx "$@"; }
check "an operation that the device lacks" says 4 '--op=dma: mlx5_0 has no DMA engine (dma_mmo_qp)' lacks -o dma
check "... is none of all" says 0 'NOP, RC' lacks -o all
check "sizes of a NOP" says 2 '--all is for operations with data, which nop has not' run -a -o nop
check "a window that would never move" says 2 '--window=8 is too small for --batch=8 and --signal=2: they take 9' \
	run -w 8 -b 8 -Q 2
check "more pieces than bytes" says 2 '--sges=9: a message of 8 bytes has no 9 pieces' run --sges 9
check "CPUs that are no list" says 2 '--cpus takes up to 256 numbers and ranges like 0,2,4-7, not "1-"' run --cpus 1-
check "too few CPUs" says 2 '--cpus names 1 for --threads=2' run --cpus 0 --threads 2
check "a CPU that is not there" says 3 '--cpus: no thread can run on CPU 1023' run --cpus 1023
check "two kinds of output" says 2 '--json and --csv exclude each other' run --json --csv
check "a histogram in a line" says 2 '--csv has no room for --histogram' run --csv --histogram
check "a GID that is not there" says 3 '--gid-index: port 1 of mlx5_0 has no GID 200' run --gid-index 200
check "a device that is not there" says 3 "no mlx5 device nope" run --device nope
check "more than the device has" says 4 "libdvx can't make its queues: .*attr.sq_blocks" run -w 16384 -I 900

no_room() {
	said=$(run --count 10 --rounds 1 "$@" 2>&1 >/dev/full)
	[ $? = 3 ] && echo "$said" | grep 'standard output cannot be written: No space left'
}
check "its output on a full disk" no_room
check "its JSON on a full disk" no_room --json

# Drawings: engines and operations are in the legend.
draws() {
	run --plot "$scratch/p.svg" "$@" >/dev/null && /usr/bin/python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$scratch/p.svg" &&
		grep -q 'RDMA_WRITE libdvx' "$scratch/p.svg" && grep -q 'RDMA_WRITE ibv_post_send' "$scratch/p.svg" &&
		grep -q 'figures of an emulator, not of a NIC' "$scratch/p.svg"
}
if command -v gnuplot >/dev/null; then
	check "percentiles, drawn" draws
	check "latency and rate against size, drawn" draws --all --count 1 --rounds 1
else
	skip "percentiles, drawn" "gnuplot is not installed"
fi
drawn() {
	typed "RDMA_WRITE, 8 bytes: round 1, libdvx, latency, $moved" -n 10000000 --plot "$scratch/c.svg" && grep 'RDMA_WRITE libdvx' "$scratch/c.svg"
}
undrawn() {
	echo "an older drawing" >"$scratch/c.svg"
	typed "RDMA_WRITE, 8 bytes: warm-up, libdvx, latency, $moved" --warmup 10000000 --plot "$scratch/c.svg" && grep older "$scratch/c.svg"
}
if command -v script >/dev/null && command -v gnuplot >/dev/null; then
	check "Ctrl-C: the results so far, drawn" drawn
	check "... no result: the older drawing stays" undrawn
fi
mkdir "$scratch/bin"
ln -s /usr/bin/* "$scratch/bin/"
rm -f "$scratch/bin/gnuplot"*
no_gnuplot() { (PATH=$scratch/bin && says 3 '--plot needs gnuplot, which is not installed' run --plot "$scratch/no.svg") && [ ! -e "$scratch/no.svg" ]; }
check "no gnuplot" no_gnuplot
if command -v gnuplot >/dev/null; then
	check "a drawing on a full disk" says 3 '--plot: /dev/full: No space left' run -e libdvx --plot /dev/full
	echo "an older drawing" >"$scratch/old.svg"
	check "a run that fails" says 3 "no mlx5 device nope" run --device nope --plot "$scratch/old.svg"
	check "... keeps the older drawing" grep -q older "$scratch/old.svg"
	check "... or" says 3 "no mlx5 device nope" run --device nope --plot "$scratch/new.svg"
	check "... leaves none" test ! -e "$scratch/new.svg"
fi
check "a drawing that cannot be written" says 3 '--plot: /none/p.svg: No such file' run --plot /none/p.svg
plan
