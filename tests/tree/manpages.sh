#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The manual pages of section 3: `man CALL` finds each public call; each SYNOPSIS agrees with the headers
# (the compiler compares), NAME lists what SYNOPSIS declares, no section is missing, ERRORS tells each
# error in the sources (man_errors.pl), each EXAMPLE compiles, groff has nothing to complain about.
cd "${top_srcdir:?}" || exit 99
. "${top_srcdir:?}/tests/tap.sh" || exit 99
tmp=$scratch
calls() {
	sed -E 's/^DVX_POST_(GATHER|INLINE)\((\w+),/\2(/' "$@" | grep -oE '\bdvx_[a-z0-9_]+\(' | tr -d '(' | sort -u
}
sections='NAME SYNOPSIS DESCRIPTION RETURN.VALUE ERRORS THREADS EXAMPLE PRM SEE.ALSO'
lacking() {
	for section in $sections; do
		grep -qx "\.SH $section" "$1" || echo "$1 has no .SH $section"
	done
}
# The code between .nf and .fi of a section, without groff's escapes.
example() {
	sed -n '/^\.SH EXAMPLE/,/^\.SH PRM/{/^\.nf/,/^\.fi/{/^\./d;s/\\-/-/g;s/\\e/\\/g;p}}' "$1"
}
for page in doc/man/*dvx*.3; do
	sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/p' "$page" | grep -v '^\.' |
		grep -v '^cc ' >"$tmp/synopsis"
	{ echo "#line 1 \"SYNOPSIS of $page\""; cat "$tmp/synopsis"; } >>"$tmp/synopses"
	calls "$tmp/synopsis" >"$tmp/declared"
	cat "$tmp/declared" >>"$tmp/all"
	if [ -s "$tmp/declared" ]; then
		sed -n '/^\.SH NAME/,/^\.SH SYNOPSIS/p' "$page" | grep -oE '\bdvx_[a-z0-9_]+' |
			sort -u | diff - "$tmp/declared" >"$tmp/out"
		report $? "$page: NAME (<) and SYNOPSIS (>) agree"
		lacking "$page" >"$tmp/out"
		[ ! -s "$tmp/out" ]
		report $? "$page: has all sections"
		example "$page" >"$tmp/example"
		[ -s "$tmp/example" ] || echo "#error no code in EXAMPLE, between .nf and .fi" >"$tmp/example"
		{ echo "#line 1 \"EXAMPLE of $page\""; cat "$tmp/example"; } >>"$tmp/examples"
	fi
done
{ echo '#include <dvx/dvx.h>'; cat "$tmp/synopses"; } |
	$CC -std=c11 -I"$top_builddir/include" -Iinclude -fsyntax-only -xc - >"$tmp/out" 2>&1
report $? "the SYNOPSIS of all pages compile beside the headers"
if command -v groff >/dev/null; then
	groff -man -ww -Tutf8 -Z doc/man/*dvx*.3 >/dev/null 2>"$tmp/out"
	[ ! -s "$tmp/out" ]
	report $? "groff has no warning for any page"
fi
calls include/dvx/*.h >"$tmp/public"
sort -u "$tmp/all" | diff "$tmp/public" - >"$tmp/out"
report $? "every call of the headers (<) is in a SYNOPSIS (>), and none else"

perl tests/tree/man_errors.pl doc/man/dvx_*.3 >"$tmp/out" 2>&1 && [ ! -s "$tmp/out" ]
report $? "ERRORS of each page tells all errors in the sources of its calls"

{
	for header in dvx/dvx.h pthread.h stdio.h stdlib.h sys/socket.h; do
		echo "#include <$header>"
	done
	cat "$tmp/examples"
} >"$tmp/examples.c"
$CC -std=gnu11 -Wall -Wextra -Werror -I"$top_builddir/include" -Iinclude -fsyntax-only "$tmp/examples.c" \
	>"$tmp/out" 2>&1
report $? "the examples of all pages compile"

{ make -s -C "$top_builddir" install-man3 install-data-hook DESTDIR="$tmp/root" &&
	find "$tmp/root" -name 'dvx_*.3' | sed 's,.*/,,;s/\.3$//' | sort | diff "$tmp/public" -; } >"$tmp/out" 2>&1
report $? "each call of the headers (<) has an installed page of its name (>), and nothing else"
plan
