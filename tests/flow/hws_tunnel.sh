#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tunnels over hardware steering, and keys of GRE and NVGRE: tunnel.sh once more.
steering=hws
. "${top_srcdir:?}/tests/flow/tunnel.sh"
