#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that ibv_srq_pingpong and perftest's --use-srq, as Debian ships them, run between two processes: several queue
# pairs on one shared receive queue, polling and with events, at sizes of many packets, over RC, UC and UD.
. "$(dirname "$0")/pair.sh"

long=${DVX_TEST_LONG:+1}
# Pairs like another one: check long has them.
long() { [ -z "$long" ] || "$@"; }
plan $((12 + 7 * ${long:-0}))
long pair host ibv_srq_pingpong -g 1 -n 200
pair host ibv_srq_pingpong -g 1 -n 200 -e
pair host ibv_srq_pingpong -g 3 -n 100 -q 40 -r 60
pair host ibv_srq_pingpong -g 1 -n 100 -s 20000 -m 256 -q 4
long pair dpu ibv_srq_pingpong -g 1 -n 200
long pair host ib_send_bw -x 1 -n 100 --use-srq
pair host ib_send_bw -x 1 -n 100 --use-srq -q 8 -b
pair host ib_send_bw -x 1 -n 100 --use-srq -e -s 300000
long pair host ib_send_lat -x 1 -n 20 --use-srq
pair host ib_send_bw -x 1 -n 100 --use-srq -c UC
pair dpu ib_send_lat -x 1 -n 20 --use-srq -e
long pair host ib_send_bw -x 1 -n 100 --use-srq -c UD
pair dpu ib_send_lat -x 1 -n 20 --use-srq -c UD
# XRC: each message names the SRQ that it is for
pair host ibv_xsrq_pingpong -g 1 -n 20
pair host ib_send_bw -x 1 -n 100 -c XRC -q 4 -e
pair dpu ib_write_bw -x 1 -n 100 -c XRC
long pair host ib_read_lat -x 1 -n 20 -c XRC
pair host ib_atomic_bw -x 1 -n 100 -c XRC -A FETCH_AND_ADD
long pair dpu ib_send_lat -x 1 -n 20 -c XRC
exit "$failed"
