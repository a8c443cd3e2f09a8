#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The manual pages of section 3: every public call is in one, each SYNOPSIS agrees with the headers
# (the compiler compares), NAME lists what SYNOPSIS declares, and groff has nothing to complain about.
cd "${top_srcdir:?}" || exit 99
. "${top_srcdir:?}/tests/sim/tap.sh" || exit 99
tmp=$scratch
calls() {
	grep -oE '\bdvx_[a-z0-9_]+\(' "$@" | tr -d '(' | sort -u
}
for page in doc/man/*dvx*.3; do
	sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/p' "$page" | grep -v '^\.' |
		grep -v '^cc ' >"$tmp/synopsis"
	{ echo '#include <dvx/dvx.h>'; cat "$tmp/synopsis"; } |
		$CC -std=c11 -I"$top_builddir/include" -Iinclude -fsyntax-only -xc - >"$tmp/out" 2>&1
	report $? "$page: the SYNOPSIS compiles beside the headers"
	calls "$tmp/synopsis" >"$tmp/declared"
	cat "$tmp/declared" >>"$tmp/all"
	if [ -s "$tmp/declared" ]; then
		sed -n '/^\.SH NAME/,/^\.SH SYNOPSIS/p' "$page" | grep -oE '\bdvx_[a-z0-9_]+' |
			sort -u | diff - "$tmp/declared" >"$tmp/out"
		report $? "$page: NAME (<) and SYNOPSIS (>) agree"
	fi
	if command -v groff >/dev/null; then
		groff -man -ww -Tutf8 -Z "$page" >/dev/null 2>"$tmp/out"
		[ ! -s "$tmp/out" ]
		report $? "$page: groff has no warning"
	fi
done
calls -h include/dvx/*.h >"$tmp/public"
sort -u "$tmp/all" | diff "$tmp/public" - >"$tmp/out"
report $? "every call of the headers (<) is in a SYNOPSIS (>), and none else"
plan
