#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# GRE, MPLS and VXLAN specs of ibv_create_flow, by libibverbs and packets.
"${top_builddir:?}/tools/dvx-sim/dvx-sim" run -- \
	"$top_builddir/tests/sim/verbs_tunnels"
