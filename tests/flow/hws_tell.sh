#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What explain tells of rules over hardware steering: tell.sh once more.
steering=hws
. "${top_srcdir:?}/tests/flow/tell.sh"
