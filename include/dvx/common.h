/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COMMON_H
#define DVX_COMMON_H

/*
 * Conventions of libdvx.
 *
 * - A call returns 0 or -errno. create(..., &out) sets *out only on success. destroy(NULL) is 0; a
 *   refused destroy (-EBUSY and the like) leaves the object valid.
 * - The library never prints and never aborts. dvx_last_error() has the thread's last failure,
 *   dvx_strerror(err) describes it in a sentence (cmd.h).
 * - Attribute structs begin with their size: `struct dvx_qp_attr a = { .size = sizeof(a), ... };`.
 *   Zero is every other member's default, except in struct dvx_qp_local, which a call fills in
 *   (connect.h). Members that this library does not know yet (`reserved`, and bytes behind the end
 *   of its struct) must be 0, else the call fails with -E2BIG.
 * - Rings (sq.h, rq.h, cq.h) are open structs with inline code over them; one thread per ring.
 *   Everything else is opaque, and calls on different objects may run in different threads.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <dvx/prm/platform.h>

#ifdef __cplusplus
#define DVX_BEGIN_DECLS extern "C" {
#define DVX_END_DECLS	}
#else
#define DVX_BEGIN_DECLS
#define DVX_END_DECLS
#endif

/*
 * Marks functions of the hot path, which are inline. src/lib/hot.c defines DVX_INLINE as nothing,
 * so libdvx.so exports each of them as a symbol, too, for languages that can't read C headers.
 */
#ifndef DVX_INLINE
#define DVX_INLINE DVX_DEVICE static inline __attribute__((always_inline, unused))
#endif

#define DVX_LIKELY(x)	__builtin_expect(!!(x), 1)
#define DVX_UNLIKELY(x) __builtin_expect(!!(x), 0)

/*
 * The version that a program is compiled with, 8 bits each of major, minor and patch: 0.1.0 is
 * 0x000100. dvx_version() returns the version of the libdvx that the program runs with.
 */
#define DVX_VERSION 0x000100u

/* A doorbell is one 8-byte store, and rings keep addresses in 8 bytes. */
#if __SIZEOF_POINTER__ != 8
#error "dvx needs a 64-bit target"
#endif

/* Rights of a memory key, and of a queue's peer. Local read needs no flag. */
enum dvx_access {
	DVX_LOCAL_WRITE = 1 << 0,
	DVX_REMOTE_WRITE = 1 << 1,
	DVX_REMOTE_READ = 1 << 2,
	DVX_REMOTE_ATOMIC = 1 << 3,
	/* Lets PCIe reorder the device's accesses to this memory (faster on some hosts), as far as
	 * the device can: dvx_caps.relaxed_write, relaxed_read. Atomics are not reordered. */
	DVX_RELAXED_ORDERING = 1 << 20,
};

DVX_BEGIN_DECLS
uint32_t dvx_version(void);
DVX_END_DECLS

struct dvx_dev;
struct dvx_pd;
struct dvx_uar;
struct dvx_umem;
struct dvx_mkey;
struct dvx_qp;
struct dvx_cq;
struct dvx_sq;
struct dvx_rq;
struct dvx_srq;

#endif
