/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_READ_H
#define DVX_COPY_READ_H

#include "sender.h"

/* One of many small files that are read at once: a disk is slow with one request at a time. */
struct read_file {
	struct listed *e;
	uint8_t *to; /* room for as many bytes as were listed */
	uint64_t got;
	int err; /* errno of opening or reading, or 0 */
	struct stat st;
};

/* Reads the files by the workers, and waits for them. -1 if the connection is lost meanwhile. */
int read_files(struct copy_sender *s, struct read_file *files, uint32_t n);

/* Opens a listed file. O_NONBLOCK: the name may have become a FIFO's meanwhile. */
int read_open(const struct listed *e);

/* Reads until n bytes are there or the file ends. */
ssize_t read_full(int fd, uint8_t *to, size_t n, off_t off);

#endif
