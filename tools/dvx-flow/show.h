/* SPDX-License-Identifier: BSD-2-Clause */
/* Members of what the daemon answers. */
#ifndef DVX_FLOW_SHOW_H
#define DVX_FLOW_SHOW_H

#include <stdio.h>

#include "msg.h"

/* 0 and "" if there is no such member. */
json_int_t show_number(const json_t *j, const char *key);
const char *show_text(const json_t *j, const char *key);
/* What the answer says to users. Frees the answer. */
/* The width of a column of tables, 0: all rules are in the first one. */
int show_tables_width(const json_t *rules);
void show_put_table(FILE *to, const char *table, int width);
json_t *show_take(struct flow_msg *answer);

#endif
