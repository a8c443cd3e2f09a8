#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that ibv_{rc,uc,ud}_pingpong, as Debian ships them, run between two processes, polling and with
# events, at sizes from one byte to many packets, within one function and between two.
. "$(dirname "$0")/pair.sh"

plan 15
pair host ibv_rc_pingpong -g 1 -n 200
pair host ibv_rc_pingpong -g 1 -n 200 -e
pair host ibv_rc_pingpong -g 3 -n 200
pair host ibv_rc_pingpong -g 1 -n 200 -s 1
pair host ibv_rc_pingpong -g 1 -n 50 -s 300000 -m 4096
pair host ibv_rc_pingpong -g 1 -n 50 -s 300000 -m 256 -e
pair dpu ibv_rc_pingpong -g 1 -n 200
pair dpu ibv_rc_pingpong -g 1 -n 200 -e
pair host ibv_uc_pingpong -g 1 -n 200
pair host ibv_uc_pingpong -g 1 -n 50 -s 300000 -m 256 -e
pair dpu ibv_uc_pingpong -g 1 -n 200
pair host ibv_ud_pingpong -g 0 -n 100
pair host ibv_ud_pingpong -g 1 -n 100 -e
pair host ibv_ud_pingpong -g 3 -n 100 -s 1
pair dpu ibv_ud_pingpong -g 3 -n 100 -s 4096
exit "$failed"
