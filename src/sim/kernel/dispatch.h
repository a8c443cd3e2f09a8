/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_DISPATCH_H
#define KERNEL_DISPATCH_H

struct kernel;

/* Finds the handler of each row of uverbs_methods in the rooms' tables. 0 or -ENOMEM. */
int handlers_find(struct kernel *);

#endif
