# SPDX-License-Identifier: BSD-2-Clause
# For first-rules and machines.sh: `pinned` has the options of dvx-sim up for this user's limit of locked memory.
# libmlx5's steering pins 8.5 MiB a direction, each of two queues 10 more; in most distributions an ordinary user may pin
# 8 MiB.
pinned=() limit=$(ulimit -l)
if [ "$limit" != unlimited ] && [ "$limit" -lt $((40 << 10)) ]; then
	pinned=(--set memlock=0)
	printf '   (ulimit -l is %s KiB, too little for steering: this chip does not count, dvx-sim up --set memlock=0)\n' "$limit"
fi
