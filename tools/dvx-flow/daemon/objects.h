/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects of the device that packets change (dvx/aso.h): the meter of a rule with a rate, the
 * first-hit bit of a rule that goes without packets.
 */
#ifndef DVX_FLOW_OBJECTS_H
#define DVX_FLOW_OBJECTS_H

#include <dvx/aso.h>

#include "base_tables.h"

/* The register of results: c5, whose low byte they take. */
#define OBJECT_REG 5u

/* --- aso_bulk.c: objects are made many at a time. A bulk lives as long as a rule refers to it. --- */

struct aso_bulk;

/* Makes up to `want` objects, fewer if the device refuses. Returns libdvx's -errno. */
int aso_bulk_make(struct base_tables *g, enum dvx_aso_kind kind, uint32_t want,
		  struct aso_bulk **out);
void aso_bulk_hold(struct aso_bulk *b);
/* Drops a reference; the last one destroys the bulk. b may be NULL. */
void aso_bulk_drop(struct aso_bulk *b);
struct dvx_aso *aso_bulk_objects(const struct aso_bulk *b);
/*
 * Returns whether a packet came to a first-hit bit since the time before `now`, or libdvx's -errno.
 * The bits of a bulk are taken together, by the first call of each time.
 */
int aso_bulk_hit(struct aso_bulk *b, uint32_t i, uint64_t now);

/* --- limit.c: the table behind a rule with a rate, where packets are separated by color. --- */

struct generation;
struct limit;

/*
 * Makes the table of rule i, before table `next` of the program: green packets go on there, the
 * rule acts on the others. Returns 0, or -1 with the fault.
 */
int limit_make(struct generation *gen, uint32_t i, uint32_t next, struct flow_fault *f);
void limit_free(struct limit *l);
struct dvx_flow_action *limit_to(const struct limit *l);
/* Returns the dump's ID of the entry with the rule's actions. */
uint64_t limit_entry(const struct limit *l);

/* Describes a meter's state, and returns the color of a packet that came now. */
uint8_t limit_state(struct dvx_dev *dev, const void *flow_meter_parameters, bool packets, char *out,
		    size_t size);

#endif
