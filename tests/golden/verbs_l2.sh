#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The comparison once more on a device that wants layer 2 of raw packets inside the WQE.
exec "${top_builddir:?}/tools/dvx-sim/dvx-sim" run --set wqe_inline_l2=1 -- \
	"$top_builddir/tests/golden/verbs"
