#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tunnels in the e-switch over hardware steering: switch_tunnel.sh once more.
steering=hws
. "${top_srcdir:?}/tests/flow/switch_tunnel.sh"
