#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that the FDB domain of unmodified libmlx5, and libdvx's over it, switches packets between two functions and the wire, on
# a chip in switchdev mode: its rules, its misses, its drops.
. "$top_srcdir/tests/tap.sh"
needs "$top_builddir/tests/steer/dr_fdb"
needs "$top_builddir/tests/steer/dr_fdb_peer"
needs "$top_builddir/tests/steer/lib_fdb"
export TO_PEER="$scratch/to" FROM_PEER="$scratch/from"
export REPLAY="env -u LD_PRELOAD '$dvx_sim' replay g '$scratch/wire.pcap' >/dev/null"

# A UDP packet from port 0x7777 for an address of no function.
"$PERL" -e 'my $packet = pack("H*", "021122334402021122334401080045000030000100004011000" .
	"00a0000010a0000027777123400" . "1c0000" . "5c" x 20);
	print pack("VvvVVVV", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1),
	pack("VVVV", 0, 0, length $packet, length $packet), $packet' >"$scratch/wire.pcap"
mkfifo "$TO_PEER" "$FROM_PEER"

counted() { "$dvx_sim" ls | grep -q "$1"; }
objects() { "$dvx_sim" ls | sed -n 's/.*objects: //p'; }
nothing_left() { [ "$before" = "$(objects)" ]; }

"$dvx_sim" up --set switchdev=1 g >&2 || exit 99
chips=g
before=$(objects) # the slow path
# Runs a program on the manager's function beside the peer on the host's.
beside_peer() {
	"$dvx_sim" exec g -f host -- timeout 300 "$top_builddir/tests/steer/dr_fdb_peer" <"$TO_PEER" >"$FROM_PEER" &
	peer=$!
	bad=$failed
	check "$2" "$dvx_sim" exec g -f dpu -- timeout 300 "$top_builddir/tests/steer/$1"
	[ "$failed" = "$bad" ] || kill "$peer" # its pipes have no other end
	check "the other function ends well" wait "$peer"
}
beside_peer dr_fdb "libmlx5's rules between functions and the wire"
beside_peer lib_fdb "libdvx's rules between functions and the wire"
check "packets for the uplink are counted, as no wire is attached" counted '4 packets.*no wire'
check "drops are counted at their source" counted 'drop action of an e-switch rule'
check "nothing of it is left" nothing_left
plan
