#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that packets which dvx-sim puts into dvx-flow's tunnels have the bytes that Linux's tunnel interfaces make of
# them, and that these interfaces take dvx-sim's packets out again; in a network namespace.
if [ -z "${DVX_NETNS-}" ]; then
	unshare -Urn ip link add v0 type veth peer name v1 2>/dev/null ||
		{ echo "1..0 # SKIP no network namespace with a pair of interfaces"; exit 0; }
	DVX_NETNS=1 exec unshare -Urn sh "$0"
fi
exec /usr/bin/python3 "${top_srcdir:?}/tests/interop/encap_linux.py" "${top_builddir:?}/tests/interop/encap_rules" \
	"$top_builddir/tests/interop/encap_show"
