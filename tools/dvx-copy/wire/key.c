/* SPDX-License-Identifier: BSD-2-Clause */
#include "key.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_MIN 16 /* bytes; an eavesdropper can guess a short key offline */

static int key_check_file(int fd, const char *path, struct copy_fault *f)
{
	struct stat st;

	if (fstat(fd, &st))
		return copy_fail(f, COPY_AUTH, "key file %s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return copy_fail(f, COPY_AUTH, "key file %s is not a regular file", path);
	if (st.st_mode & 077)
		return copy_fail(f, COPY_AUTH,
				 "key file %s is open to others (mode %04o): chmod 600 it", path,
				 st.st_mode & 07777u);
	return 0;
}

static int key_read_all(struct key *k, int fd, const char *path, struct copy_fault *f)
{
	ssize_t n;

	while (k->n < sizeof(k->bytes) &&
	       (n = read(fd, k->bytes + k->n, sizeof(k->bytes) - k->n)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return copy_fail(f, COPY_AUTH, "key file %s: %s", path, strerror(errno));
		k->n += (size_t)n;
	}
	if (k->n == sizeof(k->bytes))
		return copy_fail(f, COPY_AUTH, "key file %s is longer than %zu bytes", path,
				 sizeof(k->bytes) - 1);
	/* Ignores a newline that an editor adds. */
	while (k->n && (k->bytes[k->n - 1] == '\n' || k->bytes[k->n - 1] == '\r'))
		k->n--;
	if (k->n < KEY_MIN)
		return copy_fail(f, COPY_AUTH,
				 "key file %s holds %zu bytes, at least %d are needed", path, k->n,
				 KEY_MIN);
	return 0;
}

int key_load(struct key *k, const char *path, struct copy_fault *f)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int bad;

	k->n = 0;
	if (fd < 0)
		return copy_fail(f, COPY_AUTH, "key file %s: %s", path, strerror(errno));
	bad = key_check_file(fd, path, f) || key_read_all(k, fd, path, f);
	close(fd);
	if (bad)
		key_wipe(k);
	return bad ? -1 : 0;
}

void key_wipe(struct key *k)
{
	explicit_bzero(k, sizeof(*k));
}

/* Derives a value as HKDF's extract step: it reveals neither the key nor another label's. */
static void key_derive(const struct key *k, const char *label, uint8_t out[32])
{
	gnutls_hmac_fast(GNUTLS_MAC_SHA256, k->bytes, k->n, label, strlen(label), out);
}

void key_psk(const struct key *k, uint8_t psk[KEY_PSK])
{
	key_derive(k, "dvx-copy 3 pre-shared key", psk);
}

void key_id(const struct key *k, char id[KEY_ID])
{
	uint8_t bytes[32];

	key_derive(k, "dvx-copy 3 identity", bytes);
	for (int i = 0; i < 8; i++)
		snprintf(id + 2 * i, 3, "%02x", bytes[i]);
}
