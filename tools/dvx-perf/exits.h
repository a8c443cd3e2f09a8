/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_PERF_EXITS_H
#define DVX_PERF_EXITS_H

#include "tools/cli/exit.h"

/* Exit codes of connections between two programs, from dvx(7). */
enum { EXIT_PROTOCOL = 6, EXIT_PEER = 8, EXIT_CONNECT = 10 };

#endif
