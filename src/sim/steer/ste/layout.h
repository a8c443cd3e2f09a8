/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_STE_LAYOUT_H
#define SIM_STEER_STE_LAYOUT_H

/*
 * Layouts of tags as tables, which are made from the PRM's structures by the names of their fields
 * (fields.def): the tags of version 0, and definers.
 */
#include <stdbool.h>
#include <stdint.h>

struct packet_headers;
struct prm_field;
struct prm_struct;
struct steer_walk;

#define STE_LAYOUT_ROWS 40u /* at most, of a tag of 32 bytes */

typedef uint32_t ste_field_fn(struct steer_walk *, const struct packet_headers *);

/* One field of a tag: its value, and its bits. */
struct ste_layout_row {
	ste_field_fn *value;
	uint16_t bit;
	uint8_t width;
	bool inner, outer; /* as its name says */
};

struct ste_layout {
	struct ste_layout_row row[STE_LAYOUT_ROWS];
	unsigned int rows;
};

/* Sets the row of a field, by its name; false if fields.def lacks it. */
bool ste_layout_find(const struct prm_struct *, const struct prm_field *, struct ste_layout_row *);
/*
 * Makes the layout of a structure. A field without outer_ or inner_ in its name is of the inner
 * headers if `inner` is set. Fields that fields.def lacks are left out, so they are 0.
 */
void ste_layout_make(struct ste_layout *, const struct prm_struct *, bool inner);
/* Fills a zeroed tag. */
void ste_layout_fill(const struct ste_layout *, struct steer_walk *, uint8_t *tag);

#endif
