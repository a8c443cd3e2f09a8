#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Steering memory at its edges, on a chip that has little of it: libmlx5 takes an eighth at a time.
"${top_builddir:?}/tools/dvx-sim/dvx-sim" run --set log_ste_icm=27 -- \
	"$top_builddir/tests/sim/dr_limits"
