/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_ATTR_H
#define KERNEL_ATTR_H

#include <stddef.h>
#include <stdint.h>
#include "uobj.h"
#include "uverbs/request.h"

/* Reading and answering a request's attributes. */

struct uverbs_attr *attr_find(struct uverbs_request *, uint16_t id);
/* 0 if optional and absent */
uint64_t attr_value(struct uverbs_request *, uint16_t id);
/* -EINVAL for bits outside `allowed`; the log names the attribute. */
int attr_flags(struct uverbs_request *, uint16_t id, const char *name, uint64_t allowed, uint64_t *flags);
/* An object that an attribute names; class and *obj as uobj_find(). Absent: *obj stays NULL. */
int attr_uobj(struct uverbs_file *, struct uverbs_request *, uint16_t id, const struct uobj_class *,
	       struct uobj **obj);
/* A structure of ours into an output attribute: cut or zero-padded to its length. */
void attr_out(struct uverbs_request *, uint16_t id, const void *, size_t len);
/* Fills `to` from an input attribute that may be shorter or longer; -EOPNOTSUPP if what does not
 * fit isn't zero. */
int attr_in(struct uverbs_request *, uint16_t id, const char *name, void *to, size_t len);
void attr_new_handle(struct uverbs_request *, uint16_t id, const struct uobj *);
/* Returns a FD in attribute `id`, `off` bytes into its output. -ENOMEM: too many. */
int attr_fd(struct uverbs_request *, uint16_t id, unsigned int off, int fd);

#endif
