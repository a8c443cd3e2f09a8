/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of a packet, as words and as JSON. */
#ifndef DVX_FLOW_TRACE_CHANGE_H
#define DVX_FLOW_TRACE_CHANGE_H

#include <jansson.h>
#include "walk.h"

/*
 * Returns [{"field": "ipv4 dst", "before": "10.0.0.9", "after": "192.0.2.7"}, ...], each value null
 * if it is unknown. Returns NULL if there is no memory.
 */
json_t *trace_change_json(const struct walk_change *c, bool registers);

/* Writes "ipv4 dst 10.0.0.9 -> 192.0.2.7, vlan 7 -> none"; "" if nothing changed. */
size_t trace_change_format(char *buf, size_t size, json_t *changes);

#endif
