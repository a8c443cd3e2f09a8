/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_STEER_STE_DEFINER_H
#define SIM_STEER_STE_DEFINER_H

/* Match definers: objects that lay out and mask tags of 32 bytes, by a built-in format. */
#include "layout.h"
#include "obj/obj.h"

#define DEFINER_TAG_BYTES 32u
#define DEFINER_SELECTED  61u /* the format whose layout selectors make: steer/rules/select.h */
#define DEFINER_TRIVIAL	  15u /* the number of a definer that each packet matches */
#define DEFINER_LINEAR	  14u /* by it, reg_c_3 is the index of a packet's rule */

struct select;

struct match_definer {
	struct obj o;
	uint16_t format;
	uint8_t mask[DEFINER_TAG_BYTES];
	struct ste_layout fields; /* those that the mask has */
	struct select *select;	  /* of DEFINER_SELECTED; NULL: another format */
};

/* Bits of match_definer_format_supported. */
uint64_t definer_formats(void);

/*
 * Sets the layout of a definer by its format, which definer_formats() has, and its mask. Returns
 * NULL, or the name of a field of the mask that is not implemented.
 */
const char *definer_make(struct match_definer *);

/* Fills a zeroed tag with the fields under the mask. */
void definer_fill(const struct match_definer *, struct steer_walk *, uint8_t *tag);

#endif
