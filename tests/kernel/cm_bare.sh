#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that the RDMA_CM device acts alike in a program with a chip of its own: cm_calls on a bare preload.
. "$top_srcdir/tests/tap.sh"
calls=$top_builddir/tests/kernel/cm_calls
needs "$calls"
check "a bare preload" env ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0}" LD_PRELOAD="$asan$preload" "$calls"
plan
