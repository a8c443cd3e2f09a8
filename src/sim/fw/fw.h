/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_FW_FW_H
#define SIM_FW_FW_H

#include <stddef.h>
#include <stdint.h>

struct vhca;
struct device;

/*
 * Executes one command of a function. in and out are whole mailboxes as in the PRM, in with the uid
 * that the kernel stamped. out_len must be >= 8: out is zeroed first and always gets status and
 * syndrome. On return the command is complete.
 */
void fw_exec(struct vhca *, const void *in, size_t in_len, void *out, size_t out_len);

/*
 * Sets the bytes behind device memory that a program maps as pages of its BAR; NULL removes them.
 */
void fw_memic_back(struct vhca *, uint64_t addr, uint32_t len, uint8_t *bytes);

/* Shows this set of Q counters, the function driver's own, in the port's statistics. */
void fw_q_counter_show(struct vhca *, uint32_t set_id);

/*
 * Changes PD and rights of one of the kernel's own mkeys, as the kernel's UMR queue does; the key
 * stays. mkc holds the rights. Returns 0 or -ENOENT.
 */
int fw_mkey_umr(struct vhca *, uint32_t index, uint32_t pdn, const void *mkc);

/* Makes pages of an on-demand mkey present before their first access. */
void fw_mkey_prefetch(struct vhca *, uint32_t index, uint64_t va, uint64_t len);

/*
 * Destroys all objects that a uid still owns, in an order that respects references (uid 0, the
 * kernel, too).
 */
void fw_uid_reap(struct vhca *, uint16_t uid);

/*
 * Drops the references of a uid's flow tables to their misses and rule tables. These may be newer
 * than the tables, or refer to them: DESTROY of all objects would take a round for each table of a
 * chain, and never end a circle.
 */
void fw_flow_tables_unlink(struct vhca *, uint16_t uid);

/*
 * Owner of objects that the kernel shares with all uids (cap.shared_object_to_user_object_allowed).
 */
#define FW_UID_SHARED OBJ_UID_SHARED

#endif
