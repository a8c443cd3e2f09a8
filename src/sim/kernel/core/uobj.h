/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_UOBJ_H
#define KERNEL_UOBJ_H

#include <stddef.h>
#include <stdint.h>
#include "file.h"

/* Handles: what a program's 32-bit numbers mean in its open file. */

struct uobj_class {
	const char *name;
	uint16_t object;	       /* UVERBS_OBJECT_*, MLX5_IB_OBJECT_* */
	int (*destroy)(struct uobj *); /* gives the hardware object back; 0 or -errno */
	/* Its kind, number and what its kind has, for `rdma res`; NULL: it is not shown there. */
	void (*describe)(struct uobj *, struct uverbs_resource *);
};

struct uobj {
	struct uverbs_file *file;
	const struct uobj_class *class;
	uint32_t id;
	uint32_t users; /* other objects that refer to it */
	struct pin *pins; /* memory that it holds */
	struct uobj *older, *newer;
};

/* Zeroed bytes that begin with a struct uobj, with the lowest free handle; NULL: no memory. */
void *uobj_new(struct uverbs_file *, const struct uobj_class *, size_t size);
/* Creation failed after uobj_new(). */
void uobj_drop(struct uobj *);
/* 0; -ENOENT for an unknown handle, -EINVAL for one of another kind. class NULL: any kind. */
int uobj_find(struct uverbs_file *, uint64_t handle, const struct uobj_class *, struct uobj **);
/* Each has the other's handle from here on. */
void uobj_swap(struct uobj *, struct uobj *);
/* -EBUSY while others refer to it. */
int uobj_destroy(struct uobj *);
int uobj_destroy_handle(struct uverbs_file *, uint64_t handle, const struct uobj_class *);
/* uobj_find() and uobj_destroy() without uobj_drop(): the caller still reads its counters. */
int uobj_end(struct uverbs_file *, uint64_t handle, const struct uobj_class *, struct uobj **);
void uobj_destroy_all(struct uverbs_file *);

#endif
