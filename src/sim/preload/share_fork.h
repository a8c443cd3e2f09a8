/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_SHARE_FORK_H
#define SIM_PRELOAD_SHARE_FORK_H

/*
 * Handlers of pthread_atfork(), in this order. A fork child would share the pages that are shared
 * with the device, where it expects copies of private memory. So the child first copies them as
 * they are at the fork, and the parent waits for it. No request runs meanwhile, so every moved page
 * is recorded.
 */
void share_before_fork(void);
void share_in_parent(void);
void share_in_child(void);

#endif
