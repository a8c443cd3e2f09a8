/* SPDX-License-Identifier: BSD-2-Clause */
/* The shape of the reflection rows that prm/gen.pl writes into rows.c. */
#ifndef DVX_SRC_PRM_ROWS_H
#define DVX_SRC_PRM_ROWS_H

#include <stddef.h>
#include <stdint.h>

enum prm_access { PRM_RW, PRM_RO, PRM_WO };

struct prm_enum_value {
	const char *name;
	uint64_t value;
	const char *text;
	int err;	    /* positive errno, for the status enum */
	const char *cause;  /* the usual reason for the value, or NULL */
	const char *remedy; /* the action that helps, or NULL */
};

struct prm_enum {
	const char *name;
	unsigned int bits;
	size_t count;
	const struct prm_enum_value *values;
	const char *text;
	const char *family; /* the table file, prm/FAMILY.prm */
};

struct prm_struct;

struct prm_field {
	const char *name;
	uint32_t offset; /* bits from the structure's beginning */
	uint32_t width;	 /* bits of one element */
	uint32_t count;	 /* elements; 0: as many as follow the structure */
	int16_t branch;	 /* index into the structure's branches, -1: always there */
	uint8_t access;	 /* enum prm_access */
	uint8_t bytes;	 /* plain bytes, too wide for a number */
	uint8_t flags;	 /* the value is an or of those in `values` */
	const struct prm_enum *values;
	const struct prm_struct *type; /* nested structure, or NULL */
	const char *text;
};

/* One alternative of a union. Without `when` it is active if no other alternative is. */
struct prm_branch {
	const char *name;
	int16_t group;	  /* alternatives of one union share it */
	int16_t outer;	  /* enclosing branch, -1 for none */
	int16_t selector; /* field whose value selects it, -1: none */
	const uint64_t *when;
	size_t when_count;
};

struct prm_struct {
	const char *name;
	const char *text;
	const char *kernel; /* the kernel structure it is compared with, or NULL */
	uint32_t bytes;
	size_t field_count;
	size_t branch_count;
	const struct prm_field *fields;
	const struct prm_branch *branches;
	const char *family; /* the table file, prm/FAMILY.prm */
};

extern const struct prm_struct prm_structs[];
extern const size_t prm_struct_count;
extern const uint16_t prm_structs_by_name[]; /* indexes, in the order of strcmp() */
struct prm_command {
	uint32_t opcode;
	const struct prm_struct *in, *out;
};

extern const struct prm_command prm_commands[]; /* by opcode */
extern const size_t prm_command_count;

/* A field of match parameters whose capability bit has another name. */
struct prm_match_cap {
	const char *field, *cap;
};

extern const struct prm_match_cap prm_match_caps[];
extern const size_t prm_match_cap_count;
extern const struct prm_enum *const prm_enums[];
extern const size_t prm_enum_count;

#endif
