/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds refused firmware commands in lines of any program: a command's name, a status, a syndrome.
 */
#ifndef DVX_PRM_REFUSAL_H
#define DVX_PRM_REFUSAL_H

#include <stdbool.h>
#include "failure.h"

/* Whether the line, also given in lower case, reports that firmware refused a command. Fills s. */
bool refusal_find(struct failure *s, const char *line, const char *lower);

/* Returns the opcode of the command behind a call, such as "obj_create(QP)"; 0: none. */
unsigned int command_of_call(const char *call);

#endif
