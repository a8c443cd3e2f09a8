#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Access lists as tables of codes over hardware steering: acl.sh once more.
steering=hws
. "${top_srcdir:?}/tests/flow/acl.sh"
