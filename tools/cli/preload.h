/* SPDX-License-Identifier: BSD-2-Clause */
/* Libraries that a tool preloads into the programs that it starts. */
#ifndef DVX_TOOLS_PRELOAD_H
#define DVX_TOOLS_PRELOAD_H

#include <limits.h>

/* Puts a library before all other preloads. Returns 0, or -1 with errno. */
int preload_prepend(const char *lib);
/* Sets the option without which AddressSanitizer's runtime refuses to start behind a preload. */
int preload_allow_asan(void);
/*
 * Preloads the sanitizer's runtime of this program. A sanitized preload needs it in front, because
 * the command may be built without it. Leaks of the command are not reported.
 */
int preload_add_sanitizer(void);

enum preload_reach { PRELOAD_REACHES, PRELOAD_STATIC, PRELOAD_PRIVILEGED };
/*
 * Returns whether the dynamic linker preloads libraries into a program; if not, path is the
 * program's. Programs that it starts may be reached all the same.
 */
enum preload_reach preload_reaches(const char *program, char path[PATH_MAX]);

#endif
