#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The newcomer's examples do what they say.
sim=${top_builddir:?}/tools/dvx-sim/dvx-sim
want='work request 42 on mlx5_0 is done: "hello from the send queue"'
echo 1..3
if [ "$("$sim" run -- "$top_builddir/examples/post_poll" 2>&1)" = "$want" ]; then
	echo "ok 1 - post_poll under dvx-sim run"
else
	echo "not ok 1 - post_poll under dvx-sim run"
fi
if "$top_builddir/examples/post_poll" nowhere 2>&1 | grep -q 'no mlx5 device nowhere'; then
	echo "ok 2 - post_poll without such a device says so"
else
	echo "not ok 2 - post_poll without such a device says so"
fi

# 60 packets of the traffic go to UDP port 53 (examples/traffic/README.md); no less, no more.
tmp=$(mktemp -d) || exit 99
name=steer$$
export XDG_RUNTIME_DIR="$tmp"
trap '"$sim" down $name >/dev/null 2>&1; rm -rf "$tmp"' EXIT
mkfifo "$tmp/out"
"$sim" up $name >&2
timeout 300 "$sim" exec $name -- "$top_builddir/examples/steer" 53 60 >"$tmp/out" 2>&1 &
{
	read -r ready
	"$sim" replay $name "${top_srcdir:?}/examples/traffic/traffic.pcap" >&2
	cat >"$tmp/rest"
} <"$tmp/out"
if [ "$ready" = "receiving packets to UDP port 53" ] && wait $! &&
	[ "$(grep -c '^[0-9]* bytes, tag 0x1234$' "$tmp/rest")" = 60 ]; then
	echo "ok 3 - steer prints the tags of its port's packets"
else
	echo "not ok 3 - steer prints the tags of its port's packets"
	sed 's/^/# /' "$tmp/rest"
fi
