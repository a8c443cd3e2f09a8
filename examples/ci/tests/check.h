/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RCMSG_CHECK_H
#define RCMSG_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(what)                                                                        \
	do {                                                                               \
		if (!(what)) {                                                             \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
			exit(1);                                                           \
		}                                                                          \
	} while (0)

#endif
