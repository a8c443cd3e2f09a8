#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Random edits of rules while packets flow: of one table, of named tables with mirrors, of codes.
# DVX_EDITS="EDITS SEED ..." chooses others. hws_edit.sh sets `steering`.
steering=${steering-}
edits="8 6 10 4 24 2"
[ -z "${DVX_TEST_LONG-}" ] || edits="400 6 400 1 400 2"
state=$(mktemp "${TMPDIR:-/tmp}/dvx-test.XXXXXX") || exit 99
trap 'rm -f "$state" "$state.out" "$state.all"' EXIT
status=0
# shellcheck disable=SC2086 # words
set -- ${DVX_EDITS:-$edits}
echo "1..$(($# / 2 + 1))"
n=1
while [ $# -ge 2 ]; do
	"${top_builddir:?}/tools/dvx-sim/dvx-sim" run ${steering:+--set chip=bf3} -- "$top_builddir/tests/flow/edit" "$state" "$1" "$2" $steering >"$state.out" || status=1
	sed -e /^1\\.\\./d -e "s/^\\(not \\)*ok 1/\\1ok $n/" "$state.out" | tee -a "$state.all"
	n=$((n + 1))
	shift 2
done
missing=
for way in "in place" "of them before codes" "new generations" "undone" "with an entry"; do
	[ -n "${DVX_EDITS-}" ] || grep -q "[( ][1-9][0-9]* $way" "$state.all" || missing="$missing, $way"
done
if [ -n "$missing" ]; then
	echo "not ok $n - these edits show each way that an edit ends: choose other seeds (none is${missing#,})"
	status=1
else
	echo "ok $n - these edits show each way that an edit ends"
fi
exit $status
