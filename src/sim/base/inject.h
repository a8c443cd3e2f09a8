/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_INJECT_H
#define SIM_BASE_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The table of faults that are requested one by one: the n-th command of an opcode, packet or
 * completion goes wrong in a given way (doc/design/0099). It is the process's, as the probe is.
 */
enum inject_event {
	INJECT_COMMAND,	   /* number: opcode */
	INJECT_PACKET,	   /* number: QP that it is for */
	INJECT_COMPLETION, /* number: QP that it is of */
	INJECT_INTERRUPT,  /* number: CQ whose event it is; INJECT_ANY: another event */
	INJECT_OBJECT,	   /* an object is made; no number */
	INJECT_PORT,	   /* no event that is counted: the link changes after ns */
	INJECT_DEVICE,	   /* likewise: the device fails after ns */
	INJECT_EVENTS,
};
enum inject_action {
	INJECT_ANSWER, /* a command: status, syndrome */
	INJECT_DROP,   /* a packet; likewise up to INJECT_DELAY */
	INJECT_DOUBLE,
	INJECT_CORRUPT,
	INJECT_DELAY, /* ns */
	INJECT_ERROR, /* a completion: syndrome */
	INJECT_LOSE,  /* an event */
	INJECT_SHORT, /* memory, for this object and all that follow */
	INJECT_DOWN,  /* the port */
	INJECT_UP,
	INJECT_FATAL, /* the device */
	INJECT_ACTIONS,
};

#define INJECT_ANY	  UINT32_MAX
#define INJECT_MOST	  64u
#define INJECT_DELAY_MOST 60000000000u /* ns */

struct inject_fault {
	uint8_t event, action, status;
	uint8_t pad;
	uint32_t met;	 /* number of the event that met it: opcode, QP or CQ */
	uint32_t number; /* INJECT_ANY: all */
	uint32_t nth;	 /* from 1, of those that match */
	uint32_t syndrome;
	uint32_t seen; /* events that matched so far */
	uint64_t ns;
};

extern unsigned int inject_events __attribute__((visibility("hidden")));
/* Returns whether the table has faults of this kind of event. */
static inline bool inject_active(enum inject_event e)
{
	return inject_events & 1u << e;
}

/* Counts an event. Returns the fault that it meets, until the table changes, or NULL. */
const struct inject_fault *inject_count(enum inject_event, uint32_t number);

/* Counts fault number i of the table, which no event meets: one of the port or the device. */
void inject_happened(size_t i);

/* Replaces the table; counts begin anew. Returns 0, or -1 if a fault is impossible. */
int inject_set(const struct inject_fault *, size_t n);
/* Copies the table to[INJECT_MOST]; returns how many faults it has. */
size_t inject_get(struct inject_fault *to);

/* --- inject_parse.c: faults as text, for the tool ---------------------------------------------- */

#define INJECT_WHY 160
struct inject_error {
	unsigned int line, column; /* from 1 */
	char why[INJECT_WHY];	   /* a sentence that says what was expected */
};
/* Parses a file's text. Fills in to[INJECT_MOST] and returns how many; -1: *error says why. */
int inject_parse(const char *text, size_t len, struct inject_fault *to, struct inject_error *error);
/* Writes a fault as the line that inject_parse() reads. */
void inject_print(const struct inject_fault *, char *text, size_t size);

#endif
