/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_FS_H
#define KERNEL_FS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Flow steering, as mlx5_core does it for mlx5_ib. Each priority has a table, made for its first
 * rule and destroyed after its last. A miss goes to the table of the next priority. Each mask has
 * groups. Rules with the same match and actions share an entry, which has the destinations of all
 * of them.
 */
struct kernel;
struct vhca;
struct fs_rule;

#define FS_PARAM 512u /* PRM fte_match_param */

/* Programs have rules of the first three; lists of a vport are the kernel's. */
enum fs_dir { FS_RX, FS_TX, FS_FDB, FS_DIRS, FS_INGRESS = FS_DIRS };

/*
 * Priorities of each direction, as mlx5_ib numbers them: two for each priority of programs (with
 * and without DONT_TRAP), then multicast, then leftovers.
 */
#define FS_USER_PRIOS 16u
enum { FS_PRIO_MCAST = 2 * FS_USER_PRIOS, FS_PRIO_LEFTOVERS, FS_PRIO_ANCHOR, FS_PRIOS };

static inline unsigned int fs_prio(unsigned int priority, bool dont_trap)
{
	return priority * 2 + !dont_trap;
}

struct fs_match {
	uint8_t enable; /* match_criteria_enable */
	uint8_t mask[FS_PARAM], value[FS_PARAM];
};

enum fs_next { FS_NEXT_NONE, FS_NEXT_PRIO, FS_NEXT_NAMESPACE };

struct fs_act {
	uint16_t action; /* PRM flow_action; the fields below imply FWD_DEST and COUNT */
	bool has_tag;
	uint32_t tag;
	uint32_t tirn, table; /* destination; 0: none */
	bool to_vport;	      /* destination of packets in the FDB: */
	uint16_t vport;
	enum fs_next next;    /* packets then go on to this table */
	uint32_t counter;     /* 0: none */
	uint32_t modify_id;   /* for action MOD_HDR */
	uint32_t reformat_id; /* for action PACKET_REFORMAT */
};

struct fs_acl;
struct fs_anchor;
struct fs_table;

/* Returns the PRM flow_table_type of a direction's tables. */
uint8_t fs_table_type(enum fs_dir);

/* The tables of one function and direction, by priority. */
struct fs_chain {
	struct vhca *vhca;
	enum fs_dir dir;
	uint8_t type;	      /* PRM flow_table_type of dir */
	bool other_vport; /* an access control list of this vport; all of them are the manager's */
	uint16_t vport;
	struct fs_rule **slow; /* fs_slow.c: of representors' interfaces, by port; NULL: none */
	struct fs_acl *acls;   /* fs_metadata.c: by port; NULL: none */
	struct fs_table *tables[FS_PRIOS];
	struct fs_anchor *anchors[FS_PRIOS]; /* packets of programs' tables return there */
};

/*
 * Adds a rule: 0; -EEXIST if an entry with this match has other actions; -EOPNOTSUPP if `next` is
 * set and there is no next table.
 */
int fs_add(struct kernel *, struct vhca *, enum fs_dir, unsigned int prio, const struct fs_match *,
	   const struct fs_act *, struct fs_rule **);
void fs_del(struct fs_rule *);

/*
 * Takes a reference on the priority's anchor; *id is its table, for a program's own entries, which
 * leads to the priority's table. An anchor without users stays until the kernel ends; it drops
 * packets.
 */
int fs_anchor_get(struct kernel *, struct vhca *, enum fs_dir, unsigned int prio, uint32_t *id);
void fs_anchor_put(struct kernel *, struct vhca *, enum fs_dir, unsigned int prio);

/*
 * Adds a rule to the FDB of switchdev mode, behind those of programs: what the manager's send queue
 * with this number sends goes to the vport.
 */
int fs_slow_add(struct kernel *, uint32_t sqn, uint16_t vport, struct fs_rule **);

/*
 * Allocates each function's chains, and in switchdev mode makes the FDB's rules: 0 or -errno.
 * fs_stop() frees them and their anchors.
 */
int fs_start(struct kernel *);
void fs_stop(struct kernel *);

#endif
