/* SPDX-License-Identifier: BSD-2-Clause */
#include "watch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WATCH_TABLE(name, type) struct watch_table name = {.bytes = sizeof(struct type)}
WATCH_TABLE(watch_contexts, watch_context);
WATCH_TABLE(watch_mrs, watch_mr);
WATCH_TABLE(watch_cqs, watch_cq);
WATCH_TABLE(watch_srqs, watch_srq);
WATCH_TABLE(watch_qps, watch_qp);
WATCH_TABLE(watch_numbers, watch_number);
const struct watch_number watch_no_number;

static pthread_mutex_t watch_table_lock = PTHREAD_MUTEX_INITIALIZER;

static struct watch_node *watch_node_new(struct watch_table *t, uintptr_t key)
{
	struct watch_node *n = watch_find(t, key), *_Atomic *bucket = watch_bucket(t, key);

	for (n = n ? n : *bucket; n && n->key && n->key != key; n = n->next)
		;
	if (n) {
		n->key = 0;
		memset(n + 1, 0, t->bytes - sizeof(*n));
		return n;
	}
	n = calloc(1, t->bytes);
	if (n) {
		n->next = *bucket;
		n->all = t->all;
		*bucket = n;
		t->all = n;
	}
	return n;
}

void *watch_add(struct watch_table *t, uintptr_t key)
{
	struct watch_node *n;

	pthread_mutex_lock(&watch_table_lock);
	n = watch_node_new(t, key);
	if (n)
		n->key = key;
	pthread_mutex_unlock(&watch_table_lock);
	return n;
}

void watch_tables_forked(void)
{
	pthread_mutex_init(&watch_table_lock, NULL);
}

void watch_set_key(void *object, uintptr_t key)
{
	struct watch_node *n = object;

	if (n)
		n->key = key;
}

void watch_remove(void *object)
{
	watch_set_key(object, 0);
}

void *watch_next(struct watch_table *t, void *object)
{
	struct watch_node *n = object ? ((struct watch_node *)object)->all : t->all;

	while (n && n->key <= WATCH_ENDING)
		n = n->all;
	return n;
}
