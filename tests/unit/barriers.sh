#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Proves that the doorbell's fences are in the machine code: on one's own processor nothing else
# would show that they are gone.
n=0
bad=0
work=$(mktemp -d "${TMPDIR:-/tmp}/dvx-test.XXXXXX")
trap 'rm -rf "$work"' EXIT
cat >"$work/ring.c" <<'END'
#include <dvx/cq.h>
void ring(struct dvx_sq *sq) { dvx_sq_ring(sq); }
const void *peek(struct dvx_cq *cq) { return dvx_cq_peek(cq); }
void pop(struct dvx_cq *cq) { dvx_cq_pop(cq); }
END

# fences CC FUNCTION WANTED...: the fences of a function, in their order
fences() {
	cc=$1 function=$2
	shift 2
	n=$((n + 1))
	$cc -std=gnu11 -O2 -fno-strict-aliasing -S -o "$work/ring.s" -I"${top_builddir:?}/include" \
		-I"${top_srcdir:?}/include" "$work/ring.c" || exit 99
	got=$(sed -n "/^$function:/,/\.size/p" "$work/ring.s" |
		grep -oE '(sfence|dmb[[:space:]]+[a-z]+|dsb[[:space:]]+[a-z]+)' | tr '\t\n' ' ,')
	if [ "$got" = "$*" ]; then
		echo "ok $n - $cc: $function has $*"
	else
		echo "not ok $n - $cc: $function has '$got', not '$*'"
		bad=1
	fi
}

x86=${CC:-gcc}
case $($x86 -dumpmachine) in
x86_64*) fences "$x86" ring sfence,sfence, ;;
esac
arm=aarch64-linux-gnu-gcc
if command -v "$arm" >/dev/null; then
	fences "$arm" ring 'dmb oshst,dsb st,dsb st,'
	fences "$arm" peek 'dmb oshld,'
	fences "$arm" pop 'dmb oshld,'
else
	n=$((n + 1))
	echo "ok $n - aarch64 # SKIP no $arm"
fi
echo "1..$n"
exit $bad
