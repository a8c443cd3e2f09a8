#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-check finds nothing in programs of others that are right: both ends exit with 0, and not with 86; and
# that the device's rules find nothing in any of them. doc/dvx-check-programs.md has what is found in others, and why.
. "$(dirname "$0")/pair.sh"
tools=$(cd "$top_builddir" && pwd)/tools
check=$tools/dvx-check/dvx-check
chip_options=--check
mkdir "$dir/bin"
# wrapped PROGRAM: a script of this name runs it under dvx-check, without the findings of kind $known
known=
wrapped() {
	echo "${known:+$known *}" >"$dir/known"
	printf '#!/bin/sh\nexec "%s" -s "%s" -- "%s" "$@"\n' "$check" "$dir/known" "$(command -v "$1")" >"$dir/bin/$1"
	chmod +x "$dir/bin/$1"
}
# checked PROGRAM ARGS...: the program's two ends under dvx-check
checked() {
	wrapped "$1"
	PATH=$dir/bin:$PATH pair host "$@"
}
# checked_cm SERVER CLIENT: likewise, of RDMA_CM
checked_cm() {
	program=${1%% *}
	wrapped "$program"
	PATH=$dir/bin:$PATH cm host "$1" "$2"
}
# alone NAME COMMAND...: one process that has both ends
alone() {
	name=$1
	shift
	: >"$dir/server"
	timeout "$bound" "$sim" exec "$chip" -- "$@" >"$dir/client" 2>&1
	result $? "$name"
}
# A file is copied by dvx-copy, and both ends are under dvx-check.
copied() {
	mkdir "$dir/root"
	head -c 3000000 /dev/urandom >"$dir/root/file"
	free_port
	timeout "$bound" "$sim" exec "$chip" -- "$check" -- "$tools/dvx-copy/dvx-copy" serve --root "$dir/root" \
		--listen "127.0.0.1:$port" >"$dir/server" 2>&1 &
	server=$!
	wait_port "$port" "$server" && timeout "$bound" "$sim" exec "$chip" --function dpu -- "$check" -- \
		"$tools/dvx-copy/dvx-copy" pull "127.0.0.1:$port:file" "$dir/copy" >"$dir/client" 2>&1
	pulled=$?
	kill "$server"
	wait "$server" && [ $pulled = 0 ] && cmp "$dir/root/file" "$dir/copy"
	result $? "dvx-copy"
}
# The rules of the device, for all that ran on it.
device() {
	: >"$dir/server"
	timeout 60 "$sim" check "$chip" >"$dir/client" 2>&1
	result $? "the device's rules find nothing in them"
	exit "$failed"
}
export UCX_ERROR_SIGNALS=
if [ -z "${DVX_TEST_LONG-}" ]; then
	plan 7
else
	plan 35
fi
checked ibv_rc_pingpong -g 1 -n 700 -c
checked ibv_srq_pingpong -g 1 -n 200 -e
checked ib_send_lat -x 1 -n 200 -e
checked ib_write_bw -x 1 -n 300 -q 2
checked_cm "rping -s -C 5 -V" "rping -c -C 5 -V -a 127.0.0.1"
export UCX_TLS=rc_mlx5,ud_mlx5,self
checked ucx_perftest -t tag_lat -s 8 -n 200 -w 10
[ -n "${DVX_TEST_LONG-}" ] || device
for UCX_TLS in rc_mlx5,ud_mlx5,self dc_mlx5,self; do
	export UCX_TLS
	for test in ucp_get ucp_fadd; do
		checked ucx_perftest -t $test -s 8 -n 200 -w 10
	done
	checked ucx_perftest -t tag_bw -s 65536 -n 200 -w 10
done
checked ibv_rc_pingpong -g 1 -n 300 -e
checked ibv_uc_pingpong -g 1 -n 300
checked ibv_ud_pingpong -g 1 -n 300 -e
checked ib_write_bw -x 1 -n 1000 --use_old_post_send
checked ib_read_bw -x 1 -n 1000
checked ib_send_bw -x 1 -n 1000 -e
checked ib_send_bw -x 1 -n 500 -c UD -s 1024
checked ib_send_bw -x 1 -n 500 -r 64 --use-srq -q 2
checked ib_write_lat -x 1 -n 1000
checked ib_read_lat -x 1 -n 1000
checked ib_atomic_bw -x 1 -n 1000
checked_cm "ucmatose -c 10 -C 20" "ucmatose -c 10 -C 20 -s 127.0.0.1"
checked_cm "rdma_server" "rdma_client -s 127.0.0.1"
checked_cm "cmtime &" "cmtime -c 50 -s 127.0.0.1"
checked_cm "rstream -C 10 -S 100000 -T v" "rstream -C 10 -S 100000 -T v -s 127.0.0.1"
checked_cm "riostream -C 10 -S 10000 -T v" "riostream -C 10 -S 10000 -T v -s 127.0.0.1"
checked_cm "ib_write_bw -R -F -n 100 -p 19001" "ib_write_bw -R -F -n 100 -p 19001 127.0.0.1"
known=ah_destroyed
checked_cm "udaddy -C 50 -c 4" "udaddy -C 50 -c 4 -s 127.0.0.1"
copied
alone "dvx-perf" "$check" -- "$tools/dvx-perf/dvx-perf" --count 2000
if command -v mpicc >/dev/null && mpicc -O1 -o "$dir/ring" "$top_srcdir/tests/interop/ring.c" >"$dir/client" 2>&1; then
	for UCX_TLS in rc_x,self ud_x,self; do
		alone "a ring of Open MPI, $UCX_TLS" mpirun --allow-run-as-root --oversubscribe -np 3 --mca pml ucx \
			-x UCX_TLS="$UCX_TLS" -x UCX_NET_DEVICES=mlx5_0:1 "$check" -- "$dir/ring"
	done
fi
device
