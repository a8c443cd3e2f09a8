#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The same refusals in tables of software steering (lib_rules.c), on a device made of software.
exec "${top_builddir:?}/tools/dvx-sim/dvx-sim" run -- \
	"$top_builddir/tests/sim/lib_rules" 3
