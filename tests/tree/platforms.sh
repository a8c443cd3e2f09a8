#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The headers of the hot path compile without a libc, for two kinds of GPU, as CUDA for GPU and host, and for a processor
# that they do not know, as dvx/prm/platform.h promises; a GPU's compiler stores a WQE by whole words, between the
# program's own barriers. No GPU and no SDK is needed, only clang.
cd "${top_srcdir:?}" || exit 99
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
n=0
inc="-I${top_builddir:?}/include -Iinclude"
bare="-std=gnu11 -O2 -ffreestanding -Wall -Wextra -Werror"

cat >"$tmp/mine.h" <<'H'
#ifdef DVX_GPU
#ifdef __NVPTX__
#define FENCE(kind) __asm__ volatile("fence." kind ".sys;" ::: "memory")
#else
#define FENCE(kind) __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "")
#endif
#elif defined(__riscv)
#define FENCE(kind) __asm__ volatile("fence" ::: "memory")
#endif
#ifdef FENCE
#define DVX_ORDER_STORES() FENCE("acq_rel")
#define DVX_ORDER_LOADS()  FENCE("acq_rel")
#define DVX_ORDER_WC()	   FENCE("sc")
#endif
H
own="-DDVX_PLATFORM=\"$tmp/mine.h\""

{
	for h in atomic barrier cq cqe dc poll post rq rxq sq srq template txq ud umr wqe; do
		echo "#include <dvx/$h.h>"
	done
	cat <<'C'
int post_varying(struct dvx_sq *sq, uint64_t raddr, uint32_t rkey, const void *data, uint32_t len);
int post_varying(struct dvx_sq *sq, uint64_t raddr, uint32_t rkey, const void *data, uint32_t len)
{
	return dvx_post_write_inline(sq, raddr, rkey, data, len, 1, 0);
}

void fill(uint8_t *list, uint32_t n);
void fill(uint8_t *list, uint32_t n)
{
	dvx_umr_fill(list, n);
}

int poll(struct dvx_sq *sq, struct dvx_wc *wc);
int poll(struct dvx_sq *sq, struct dvx_wc *wc)
{
	return dvx_sq_poll(sq, wc);
}
C
} >"$tmp/hot.c"
cat >"$tmp/post.c" <<'C'
#include <dvx/post.h>
#ifdef __CUDA__
__attribute__((host)) __attribute__((device))
#endif
int post(struct dvx_sq *sq, uint64_t raddr, uint32_t rkey, uint64_t v, uint64_t cookie)
{
	int err = dvx_post_write_inline(sq, raddr, rkey, &v, sizeof(v), cookie, DVX_SIGNALED);

	if (!err)
		dvx_sq_ring(sq);
	return err;
}
C

ok() { # STATUS WHAT
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		sed 's/^/# /' "$tmp/log"
	fi
}
able() { # COMPILER OPTION...: it has that target
	echo 'int x;' >"$tmp/x.c"
	"$@" -S -o "$tmp/out" "$tmp/x.c" >"$tmp/log" 2>&1 && return
	n=$((n + 1))
	echo "ok $n # SKIP no $*: apt-get install clang"
	return 1
}
compiles() { # WHAT COMPILER OPTION... FILE: $tmp/out has the machine code
	what=$1
	shift
	"$@" $inc -S -o "$tmp/out" >"$tmp/log" 2>&1
	ok $? "$what"
}
refused() { # WHAT COMPILER OPTION... FILE: for want of barriers
	what=$1
	shift
	! "$@" $inc -S -o "$tmp/out" >"$tmp/log" 2>&1 && grep -q 'error.*define DVX_ORDER_STORES' "$tmp/log"
	ok $? "$what"
}
has() { # HOW MANY PATTERN WHAT: of the machine code
	got=$(grep -E "$2" "$tmp/out" | tee "$tmp/log" | wc -l)
	[ "$got" -eq "$1" ]
	ok $? "$3"
}

gcc=${CC:-gcc}
compiles "without a libc: $gcc" $gcc $bare -nostdinc -isystem "$($gcc -print-file-name=include)" "$tmp/hot.c"
if able clang -nostdlibinc; then
	compiles "without a libc: clang" clang $bare -nostdlibinc "$tmp/hot.c"
fi

nv="clang --target=nvptx64-nvidia-cuda -nostdlibinc -Xclang -target-cpu -Xclang sm_70 -Xclang -target-feature -Xclang +ptx60"
if able $nv; then
	refused "nvptx64: no barriers, and a sentence" $nv $bare "$tmp/hot.c"
	compiles "nvptx64: the hot path" $nv $bare "$own" "$tmp/hot.c"
	compiles "nvptx64: a post" $nv $bare "$own" "$tmp/post.c"
	has 0 'st\.u8' "nvptx64: no store of a byte"
	has 1 'fence\.acq_rel' "nvptx64: the program's barrier before the record"
	has 2 'fence\.sc' "nvptx64: ... and around the register"
fi

amd="clang --target=amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -nostdlibinc"
if able $amd; then
	refused "amdgcn: no barriers, and a sentence" $amd $bare "$tmp/hot.c"
	compiles "amdgcn: the hot path" $amd $bare "$own" "$tmp/hot.c"
	compiles "amdgcn: a post" $amd $bare "$own" "$tmp/post.c"
	has 0 'store_byte' "amdgcn: no store of a byte"
fi

cuda="clang -x cuda -O2 -nocudainc -nocudalib --cuda-gpu-arch=sm_70 -Xclang -target-feature -Xclang +ptx60 -Wno-unknown-cuda-version"
if able $cuda --cuda-device-only; then
	refused "CUDA: no barriers of the host's on the GPU, and a sentence" $cuda --cuda-device-only "$tmp/post.c"
	compiles "CUDA: the GPU's part" $cuda --cuda-device-only "$own" "$tmp/post.c"
	has 0 'st\.u8' "CUDA: no store of a byte"
	has 2 'fence\.sc' "CUDA: the program's barriers on the GPU"
	compiles "CUDA: the host's part" clang -x cuda -O2 -nocudainc -nocudalib --cuda-host-only -Wno-unknown-cuda-version \
		"$own" "$tmp/post.c"
	has 0 'fence\.sc|st\.u' "CUDA: none of the GPU's instructions on the host"
fi

other="clang --target=riscv64-linux-gnu -nostdlibinc"
if able $other; then
	refused "riscv64: no barriers, and a sentence" $other $bare "$tmp/hot.c"
	compiles "riscv64: with the program's" $other $bare "$own" "$tmp/hot.c"
fi
echo "1..$n"
