#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that the e-switch tracks connections of two Linux kernels, which it judges as nf_conntrack would: a connection
# begins, carries other bytes in each direction, keeps out a segment with foreign numbers, ends, and is forgotten.
. "${top_srcdir:?}/tests/flow/flow_lib.sh" || exit 99

if [ -z "$DVX_NETNS" ]; then
	[ -c /dev/net/tun ] || skip_all "there is no /dev/net/tun"
	for program in ip ss nc perl jq; do
		command -v $program >/dev/null || skip_all "$program is not installed"
	done
	as=
	[ "$(id -u)" = 0 ] || as=-r
	unshare -n $as true 2>"$scratch/err" || skip_all "no network namespace: $(cat "$scratch/err")"
	finish
	DVX_NETNS=1 exec unshare -n $as sh "$0"
fi

chip=k chips=k # interfaces have short names
"$dvx_sim" up "$chip" --netdev --set switchdev=1 --vfs 2 || exit 99
on_chip() { run_on "$chip" dpu "$@"; }
check "a daemon of the e-switch's manager starts" background "$work/daemon.err" \
	"$dvx_sim" exec "$chip" -f dpu -- "$flow" daemon --json
daemon=$child

rules() { # MODIFIERS of track
	cat >"$work/rules" <<END
track switch tcp $1
send switch from vf0 tcp dst port 80 ct new to vf1 count
send switch from vf0 tcp ct established to vf1 count
send switch from vf1 tcp ct established to vf0 count
drop switch tcp ct invalid count
send switch from vf0 arp to vf1
send switch from vf1 arp to vf0
drop switch
END
	client apply --quiet "$work/rules"
}
check "a file is applied" rules

# Two machines, each with a VF's network interface.
mkfifo "$work/hold"
exec 6<>"$work/hold"
machine() { # INTERFACE ADDRESS
	background "$work/err" unshare -n sh -c 'exec <"$0" 6>&-; echo there; read -r end' "$work/hold"
	ip link set "$1" netns "$child" && nsenter -t "$child" -n ip addr add "$2/24" dev "$1" && nsenter -t "$child" -n ip link set "$1" up
}
check "a machine with a VF's interface" machine "$chip-vf0" 10.0.0.1
there=$child
check "... and another one" machine "$chip-vf1" 10.0.0.2
server=$child
at_client() { nsenter -t "$there" -n "$@"; }
at_server() { nsenter -t "$server" -n "$@"; }
tracked() { is '.connections[0] | [.tracked, .begun, .refused, .stray] | map(tostring) | join(" ")' "$1"; }
packets() { stat_of ".rules[$1].packets"; }

head -c 300000 /dev/urandom >"$work/request"
head -c 400000 /dev/urandom >"$work/reply"
mkfifo "$work/typed"
exec 5<>"$work/typed"
listens() { at_server ss -ltnH | grep -q ':80 '; }
begins() {
	nsenter -t "$server" -n nc -N -l 80 <"$work/reply" >"$work/came" 5>&- 6>&- &
	listener=$!
	until listens; do kill -0 "$listener" || return; done
	nsenter -t "$there" -n timeout 120 nc -N -p 4000 10.0.0.2 80 <"$work/typed" >"$work/replied" 5>&- 6>&- &
	typist=$!
	cat "$work/request" >&5
	until [ "$(wc -c <"$work/came")" = 300000 ] && [ "$(wc -c <"$work/replied")" = 400000 ]; do
		kill -0 "$typist" || return
	done
	cmp "$work/request" "$work/came" && cmp "$work/reply" "$work/replied"
}
check "a connection of two kernels carries other bytes in each direction" begins
check "... and is tracked" tracked "1 1 0 0"
all_pass() {
	echo "new $(packets 1), original $(packets 2), reply $(packets 3), invalid $(packets 4)"
	[ "$(packets 1)" -ge 1 ] && [ "$(packets 2)" -ge 5 ] && [ "$(packets 3)" -ge 5 ] && [ "$(packets 4)" = 0 ]
}
check "... by the rules of its states, and none of its segments is invalid" all_pass

# Segments of its addresses and ports whose numbers are half of all numbers apart: at most one could be in its window.
inject() {
	index=$(at_client ip -o link show "$chip-vf0" | cut -d : -f 1)
	for seq in 1000 2147484648; do
		perl "$top_srcdir/tests/flow/track_frame.pl" 4 1 2 4000 80 $seq $seq PA 60000 "" 100 || return
	done | at_client perl -ne 'chomp; socket(my $s, 17, 3, 0) or die $!;
		send($s, pack("H*", $_), 0, pack("SniSCCx8", 17, 0x800, '"$index"', 0, 0, 0)) or die $!'
}
# Polls: packets pass through the interface's queue.
kept_out() {
	inject || return
	until [ "$(packets 4)" -ge 1 ]; do kill -0 "$typist" || return; done
}
check "a segment with foreign numbers is dropped" kept_out
goes_on() {
	echo "after it" >&5
	until grep -aqs "after it" "$work/came"; do kill -0 "$typist" || return; sleep 0.02; done
}
check "... and the connection goes on" goes_on
# The server's side has ended long ago, the client's does now.
ends() { exec 5>&- && wait "$typist" && wait "$listener" && [ "$(wc -c <"$work/came")" = 300009 ]; }
check "it ends" ends
# Polls: connections go some time after their last packet.
forgotten() {
	rules "expire 1s" || return
	until tracked "0 1 0 0" >"$work/gone"; do kill -0 "$daemon" || return; done
}
check "... and is forgotten" forgotten
exec 6>&-
check "the daemon ends" stop
plan
