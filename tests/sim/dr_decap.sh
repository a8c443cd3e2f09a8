#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Tunnels' headers come off, by libmlx5's rules and packets.
"${top_builddir:?}/tools/dvx-sim/dvx-sim" run -- \
	"$top_builddir/tests/sim/dr_decap"
