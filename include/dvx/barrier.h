/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_BARRIER_H
#define DVX_BARRIER_H

/*
 * Every barrier of the hot path, named after the place where it is used. doc/design/0012 gives the
 * reason of each, and the barrier that rdma-core, UCX and Linux use there. The device reads and
 * writes memory as a coherent agent. On x86-64 ordinary stores (and loads) stay in order, so most
 * barriers only stop the compiler. On aarch64, as on a BlueField's cores, each is an instruction.
 */
#include <dvx/common.h>
#include <dvx/prm/prm.h>

#if defined(DVX_ORDER_STORES)
/* defined by the program: platform.h */
#elif defined(__x86_64__) && !defined(DVX_GPU)
#define DVX_ORDER_STORES() __asm__ volatile("" ::: "memory")
#define DVX_ORDER_LOADS()  __asm__ volatile("" ::: "memory")
#define DVX_ORDER_WC()	   __asm__ volatile("sfence" ::: "memory")
#elif defined(__aarch64__) && !defined(DVX_GPU)
#define DVX_ORDER_STORES() __asm__ volatile("dmb osh" ::: "memory")
#define DVX_ORDER_LOADS()  __asm__ volatile("dmb oshld" ::: "memory")
#define DVX_ORDER_WC()	   __asm__ volatile("dsb st" ::: "memory")
#else
#error "no barriers for this processor: define DVX_ORDER_STORES(), _LOADS() and _WC() (platform.h)"
#endif

/*
 * Orders the WQE and its payload before the doorbell record, which announces them. On aarch64 it
 * also orders loads ("osh"; stores alone would need "oshst"): a program may have just read a buffer
 * that this work request lets the device overwrite, and a load before a store barrier may still be
 * done after it.
 */
DVX_INLINE void dvx_barrier_wqe_to_record(void)
{
	DVX_ORDER_STORES();
}

/*
 * Orders the doorbell record before the register. The register may be write-combining memory, which
 * x86 does not order after ordinary stores either, so both architectures need a fence. On aarch64
 * it is a DSB: the record is in memory before the register is written, so the order does not depend
 * on bridges between the processor and the device (wmb() of mlx5_core).
 */
DVX_INLINE void dvx_barrier_record_to_register(void)
{
	DVX_ORDER_WC();
}

/*
 * Flushes the write-combining buffer after the register write, for latency, and keeps this write
 * from merging with the next one. On aarch64 a DSB waits until the write has left the core; the
 * hint DGH would order nothing, and a core may ignore it.
 */
DVX_INLINE void dvx_barrier_register_flush(void)
{
	DVX_ORDER_WC();
}

#if defined(__aarch64__) && !defined(DVX_GPU)
#define DVX_STORES_IN_A_ROW
#endif

/*
 * Copies 64 bytes to a BlueFlame buffer. Newer Arm cores reliably combine them into one write only
 * if the store instructions follow each other directly (Linux, arm64's __iowrite64_copy(): else
 * once in 10,000 tries). No compiler promises that of C code, so aarch64 has assembly here.
 */
DVX_INLINE void dvx_register_block(volatile uint64_t *to, const void *from)
{
	uint64_t w[8];
	int i;

#pragma GCC unroll 8
	for (i = 0; i < 8; i++) {
		w[i] = prm_take64(from, (size_t)i * sizeof(w[i]));
#ifndef DVX_STORES_IN_A_ROW
		to[i] = w[i];
#endif
	}
#ifdef DVX_STORES_IN_A_ROW
	__asm__ volatile("str %1, [%0]\n\tstr %2, [%0, #8]\n\t"
			 "str %3, [%0, #16]\n\tstr %4, [%0, #24]\n\t"
			 "str %5, [%0, #32]\n\tstr %6, [%0, #40]\n\t"
			 "str %7, [%0, #48]\n\tstr %8, [%0, #56]"
			 :
			 : "r"(to), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[4]),
			   "r"(w[5]), "r"(w[6]), "r"(w[7])
			 : "memory");
#endif
}

/*
 * Orders the load of the owner bit before loads of the CQE and of the data that it announces. A
 * branch on the bit orders no loads on aarch64. The barrier is "osh" since a device wrote the data.
 */
DVX_INLINE void dvx_barrier_owner_to_cqe(void)
{
	DVX_ORDER_LOADS();
}

/*
 * Orders loads of a CQE before a second load of its last word. In a collapsed CQ, that word shows
 * whether the device has overwritten the CQE meanwhile.
 */
DVX_INLINE void dvx_barrier_cqe_to_owner(void)
{
	DVX_ORDER_LOADS();
}

/*
 * Orders loads of the CQE before the consumer index, which allows the device to overwrite it. On
 * aarch64 a load barrier also delays later stores; a store barrier would not wait for the loads.
 */
DVX_INLINE void dvx_barrier_cqe_to_index(void)
{
	DVX_ORDER_LOADS();
}

#endif
