#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Rates over hardware steering: limits.sh once more.
steering=hws
. "${top_srcdir:?}/tests/flow/limits.sh"
