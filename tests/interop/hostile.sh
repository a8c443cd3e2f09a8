#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves, with DVX_TEST_LONG, that UCX, perftest and rdma-core's examples run on a hostile device as on any other: they rely
# on nothing that the specifications do not promise.
[ -n "${DVX_TEST_LONG-}" ] || { echo "1..0 # SKIP long (DVX_TEST_LONG)"; exit 0; }
chip_options=--hostile=7
. "$(dirname "$0")/pair.sh"
export UCX_ERROR_SIGNALS=
plan 13
for UCX_TLS in rc_mlx5,ud_mlx5,self dc_mlx5,self; do
	export UCX_TLS
	for test in tag_lat ucp_get; do
		pair host ucx_perftest -t $test -s 8 -n 200 -w 10
	done
	pair host ucx_perftest -t tag_bw -s 65536 -n 100 -w 10
done
pair host ibv_rc_pingpong -g 1 -n 300 -e -c
pair host ibv_srq_pingpong -g 1 -n 200
pair host ibv_ud_pingpong -g 1 -n 300
pair host ib_write_bw -x 1 -n 500
pair host ib_send_bw -x 1 -n 500 -e
pair host ib_read_lat -x 1 -n 200
pair host ib_atomic_bw -x 1 -n 200
exit "$failed"
