#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that ibv_{rc,uc,ud}_pingpong, as Debian ships them, run between two processes, polling and with
# events, at sizes from one byte to many packets, within one function and between two.
. "$(dirname "$0")/pair.sh"

long=${DVX_TEST_LONG:+1}
# Pairs like another one: check long has them.
long() { [ -z "$long" ] || "$@"; }
plan $((9 + 6 * ${long:-0}))
long pair host ibv_rc_pingpong -g 1 -n 40
long pair host ibv_rc_pingpong -g 1 -n 40 -e
pair host ibv_rc_pingpong -g 3 -n 40
long pair host ibv_rc_pingpong -g 1 -n 40 -s 1
pair host ibv_rc_pingpong -g 1 -n 50 -s 300000 -m 4096
pair host ibv_rc_pingpong -g 1 -n 50 -s 300000 -m 256 -e
long pair dpu ibv_rc_pingpong -g 1 -n 40
pair dpu ibv_rc_pingpong -g 1 -n 40 -e
long pair host ibv_uc_pingpong -g 1 -n 40
pair host ibv_uc_pingpong -g 1 -n 50 -s 300000 -m 256 -e
pair dpu ibv_uc_pingpong -g 1 -n 40
pair host ibv_ud_pingpong -g 0 -n 40
pair host ibv_ud_pingpong -g 1 -n 40 -e
long pair host ibv_ud_pingpong -g 3 -n 40 -s 1
pair dpu ibv_ud_pingpong -g 3 -n 40 -s 4096
exit "$failed"
