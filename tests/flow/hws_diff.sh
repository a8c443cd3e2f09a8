#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random rule files and packets over hardware steering: the device against the slow matcher.
steering=hws
. "${top_srcdir:?}/tests/flow/diff.sh"
