#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# An access list as tables of codes, on the device: SHAPE RULES PACKETS, see tests/unit/acl_sets.h; DVX_ACL
# chooses others.
set="3 300 1024"
[ -z "${DVX_TEST_LONG-}" ] || set="1 5000 16384"
# shellcheck disable=SC2086 # words
exec "${top_builddir:?}/tools/dvx-sim/dvx-sim" run -- "$top_builddir/tests/sim/flow_acl" ${DVX_ACL:-$set}
