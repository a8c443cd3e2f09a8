#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs its program on a device made of software: lib_queues.sh runs lib_queues.
program=$top_builddir/tests/sim/$(basename "$0" .sh)
exec "${top_builddir:?}/tools/dvx-sim/dvx-sim" run -- "$program"
