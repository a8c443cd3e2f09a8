#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Many edits together over hardware steering: batch.sh once more.
steering=hws
. "${top_srcdir:?}/tests/flow/batch.sh"
