/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_BASE_LOG_H
#define SIM_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Write one line per call, by a single write(2) so that lines of several processes don't mix.
 * sim_refuse() is for a program's mistake (one sentence with the field's name), sim_note() for an
 * act of the device, sim_bug() for a state of the device that should never happen.
 */
void sim_refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Like sim_refuse(), for an object of one program, given by the uid that made the object. */
void sim_refuse_to(unsigned int uid, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Drops this thread's refusals while on: their caller tries again. */
void sim_refuse_silently(int on);
void sim_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void sim_bug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Sets the function that passes refusals on to programs; it gets each line without prefix and
 * newline. uid 0: the program whose request the chip handles.
 */
void sim_on_refusal(void (*fn)(void *arg, unsigned int uid, const char *line), void *arg);

/* Sets where lines go; stderr by default. Notes are written only when switched on. */
void sim_log_to(int fd);
/* Returns whether this is the log's descriptor; false for stderr. */
bool sim_log_is(int fd);
/* Sets words that begin each line. */
void sim_log_tag(const char *tag);
/* Limits the log file, which must be open for appending: it is truncated at the limit. */
void sim_log_most(size_t bytes);
void sim_log_notes(int on);

#endif
