#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that librdmacm's programs and perftest's -R and -z, as Debian ships them, connect and move
# checked data within a function and between two, by each kind of address; what a refused client and a bereaved server see.
. "$(dirname "$0")/pair.sh"

own=$(hostname -I 2>/dev/null | tr ' ' '\n' | grep -m 1 '^[0-9.]*$')
long=${DVX_TEST_LONG:+1}
# Pairs like another one: check long has them.
long() { [ -z "$long" ] || "$@"; }
plan $((22 + 6 * ${long:-0}))
cm host "rping -s -C 5 -V" "rping -c -C 5 -V -a 127.0.0.1"
cm host "rping -s -C 5 -V -a ::" "rping -c -C 5 -V -a ::1"
cm host "rping -s -C 5 -V -a ${own:-127.0.0.1}" "rping -c -C 5 -V -a ${own:-127.0.0.1}"
long cm dpu "rping -s -C 5 -V" "rping -c -C 5 -V -a 192.168.215.2"
cm dpu "rping -s -C 50 -V -a 192.168.215.2 -S 65000" "rping -c -C 50 -V -a 192.168.215.2 -S 65000 -I 192.168.215.1"
cm host "ucmatose -c 10 -C 20" "ucmatose -c 10 -C 20 -s 127.0.0.1"
cm dpu "ucmatose -c 3 -C 5 -m" "ucmatose -c 3 -C 5 -m -s 192.168.215.2"
cm host "rdma_server" "rdma_client -s 127.0.0.1"
cm host "cmtime &" "cmtime -c 50 -s 127.0.0.1"
cm dpu "rstream -C 10 -S 100000 -T v" "rstream -C 10 -S 100000 -T v -s 192.168.215.2"
long cm host "rstream -C 10 -S 1000 -T v -T n" "rstream -C 10 -S 1000 -T v -T n -s 127.0.0.1"
cm host "riostream -C 10 -S 10000 -T v" "riostream -C 10 -S 10000 -T v -s 127.0.0.1"
long cm host "ib_write_bw -R -F -n 100 -p 19001" "ib_write_bw -R -F -n 100 -p 19001 127.0.0.1"
cm dpu "ib_read_lat -R -F -n 20 -p 19001" "ib_read_lat -R -F -n 20 -p 19001 192.168.215.2"
cm host "ib_send_bw -R -F -n 100 -p 19001 -e" "ib_send_bw -R -F -n 100 -p 19001 -e 127.0.0.1"
cm dpu "ib_write_lat -z -F -n 20 -p 19001" "ib_write_lat -z -F -n 20 -p 19001 192.168.215.2"
long cm host "ib_write_bw -R -F -n 20 -q 4 -p 19001" "ib_write_bw -R -F -n 20 -q 4 -p 19001 127.0.0.1"

cm host "udaddy -C 50 -c 4" "udaddy -C 50 -c 4 -s 127.0.0.1"
long cm dpu "udaddy" "udaddy -s 192.168.215.2"
cm dpu "ib_send_bw -c UD -R -F -n 20 -p 19001" "ib_send_bw -c UD -R -F -n 20 -p 19001 192.168.215.2"
# The sender gives receivers a second to join, by itself.
state=ADDR_RESOLVED
long cm host "mckey -m 239.1.2.3 -C 10" "mckey -m 239.1.2.3 -s -C 10"
cm dpu "mckey -m 239.1.2.3 -C 10 -b 192.168.215.2" "mckey -m 239.1.2.3 -s -C 10 -b 192.168.215.1"
state=LISTEN

# A file is copied whole.
head -c 3000000 /dev/urandom >"$dir/from"
cm dpu "rcopy &" "rcopy $dir/from 192.168.215.2:$dir/to"
cmp "$dir/from" "$dir/to" >"$dir/client" 2>&1
result $? "rcopy: the copy is the file"

none_left
# Nobody listens; nobody is there. The library's text and ours.
"$sim" exec "$chip" -- rping -c -C 1 -a 127.0.0.1 >"$dir/client" 2>&1
grep -q REJECTED "$dir/client"
result $? "rping to nobody is rejected"
"$sim" exec "$chip" -- rping -c -C 1 -a 198.51.100.7 >"$dir/client" 2>&1
grep -q "ADDR_ERROR, error -19" "$dir/client"
result $? "an address that is nobody's is an error of the address"

# A dead peer: the survivor hears of it and ends by itself.
none_left
timeout "$bound" "$sim" exec "$chip" -- rping -s -v >"$dir/server" 2>&1 &
server=$!
listens "$server"
"$sim" exec "$chip" -- rping -c -a 127.0.0.1 >"$dir/client" 2>&1 &
client=$!
# The server prints its pings in pieces of 4 KiB, since they go to a file.
until grep -q "ping data" "$dir/server"; do kill -0 "$client" 2>/dev/null || break; sleep 0.02; done
kill -KILL "$client"
wait "$client" 2>/dev/null
wait "$server"
grep -q "DISCONNECT EVENT" "$dir/server"
result $? "the server of a client that is killed hears DISCONNECTED first"

# rping's server has an id that listens and a queue only later: ls shows it by its open of RDMA_CM.
none_left
timeout "$bound" "$sim" exec "$chip" -- rping -s >"$dir/server" 2>&1 &
server=$!
listens "$server"
"$sim" ls >"$dir/client" 2>&1
grep -q "rping" "$dir/client"
result $? "dvx-sim ls: a program that has only RDMA_CM open"
kill "$server"
wait "$server" 2>/dev/null

exit "$failed"
