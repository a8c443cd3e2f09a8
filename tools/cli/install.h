/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the files of an installation are. */
#ifndef DVX_TOOLS_INSTALL_H
#define DVX_TOOLS_INSTALL_H

#include <limits.h>

/*
 * Finds a file of this program: by its path from the program in the build tree, from the program in
 * a prefix that may have been moved, or by the path that it was installed to. Returns NULL after an
 * error message.
 */
const char *install_find(char path[PATH_MAX], const char *built, const char *moved,
			 const char *installed);

#endif
