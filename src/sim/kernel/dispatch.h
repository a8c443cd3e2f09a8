/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_DISPATCH_H
#define KERNEL_DISPATCH_H

struct kernel;

/* Fills in kernel.handlers from the tables of the rooms. 0 or -ENOMEM. */
int handlers_find(struct kernel *);

#endif
