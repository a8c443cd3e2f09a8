#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Rules that lead to a verbs QP (lib_flow_qp.c), below the root, on a device made of software.
exec "${top_builddir:?}/tools/dvx-sim/dvx-sim" run -- \
	"$top_builddir/tests/sim/lib_flow_qp" 3
