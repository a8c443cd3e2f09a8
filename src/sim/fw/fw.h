/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FW_FW_H
#define SIM_FW_FW_H

#include <stddef.h>
#include <stdint.h>

struct vhca;
struct device;

/*
 * Executes one command of a function. in and out are whole mailboxes as in the PRM, in with the uid
 * that the kernel has stamped. out_len must be >= 8: out is zeroed first and always gets status and
 * syndrome. On return the command is complete.
 */
void fw_exec(struct vhca *, const void *in, size_t in_len, void *out, size_t out_len);

/* Device memory that a program maps as pages of its BAR: where the bytes are (NULL: nowhere). */
void fw_memic_back(struct vhca *, uint64_t addr, uint32_t len, uint8_t *bytes);

/* The function's driver shows this set of Q counters in the port's statistics. */
void fw_q_counter_show(struct vhca *, uint32_t set_id);
/* A set that is new counts in port_stats.bound: where; -1: there are as many as can be. */
int fw_q_counter_bind(struct vhca *, uint32_t set_id);

/*
 * What the kernel's own UMR queue does to an mkey of its: PD and rights (of an mkc) change, the key
 * stays. 0 or -ENOENT.
 */
int fw_mkey_umr(struct vhca *, uint32_t index, uint32_t pdn, const void *mkc);

/* Pages of an mkey on demand are there before anybody touches them. */
void fw_mkey_prefetch(struct vhca *, uint32_t index, uint64_t va, uint64_t len);

/* Destroys all that a uid still owns, in an order that respects references (kernel: uid 0 too). */
void fw_uid_reap(struct vhca *, uint16_t uid);

/* Owner of what the kernel makes for all (cap.shared_object_to_user_object_allowed). */
#define FW_UID_SHARED 0xffffu

#endif
