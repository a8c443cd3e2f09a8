/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_BARRIER_H
#define DVX_BARRIER_H

/*
 * Every barrier of the hot path, named for the one place where it belongs. The device reads and
 * writes memory as a coherent agent: on x86-64 ordinary stores (and loads) stay in order, so most
 * are for the compiler only; on aarch64 each is a real instruction (a BlueField's cores are Arm).
 */
#include <dvx/common.h>

#if defined(__x86_64__)
#define DVX_ORDER_STORES() __asm__ volatile("" ::: "memory")
#define DVX_ORDER_LOADS()  __asm__ volatile("" ::: "memory")
#define DVX_ORDER_WC()	   __asm__ volatile("sfence" ::: "memory")
#elif defined(__aarch64__)
#define DVX_ORDER_STORES() __asm__ volatile("dmb oshst" ::: "memory")
#define DVX_ORDER_LOADS()  __asm__ volatile("dmb oshld" ::: "memory")
#define DVX_ORDER_WC()	   __asm__ volatile("dsb st" ::: "memory")
#else
#error "no barriers known for this architecture: add them here"
#endif

/* WQE and payload, then the doorbell record: the record says that they are there. */
DVX_INLINE void dvx_barrier_wqe_to_record(void)
{
	DVX_ORDER_STORES();
}

/*
 * Doorbell record, then the register. The register may be write-combining memory, which x86 does
 * not order after ordinary stores either: hence a fence on both.
 */
DVX_INLINE void dvx_barrier_record_to_register(void)
{
	DVX_ORDER_WC();
}

/*
 * After the register: pushes it out of the write-combining buffer now (latency), and keeps it from
 * merging with the next one.
 */
DVX_INLINE void dvx_barrier_register_flush(void)
{
	DVX_ORDER_WC();
}

/* The owner bit was seen, then the rest of the CQE and the data it announces are read. */
DVX_INLINE void dvx_barrier_owner_to_cqe(void)
{
	DVX_ORDER_LOADS();
}

/*
 * The CQE was read, then the consumer index allows the device to overwrite it. (A load barrier of
 * aarch64 also holds later stores back.)
 */
DVX_INLINE void dvx_barrier_cqe_to_index(void)
{
	DVX_ORDER_LOADS();
}

#endif
