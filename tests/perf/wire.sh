#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Reports what wire udp costs: two chips at both ends of a veth, and two bare sockets that spin there, in one run, as a
# table with the goals. No time fails this test: a program that fails does.
. "${top_srcdir:?}/tests/tap.sh" || exit 99
[ -z "$DVX_SAN" ] || skip_all "this build has sanitizers ($DVX_SAN)"
program=$top_builddir/tests/perf/wire_pair
[ -x "$program" ] || skip_all "it is not built"
[ -n "${DVX_TEST_LONG-}" ] || skip_all "it takes two minutes (DVX_TEST_LONG=1)"
if [ "${1-}" != inside ]; then
	unshare -Urn true 2>/dev/null || skip_all "network namespaces need user namespaces"
	command -v ip >/dev/null || skip_all "iproute2 is not installed"
	exec unshare -Urn "$0" inside
fi

# The other namespace lives as long as this process.
mkfifo "$scratch/end" "$scratch/peer" "$scratch/asks"
unshare -n sh -c "echo there && read -r end <'$scratch/end'" >"$scratch/there" &
# What spins must not outlive the test, however it ends.
trap 'kill $other $echo $spins $serves $asks 2>/dev/null; finish' EXIT
trap 'exit 1' HUP INT TERM
other=$!
shows_up "$scratch/there" there $other
exec 8>"$scratch/end"
there() { nsenter -t $other -n "$@"; }
ip link add v0 type veth peer name v1 && ip link set v1 netns $other &&
	ip link set v0 up && ip address add 10.9.0.1/24 dev v0 &&
	there ip link set v1 up && there ip address add 10.9.0.2/24 dev v1 &&
	ip address add fd09::1/64 dev v0 nodad && there ip address add fd09::2/64 dev v1 nodad
report $? "a veth"

row() { # what wire bare ratio goal
	printf '# %-40s %10s %10s %8s  %s\n' "$@" >>"$scratch/table"
}
ratio() { awk "BEGIN { printf \"%.2f\", $1 / $2 }"; }

# A round trip of 32 bytes, datagrams of 1,040 as WRITEs of the path MTU have.
nsenter -t $other -n "$program" echo 10.9.0.2 >"$scratch/echo" & # not by there(): its pid would be a shell's
echo=$!
shows_up "$scratch/echo" ready $echo
timeout 300 "$program" bare 10.9.0.2 1040 >"$scratch/bare"
report $? "bare sockets"
read -r trip packets <"$scratch/bare"
# A program that spins and two chips that would are three.
sh -c 'while :; do :; done' &
spins=$!
timeout 300 "$program" bare 10.9.0.2 1040 >"$scratch/bare"
report $? "bare sockets beside a program that spins"
kill $spins $echo
read -r crowded more <"$scratch/bare"

row what wire bare ratio goal
row "bare beside a spinning program; bare, ns" "$crowded" "$trip" "$(ratio "$crowded" "$trip")" -
row "bare beside a spinning program; bare, 1/s" "$more" "$packets" "$(ratio "$more" "$packets")" -
chips="here there"
pair() { # NAME ADDRESS ADDRESS
	"$dvx_sim" up here --wire "udp=$2" && there "$dvx_sim" up there --wire "udp=$3"
	report $? "two chips, $1"
	timeout 300 "$dvx_sim" exec there -- "$program" serve <"$scratch/peer" >"$scratch/served" 2>"$scratch/err" &
	serves=$!
	exec 7>"$scratch/peer"
	timeout 300 "$dvx_sim" exec here -- "$program" ask <"$scratch/asks" >"$scratch/asked" 2>"$scratch/err2" &
	asks=$!
	exec 6>"$scratch/asks"
	shows_up "$scratch/served" " " $serves && shows_up "$scratch/asked" " " $asks
	head -1 "$scratch/asked" >&7
	shows_up "$scratch/served" ready $serves
	head -1 "$scratch/served" >&6
	wait $asks
	report $? "$1"
	exec 6>&- 7>&- # which ends the other one
	kill $serves 2>/dev/null
	wait $serves
	read -r t p <<-END
		$(tail -1 "$scratch/asked")
	END
	row "$1: 8-byte READ, ns; round trip" "$t" "$trip" "$(ratio "$t" "$trip")" "<= 3"
	row "$1: packets of WRITEs, 1/s; datagrams" "$p" "$packets" "$(ratio "$p" "$packets")" ">= 0.6"
	"$dvx_sim" down here && "$dvx_sim" down there
}
pair IPv4 10.9.0.1 10.9.0.2
pair IPv6 fd09::1 fd09::2
chips=
exec 8>&-
kill $other 2>/dev/null
wait $other
cat "$scratch/table"
plan
