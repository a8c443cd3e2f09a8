/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds structures, enums and fields in the rows that prm/gen.pl generates. Never prints. */
#ifndef DVX_SRC_PRM_REFLECT_H
#define DVX_SRC_PRM_REFLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "rows.h"

const struct prm_struct *prm_find_struct(const char *name);
const struct prm_enum *prm_find_enum(const char *name);

/*
 * Finds a field by path: "qpn", "qpc.primary_address_path.rlid", "access_key[3]", "mtt[2].ptag".
 * Sets *bit to its offset from the structure's beginning. Returns NULL if there is no such field.
 */
const struct prm_field *prm_find_field(const struct prm_struct *s, const char *path, uint64_t *bit);

/*
 * Read or write the field at path in the len bytes at p. Return 0, -ENOENT (no such field), -ERANGE
 * (past the end of the bytes, or the value does not fit) or -EINVAL (a structure or plain bytes).
 */
int prm_field_get(const struct prm_struct *s, const void *p, size_t len, const char *path,
		  uint64_t *value);
int prm_field_set(const struct prm_struct *s, void *p, size_t len, const char *path,
		  uint64_t value);

/* Read or write `width` (1..64) bits at bit offset `bit`. The caller has checked the length. */
uint64_t prm_bits_get(const void *p, uint64_t bit, unsigned int width);
void prm_bits_set(void *p, uint64_t bit, unsigned int width, uint64_t value);

/* Returns true if the field's alternative of a union is the active one in the len bytes at p. */
bool prm_field_active(const struct prm_struct *s, const struct prm_field *f, const void *p,
		      size_t len);

/*
 * Prints one line: "mkc access_mode_1_0=MTT(1) qpn=0xffffff ...", nonzero fields only, nested
 * structures in braces. Never reads past len; prints "cut at N of M bytes" if that is too short.
 * Writes at most size bytes with a terminating 0; returns the length of the whole line.
 */
size_t prm_print_line(char *buf, size_t size, const struct prm_struct *s, const void *p,
		      size_t len);

/* Finds the value's row, or NULL. */
const struct prm_enum_value *prm_enum_find(const struct prm_enum *e, uint64_t value);

/*
 * Prints the name of a value: "RTS", or for flags "RRE|RWE" with the unnamed bits as a number at
 * the end; "" if no bit has a name. Writes at most size bytes; returns the whole name's length.
 */
size_t prm_value_name(char *buf, size_t size, const struct prm_field *f, uint64_t value);

/* Return names and texts: "?" and "" for a value without one, never NULL. */
const char *prm_enum_name(const struct prm_enum *e, uint64_t value);
const char *prm_enum_text(const struct prm_enum *e, uint64_t value);
const char *prm_opcode_name(uint32_t opcode);
const char *prm_status_name(uint32_t status);
const char *prm_status_text(uint32_t status);
const char *prm_syndrome_name(uint32_t syndrome);
const char *prm_syndrome_text(uint32_t syndrome);
const char *prm_wqe_opcode_name(uint32_t opcode);
const char *prm_cqe_opcode_name(uint32_t opcode);
const char *prm_event_name(uint32_t type);

/* Returns the kernel's errno (positive) for a command status; EIO for an unknown one. */
int prm_status_errno(uint32_t status);

/* Return the input and output layout of a command; the common header for an unknown command. */
const struct prm_struct *prm_command_in(uint32_t opcode);
const struct prm_struct *prm_command_out(uint32_t opcode);

/* Returns the layout of a register of ACCESS_REGISTER; NULL if no table has it. */
const struct prm_struct *prm_register(uint32_t id);

/*
 * Return the layout of a general object, which follows the command's header, and of a capability
 * page of QUERY_HCA_CAP. NULL if no table has it.
 */
const struct prm_struct *prm_object(uint32_t obj_type);
const struct prm_struct *prm_capability(uint32_t type);

/*
 * Returns the bits of flow_table_fields_supported by which a device lists that it matches the field
 * of fte_match_param at path; NULL if there are none.
 */
const struct prm_field *prm_match_cap(const char *path);

#endif
