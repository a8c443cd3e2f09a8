/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_ROOM_H
#define KERNEL_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A room of the kernel (verbs, devx, flow): its handlers, and callbacks, which may be NULL.
 */
struct channel;
struct kernel;
struct uobj_class;
struct uverbs_file;
struct uverbs_request;
struct vhca;
struct write_command;

/* Handles a request: 0 or -errno, as ioctl() would return it. */
typedef int method_fn(struct uverbs_file *, struct uverbs_request *);

/* The handler of a row of uverbs_methods. */
struct method_handler {
	uint16_t object, method;
	method_fn *fn;
	bool before_context; /* allowed in a file that has no context yet */
};

/* Handles methods that destroy an object of a class of their room, and have no answer. */
method_fn uobj_destroy_named;

struct kernel_room {
	const struct method_handler *methods;
	size_t nmethods;
	const struct write_command *commands; /* core/write.h */
	size_t ncommands;
	const struct uobj_class *const *classes; /* for uobj_destroy_named(), NULL-terminated */
	int (*start)(struct kernel *);
	void (*stop)(struct kernel *);		   /* also called after start failed */
	void (*file_closed)(struct uverbs_file *); /* after its objects were destroyed */
	void (*event)(struct kernel *, struct vhca *, uint8_t type, const void *eqe);
	void (*channel_freed)(struct kernel *, const struct channel *);
};

extern const struct kernel_room verbs_room, devx_room, flow_room;

#endif
