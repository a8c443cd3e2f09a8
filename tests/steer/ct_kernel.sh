#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that connection tracking agrees with the kernel's on random TCP connections: windows, scaling, SACK, reordered
# and repeated data, wrong numbers, FIN, RST, SYN in between, wrong checksums and flags.
. "$top_srcdir/tests/tap.sh"

# A network namespace of its own; a user namespace, too, for those who are not root.
if [ -z "$DVX_NETNS" ]; then
	[ -c /dev/net/tun ] || skip_all "there is no /dev/net/tun"
	as=
	[ "$(id -u)" = 0 ] || as=-r
	unshare -n $as true 2>"$scratch/err" || skip_all "no network namespace: $(cat "$scratch/err")"
	for tool in ip nft; do
		command -v $tool >/dev/null || skip_all "$tool is not installed"
	done
	# Linux 6.2 and later judges what comes late as this model does.
	[ "$(printf '6.2\n%s\n' "$(uname -r)" | sort -V | head -n 1)" = 6.2 ] ||
		skip_all "Linux $(uname -r) refuses late packets, 6.2 and later ignore them"
	finish
	DVX_NETNS=1 exec unshare -n $as sh "$0"
fi

program=$top_builddir/tests/steer/ct_kernel
needs "$program"

# The program runs this when it holds the tap devices: their links are up at once.
cat >"$scratch/router" <<'EOF'
for i in 0 1; do
	echo 1 >/proc/sys/net/ipv6/conf/ct$i/disable_ipv6 &&
		ip link set ct$i address 02:00:00:00:0$((i + 1)):01 up &&
		ip address add 10.0.$((i + 1)).1/24 dev ct$i &&
		ip neigh add 10.0.$((i + 1)).2 lladdr 02:00:00:00:0$((i + 1)):02 dev ct$i || exit
done
echo 1 >/proc/sys/net/ipv4/ip_forward &&
	nft 'table ip t { chain c { type filter hook forward priority 0; ct state invalid drop; }; }' &&
	echo 0 >/proc/sys/net/netfilter/nf_conntrack_tcp_loose
EOF
traces=400
[ -z "$DVX_TEST_LONG" ] || traces=20000
"$program" $traces 60 "sh $scratch/router" >"$scratch/out" 2>&1
code=$?
[ $code != 77 ] || skip_all "no router with connection tracking: $(cat "$scratch/out")"
report $code "the model and the kernel agree on $traces connections"
sed 's/^/# /' "$scratch/out"
plan
