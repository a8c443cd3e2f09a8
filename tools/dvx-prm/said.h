/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures that a line of a log reports in words and numbers, without the bytes. */
#ifndef DVX_PRM_SAID_H
#define DVX_PRM_SAID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "health.h"
#include "topics.h"

enum said_value {
	SAID_WC,       /* status of libibverbs */
	SAID_SYNDROME, /* of the error completion */
	SAID_VENDOR,   /* its vendor byte */
	SAID_QPN,
	SAID_INDEX,   /* of the WQE */
	SAID_COMMAND, /* opcode of a firmware command */
	SAID_OP_MOD,
	SAID_STATUS,   /* of the command */
	SAID_FIRMWARE, /* its syndrome */
	SAID_ERRNO,
	SAID_NUMBER, /* that the topic explains */
	SAID_VALUES
};

struct said {
	const char *who; /* the program that writes such lines */
	enum topic_id topic;
	bool guess; /* only words: neither the program nor a call is named */
	unsigned int line;
	size_t times;		     /* lines that say the same */
	unsigned int has;	     /* bit for each value */
	uint64_t value[SAID_VALUES]; /* a number may have 64 bits, as counters have */
	char text[128];		     /* the line, cut */
	char call[96];		     /* the function, object or counter, or "" */
	char word[64];		     /* that the topic explains, or "" */
	struct health health;
};

#define SAID_MOST 256

/*
 * The failures that a text reports, each once; at most SAID_MOST: *lost more lines are left out.
 * Free the list.
 */
struct said *said_read(const char *text, size_t len, size_t *count, size_t *lost);

static inline bool said_has(const struct said *s, enum said_value v)
{
	return s->has >> v & 1;
}

void said_set(struct said *s, enum said_value v, uint64_t value);

/* One that has 32 bits. */
static inline uint32_t said_value(const struct said *s, enum said_value v)
{
	return (uint32_t)s->value[v];
}

/* "IBV_WC_RETRY_EXC_ERR" of a status number; "?" of none. Its syndrome in a completion, or 0. */
const char *wc_name(unsigned int status);
unsigned int wc_syndrome(unsigned int status);

/* The status number that libibverbs reports for a syndrome; 0: none. */
unsigned int wc_of_syndrome(unsigned int syndrome);

/* The status number of ibv_wc_status_str()'s text; 0: none. */
unsigned int wc_of_text(const char *text);

/* The status number of a name without "IBV_WC_"; 0: none. */
unsigned int wc_of_name(const char *name);

/* The syndrome that the kernel's mlx5_ib prints as ib_wc_status_msg() of its number; 0: none. */
unsigned int wc_syndrome_of_kernel(const char *text);

#endif
