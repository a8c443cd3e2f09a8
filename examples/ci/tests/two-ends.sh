#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A file goes from one machine to the other. The other end runs behind PEER: on dvx-sim that is the chip's second
# function, with real NICs for example PEER="ssh node2" PEER_HOST=node2.
set -eu
cat=$1
peer=${PEER-dvx-sim exec $DVX_SIM_CHIP --function dpu --}
work=$(mktemp -d)
server=
trap 'rm -rf "$work"; [ -z "$server" ] || kill $server 2>/dev/null' EXIT

mkfifo "$work/said"
$peer "$cat" -l 0 >"$work/copy" 2>"$work/said" &
server=$!
exec 3<"$work/said"
read -r line <&3 # it listens now
port=${line##* }

head -c 1000000 /dev/urandom >"$work/file"
"$cat" "${PEER_HOST-localhost}" "$port" <"$work/file"
wait $server
server=
cmp "$work/file" "$work/copy"
