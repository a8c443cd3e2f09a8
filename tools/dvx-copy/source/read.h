/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_COPY_READ_H
#define DVX_COPY_READ_H

#include "sender.h"

/* Many small files are read at once: a disk is slow one by one. */
struct read_file {
	struct listed *e;
	uint8_t *to; /* as many bytes as it was listed with */
	uint64_t got;
	int err; /* errno: it could not be opened or read */
	struct stat st;
};

/* Reads them by the workers, and waits. -1 if the receiver is lost meanwhile. */
int read_files(struct copy_sender *s, struct read_file *files, uint32_t n);

/* Opens a listed file. O_NONBLOCK: the name may have become a FIFO since it was listed. */
int read_open(const struct listed *e);

/* Reads until n bytes are there or the file ends. */
ssize_t read_full(int fd, uint8_t *to, size_t n, off_t off);

#endif
