#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a TCP connection of two kernels passes NAT and VLAN rules on both NICs, byte for byte, and that
# examples/nat-vlan notices rules that do something else than they say.
. "$top_srcdir/tests/tap.sh"

timeout 100 "$top_srcdir/examples/nat-vlan" "$top_builddir" "$scratch/held" >"$scratch/said" 2>&1
done=$?
# What a kernel or container can lack. Programs that are missing are a mistake of ours.
lacks=$(sed -n 's/.*left out: //p' "$scratch/said")
case $lacks in
*/dev/net/tun | *"network namespaces") skip_all "$lacks" ;;
?*) bail_out "nat-vlan is left out: $lacks" ;;
esac
[ "$done" = 0 ] || cat "$scratch/said"
report "$done" "nat-vlan succeeds"
check "... every byte came" grep -q '1000000 bytes equal' "$scratch/held"

# The same files with one word changed.
altered() { # FILE SED SENTENCE
	rm -rf "$scratch/altered"
	mkdir "$scratch/altered"
	cp "$top_srcdir"/examples/nat-* "$top_srcdir/examples/memlock.sh" "$scratch/altered"
	sed "$2" "$top_srcdir/examples/$1" >"$scratch/altered/$1"
	timeout 100 "$scratch/altered/nat-vlan" "$top_builddir" >"$scratch/said" 2>&1 && return 1
	cat "$scratch/said"
	grep -q "$3" "$scratch/said"
}
check "a mirror of other packets is noticed" altered nat-dpu.flow '/^mirror/s/port 80/port 81/' 'queue 1 has 0 copies'
check "another port than the server's is noticed" altered nat-dpu.flow s/8080/8081/g 'the connection failed'
plan
