/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_LOG_H
#define SIM_BASE_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * One line a call, written with a single write(2) so that lines of several processes don't mix.
 * sim_refuse() is for what a program did wrong (one sentence with the field's name), sim_note()
 * for what the device did, sim_bug() for what should never happen in the device itself.
 */
void sim_refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same about an object of one program: by the uid that made the object. */
void sim_refuse_to(unsigned int uid, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sim_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void sim_bug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * A server passes refusals on to its programs: it hears each, without prefix and newline. uid 0: it
 * comes from what the chip does now.
 */
void sim_refusals_heard_by(void (*hear)(void *arg, unsigned int uid, const char *line), void *arg);

/* Where lines go; stderr by default. Notes are written only when switched on. */
void sim_log_to(int fd);
/* Limits the log file, which must be open for appending: it is truncated before it gets longer. */
void sim_log_most(size_t bytes);
void sim_log_notes(int on);

/*
 * --trace: one line for each command, doorbell, WQE and CQE, decoded through the reflection rows.
 * sim_tracing is read in the data path before anything is formatted.
 */
extern int sim_tracing __attribute__((visibility("hidden")));
int sim_trace_to(int fd); /* -1 turns tracing off */
void sim_trace(const char *tag, const char *prm_struct, const void *bytes, size_t len,
	       const char *fmt, ...) __attribute__((format(printf, 5, 6)));

#endif
