/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_TOOLS_SAY_H
#define DVX_TOOLS_SAY_H

/* One sentence to stderr, after the program's name. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* That name, for as long as the program runs. Until then it is the one that it was started by. */
void say_as(const char *tool);

#endif
