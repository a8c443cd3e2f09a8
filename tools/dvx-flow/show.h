/* SPDX-License-Identifier: BSD-2-Clause */
/* Members of what the daemon answers. */
#ifndef DVX_FLOW_SHOW_H
#define DVX_FLOW_SHOW_H

#include "msg.h"

/* 0 and "" if there is no such member. */
json_int_t show_number(const json_t *j, const char *key);
const char *show_text(const json_t *j, const char *key);
/* What the answer says to users. Frees the answer. */
json_t *show_take(struct flow_msg *answer);

#endif
