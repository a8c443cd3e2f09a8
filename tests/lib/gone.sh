#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that libdvx's calls return with an error in words when the device disappears, those that wait for it, too.
. "${top_srcdir:?}/tests/tap.sh" || exit 99
program=$top_builddir/tests/lib/lib_gone
needs "$program"
chips=gone
"$dvx_sim" up gone </dev/null || bail_out "no chip"
timeout 120 "$dvx_sim" exec gone -- "$program" >"$scratch/said" 2>"$scratch/errors" &
client=$!
check "it waits" shows_up "$scratch/said" waiting "$client"
kill -9 "$("$dvx_sim" ls --json | jq -r '.[] | select(.name == "gone") | .pid')"
check "it ends by itself" wait "$client"
tells() { cat "$scratch/said" "$scratch/errors"; grep -q -- "$1" "$scratch/said"; }
check "a wait for a completion" tells '^dvx_channel_wait: -5: .* is gone'
check "a wait for an event" tells '^dvx_events_wait: -5: .* is gone'
check "a command" tells '^dvx_pd_alloc: -[1-9][0-9]*: ..*'
check "... makes nothing" tells '^a PD: none'
check "no completion is made up" tells '^a CQE: none'
plan
