#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that headers of tunnels that dvx-sim adds have the bytes that scapy writes for the same packet.
if ! /usr/bin/python3 -c 'import scapy.all' 2>/dev/null; then
	echo "1..0 # SKIP scapy is not installed: nobody else looked at the packets"
	exit
fi
exec /usr/bin/python3 "${top_srcdir:?}/tests/interop/encap.py" "${top_builddir:?}/tests/interop/encap_show"
