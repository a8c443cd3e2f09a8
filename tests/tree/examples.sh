#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The examples beyond tests/lib/example.sh do what they say: their output is what is written here.
. "${top_srcdir:?}/tests/tap.sh" || exit 99

chip=
# prints PROGRAM ARGUMENT...: on a chip of its own, exactly the lines of standard input. Times become "T us".
prints() {
	cat >"$scratch/want"
	program=$top_builddir/examples/$1
	shift
	timeout 300 "$dvx_sim" run ${chip:+--set chip="$chip"} -- "$program" "$@" >"$scratch/said" 2>"$scratch/errors" &&
		sed 's/[0-9.]* us$/T us/' "$scratch/said" >"$scratch/got" &&
		diff "$scratch/want" "$scratch/got" && return
	cat "$scratch/errors"
	false
}

chip=bf3
check "balancer" prints balancer 20000 <<'END'
20000 connections, some in the spill table
10000 went, and as many came
END
chip=

check "recover" prints recover <<'END'
client: write 0: done
client: write 1: done
client: write 2: remote access error: a remote key, its rights, PD or bounds
client: write 3: flushed: the QP was already in error
client: write 4: flushed: the QP was already in error
server: receive 0: flushed: the QP was already in error
server: receive 1: flushed: the QP was already in error
both ends are connected again
client: write 2: done
client: write 3: done
client: write 4: done
the server has "all five writes are there"
END

check "atomics" prints atomics <<'END'
4 threads counted to 400 and added up to 400
END

check "ud" prints ud <<'END'
client 0: answer 1 to "question 0"
client 1: answer 1 to "question 1"
client 2: answer 1 to "question 2"
client 0: answer 2 to "question 3"
client 1: answer 2 to "question 4"
client 2: answer 2 to "question 5"
END

check "multicast" prints multicast <<'END'
member 0: gold 1900
member 1: gold 1900
member 2: gold 1900
member 0: gold 1901
member 2: gold 1901
member 1: heard nothing
END

check "completions" prints completions <<'END'
one queue, a megabyte first: 1 2 3
two queues: each is in order; what comes between is chance
16 posted, 1 signaled: 48 of 64 blocks free, cookie 16 completes, 64 free
asleep: done by at most one event
END

check "errors" prints errors <<'END'
SEND with an lkey that is none
	sender: 0x04 local protection error: a local key, its rights, PD or bounds
SEND with an lkey of another protection domain
	sender: 0x04 local protection error: a local key, its rights, PD or bounds
SEND to a receive that is too small
	sender: 0x12 remote invalid request: the peer rejects the request as malformed
	receiver: 0x01 local length error: the receive buffer is too small, or the message too long
SEND to memory without DVX_LOCAL_WRITE
	sender: 0x14 remote operation error: the peer could not do it
	receiver: 0x04 local protection error: a local key, its rights, PD or bounds
WRITE with an rkey that is none
	sender: 0x13 remote access error: a remote key, its rights, PD or bounds
WRITE behind the end of the rkey's memory
	sender: 0x13 remote access error: a remote key, its rights, PD or bounds
READ, and the peer's queue allows WRITE only
	sender: 0x13 remote access error: a remote key, its rights, PD or bounds
SEND without a receive, rnr_retry 0
	sender: 0x16 RNR retries exceeded: the peer posts no receives
SEND to nobody, retry_count 0
	sender: 0x15 transport retries exceeded: the peer does not answer
NOP behind a SEND that fails
	sender: 0x16 RNR retries exceeded: the peer posts no receives
	sender: 0x05 flushed: the QP was already in error
END

check "umr_scatter" prints umr_scatter <<'END'
names:  copper  gold    iron    silver  
prices: 1.20 9.99 0.30 4.75
after the invalidation: remote access error: a remote key, its rights, PD or bounds
END

check "chain" prints chain <<'END'
round 1: "the token" came back to node 0
round 2: "the token" came back to node 0
round 3: "the token" came back to node 0
END

check "window" prints window <<'END'
owner: window bound
peer: WRITE: done
owner: memory "by a window"
owner: "done", which invalidated the window's key
peer: WRITE: remote access error: a remote key, its rights, PD or bounds
END

check "raw_ethernet" prints raw_ethernet <<'END'
60 bytes, tag 0x7a9: frame 0
60 bytes, tag 0x7a9: frame 2
60 bytes, tag 0x7a9: frame 4
60 bytes, tag 0x7a9: frame 6
60 bytes, tag 0x7a9: frame 8
END

check "srq" prints srq <<'END'
client 0: "hello from 0"
client 1: "hello from 1"
client 2: "hello from 2"
client 3: "hello from 3"
client 4: "hello from 4"
client 5: "hello from 5"
client 6: "hello from 6"
client 7: "hello from 7"
SRQ_RQ_LIMIT: fewer than 4 receives are posted, 8 can be
client 3: "more, 0"
client 3: "more, 1"
client 3: "more, 2"
client 3: "more, 3"
posted again, 0 can be
END

check "dc" prints dc <<'END'
target 0: "message 0"
target 1: "message 1"
target 2: "message 2"
target 0: "message 3"
target 1: "message 4"
target 2: "message 5"
with another key: transport retries exceeded: the peer does not answer
target 1: "still here"
target 0: "again"
END

check "xrc" prints xrc <<'END'
program 0: "message 0" in receive 0
program 1: "message 1" in receive 0
program 2: "message 2" in receive 0
program 0: "message 3" in receive 1
program 1: "message 4" in receive 1
program 2: "message 5" in receive 1
END

check "kv" prints kv <<'END'
by READ: 64 of 64 right; each 3.5 round trips, 84 bytes, T us
by SEND: 64 of 64 right; each 1.0 round trips, 28 bytes, T us
END

truncate -s 1M "$scratch/namespace"
check "nvme" prints nvme "$scratch/namespace" <<'END'
write of 8 blocks at 3: status 0x0
flush: status 0x0
read of 8 blocks at 3: status 0x0, they begin with "block block"
read of blocks that are none: status 0x80
END
# The file has 8 blocks of "block " from block 3 on, and zeros elsewhere.
blocks() {
	[ "$(tail -c +1537 "$scratch/namespace" | head -c 4096 | tr -d '\0' | wc -c)" = 4096 ] &&
		[ "$(tr -d '\0' <"$scratch/namespace" | head -c 12)" = "block block " ] &&
		[ "$(tr -d '\0' <"$scratch/namespace" | wc -c)" = 4096 ] &&
		[ "$(wc -c <"$scratch/namespace")" = 1048576 ]
}
check "... into the file, at its place" blocks
check "nvme without a file says so" says 2 'No such file' "$top_builddir/examples/nvme" "$scratch/none"

# What a machine has differs: with or without hugepages the WRITE is done, and the difference is said.
check "placement" timeout 300 "$dvx_sim" run -- "$top_builddir/examples/placement"
cp "$scratch/out" "$scratch/placed"
check "... writes" grep -q '^2097152 bytes "moved"$' "$scratch/placed"
hugepages() {
	cat "$scratch/placed"
	if grep -q '^no hugepages: .*; ordinary pages do, too$' "$scratch/placed"; then
		grep -q 'bytes on ordinary pages' "$scratch/placed"
	else
		grep -q 'bytes on hugepages' "$scratch/placed"
	fi
}
check "... and says on which pages" hugepages

# Two programs on one chip; the server's first line says where it listens.
chips=rc$$
"$dvx_sim" up rc$$ >&2
mkfifo "$scratch/server"
timeout 300 "$dvx_sim" exec rc$$ -- "$top_builddir/examples/rc_socket" 0 >"$scratch/server" 2>"$scratch/server.err" &
server=$!
exec 5<"$scratch/server"
read -r line <&5
check "rc_socket, the client ($line)" says 0 'client: answer "read it"' timeout 300 "$dvx_sim" exec rc$$ -- \
	"$top_builddir/examples/rc_socket" "${line##* }" localhost
check "... which read what the server has" grep -q 'memory says "welcome"' "$scratch/said"
read -r line <&5
check "... and the server ($line)" test "$line" = 'server: message "I wrote", 8 bytes; written: "here I was"'
check "... which ends well" wait $server
exec 5<&-

# The same by RDMA_CM.
if [ -x "$top_builddir/examples/rdma_cm" ]; then
	timeout 300 "$dvx_sim" exec rc$$ -- "$top_builddir/examples/rdma_cm" 0 >"$scratch/server" 2>"$scratch/server.err" &
	server=$!
	exec 5<"$scratch/server"
	read -r line <&5
	check "rdma_cm, the client ($line)" says 0 'client: done' timeout 300 "$dvx_sim" exec rc$$ -- \
		"$top_builddir/examples/rdma_cm" "${line##* }" 127.0.0.1
	read -r line <&5
	check "... and the server ($line)" test "$line" = 'server: written "by its key", sent "by its queue"'
	check "... which ends well" wait $server
	exec 5<&-
else
	skip "rdma_cm" "librdmacm is not installed"
fi

# Two functions of the chip.
mkfifo "$scratch/back"
between() {
	timeout 300 "$dvx_sim" exec rc$$ --function host -- "$top_builddir/examples/alias" host <"$scratch/back" 2>"$scratch/host" |
		timeout 300 "$dvx_sim" exec rc$$ --function dpu -- "$top_builddir/examples/alias" dpu >"$scratch/back" 2>"$scratch/dpu" || return 1
	cat "$scratch/host" "$scratch/dpu"
	grep -q "^host: the DPU wrote \"the DPU's bytes\"$" "$scratch/host" &&
		grep -q "^DPU: copied 524288 bytes, \"the host's bytes\"$" "$scratch/dpu" &&
		grep -q '^DPU: after that: local protection error' "$scratch/dpu"
}
check "alias: a host and its DPU" between

plan
