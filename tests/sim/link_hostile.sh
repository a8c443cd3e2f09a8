#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# link_hostile.c under dvx-sim run.
exec "$top_builddir/tools/dvx-sim/dvx-sim" run -- \
	"$top_builddir/tests/sim/link_hostile" 2>/dev/null
