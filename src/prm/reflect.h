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
 * *bit becomes its offset from the structure's beginning. NULL if the path leads nowhere.
 */
const struct prm_field *prm_find_field(const struct prm_struct *s, const char *path, uint64_t *bit);

/*
 * Reads or writes the field at path in the len bytes at p. 0, -ENOENT (no such field), -ERANGE
 * (past the end of the bytes, or the value does not fit), -EINVAL (a structure or plain bytes).
 */
int prm_field_get(const struct prm_struct *s, const void *p, size_t len, const char *path,
		  uint64_t *value);
int prm_field_set(const struct prm_struct *s, void *p, size_t len, const char *path,
		  uint64_t value);

/* Read or write `width` (1..64) bits at bit offset `bit`. The caller has checked the length. */
uint64_t prm_bits_get(const void *p, uint64_t bit, unsigned int width);
void prm_bits_set(void *p, uint64_t bit, unsigned int width, uint64_t value);

/* True if the field's variant is the one in use, judged by the len bytes at p. */
bool prm_field_active(const struct prm_struct *s, const struct prm_field *f, const void *p,
		      size_t len);

/*
 * One line: "mkc access_mode_1_0=MTT(1) qpn=0xffffff ...", nonzero fields only, nested structures
 * in braces. Never reads past len; says "cut at N of M bytes" when the structure is longer.
 * Writes at most size bytes with a terminating 0; returns the length of the whole line.
 */
size_t prm_print_line(char *buf, size_t size, const struct prm_struct *s, const void *p,
		      size_t len);

/* The value's row, or NULL. */
const struct prm_enum_value *prm_enum_find(const struct prm_enum *e, uint64_t value);

/*
 * The name of a value: "RTS", or for flags "RRE|RWE" with the unnamed bits as a number at the end.
 * "" if no bit has a name. Writes at most size bytes; returns the length of the whole name.
 */
size_t prm_value_name(char *buf, size_t size, const struct prm_field *f, uint64_t value);

/* Names and texts; a value without one gives "?" and "", never NULL. */
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

/* The errno (positive) that the kernel gives for a command status; EIO for an unknown one. */
int prm_status_errno(uint32_t status);

/* Input and output layout of a command; the common header if no table has the command. */
const struct prm_struct *prm_command_in(uint32_t opcode);
const struct prm_struct *prm_command_out(uint32_t opcode);

/* Layout of a register of ACCESS_REGISTER; NULL if no table has it. */
const struct prm_struct *prm_register(uint32_t id);

/*
 * Layout of a general object, which follows the command's header, and of a capability page of
 * QUERY_HCA_CAP. NULL if no table has it.
 */
const struct prm_struct *prm_object(uint32_t obj_type);
const struct prm_struct *prm_capability(uint32_t type);

#endif
