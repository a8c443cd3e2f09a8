/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_FINDING_H
#define SIM_BASE_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A finding, as numbers: one object of the device, and what it waits for (lab/why.h). */
enum finding_kind {
#define FINDING(kind, ...) FINDING_##kind,
#include "findings.def"
#undef FINDING
	FINDINGS,
};

enum finding_class { FINDING_WORK, FINDING_LEFT, FINDING_IDLE, FINDING_WRONG, FINDING_LUCK };

#define FINDING_NUMBERS 6
#define FINDING_ROWS	256u /* of one kind that a chip sends; it counts the others */
#define FINDING_LINES	16u  /* of one kind that the tool prints */
#define FINDING_TEXT	320  /* bytes of a sentence */

struct lab_finding {
	char function[8];
	char object[8]; /* "qp", "cq"... */
	uint32_t id;	/* the object's number */
	uint32_t kind;
	uint32_t pid;	/* of the program; 0: unknown */
	uint32_t ended; /* the program has ended */
	char program[16];
	/* the object's position: it differs once the object has moved on; of lab/check.c: how often it came */
	uint64_t at;
	uint64_t n[FINDING_NUMBERS];
};

/* kind is below FINDINGS. */
const char *finding_name(enum finding_kind);
enum finding_class finding_class_of(enum finding_kind);
/* Writes the name of number i, or returns false: the sentence has fewer. */
bool finding_number_name(enum finding_kind, unsigned int i, char *name, size_t size);
void finding_sentence(const struct lab_finding *, char *text, size_t size);
/* Returns whether both say the same of the same object, which has not moved in between. */
bool finding_lasts(const struct lab_finding *earlier, const struct lab_finding *later);

#endif
