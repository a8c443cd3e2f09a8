#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A host process exports memory, a DPU process on another VHCA of the same chip imports it.
sim=${top_builddir:?}/tools/dvx-sim/dvx-sim
program=$top_builddir/tests/lib/lib_alias
chip=lib-alias-$$
tmp=$(mktemp -d) || exit 99
# The test has a registry of its own, apart from other chips of the user.
XDG_RUNTIME_DIR=$tmp
TO_SERVER=$tmp/to
FROM_SERVER=$tmp/from
export XDG_RUNTIME_DIR TO_SERVER FROM_SERVER
server=

finish() {
	[ -z "$server" ] || kill "$server" 2>/dev/null
	"$sim" down "$chip" >/dev/null 2>&1
	rm -rf "$tmp"
}
trap finish EXIT
mkfifo "$TO_SERVER" "$FROM_SERVER" || exit 99
"$sim" up "$chip" >&2 || exit 99
"$sim" exec "$chip" --function host -- "$program" serve <"$TO_SERVER" >"$FROM_SERVER" &
server=$!
"$sim" exec "$chip" --function dpu -- "$program"
