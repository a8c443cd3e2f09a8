# SPDX-License-Identifier: BSD-2-Clause
# Sourced by dpdk_*.sh: DPDK's programs (as Debian ships them) on the chip n, in namespaces of network and mounts; TAP.
. "$top_srcdir/tests/tap.sh"

if [ -z "$DVX_NETNS" ]; then
	[ -n "${DVX_TEST_LONG-}" ] || skip_all "check long runs it"
	[ -c /dev/net/tun ] || skip_all "there is no /dev/net/tun"
	command -v dpdk-testpmd >/dev/null || skip_all "dpdk is not installed"
	command -v ip >/dev/null || skip_all "iproute2 is not installed"
	as=
	[ "$(id -u)" = 0 ] || as=-r
	own='mount -t sysfs sysfs /sys && exec "$@"'
	unshare -mn $as sh -c "$own" sh true 2>"$scratch/err" || skip_all "no network namespace: $(cat "$scratch/err")"
	finish
	DVX_NETNS=1 exec unshare -mn $as sh -c "$own" sh sh "$0"
fi
[ -z "$asan" ] || skip_all "a sanitizer's runtime and DPDK want the same addresses"

chips=n
mkfifo "$scratch/hold" "$scratch/commands"
exec 6<>"$scratch/hold"

# Each VF is a machine of its own.
machine() { # INTERFACE ADDRESS
	background "$scratch/err" unshare -n sh -c 'exec <"$0" 6>&-; echo there; read -r end' "$scratch/hold"
	ip link set "$1" netns "$child" && nsenter -t "$child" -n ip addr add "$2/24" dev "$1" && nsenter -t "$child" -n ip link set "$1" up
}
two_machines() { # sets $first
	check "a VF in a namespace of its own" machine n-vf0 10.9.0.1
	first=$child
	check "... and the other one" machine n-vf1 10.9.0.2
}

# PROGRAM DEVARGS ARGUMENTS OF EAL... -- OTHERS...: under dvx-check, which returns 86 with findings
under="$(cd "$top_builddir" && pwd)/tools/dvx-check/dvx-check --"
dpdk() {
	program=$1 devargs=$2
	shift 2
	timeout -k 10 300 "$dvx_sim" exec n -f host -- $under stdbuf -oL "$program" --no-huge -m 512 --no-telemetry --file-prefix "dvx$$" \
		-d librte_net_mlx5.so -d librte_mempool_ring.so -a "0000:03:00.0$devargs" "$@"
}
# DEVARGS ARGUMENTS...: starts it and sets $pmd
testpmd() {
	devargs=$1
	shift
	dpdk dpdk-testpmd "$devargs" -- -i "$@" <"$scratch/commands" >"$scratch/pmd" 2>&1 &
	pmd=$!
	exec 5>"$scratch/commands"
}
# COMMAND OUTPUT: returns when testpmd has printed it
command_of() {
	echo "$1" >&5
	shows_up "$scratch/pmd" "$2" "$pmd" && cat "$scratch/pmd"
}
quit() { # PORT...: these are stopped before, in this order
	[ $# = 0 ] || printf 'port stop %s\n' "$@" >&5
	command_of quit "Bye" && wait "$pmd"
	status=$?
	exec 5>&-
	return $status
}
