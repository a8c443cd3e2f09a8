#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Rules in the root tables (lib_flow.c), on a device made of software.
exec "${top_builddir:?}/tools/dvx-sim/dvx-sim" run -- \
	"$top_builddir/tests/sim/lib_flow" 0
