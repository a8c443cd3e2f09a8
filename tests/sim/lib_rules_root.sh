#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Refusals in the root tables (lib_rules.c), on a device made of software.
exec "${top_builddir:?}/tools/dvx-sim/dvx-sim" run -- \
	"$top_builddir/tests/sim/lib_rules" 0
