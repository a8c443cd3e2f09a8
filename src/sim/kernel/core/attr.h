/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_ATTR_H
#define KERNEL_ATTR_H

#include <stddef.h>
#include <stdint.h>
#include "uobj.h"
#include "uverbs/request.h"

/* Access to the attributes of a request. */

struct uverbs_attr *attr_find(struct uverbs_request *, uint16_t id);
/* Returns 0 for an optional attribute that is absent. */
uint64_t attr_value(struct uverbs_request *, uint16_t id);
/* Reads flags. -EINVAL for bits outside `allowed`; the log names the attribute. */
int attr_flags(struct uverbs_request *, uint16_t id, const char *name, uint64_t allowed,
	       uint64_t *flags);
/* Finds the object that an attribute names, as uobj_find(); sets NULL if it is absent. */
int attr_uobj(struct uverbs_file *, struct uverbs_request *, uint16_t id, const struct uobj_class *,
	      void *obj);
/* Writes a structure to an output attribute, cut or zero-padded to the attribute's length. */
void attr_out(struct uverbs_request *, uint16_t id, const void *, size_t len);
/*
 * Fills `to` from an input attribute that may be shorter or longer; -EOPNOTSUPP if bytes beyond len
 * are not zero.
 */
int attr_in(struct uverbs_request *, uint16_t id, const char *name, void *to, size_t len);
void attr_new_handle(struct uverbs_request *, uint16_t id, const struct uobj *);
/* Passes a FD to the program in attribute `id`, `off` bytes into its output. -ENOMEM: too many. */
int attr_fd(struct uverbs_request *, uint16_t id, unsigned int off, int fd);

#endif
