# SPDX-License-Identifier: BSD-2-Clause
# For nat-vlan and eswitch: kernels of several machines, each a network namespace, on the network interfaces of chips.
# Sourced with the example's arguments; $title is its heading.
name=${0##*/}
build=$(cd "${1:?usage: $name BUILD_DIR}" && pwd)
held=${2:-/dev/null}
src=$(cd "$(dirname "$0")" && pwd)

if [ -z "${MACHINES_INSIDE-}" ]; then
	printf '\n== %s\n' "$title"
	cant() { echo "   left out: $*"; exit; }
	for program in unshare ip ss nc ${programs-}; do
		command -v "$program" >/dev/null || cant "$program is not installed"
	done
	[ -c /dev/net/tun ] || cant "there is no /dev/net/tun"
	as=
	[ "$(id -u)" = 0 ] || as=-r
	unshare -n $as true 2>/dev/null || cant "this kernel or container lets nobody make network namespaces"
	MACHINES_INSIDE=1 exec unshare -n $as "$0" "$build" "$held"
fi

wrong() { printf '%s: %s\n' "$name" "$*" >&2; exit 1; }
act() { printf '   $ %s\n' "$*"; }
work=$(mktemp -d)
export XDG_RUNTIME_DIR=$work # its own chips and daemons, apart from any others that run
sim=$build/tools/dvx-sim/dvx-sim
flow=$build/tools/dvx-flow/dvx-flow
others=() chips=()
cleanup() {
	[ ${#others[@]} = 0 ] || { kill "${others[@]}" && wait "${others[@]}"; } 2>/dev/null || :
	for chip in "${chips[@]}"; do "$sim" down "$chip" >/dev/null 2>&1 || :; done
	rm -rf "$work"
}
trap cleanup EXIT
. "${BASH_SOURCE%/*}/memlock.sh"
ip link set lo up
mkfifo "$work/end"
exec 4<>"$work/end" # namespaces live as long as somebody reads this

# started NAME COMMAND...: runs it beside, and returns when it has said its first line.
started() {
	mkfifo "$work/said"
	"${@:2}" >"$work/said" &
	others+=($!)
	exec 3<"$work/said"
	read -r _ <&3 || wrong "$1 ended at once"
	rm "$work/said"
}

# chip NAME OPTION...
chip() {
	"$sim" up "$@" --netdev "${pinned[@]}"
	chips+=("$1")
}

# machine NAME INTERFACE ADDRESS: another machine, of which this is the network interface.
declare -A pid_of=([here]=$$)
machine() {
	started "the machine $1" unshare -n sh -c 'echo there; read -r _ <&4'
	pid_of[$1]=${others[-1]}
	ip link set "$2" netns "${pid_of[$1]}"
	on "$1" ip link set "$2" up
	on "$1" ip address add "$3" dev "$2"
}
on() { nsenter -t "${pid_of[$1]}" -n "${@:2}"; } # NAME COMMAND...

# rules CHIP FUNCTION FILE: a daemon of dvx-flow holds the file's rules there.
rules() {
	started "the daemon" "$sim" exec "$1" -f "$2" -- "$flow" daemon --queues 2 \
		--socket "$work/$1-$2.sock" --state "$work/$1-$2.state"
	act "dvx-flow apply ${3##*/}"
	cat "$3"
	flow "$1" "$2" apply "$3"
}
flow() { # CHIP FUNCTION COMMAND...
	"$sim" exec "$1" -f "$2" -- "$flow" "${@:3}" --socket "$work/$1-$2.sock"
}

# fetched FILE SERVER PORT CLIENT ADDRESS PORT: a client reads the server's file, byte for byte.
fetched() {
	nsenter -t "${pid_of[$2]}" -n nc -N -l "$3" <"$1" &
	others+=($!)
	until on "$2" ss -ltnH | grep -q ":$3 "; do
		kill -0 "${others[-1]}" 2>/dev/null || wrong "nc does not listen"
	done
	on "$4" timeout 60 nc -d "$5" "$6" >"$work/came" || wrong "the connection failed"
	wait "${others[-1]}" || wrong "the server failed"
	until [ -z "$(on "$4" ss -tnH state last-ack)" ]; do :; done # the last packet has arrived
	cmp "$1" "$work/came" || wrong "other bytes came than were sent"
}
