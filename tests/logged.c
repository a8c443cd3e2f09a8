/* SPDX-License-Identifier: BSD-2-Clause */
/* The last line of a log: apart from main.c, because fuzz targets have another main(). */
#include <string.h>
#include <unistd.h>
#include "test.h"

bool test_logged(int log, const char *text)
{
	char tail[4096] = "", *line;
	off_t from = lseek(log, 0, SEEK_END) - (off_t)sizeof(tail) + 1;
	ssize_t n = pread(log, tail, sizeof(tail) - 1, from > 0 ? from : 0);

	if (n <= 0)
		return false;
	tail[n - (tail[n - 1] == '\n')] = 0;
	line = strrchr(tail, '\n');
	return strstr(line ? line : tail, text);
}
