/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_RTC_H
#define SIM_OBJ_RTC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <dvx/prm/hws.h>
#include "obj.h"

/*
 * Hardware steering: rule tables (RTC), whose rules software writes by WQEs (queue/rule.c). A rule
 * has a tag and five action templates (STC) with their operands. Its place in a range of entries
 * (STE) is found by the hash of the tag, or is given. Packets are matched in steer/rules.
 */
struct flow_table;
struct match_definer;

/*
 * An action template. It never changes: MODIFY makes a new one, and rules keep theirs [I], of which
 * it counts the references.
 */
#define STC_BYTES 48u
struct stc {
	uint32_t refs;
	uint16_t uid;		/* of the command: objects that it leads rules to are of this one */
	uint8_t prm[STC_BYTES]; /* PRM stc */
};

/* Templates are named by their offset in a range. */
struct stc_range {
	struct obj o;
	uint8_t table_type;
	uint32_t n;
	struct stc *stc[]; /* NULL: not written yet */
};

void stc_put(struct stc *);
void stc_range_free(struct obj *);

/* Templates of a rule, in the order of a WQE. */
enum rule_stc { RULE_CTRL, RULE_HIT, RULE_DW5, RULE_DW6, RULE_DW7, RULE_STCS };

#define RULE_BYTES     64u /* of an entry: PRM wqe_gta_data_seg_ste */
#define RULE_TAG_AT    32u
#define RULE_TAG_BYTES (RULE_BYTES - RULE_TAG_AT)
/* A table of format 11DW has longer tags, and rules without the actions of dwords 5 to 7. */
#define RULE_LONG_TAG_AT    20u
#define RULE_LONG_TAG_BYTES (RULE_BYTES - RULE_LONG_TAG_AT)

/* A rule, which holds references to its templates; NULL: it has none there. */
struct rtc_rule {
	struct stc *stc[RULE_STCS];
	uint8_t entry[RULE_BYTES];
};

/* Memory of rules comes in slabs, which their range keeps: at most as many as it has entries. */
#define RULE_SLAB 32u
struct rule_slab;
union rule_memory {
	struct rtc_rule rule;
	union rule_memory *next; /* free */
};

struct ste_range {
	struct obj o;
	uint8_t table_type;
	uint32_t n;
	struct rtc_rule **rules; /* NULL: an empty entry */
	struct rule_slab *slabs;
	union rule_memory *free;
};

struct rtc {
	struct obj o;
	uint8_t table_type;
	bool by_offset;	 /* rules are written at their index, not by hash */
	bool linear;	 /* reg_c_3 is the index of a packet's rule */
	bool wide;	 /* format 11DW */
	bool generated;	 /* its rules are written by GENERATE_WQE, and have definers of their own */
	bool always_hit; /* each packet hits the rule of its row */
	uint8_t log_parts; /* log2 of the entries of a rule: the second one has ranges */
	uint8_t reparse;   /* PRM rtc_reparse */
	uint8_t log_depth, log_rows;
	uint32_t at; /* its first entry in the range */
	struct obj *pd;
	struct match_definer *definer; /* NULL: each packet matches */
	struct stc_range *stcs;
	struct ste_range *entries;
	struct flow_table *miss; /* NULL: of a table without a definer */
};

/* Entries of a row, from the first one to before the end. */
struct rtc_row {
	struct rtc_rule **first, **end;
};

static inline uint32_t rtc_entries(const struct rtc *t)
{
	return 1u << (t->log_rows + t->log_depth + t->log_parts);
}

static inline size_t rtc_tag_at(const struct rtc *t)
{
	return t->wide ? RULE_LONG_TAG_AT : RULE_TAG_AT;
}

/* Returns the tag of an entry. */
static inline const uint8_t *rtc_tag(const struct rtc *t, const uint8_t entry[RULE_BYTES])
{
	return entry + rtc_tag_at(t);
}

#define RULE_NAMES_AT 4u /* in a control segment, of the templates: a dword for each */
/* Sets the templates that a WQE's control segment names. Returns false if one does not exist. */
static inline bool rtc_find_stcs(const struct rtc *t, const uint8_t *ctrl, struct rtc_rule *rule)
{
	const struct stc_range *stcs = t->stcs;
	const uint32_t n = 1 + prm_wqe_gta_ctrl_seg_get_stcs(ctrl);
	uint32_t name = prm_wqe_gta_ctrl_seg_get_stc_ctrl(ctrl);

	memset(rule->stc, 0, sizeof(rule->stc));
	for (unsigned int i = 0; i < n; i++, name = prm_load32(ctrl, RULE_NAMES_AT + 4 * i)) {
		rule->stc[i] = name < stcs->n ? stcs->stc[name] : NULL;
		if (!rule->stc[i])
			return false;
	}
	return true;
}

/*
 * Writes a rule, with new references, at its place; one with this tag, or at this index, is replaced. Returns false if
 * the row is full, the index is not of the table, or there is no memory.
 */
bool rtc_write(struct rtc *, uint32_t index, const struct rtc_rule *);
/* Removes the rule with the tag of this entry, or at the index. Returns false if there is none. */
bool rtc_remove(struct rtc *, uint32_t index, const uint8_t entry[RULE_BYTES]);
/*
 * Writes or removes a rule of GENERATE_WQE: an entry, and a second one if the table has ranges. Its row is that of the
 * key: the tag under the mask of the table's definer. A rule with its tags and definers is replaced.
 */
bool rtc_write_generated(struct rtc *, const uint8_t *key, const struct rtc_rule *parts);
bool rtc_remove_generated(struct rtc *, const uint8_t *key, const struct rtc_rule *parts);
/* Returns the row of a tag, or of a key. The hash is public: software may place rules by it. */
struct rtc_row rtc_row(const struct rtc *, const uint8_t *tag);
/* Finds the rule of a masked tag; NULL if there is none. */
const struct rtc_rule *rtc_find(const struct rtc *, const uint8_t *tag);
/* Returns the rule of a range, or of a table's entries; NULL if the entry is empty. */
const struct rtc_rule *ste_range_rule(const struct ste_range *, uint64_t index);

void ste_range_free(struct obj *);

#endif
