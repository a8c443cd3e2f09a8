#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that the doorbell's fences are in x86-64's machine code: on one's own processor nothing else
# would show that they are gone.
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

cc=${CC:-gcc}
case $($cc -dumpmachine) in
x86_64*) fences "$cc" ring sfence,sfence, ;;
*)
	n=1
	echo "ok 1 - x86-64 only (tests/unit/aarch64.sh has the other) # SKIP $($cc -dumpmachine)"
	;;
esac
echo "1..$n"
exit $bad
