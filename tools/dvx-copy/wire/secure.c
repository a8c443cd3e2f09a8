/* SPDX-License-Identifier: BSD-2-Clause */
#include "secure.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct secure {
	struct secure_end end;
	gnutls_session_t tls;
	gnutls_psk_client_credentials_t mine;
	gnutls_psk_server_credentials_t theirs;
	const struct key *shown;
	int err;
	bool ended; /* the peer closed, so a truncated record is no forgery */
};

/* One cipher suite: with nothing to choose, nothing can be downgraded. */
#define SUITE                                                                                     \
	"NONE:+VERS-TLS1.3:+ECDHE-PSK:+GROUP-X25519:+AES-128-GCM:+CHACHA20-POLY1305:+AEAD:+SIGN-" \
	"ALL:+COMP-NULL"

static ssize_t secure_push(gnutls_transport_ptr_t p, const void *bytes, size_t n)
{
	struct secure *s = p;
	ssize_t done = send(s->end.fd, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);

	s->err = done < 0 ? errno : 0;
	if (done < 0)
		gnutls_transport_set_errno(s->tls, s->err);
	return done;
}

static ssize_t secure_pull(gnutls_transport_ptr_t p, void *bytes, size_t n)
{
	struct secure *s = p;
	ssize_t done = recv(s->end.fd, bytes, n, MSG_DONTWAIT);

	s->ended = !done;
	s->err = done < 0 ? errno : 0;
	if (done < 0)
		gnutls_transport_set_errno(s->tls, s->err);
	return done;
}

static int secure_datum(const struct key *k, gnutls_datum_t *d)
{
	d->data = gnutls_malloc(KEY_PSK);
	d->size = KEY_PSK;
	if (!d->data)
		return -1;
	key_psk(k, d->data);
	return 0;
}

/* Looks up the key that the client names, in a server. */
static int secure_find(gnutls_session_t tls, const char *id, gnutls_datum_t *d)
{
	struct secure *s = gnutls_session_get_ptr(tls);
	const struct key *k = s->end.ring->find(s->end.ring->keys, id);

	s->shown = k;
	return k ? secure_datum(k, d) : -1;
}

static int secure_client(struct secure *s)
{
	gnutls_datum_t d;
	char id[KEY_ID];
	int bad;

	if (gnutls_psk_allocate_client_credentials(&s->mine) || secure_datum(s->end.key, &d))
		return -1;
	key_id(s->end.key, id);
	bad = gnutls_psk_set_client_credentials(s->mine, id, &d, GNUTLS_PSK_KEY_RAW);
	gnutls_memset(d.data, 0, d.size);
	gnutls_free(d.data);
	return bad || gnutls_credentials_set(s->tls, GNUTLS_CRD_PSK, s->mine);
}

static int secure_server(struct secure *s)
{
	if (gnutls_psk_allocate_server_credentials(&s->theirs))
		return -1;
	gnutls_psk_set_server_credentials_function(s->theirs, secure_find);
	return gnutls_credentials_set(s->tls, GNUTLS_CRD_PSK, s->theirs);
}

/* Makes a session without tickets, so that each connection has its own key exchange. */
struct secure *secure_new(const struct secure_end *end)
{
	unsigned int flags = (end->is_server ? GNUTLS_SERVER : GNUTLS_CLIENT) | GNUTLS_NONBLOCK |
			     GNUTLS_NO_AUTO_SEND_TICKET | GNUTLS_NO_TICKETS;
	struct secure *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->end = *end;
	if (gnutls_init(&s->tls, flags) || gnutls_priority_set_direct(s->tls, SUITE, NULL) ||
	    (end->is_server ? secure_server(s) : secure_client(s))) {
		secure_free(s);
		return NULL;
	}
	gnutls_session_set_ptr(s->tls, s);
	gnutls_handshake_set_timeout(s->tls, GNUTLS_INDEFINITE_TIMEOUT);
	gnutls_transport_set_ptr(s->tls, s);
	gnutls_transport_set_push_function(s->tls, secure_push);
	gnutls_transport_set_pull_function(s->tls, secure_pull);
	return s;
}

void secure_free(struct secure *s)
{
	if (!s)
		return;
	if (s->tls)
		gnutls_deinit(s->tls);
	if (s->mine)
		gnutls_psk_free_client_credentials(s->mine);
	if (s->theirs)
		gnutls_psk_free_server_credentials(s->theirs);
	free(s);
}

/* Translates the peer's alert: only bad_record_mac means that our bytes arrived changed. */
static enum secure_result secure_alert(const struct secure *s)
{
	return gnutls_alert_get(s->tls) == GNUTLS_A_BAD_RECORD_MAC ? SECURE_ACCUSED
								   : SECURE_UNKNOWN;
}

static enum secure_result secure_why(struct secure *s, ssize_t ret)
{
	switch (ret) {
	case GNUTLS_E_AGAIN:
	case GNUTLS_E_INTERRUPTED:
		return gnutls_record_get_direction(s->tls) ? SECURE_WRITE : SECURE_READ;
	case GNUTLS_E_PREMATURE_TERMINATION:
	case GNUTLS_E_SESSION_EOF:
		s->err = 0;
		return SECURE_CLOSED;
	case GNUTLS_E_INVALID_SESSION: /* it ended before */
	case GNUTLS_E_PUSH_ERROR:
	case GNUTLS_E_PULL_ERROR:
		return SECURE_CLOSED;
	case GNUTLS_E_FATAL_ALERT_RECEIVED:
		return secure_alert(s);
	}
	if (!gnutls_error_is_fatal((int)ret))
		return SECURE_READ;
	return s->ended ? SECURE_CLOSED : SECURE_FORGED;
}

enum secure_result secure_handshake(struct secure *s)
{
	int ret = gnutls_handshake(s->tls);
	enum secure_result why;

	if (!ret)
		return SECURE_OK;
	why = secure_why(s, ret);
	if (why == SECURE_FORGED)
		gnutls_alert_send_appropriate(s->tls, ret);
	return why == SECURE_FORGED || why == SECURE_ACCUSED ? SECURE_UNKNOWN : why;
}

const struct key *secure_key(const struct secure *s)
{
	return s->shown;
}

ssize_t secure_send(struct secure *s, const void *p, size_t n)
{
	ssize_t done = gnutls_record_send(s->tls, p, n);

	return done >= 0 ? done : secure_why(s, done);
}

ssize_t secure_recv(struct secure *s, void *p, size_t n)
{
	ssize_t done = gnutls_record_recv(s->tls, p, n);
	enum secure_result why;

	if (done > 0)
		return done;
	why = done ? secure_why(s, done) : SECURE_CLOSED;
	if (!done)
		s->err = 0;
	if (why == SECURE_FORGED)
		gnutls_alert_send(s->tls, GNUTLS_AL_FATAL, GNUTLS_A_BAD_RECORD_MAC);
	return why;
}

int secure_errno(const struct secure *s)
{
	return s->err;
}
