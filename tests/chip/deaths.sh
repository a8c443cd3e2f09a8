#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that a client killed at any moment loses its objects and nothing else: hundreds of deaths later
# the server has no object, no descriptor and no memory more than before, and another client of the
# same chip has worked all along.
. "$top_srcdir/tests/tap.sh"
client=$top_builddir/tests/chip/front_client
needs "$client"
deaths=100
[ -z "${DVX_TEST_LONG-}" ] || deaths=1000
chips=deaths

server_fds() { ls "/proc/$server/fd" | wc -l; }
server_kib() { awk '/RssAnon/ { print $2 }' "/proc/$server/status"; } # pages of files come and go
killed() { "$dvx_sim" exec deaths -- "$client" deaths "$1"; }
dead() { "$dvx_sim" ls --json | tee /dev/stderr | jq -e '.[0] | .clients == [] and .objects == []'; }

check "up" "$dvx_sim" up deaths
server=$("$dvx_sim" ls --json | jq '.[0].pid')
# Tables grow to their working size first.
check "warming up" killed "$((deaths > 300 ? 300 : deaths))"
check "all gone" dead
fds=$(server_fds)
kib=$(server_kib)
mkfifo "$scratch/end"
"$dvx_sim" exec deaths -f dpu -- "$client" work <"$scratch/end" >"$scratch/worked" &
worker=$!
exec 9>"$scratch/end"
check "$deaths clients killed" killed "$deaths"
sed 's/^/# /' "$scratch/out"
exec 9>&-
check "the other client worked all along" wait $worker
sed 's/^/# rounds of the other client: /' "$scratch/worked"
check "no object is left" dead
check "the server is the same" test "$server" = "$("$dvx_sim" ls --json | jq '.[0].pid')"
check "its descriptors are as many as before ($fds)" test "$(server_fds)" = "$fds"
echo "# memory: $kib KiB before, $(server_kib) KiB after"
# Up to a MiB grows once, however many die. A sanitizer keeps what was freed for a while; it finds leaks itself.
[ -z "$asan" ] || kib=1000000
check "its memory has not grown by 2 MiB, 7 KiB for each death" test $(($(server_kib) - kib)) -lt 2048
check "down" "$dvx_sim" down deaths
plan
