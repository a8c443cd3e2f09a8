/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_PRELOAD_SHARE_FORK_H
#define SIM_PRELOAD_SHARE_FORK_H

/*
 * What is shared with the device is shared with a fork child, too, where private memory would have
 * been copied: so the child makes its copies first of all, and the parent waits for it, since it
 * must find the bytes that were there at the fork. No request is under way meanwhile: pages that
 * are just moving would be in nobody's books. Handlers of pthread_atfork(), in this order.
 */
void share_before_fork(void);
void share_in_parent(void);
void share_in_child(void);

#endif
