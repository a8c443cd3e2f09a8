#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dvx-perf measures between two processes, that all messages arrive, and that both ends say what is wrong
# with the other: its version, its wishes, its death.
. "$top_srcdir/tests/tap.sh"
perf=$top_builddir/tools/dvx-perf/dvx-perf
chips=pair
"$dvx_sim" up pair </dev/null || bail_out "no chip"

# server OPTION...: starts one, which is $server and listens at $at
server() {
	background "$scratch/serve.err" "$dvx_sim" exec "${serves:-pair}" -- "$perf" serve --listen 127.0.0.1:0 "$@"
	server=$child
	at=$(echo "$line" | grep -o '127\.0\.0\.1:[0-9]*')
}
client() { "$dvx_sim" exec pair -- "$perf" "$at" -n 20 -r 1 "$@"; }
# ends CODE TEXT: how the server ended
ends() {
	wait "$server"
	got=$?
	cat "$scratch/serve.err"
	[ "$got" = "$1" ] || { echo "the server's exit code is $got"; return 1; }
	[ -z "$2" ] || grep -q -- "$2" "$scratch/serve.err"
}

server
check "the server says where it listens" test -n "$at"
json() {
	filter=$1
	shift
	client --json "$@" >"$scratch/j" && jq . <"$scratch/j" &&
		jq -e --arg at "$at" ".peer == \$at and $filter" <"$scratch/j"
}
check "every operation, every engine" json '(.results | length == 32) and all(.results[]; .messages == 20)' --op all
check "several queues and threads" json 'all(.results[]; .messages == 40)' --op send,write -t 2 -p 3 -e libdvx
check "UC" json '.transport == "UC" and (.results | length == 4)' --connection uc
check "UD" json '.transport == "UD" and (.results | length == 3)' --connection ud --op send
check "DC" json '.transport == "DC" and (.results | length == 4) and all(.results[]; .messages == 40)' -c dc -o send,read -t 2
check "XRC" json '.transport == "XRC" and (.results | length == 6) and all(.results[]; .messages == 40)' -c xrc -o send,read -t 2 -p 2
check "shared receives" json .srq -o send --srq -p 2
check "large messages" json 'all(.results[]; .bytes == 100000)' --size 100000 --op send,read -e libdvx
kill "$server"
check "SIGTERM ends the server with 0" ends 0 ''

# talks LINE...: a peer that sends these lines after one of ours each, and prints what it hears
cat >"$scratch/talks.py" <<'END'
import socket, sys
mode, lines = sys.argv[1], sys.argv[2:]
if mode == "listen":
    l = socket.socket()
    l.bind(("127.0.0.1", 0))
    l.listen()
    print("127.0.0.1:%d" % l.getsockname()[1], flush=True)
    s = l.accept()[0]
else:
    host, port = mode.split(":")
    s = socket.create_connection((host, int(port)))
f = s.makefile("rw")
for line in lines:
    f.write(line + "\n")
    f.flush()
    heard = f.readline()
    if mode != "listen":
        print(heard, end="")
END
# stranger CODE TEXT LINE...: what the server says of such a client
stranger() {
	code=$1 text=$2
	shift 2
	server --once
	/usr/bin/python3 "$scratch/talks.py" "$at" "$@" || return 1
	ends "$code" "$text"
}
wish='{"open": {"transport": "RC", "lanes": 1, "sets": 1, "receives": 0, "access": 0, "memory": 8, "srq": 0, "windows": 0}, "ends": {}}'
asks() { echo "$wish" | jq -c "$1"; }
check "a client of another version" stranger 6 "the client speaks version 1 of dvx-perf's protocol, this end speaks version 2" \
	'{"dvx_perf": 1}'
check "a client of another program" stranger 6 "the client does not speak dvx-perf's protocol" 'GET / HTTP/1.1'
check "a client that wants too many queues" stranger 8 "the client's \"lanes\" is not a number from 1 to 16384" \
	'{"dvx_perf": 2}' "$(asks '.open.lanes = 1000000')"
check "... of a transport that is none" stranger 8 "the client's \"transport\" is not known here: XYZ" \
	'{"dvx_perf": 2}' "$(asks '.open.transport = "XYZ"')"
check "... DC without shared receives" stranger 8 "the client's \"srq\" is 0, but DC has no other receives" \
	'{"dvx_perf": 2}' "$(asks '.open.transport = "DC"')"
check "... windows without receives" stranger 8 "the client's \"windows\" is 1, but windows are bound anew by RC queues" \
	'{"dvx_perf": 2}' "$(asks '.open.windows = 1')"
check "... rights that it cannot have" stranger 8 "the client's \"access\" is not a number" \
	'{"dvx_perf": 2}' "$(asks '.open.access = 255')"
check "... no queues" stranger 8 "the client's \"ends\" are not of 1 queues" '{"dvx_perf": 2}' "$wish"
ends='{"gid": "00000000000000000000ffff0a000001", "lid": 0, "mtu_log": 12, "psn": 1, "addr": 0, "key": 1, "qpns": [16777216]}'
check "... a queue number that is none" stranger 8 "the client's \"ends\" are not of 1 queues" '{"dvx_perf": 2}' "$(asks ".ends = $ends")"
check "... to close what is not open" stranger 8 "closes what it did not open" '{"dvx_perf": 2}' '{"close": 0}'

# liar CODE TEXT LINE...: what a client says of such a server
liar() {
	code=$1 text=$2
	shift 2
	background "$scratch/liar.err" /usr/bin/python3 "$scratch/talks.py" listen "$@"
	at=$line
	says "$code" "$text" client
	got=$?
	wait "$child"
	return $got
}
check "a server of another version" liar 6 "the server speaks version 3 of dvx-perf's protocol, this end speaks version 2" \
	'{"dvx_perf": 3}'
check "a server of another program" liar 6 "the server does not speak dvx-perf's protocol" 'SSH-2.0-OpenSSH_9.2'
check "a server that refuses" liar 4 "the server says: out of queues" '{"dvx_perf": 2}' '{"error": "out of queues"}'
check "a server that closes" liar 8 "the server died or closed the connection" '{"dvx_perf": 2}'

# Either end dies in the middle: the client is measuring once its table has begun.
measuring() {
	rm -f "$scratch/table"
	server --once
	"$dvx_sim" exec pair -- "$perf" "$at" --op "$1" --duration 600 >"$scratch/table" 2>"$scratch/client.err" &
	client=$!
	shows_up "$scratch/table" 'bytes engine' "$client"
}
server_dies() {
	measuring "$1" || return 1
	kill -9 "$server"
	wait "$client"
	got=$?
	cat "$scratch/client.err"
	[ $got = 8 ] && grep -q 'the server died or closed the connection' "$scratch/client.err"
}
check "the server dies: WRITE" server_dies write
check "the server dies: SEND" server_dies send
client_dies() {
	measuring send || return 1
	kill -9 "$client"
	ends 8 'the client died or closed the connection'
}
check "the client dies" client_dies

# The device disappears under a loop: words and an exit code, not a wait for ever. Its queues are connected then.
vanishes() { # QUEUES ARGS...
	connected="$1 qp RTS"
	shift
	chips="$chips gone"
	"$dvx_sim" up gone </dev/null || return 1
	[ -z "$serves" ] || { server && set -- "$at" "$@"; }
	"$dvx_sim" exec gone -- "$perf" "$@" >"$scratch/table" 2>"$scratch/client.err" &
	client=$!
	until "$dvx_sim" ls | grep -q "$connected"; do kill -0 "$client" || return 1; sleep 0.02; done
	device=$("$dvx_sim" ls --json | jq -r '.. | objects | select(.name == "gone") | .pid' | head -1)
	kill -9 "$device"
	wait "$client"
	got=$?
	until_dead "$device"
	cat "$scratch/client.err"
	"$dvx_sim" down gone >/dev/null 2>&1
	[ $got = 4 ] && grep -q 'mlx5_0 is gone' "$scratch/client.err"
}
check "the device disappears: WRITE" vanishes 2 --duration 600 -e libdvx
check "the device disappears: SEND" vanishes 2 --duration 600 --op send -e libdvx
check "the device disappears: threads" vanishes 4 threads --threads 2 --count 10000000
serves=gone
check "the device disappears: of both ends" vanishes 2 --duration 600 -e libdvx
check "... the server, too, ends with 4" ends 4 'mlx5_0 is gone'
check "a port that is none" says 2 '"127.0.0.1:99999" is no ADDR' "$dvx_sim" exec pair -- "$perf" serve --listen 127.0.0.1:99999
check "an IPv6 address in brackets, without a port" says 10 'cannot connect to ::1 port' "$dvx_sim" exec pair -- "$perf" '[::1]'
check "an address that is none" says 2 '"\[::1\]:" is no ADDR' "$dvx_sim" exec pair -- "$perf" '[::1]:'
plan
