/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_LIST_H
#define DVX_COPY_LIST_H

#include "sender.h"

/* Takes the next step of the walk and lists what it finds. */
int list_next(struct copy_sender *s);

/* Shows an entry with its verdict, if the report shows entries. */
void list_show(struct copy_sender *s, const struct listed *e);

/* Counts a tree that is going to be sent, and sends the receiver the sums. */
int list_totals(struct copy_sender *s, const struct source_entry *e);

#endif
