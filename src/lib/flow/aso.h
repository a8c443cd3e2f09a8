/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the files of ASO objects. */
#ifndef DVX_FLOW_ASO_H
#define DVX_FLOW_ASO_H

#include <dvx/prm/object.h>
#include "priv.h"

#define ASO_CONTEXT 64u /* bytes of a device's object */

/* aso.c: the device's object of a kind. */
struct dvx_aso_kind_row {
	const char *name;  /* "meters" */
	uint16_t type;	   /* PRM obj_type; its bit of general_obj_types has this number, too */
	uint8_t opmod;	   /* PRM aso_opmod */
	uint16_t each;	   /* how many of libdvx's objects one of the device's has */
	uint8_t bytes;	   /* of a context for dvx_aso_read() */
	uint8_t log_least; /* of a range, which begins at a multiple of its size */
};

struct dvx_aso {
	struct dvx_aso_queue *queue;
	const struct dvx_aso_kind_row *kind;
	uint32_t size; /* of all parts */
	int refs;
	uint32_t parts;
	struct dvx_flow_part part[]; /* all but the last one have one size */
};

/* aso_queue.c: a request about n of the device's objects, from `id` on. */
struct dvx_aso_request {
	uint32_t id, n;
	uint8_t opmod;
	/* Bytes that change in each of them, as one bit each: the highest bit is the first byte. */
	uint64_t mask;
	const uint8_t *data; /* ASO_CONTEXT bytes */
	uint8_t *out;	     /* the contexts before the change; NULL: they are not wanted */
};

struct dvx_pd *dvx_aso_queue_pd(const struct dvx_aso_queue *queue);
struct dvx_dev *dvx_aso_queue_dev(const struct dvx_aso_queue *queue);
int *dvx_aso_queue_refs(struct dvx_aso_queue *queue);
/* Sends the requests and waits for the last one. */
int dvx_aso_queue_run(struct dvx_aso_queue *queue, const struct dvx_aso_request *r);

/* aso.c: the part that has object *index, which becomes the number in it. */
struct dvx_flow_part *dvx_aso_part(struct dvx_aso *aso, uint32_t *index);
int dvx_aso_check_index(const struct dvx_aso *aso, const char *call, uint32_t index);

#endif
