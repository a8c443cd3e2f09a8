/* SPDX-License-Identifier: BSD-2-Clause */
#include "digest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include <nettle/sha2.h>

#define DIGEST_BUFFER (256u << 10)

/* Hashes up to n bytes from off. Returns how many there were, or -1. */
static int64_t digest_read(int fd, uint64_t off, uint64_t n, uint8_t digest[DIGEST_BYTES],
			   struct alive *alive)
{
	uint8_t *buf = malloc(DIGEST_BUFFER);
	struct sha256_ctx ctx;
	uint64_t done = 0;
	ssize_t got = buf ? 1 : -1;

	sha256_init(&ctx);
	while (got > 0 && done < n) {
		got = pread(fd, buf, n - done < DIGEST_BUFFER ? n - done : DIGEST_BUFFER,
			    (off_t)(off + done));
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0) {
			sha256_update(&ctx, (size_t)got, buf);
			done += (uint64_t)got;
			if (alive_tick(alive))
				got = -1;
		}
	}
	free(buf);
	sha256_digest(&ctx, DIGEST_BYTES, digest);
	return got < 0 ? -1 : (int64_t)done;
}

int digest_at(int dir, const char *name, uint8_t digest[DIGEST_BYTES], struct alive *alive)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int64_t n;

	if (fd < 0)
		return -1;
	n = digest_read(fd, 0, UINT64_MAX, digest, alive);
	close(fd);
	return n < 0 ? -1 : 0;
}

int digest_part(int fd, uint64_t off, uint64_t n, uint8_t digest[DIGEST_BYTES], struct alive *alive)
{
	return digest_read(fd, off, n, digest, alive) == (int64_t)n ? 0 : -1;
}
