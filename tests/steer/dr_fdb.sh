#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that the FDB domain of unmodified libmlx5, and libdvx's over it, switches packets between functions and the wire, on
# a chip in switchdev mode: its rules, its misses, its drops.
. "$top_srcdir/tests/tap.sh"
needs "$top_builddir/tests/steer/dr_fdb"
needs "$top_builddir/tests/steer/dr_fdb_peer"
needs "$top_builddir/tests/steer/dr_ports"
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

# up ARG...: a chip of this test
up() {
	"$dvx_sim" up g "$@" >&2 || exit 99
	before=$(objects) # the slow path
}

# beside_peer PROGRAM: on the manager's function, beside the peer on the other's
beside_peer() {
	"$dvx_sim" exec g -f "$peer" -- timeout 300 "$top_builddir/tests/steer/dr_fdb_peer" <"$TO_PEER" >"$FROM_PEER" &
	end=$!
	bad=$failed
	check "$1: rules between $manager, $peer and the wire" \
		"$dvx_sim" exec g -f "$manager" -- timeout 300 "$top_builddir/tests/steer/$1"
	[ "$failed" = "$bad" ] || kill "$end" # its pipes have no other end
	check "... the other function ends well" wait "$end"
}

# down PACKETS: this many were sent to the uplink
down() {
	check "packets for the uplink are counted, as no wire is attached" counted "$1 packets.*no wire"
	check "drops are counted at their source" counted 'drop action of an e-switch rule'
	check "nothing of it is left" nothing_left
	"$dvx_sim" down g
}

chips=g
newer_libmlx5 0
export MANAGER_VPORT=65534 PEER_VPORT=0
manager=dpu peer=host
up --set switchdev=1
beside_peer dr_fdb
beside_peer lib_fdb
down 4
peer=vf1 PEER_VPORT=2
up --set switchdev=1 --vfs 2
beside_peer dr_fdb
beside_peer dr_ports
down 5
manager=host peer=vf0 MANAGER_VPORT=0 PEER_VPORT=1
up --set chip=cx7,switchdev=1 --vfs 1
beside_peer dr_fdb
beside_peer dr_ports
down 5
plan
