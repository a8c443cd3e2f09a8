#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a bad wire is what was asked for and that programs live with it: a ping-pong checks its
# bytes while packets are lost, doubled, reordered and damaged; when nothing passes it is told; and
# that a link that goes down is seen in sysfs, by queries and by asynchronous events.
. "$top_srcdir/tests/tap.sh"
chips=f

check "a fault that does not exist" says 2 '"x" is none of drop=P' "$dvx_sim" up f --fault x=1
check "a rate of 2" says 2 'drop must be a share' "$dvx_sim" up f --fault dup=0.1,drop=2
check "a chip that is not up" says 3 'no chip named f is up' "$dvx_sim" fault f
check "... its link" says 3 'no chip named f is up' "$dvx_sim" link f down
"$dvx_sim" up f --fault drop=2%,dup=2%,reorder=2%,corrupt=2%,seed=3
check "wrong faults are refused" says 2 'delay must be a time' "$dvx_sim" fault f delay=1
check "a link is up or down" says 2 'not "sideways"' "$dvx_sim" link f sideways
check "the faults as they are" says 0 'drop=0.02,dup=0.02,reorder=0.02,corrupt=0.02' \
	"$dvx_sim" fault f

ip() { says 2 "$1" "$dvx_sim" up g --ip "$2"; }
check "an address needs its length" ip 'not .FUNCTION=.ADDR/LEN' 10.0.0.1
check "... and a function that is there" ip 'the function is host or dpu or vf0 to vf125 or sf0 to sf125, not "x"' x=10.0.0.1/24
check "... a length of IPv4" ip 'ADDR/LEN' 10.0.0.1/33
check "... one host" ip 'ADDR/LEN' ff02::1/64
check "a wire that does not exist" says 2 'loop, peer=SWITCH, udp=ADDR or tap=IFACE' "$dvx_sim" up g --wire tin
chips="f g"
check "addresses" "$dvx_sim" up g --ip 10.1.2.3/24 --ip dpu=2001:db8::7/64
gid() { says 0 "$2" "$dvx_sim" exec g -f "$1" -- cat /sys/class/infiniband/mlx5_0/ports/1/gids/3; }
check "... an IPv4 address is a GID" gid host '0000:0000:0000:0000:0000:ffff:0a01:0203'
check "... an IPv6 address too" gid dpu '2001:0db8:0000:0000:0000:0000:0000:0007'

# Switches of one name in two folders are two switches: a chip that is alone on its switch is told so.
switch=$XDG_RUNTIME_DIR/dvx-sim/.switches/s.$$
mkdir -m 700 "$scratch/pod"
in_pod() { XDG_RUNTIME_DIR=$scratch/pod "$dvx_sim" "$@"; }
until_others() { until "$dvx_sim" link "$1" --json | jq -e ".others == $2" >/dev/null; do :; done; }
chips="f g h i"
check "the first chip on a switch: where it is" says 0 "h is the first chip on its switch, $switch;" "$dvx_sim" up h --wire "peer=s.$$"
check "... as dvx-sim link has it" says 0 "no other chip is on this switch, $switch" "$dvx_sim" link h
check "... another folder's chip is alone, too" says 0 "h is the first chip on its switch, $scratch/pod/" in_pod up h --wire "peer=s.$$"
in_pod down h
check "... and none of the first one's" until_others h 0
second() { "$dvx_sim" up i --wire "peer=s.$$" 2>"$scratch/up" && cat "$scratch/up" && [ ! -s "$scratch/up" ]; }
check "the second chip is told nothing" second
check "... is another one" until_others h 1
"$dvx_sim" down i
check "... until it goes" until_others h 0
json() { "$dvx_sim" fault f reorder=25%,delay=10us,seed=9 --json | tee /dev/stderr | jq -e "$1"; }
check "they are changed as a whole" json \
	'.reorder == 0.25 and .delay_ns == 10000 and .seed == 9 and .drop == 0 and .packets.dropped == 0'
check "off" says 0 'drop=0,dup=0,reorder=0,corrupt=0,delay=0ns,seed=1' "$dvx_sim" fault f off

state() { says 0 "$1" "$dvx_sim" exec f -- cat "/sys/class/infiniband/mlx5_0/ports/1/$2"; }
check "the link is up" state '4: ACTIVE' state
mkfifo "$scratch/watch"
"$dvx_sim" exec f -f dpu -- stdbuf -oL ibv_asyncwatch >"$scratch/watch" 2>&1 &
watch=$!
exec 5<"$scratch/watch"
read -r line <&5
check "a program watches for events ($line)" test -n "$line"
mkfifo "$scratch/raise"
"$dvx_sim" exec f -- "$top_builddir/tests/port/port_eventfd" >"$scratch/raise" 2>&1 &
raised=$!
exec 6<"$scratch/raise"
next_raise() { read -r line <&6 && echo "$line" && case $line in *"$1"*) ;; *) false ;; esac; }
check "another waits for an eventfd" next_raise subscribed
next_event() { read -r line <&5 && echo "$line" && case $line in *"$1"*) ;; *) false ;; esac; }
mkfifo "$scratch/loop"
"$dvx_sim" exec f -- "$top_builddir/examples/events" >"$scratch/loop" 2>&1 &
loop=$!
exec 7<"$scratch/loop"
next_of_loop() { read -r line <&7 && echo "$line" && [ "$line" = "$1" ]; }
check "an epoll loop gets its completion" next_of_loop 'work 42: done'
check "the link goes down" "$dvx_sim" link f down
check "... as an event tells" next_event PORT_ERR
check "... and as the eventfd does" next_raise 'raised 1'
wait $raised
check "... and the epoll loop" next_of_loop 'PORT_CHANGE of 1'
check "... which ends well" wait $loop
exec 7<&-
exec 6<&-
check "... sysfs" state '1: DOWN' state
check "... and its physical state" state '3: Disabled' phys_state
check "... and a query" says 0 'PORT_DOWN' "$dvx_sim" exec f -- ibv_devinfo
check "... and dvx-sim link" says 0 'f: down, wire loop' "$dvx_sim" link f
check "... a replay is told" says 3 'Network is down' "$dvx_sim" replay f "$top_srcdir/examples/traffic/traffic.pcap"
check "down again is nothing new" "$dvx_sim" link f down
check "up" "$dvx_sim" link f up
check "... one event tells" next_event PORT_ACTIVE
check "... sysfs" state '4: ACTIVE' state
check "... and a query" says 0 'PORT_ACTIVE' "$dvx_sim" exec f -- ibv_devinfo
kill $watch
exec 5<&-
plan
