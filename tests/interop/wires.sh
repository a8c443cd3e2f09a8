#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that chips on one switch are machines on one network: programs of others run between them, each transport and
# verb; a chip on another switch is not reached; and a chip that is killed harms no other, and comes back.
. "$(dirname "$0")/pair.sh"
here=$(dirname "$0")
other=$chip-b
third=$chip-c

plan_wires()
{
	echo "1..$1"
	for c in "$chip" "$other"; do
		timeout 60 "$sim" up "$c" --wire peer=net >"$dir/up" 2>&1 && continue
		echo "Bail out! dvx-sim up: $(tail -n 1 "$dir/up")"
		exit 1
	done
}

clean_wires()
{
	for c in "$other" "$third"; do timeout 60 "$sim" down "$c" >/dev/null 2>&1; done
	clean
}
trap clean_wires EXIT

gids() { timeout 60 "$sim" exec "$1" -- cat /sys/class/infiniband/mlx5_0/ports/1/gids/3; }

plan_wires 22
pair host ibv_rc_pingpong -g 0 -e -c -n 100
pair dpu ibv_rc_pingpong -g 3 -e -c -n 50 -s 100000
pair host ibv_uc_pingpong -g 1 -e -n 100
pair host ibv_ud_pingpong -g 3 -e -n 100
# --foreground: see capture.sh
timeout --foreground "$bound" "$sim" capture "$other" "$dir/cap.pcap" 2>"$dir/told" &
capture=$!
until grep -q capturing "$dir/told"; do kill -0 $capture || break; sleep 0.02; done
pair host ib_send_bw -x 3 -e -n 100 -s 20000
pair dpu ib_read_bw -x 1 -e -n 50 -s 20000
pair host ib_atomic_bw -x 3 -e -n 50
cm host "rping -s -C 3 -V" "rping -c -C 3 -V -a 192.168.215.1"
cm dpu "udaddy -C 5" "udaddy -C 5 -s 192.168.215.2"
pair host ib_send_lat -x 3 -n 20 -c DC
kill $capture
wait $capture
icrc=$(/usr/bin/python3 "$here/icrc.py" "$dir/cap.pcap")
result $? "... captured, with good ICRCs: $icrc"
# Connections and resolutions: what tshark takes each message for.
tshark -r "$dir/cap.pcap" -T fields -e infiniband.mad.attributeid -Y 'infiniband.mad.mgmtclass == 7 && !_ws.malformed' 2>/dev/null |
	sort -u | tr '\n' ' ' >"$dir/client"
grep -q '0x0010 0x0013 0x0014 0x0015 0x0016 0x0017 0x0018' "$dir/client"
result $? "tshark finds REQ, REP, RTU, DREQ, DREP and SIDR in it"
cm host "ucmatose -c 3 -C 5" "ucmatose -c 3 -C 5 -s 192.168.215.1"
cm host "ib_send_bw -R -F -n 20 -p 19002" "ib_send_bw -R -F -n 20 -p 19002 192.168.215.1"
state=ADDR_RESOLVED
cm host "mckey -m 239.1.2.3 -C 5 -b 192.168.215.1" "mckey -m 239.1.2.3 -s -C 5 -b 192.168.215.3"
state=LISTEN
timeout 60 "$sim" link "$other" --json >"$dir/server"
jq -e '.up and .wire == "peer=net" and .sent > 1000 and .received > 1000 and .lost == 0 and .bad == 0' "$dir/server" >"$dir/client"
result $? "dvx-sim link counts the packets"

timeout 60 "$sim" fault "$chip" drop=1%,dup=1%,reorder=1%,corrupt=1% >/dev/null
lossy=1
pair host ibv_rc_pingpong -g 3 -e -c -n 100 -s 9000
timeout 60 "$sim" fault "$chip" off >/dev/null
lossy=

timeout 60 "$sim" up "$third" --wire peer=elsewhere
[ "$(gids "$third")" = "$(gids "$chip")" ] && [ "$(timeout 60 "$sim" link "$third" --json | jq .received)" = 0 ]
result $? "a chip on another switch is on another network"

before=$(gids "$chip")
pid=$(timeout 60 "$sim" ls --json | jq ".[] | select(.name == \"$chip\") | .pid")
kill -KILL "$pid"
until_dead "$pid"
timeout 60 "$sim" exec "$other" -- ibv_devinfo 2>&1 | grep -q PORT_ACTIVE
result $? "a chip is killed: the other one lives"
timeout 60 "$sim" up "$chip" --wire peer=net >"$dir/up" 2>&1
[ "$(gids "$chip")" = "$before" ] && [ "$before" != "$(gids "$other")" ]
result $? "... it comes back with its addresses"
pair host ibv_rc_pingpong -g 3 -e -c -n 50
cm host "rping -s -C 3 -V" "rping -c -C 3 -V -a 192.168.215.1"
exit "$failed"
