/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_SHARE_FORK_H
#define SIM_PRELOAD_SHARE_FORK_H

/*
 * Pages that are shared with the device are shared with a fork child, too, where it would have got
 * copies of private memory. So the child first makes copies, of the bytes at the moment of the
 * fork, and the parent waits for it. No request is under way meanwhile, so that every moved page is
 * recorded. Handlers of pthread_atfork(), in this order.
 */
void share_before_fork(void);
void share_in_parent(void);
void share_in_child(void);

#endif
