#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Headers, symbol map and libdvx.so name the same functions; nothing else is exported, and the library
# keeps no writable state but what belongs to a thread.
cd "${top_srcdir:?}" || exit 99
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
echo 1..4
# A row of post.h is a function, too.
sed -E 's/^DVX_POST_(GATHER|INLINE)\((\w+),/\2(/' include/dvx/*.h | grep -oE '\bdvx_[a-z0-9_]+\(' | tr -d '(' |
	sort -u >"$tmp/headers"
grep -oE 'dvx_[a-z0-9_]+;' src/lib/libdvx.map | tr -d ';' | sort >"$tmp/map"
nm -D --defined-only "$top_builddir/src/lib/.libs/libdvx.so" | awk '$2 != "A" { print $3 }' |
	sed 's/@.*//' | sort >"$tmp/so"
same() {
	if diff "$tmp/$2" "$tmp/$3" >"$tmp/diff" && [ -s "$tmp/$2" ]; then
		echo "ok $1 - $2 and $3 agree"
	else
		echo "not ok $1 - $2 (<) and $3 (>) differ"
		sed 's/^/# /' "$tmp/diff"
	fi
}
same 1 headers map
same 2 map so
if grep -qv '^dvx_' "$tmp/so"; then
	echo "not ok 3 - only dvx_ symbols are exported"
else
	echo "ok 3 - only dvx_ symbols are exported"
fi
# Sanitizers add variables of their own.
[ -z "$DVX_SAN" ] || { echo "ok 4 - no writable globals # SKIP sanitized build"; exit 0; }
nm --format=sysv "$top_builddir"/src/lib/.libs/libdvx_la-*.o "$top_builddir"/src/lib/flow/.libs/libdvx_la-*.o \
	"$top_builddir"/src/lib/hws/.libs/libdvx_la-*.o |
	awk -F'|' '$4 ~ /OBJECT/ && $7 ~ /\.(data|bss)/ && $7 !~ /\.data\.rel\.ro/' >"$tmp/globals"
if [ -s "$tmp/globals" ]; then
	echo "not ok 4 - no writable globals"
	sed 's/^/# /' "$tmp/globals"
else
	echo "ok 4 - no writable globals"
fi
