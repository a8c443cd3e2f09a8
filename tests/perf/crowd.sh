#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that one client's objects do not slow another's requests: functions whose cost once grew with
# the number of objects, or its square, keep to a budget of instructions. A count
# covers all calls of a function in one test.
. "${top_srcdir:?}/tests/perf/count.sh" || exit 99
must_count
needs "${top_builddir:?}/tests/kernel/devx"

# function, program, budget in millions, what it is
while read -r fn program test budget what; do
	judge "$what" "$(counted "$fn" "$top_builddir/$program" "$test")" $((budget * 1000000))
done <<'END'
fw_uid_reap tests/fw/fw_flow many_alike 3 5,000 flow entries of one client are removed
devx_event tests/kernel/devx_events many_subscriptions 10 20,000 events are dispatched beside another client's 10,000 subscriptions
uverbs_dm_alloc tests/kernel/devx device_memory 40 half of the device memory is allocated around two used blocks
END
plan
