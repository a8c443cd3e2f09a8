#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the comparison with libmlx5's own rings on a device made of software.
exec "${top_builddir:?}/tools/dvx-sim/dvx-sim" run -- \
	"$top_builddir/tests/golden/verbs"
