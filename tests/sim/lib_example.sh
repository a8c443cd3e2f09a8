#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The newcomer's example does what it says.
sim=${top_builddir:?}/tools/dvx-sim/dvx-sim
want='work request 42 on mlx5_0 is done: "hello from the send queue"'
echo 1..2
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
