/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of statements about hardware; rows.pl makes it from rows/. */
#ifndef DVX_VERIFY_ROWS_H
#define DVX_VERIFY_ROWS_H

#include <stddef.h>
#include <stdint.h>

struct bench;
/* Returns if the statement holds; else it calls conclude() (verify.h). */
typedef void verify_probe(struct bench *);

struct statement {
	const char *id, *group, *claim, *where;
	const char *hand;	  /* how somebody settles it without dvx-verify */
	const char *needs;	  /* why dvx-verify does not; or NULL */
	const char *const *steps; /* lines of steps.c, up to a NULL; or NULL */
	verify_probe *probe;	  /* or NULL */
	const char *chip;	  /* the chip that it is about; NULL: all */
	uint16_t part;		  /* its PCI device id */
	uint8_t weight;
};

extern const struct statement rows[];
extern const size_t row_count;

/* Whether dvx-verify settles it by itself. */
static inline int row_has_check(const struct statement *r)
{
	return r->probe || r->steps;
}

#endif
