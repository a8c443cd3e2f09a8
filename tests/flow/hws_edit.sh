#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random edits while packets flow, over hardware steering.
steering=hws
. "${top_srcdir:?}/tests/flow/edit.sh"
