#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs its program on a device made of software: raw_verbs.sh runs raw_verbs.
program=$top_builddir/tests/sim/$(basename "$0" .sh)
exec "${top_builddir:?}/tools/dvx-sim/dvx-sim" run -- "$program"
