#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-sim's parser reads tunnels and MPLS as scapy writes them and as tshark reads them.
if ! command -v tshark >/dev/null || ! /usr/bin/python3 -c 'import scapy.all' 2>/dev/null; then
	echo "1..0 # SKIP scapy or tshark is not installed: nobody else looked at the packets"
	exit
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
/usr/bin/python3 "${top_srcdir:?}/tests/interop/tunnels.py" \
	"${top_builddir:?}/tests/interop/parse_show" "$dir/packets.pcap"
