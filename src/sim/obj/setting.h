/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef SIM_OBJ_SETTING_H
#define SIM_OBJ_SETTING_H

#include <stddef.h>
#include <stdio.h>

/*
 * A chip that differs from the usual one, as its user asks for it: NAME=VALUE[,NAME=VALUE...].
 * dvx-sim checks the text with these same rows before it starts a server.
 */
struct personality;

#define SETTING_WHY 640 /* the longest sentence, with all names in it */

/* Later values win. 0, or -1 with a sentence in why[SETTING_WHY], and the personality unchanged. */
int settings_apply(struct personality *, const char *text, char *why);
/* The same, with nothing to change. */
int settings_check(const char *text, char *why);
/* One line each: name, default, range, meaning. */
void settings_print(FILE *);

#endif
