/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_TOOLS_EXIT_H
#define DVX_TOOLS_EXIT_H

/* Exit codes with one meaning in every tool; dvx(7) lists them all. */
enum {
	EXIT_DONE = 0,
	EXIT_NO = 1,	 /* the answer is no: something is missing, differs or is incomplete */
	EXIT_USAGE = 2,	 /* wrong command line */
	EXIT_INPUT = 3,	 /* a device, file, chip or daemon is missing, or cannot be used */
	EXIT_DEVICE = 4, /* the device lacks or refuses something */
};

#endif
