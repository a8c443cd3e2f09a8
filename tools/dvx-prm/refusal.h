/* SPDX-License-Identifier: BSD-2-Clause */
/* Refused firmware commands in lines of any program: a command's name, a status, a syndrome. */
#ifndef DVX_PRM_REFUSAL_H
#define DVX_PRM_REFUSAL_H

#include <stdbool.h>
#include "said.h"

/* Whether the line (also given in lower case) reports that firmware refused a command. */
bool refusal_find(struct said *s, const char *line, const char *lower);

/* The opcode of the command that a call's words name, as "obj_create(QP)"; 0: none. */
unsigned int command_of_call(const char *call);

#endif
