#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Runs the program of the same name on a device made of software.
program=$top_builddir/tests/sim/$(basename "$0" .sh)
exec "${top_builddir:?}/tools/dvx-sim/dvx-sim" run -- "$program"
