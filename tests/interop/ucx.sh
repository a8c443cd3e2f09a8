#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that UCX, as Debian ships it and with its default settings, finds DC and runs between two processes over
# rc_mlx5 and dc_mlx5: tagged and active messages, put, get and atomics, short ones and long ones.
. "$(dirname "$0")/pair.sh"

command -v ucx_perftest >/dev/null || { echo "1..0 # SKIP UCX is not installed (ucx-utils)"; exit 0; }
# A crash is told by the sanitizer, or leaves a core.
export UCX_ERROR_SIGNALS=
long=${DVX_TEST_LONG:+1}
# In check, each test is over one of the two transports.
long() { [ -z "$long" ] || "$@"; }
plan $((9 + 8 * ${long:-0}))
timeout "$bound" "$sim" exec "$chip" -- ucx_info -d >"$dir/client" 2>&1
grep -q 'Transport: dc_mlx5' "$dir/client"
result $? "ucx_info -d lists dc_mlx5"
# rc_mlx5 finds its peers by datagrams.
export UCX_TLS=rc_mlx5,ud_mlx5,self
pair host ucx_perftest -t tag_lat -s 8 -n 50 -w 5
long pair host ucx_perftest -t ucp_am_lat -s 8 -n 50 -w 5
pair host ucx_perftest -t ucp_put_lat -s 8 -n 50 -w 5
long pair host ucx_perftest -t ucp_get -s 8 -n 50 -w 5
long pair host ucx_perftest -t ucp_fadd -s 8 -n 50 -w 5
pair host ucx_perftest -t ucp_cswap -s 8 -n 50 -w 5
pair host ucx_perftest -t tag_bw -s 65536 -n 200 -w 10
long pair dpu ucx_perftest -t tag_lat -s 200 -n 50 -w 5
UCX_TLS=dc_mlx5,self
long pair host ucx_perftest -t tag_lat -s 8 -n 50 -w 5
pair host ucx_perftest -t ucp_am_lat -s 8 -n 50 -w 5
long pair host ucx_perftest -t ucp_put_lat -s 8 -n 50 -w 5
pair host ucx_perftest -t ucp_get -s 8 -n 50 -w 5
pair host ucx_perftest -t ucp_fadd -s 8 -n 50 -w 5
long pair host ucx_perftest -t ucp_cswap -s 8 -n 50 -w 5
long pair host ucx_perftest -t tag_bw -s 65536 -n 200 -w 10
pair dpu ucx_perftest -t tag_lat -s 200 -n 50 -w 5
exit "$failed"
