#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The same rules in tables of software steering (lib_flow.c), on a device made of software.
exec "${top_builddir:?}/tools/dvx-sim/dvx-sim" run -- \
	"$top_builddir/tests/sim/lib_flow" 3
