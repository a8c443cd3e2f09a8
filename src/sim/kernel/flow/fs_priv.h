/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef KERNEL_FS_PRIV_H
#define KERNEL_FS_PRIV_H

/*
 * Shared by fs_rule.c (groups, entries, rules) and fs_anchor.c, which call fs_table.c (the chain of
 * tables), and fs_cmd.c (firmware commands), which all call.
 */
#include "base/hash.h"
#include "fs.h"
#include "kernel/core/cmd.h"
#include "kernel/core/file.h"

#define FS_TABLE_SIZE (1u << 16) /* mlx5_ib's MLX5_FS_MAX_ENTRIES, MLX5_FS_MAX_TYPES */
#define FS_GROUPS     6u
#define FS_DESTS      32u
#define FS_COUNTERS   16u

struct fs_dest {
	uint8_t type;	   /* PRM flow_dest_type */
	enum fs_next next; /* not FS_NEXT_NONE: id changes with the chain */
	uint32_t id;
	uint32_t users;
};

struct fs_entry {
	struct fs_group *group;
	uint32_t index;
	uint32_t users; /* rules that share the entry */
	uint16_t action;
	bool ignore_level; /* destinations may have a lower level */
	uint32_t tag, modify_id, reformat_id;
	uint32_t ndests;
	struct fs_dest dests[FS_DESTS];
	uint32_t ncounters;
	struct fs_counter {
		uint32_t id, users;
	} counters[FS_COUNTERS];
	UT_hash_handle hh;
	uint8_t value[FS_PARAM];
};

struct fs_group {
	struct fs_table *table;
	struct fs_group *next; /* sorted by start */
	uint32_t id, start, size, users;
	uint32_t first_free; /* all entries below are taken; counted from start */
	bool *taken;
	uint8_t enable, mask[FS_PARAM];
	struct fs_entry *entries; /* hash by value */
};

struct fs_table {
	struct fs_chain *chain;
	unsigned int prio;
	uint32_t id, users;
	uint32_t miss;		  /* table that the firmware goes to on a miss */
	unsigned int full_groups; /* groups of the first, large size */
	struct fs_group *groups;
};

struct fs_rule {
	struct fs_entry *entry;
	bool has_dest, has_next;
	uint32_t counter;	   /* 0: none */
	struct fs_dest dest, next; /* next.id is kept in the entry */
};

/* fs_table.c */
struct fs_chain *fs_chain_of(struct kernel *, struct vhca *, enum fs_dir);
struct fs_table *fs_table_get(struct fs_chain *, unsigned int prio, int *err);
void fs_table_put(struct fs_table *);
/* Returns the table where packets go on to; NULL: none. */
const struct fs_table *fs_table_next(const struct fs_table *, enum fs_next);
/*
 * A steering anchor (fs_anchor.c): a table that a program's entries may lead to. While it has
 * users, its first entry leads to the priority's table; its second entry drops packets.
 */
struct fs_anchor {
	struct fs_table table;
	struct fs_group to_group, drop_group;
	struct fs_entry to, drop;
	bool drops; /* the second entry exists */
	struct fs_table *target;
	uint32_t users;
};

/* fs_rule.c: as fs_add(), to a chain */
int fs_chain_add(struct fs_chain *, unsigned int prio, const struct fs_match *,
		 const struct fs_act *, struct fs_rule **);

/* fs_metadata.c */
int fs_metadata_start(struct kernel *);
void fs_metadata_stop(struct kernel *);

/* fs_slow.c */
int fs_slow_start(struct kernel *);
void fs_slow_stop(struct kernel *);

/* fs_cmd.c: firmware commands; 0 or -errno. */
int fs_cmd_create_table(const struct fs_chain *, unsigned int level, uint32_t size, uint32_t miss,
			uint16_t uid, uint32_t *id);
int fs_cmd_set_miss(const struct fs_chain *, uint32_t id, uint32_t miss);
int fs_cmd_set_root(const struct fs_chain *, uint32_t id);
void fs_cmd_destroy_table(const struct fs_chain *, uint32_t id);
int fs_cmd_create_group(struct fs_group *);
void fs_cmd_destroy_group(const struct fs_group *);
int fs_cmd_set_entry(const struct fs_entry *, bool modify);
void fs_cmd_delete_entry(const struct fs_entry *);

#endif
