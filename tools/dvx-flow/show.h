/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads members of the daemon's answer. */
#ifndef DVX_FLOW_SHOW_H
#define DVX_FLOW_SHOW_H

#include <stdio.h>

#include "msg.h"

/* Returns a number; 0 if there is no such member. show_text() returns "" then. */
json_int_t show_number(const json_t *j, const char *key);
const char *show_text(const json_t *j, const char *key);
/* Returns the width of the column of tables; 0: all rules are in the first one. */
int show_tables_width(const json_t *rules);
void show_put_table(FILE *to, const char *table, int width);
json_t *show_take(struct flow_msg *answer);

#endif
