/* SPDX-License-Identifier: BSD-2-Clause */
/* Failures that log lines report in words and numbers, without the bytes. */
#ifndef DVX_PRM_FAILURE_H
#define DVX_PRM_FAILURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "health.h"
#include "topics.h"

enum failure_value {
	FAILURE_WC,	  /* status of libibverbs */
	FAILURE_SYNDROME, /* syndrome of the error completion */
	FAILURE_VENDOR,	  /* vendor byte of the error completion */
	FAILURE_QPN,
	FAILURE_INDEX,	 /* index of the WQE */
	FAILURE_COMMAND, /* opcode of a firmware command */
	FAILURE_OP_MOD,
	FAILURE_STATUS,	  /* status of the command */
	FAILURE_FIRMWARE, /* syndrome of the command */
	FAILURE_ERRNO,
	FAILURE_NUMBER, /* a number that the topic explains */
	FAILURE_VALUES
};

struct failure {
	const char *program; /* the program that writes such lines */
	enum topic_id topic;
	bool guess; /* the line names neither the program nor a call */
	unsigned int line;
	size_t times;			/* number of lines with this failure */
	unsigned int has;		/* a bit for each value */
	uint64_t value[FAILURE_VALUES]; /* 64 bits, for counters */
	char text[128];			/* the line, cut */
	char call[96];			/* the function, object or counter, or "" */
	char word[64];			/* a word that the topic explains, or "" */
	struct health health;
};

#define FAILURE_MOST 256

/*
 * Finds the failures that a text reports, each once. Keeps at most FAILURE_MOST; *lost counts the
 * lines beyond. The caller frees the list.
 */
struct failure *failure_read(const char *text, size_t len, size_t *count, size_t *lost);

static inline bool failure_has(const struct failure *s, enum failure_value v)
{
	return s->has >> v & 1;
}

static inline void failure_set(struct failure *s, enum failure_value v, uint64_t value)
{
	s->has |= 1u << v;
	s->value[v] = value;
}

/* Returns a value that has 32 bits. */
static inline uint32_t failure_value(const struct failure *s, enum failure_value v)
{
	return (uint32_t)s->value[v];
}

/*
 * Return "IBV_WC_RETRY_EXC_ERR" for a status number, "?" for an unknown one; and its syndrome in a
 * completion, or 0.
 */
const char *wc_name(unsigned int status);
unsigned int wc_syndrome(unsigned int status);

/* Returns the status number that libibverbs reports for a syndrome; 0: none. */
unsigned int wc_of_syndrome(unsigned int syndrome);

/* Returns the status number for a text of ibv_wc_status_str(); 0: none. */
unsigned int wc_of_text(const char *text);

/* Returns the status number for a name without "IBV_WC_"; 0: none. */
unsigned int wc_of_name(const char *name);

/*
 * Returns the syndrome for which the kernel's mlx5_ib prints this text of ib_wc_status_msg(); 0:
 * none.
 */
unsigned int wc_syndrome_of_kernel(const char *text);

#endif
