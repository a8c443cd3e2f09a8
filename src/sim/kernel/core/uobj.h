/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_UOBJ_H
#define KERNEL_UOBJ_H

#include <stddef.h>
#include <stdint.h>
#include "file.h"

/* Objects of an open file. A handle is a program's 32-bit number of an object. */

struct uobj_class {
	const char *name;
	uint16_t object; /* UVERBS_OBJECT_*, MLX5_IB_OBJECT_* */
	uint16_t opcode; /* of the command that destroys the hardware object; 0: destroy() does */
	int (*destroy)(struct uobj *); /* runs after that command, or NULL; 0 or -errno */
	/* Fills in the row of `rdma res`; NULL: objects of this class are not shown there. */
	void (*describe)(struct uobj *, struct uverbs_resource *);
};

#define UOBJ_HELD 6 /* a QP's PD, XRC domain, CQs, SRQ and WQ table */

struct uobj {
	struct uverbs_file *file;
	const struct uobj_class *class;
	uint32_t id;
	uint32_t number;	      /* of its hardware object */
	uint16_t uid;		      /* of its hardware object; first the file's */
	uint32_t users;		      /* how many objects hold it */
	struct uobj *held[UOBJ_HELD]; /* objects that it holds, then NULL */
	struct pin *pins;	      /* client memory that it holds */
	uint32_t events[2];	      /* of a queue, that were sent: completion, asynchronous */
	struct uobj *older, *newer;
};

/*
 * Allocates size zeroed bytes that begin with a struct uobj. NULL: no memory. If the request fails,
 * the object is dropped.
 */
void *uobj_new(struct uverbs_file *, const struct uobj_class *, size_t size);
/* Frees the object and its handle, without class->destroy: creation failed, or that was done. */
void uobj_drop(struct uobj *);
/* Makes u hold `other`, if not NULL: that cannot be destroyed before uobj_drop(u). */
void uobj_hold(struct uobj *u, struct uobj *other);
/* Makes u hold `other` instead of `held`. */
void uobj_hold_instead(struct uobj *u, struct uobj *held, struct uobj *other);
/*
 * Finds an object: 0, -ENOENT for an unknown handle, -EINVAL for another class. class NULL: any.
 * obj is the address of a pointer to what begins with the struct uobj.
 */
int uobj_find(struct uverbs_file *, uint64_t handle, const struct uobj_class *, void *obj);
/* Finds the class of a kind of objects; NULL: no room has it. */
const struct uobj_class *uobj_class_of(const struct kernel *, uint16_t object);
/* Exchanges the handles of two objects. */
void uobj_swap(struct uobj *, struct uobj *);
/* Destroys an object. -EBUSY while others hold it. */
int uobj_destroy(struct uobj *);
/* Destroys the object; events gets its counts. */
int uobj_destroy_handle(struct uverbs_file *, uint64_t handle, const struct uobj_class *,
			uint32_t events[2]);
void uobj_destroy_all(struct uverbs_file *);

#endif
