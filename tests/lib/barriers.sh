#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that the doorbell's fences are in x86-64's machine code, behind each post: on one's own processor nothing else
# would show that they are gone. No post calls a function.
n=0
bad=0
work=$(mktemp -d "${TMPDIR:-/tmp}/dvx-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
cat >"$work/ring.c" <<'END'
#include <dvx/sq.h>
void ring(struct dvx_sq *sq) { dvx_sq_ring(sq); }
END

# fences CC FUNCTION WANTED...: the fences of a function, in their order
fences() {
	cc=$1 function=$2
	shift 2
	n=$((n + 1))
	$cc -std=gnu11 -O2 -fno-strict-aliasing -S -o "$work/ring.s" -I"${top_builddir:?}/include" \
		-I"${top_srcdir:?}/include" "$work/ring.c" || exit 99
	got=$(sed -n "/^$function:/,/\.size/p" "$work/ring.s" |
		grep -oE '[slm]fence' | tr '\n' ,)
	if [ "$got" = "$*" ]; then
		echo "ok $n - $cc: $function has $*"
	else
		echo "not ok $n - $cc: $function has '$got', not '$*'"
		bad=1
	fi
}

# posts CC: every inline post, of arguments that the compiler does not know, and its doorbell
posts() {
	n=$((n + 1))
	if ! echo | $1 -fsyntax-only -xc - 2>/dev/null; then
		echo "ok $n - $1: posts # SKIP it is not installed"
		return
	fi
	perl "${top_srcdir:?}/tests/lib/posts.pl" "$top_srcdir/include" >"$work/posts.c" || exit 99
	# what the check has to notice
	echo 'void ring_calls(struct dvx_sq *sq, size_t n) { memset(sq, 0, n); dvx_sq_ring(sq); }' >>"$work/posts.c"
	echo 'void ring_without(struct dvx_sq *sq) { dvx_sq_record(sq); }' >>"$work/posts.c"
	$1 -std=gnu11 -O2 -fno-strict-aliasing -S -o "$work/posts.s" -I"${top_builddir:?}/include" \
		-I"$top_srcdir/include" "$work/posts.c" || exit 99
	awk -f "$top_srcdir/tests/lib/posts.awk" "$work/posts.s" | grep -vE '^[a-z0-9_]+ 0 (sfence,sfence,)+$' >"$work/odd"
	if [ "$(cut -d' ' -f1 "$work/odd" | tr '\n' ' ')" = "ring_calls ring_without " ]; then
		echo "ok $n - $1: $(grep -c '^int ring_' "$work/posts.c") posts call nothing, and ring behind fences"
	else
		echo "not ok $n - $1: posts that call functions or lack fences, besides ring_calls and ring_without:"
		sed 's/^/# /' "$work/odd"
		bad=1
	fi
}

cc=${CC:-gcc}
case $($cc -dumpmachine) in
x86_64*)
	fences "$cc" ring sfence,sfence,
	posts "$cc"
	[ "$cc" = clang ] || posts clang
	;;
*)
	n=1
	echo "ok 1 - x86-64 only (tests/lib/aarch64.sh has the other) # SKIP $($cc -dumpmachine)"
	;;
esac
echo "1..$n"
exit $bad
