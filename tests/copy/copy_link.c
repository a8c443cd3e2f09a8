/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves: the control connection accepts what the holder of the key sent, and nothing else. */
#include "tests/test.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include "wire/link.h"
#include "wire/net.h"

struct end {
	struct link *link;
	struct key key;
	struct copy_fault f;
	int ret;
};

static void *shake(void *arg)
{
	struct end *e = arg;

	e->ret = link_handshake(e->link, &e->key, &e->f);
	if (e->ret)
		link_send_error(e->link, &e->f);
	return NULL;
}

static void set_key(struct end *e, const char *key)
{
	e->key.n = strlen(key);
	memcpy(e->key.bytes, key, e->key.n);
}

static void open_pair(struct end *client, struct end *server, int patience_ms)
{
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
	memset(client, 0, sizeof(*client));
	memset(server, 0, sizeof(*server));
	client->link = calloc(1, sizeof(*client->link));
	server->link = calloc(1, sizeof(*server->link));
	link_init(client->link, fds[0], false, patience_ms);
	link_init(server->link, fds[1], true, patience_ms);
}

static void close_pair(struct end *client, struct end *server)
{
	link_close(client->link);
	link_close(server->link);
	free(client->link);
	free(server->link);
}

static void shake_both(struct end *client, struct end *server, const char *ck, const char *sk)
{
	pthread_t t;

	open_pair(client, server, 5000);
	set_key(client, ck);
	set_key(server, sk);
	pthread_create(&t, NULL, shake, server);
	shake(client);
	pthread_join(t, NULL);
}

TEST(none, same_key)
{
	struct end c, s;
	struct copy_msg m = {.type = MSG_PULL, .name = {(const uint8_t *)"tree", 4}};
	struct copy_fault f = {0};

	shake_both(&c, &s, "0123456789abcdef", "0123456789abcdef");
	assert_int_equal(c.ret | s.ret, 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(link_send(c.link, &m, &f), 0);
		assert_int_equal(link_expect(s.link, MSG_PULL, &m, &f), 0);
		assert_memory_equal(m.name.p, "tree", 4);
		m.type = MSG_NOTICE;
		assert_int_equal(link_send(s.link, &m, &f), 0);
		assert_int_equal(link_expect(c.link, MSG_NOTICE, &m, &f), 0);
		m.type = MSG_PULL;
	}
	close_pair(&c, &s);
}

TEST(none, no_key)
{
	struct end c, s;

	shake_both(&c, &s, "", "");
	assert_int_equal(c.ret | s.ret, 0);
	close_pair(&c, &s);
}

#define MUCH 1000u /* messages of 4 KiB: more than two sockets hold */

/* Sends all messages before it reads any. */
static void *send_all(void *arg)
{
	static const uint8_t bytes[4000];
	struct end *e = arg;
	struct copy_msg m;

	for (uint32_t i = 0; i < MUCH; i++) {
		m = (struct copy_msg){
			.type = MSG_XATTR, .name = {bytes, 1}, .text = {bytes, sizeof(bytes)}};
		if (link_send(e->link, &m, &e->f))
			return NULL;
	}
	for (e->ret = 0; e->ret < (int)MUCH; e->ret++)
		if (link_expect(e->link, MSG_XATTR, &m, &e->f))
			break;
	return NULL;
}

/* Two ends that wait for room to send read meanwhile: they do not deadlock. */
TEST(none, both_send)
{
	struct end c, s;
	pthread_t t;

	shake_both(&c, &s, "0123456789abcdef", "0123456789abcdef");
	c.link->patience_ms = s.link->patience_ms = 2000;
	pthread_create(&t, NULL, send_all, &s);
	send_all(&c);
	pthread_join(t, NULL);
	if (c.f.code || s.f.code)
		fail_msg("%s %s", c.f.text, s.f.text);
	assert_int_equal(c.ret, MUCH);
	assert_int_equal(s.ret, MUCH);
	close_pair(&c, &s);
}

static void differing(const char *ck, const char *sk)
{
	struct end c, s;

	shake_both(&c, &s, ck, sk);
	assert_int_equal(c.ret, -1);
	assert_int_equal(s.ret, -1);
	assert_int_equal(c.f.code, COPY_AUTH);
	assert_int_equal(s.f.code, COPY_AUTH);
	assert_false(c.link->sealed || s.link->sealed);
	close_pair(&c, &s);
}

TEST(none, other_keys)
{
	differing("0123456789abcdef", "0123456789abcdeg");
	differing("0123456789abcdef", "0123456789abcdef0");
	differing("", "0123456789abcdef");
	differing("0123456789abcdef", "");
}

/* Plays a server that echoes what it gets (nonce and proof) without knowing the key. */
static void *echo(void *arg)
{
	int fd = *(int *)arg;
	char b[256];
	ssize_t n;

	while ((n = recv(fd, b, sizeof(b), 0)) > 0)
		if (send(fd, b, (size_t)n, MSG_NOSIGNAL) < 0)
			break;
	return NULL;
}

TEST(none, reflection)
{
	struct end c = {.link = calloc(1, sizeof(struct link))};
	pthread_t t;
	int fds[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	link_init(c.link, fds[0], false, 5000);
	set_key(&c, "0123456789abcdef");
	pthread_create(&t, NULL, echo, &fds[1]);
	shake(&c);
	shutdown(fds[0], SHUT_RDWR);
	pthread_join(t, NULL);
	assert_int_equal(c.f.code, COPY_AUTH);
	link_close(c.link);
	close(fds[1]);
	free(c.link);
}

/* A client of another version gets our version and is refused. */
TEST(none, other_version)
{
	struct end c, s;
	uint8_t nonce[32] = {0};
	struct copy_msg m = {.type = MSG_HELLO,
			     .magic = MSG_MAGIC,
			     .version = MSG_VERSION + 1,
			     .name = {nonce, 32}};
	struct copy_fault f = {0};

	open_pair(&c, &s, 5000);
	assert_int_equal(link_send(c.link, &m, &f), 0);
	shake(&s);
	assert_int_equal(s.f.code, COPY_PROTOCOL);
	assert_non_null(strstr(s.f.text, "speaks version"));
	assert_int_equal(link_expect(c.link, MSG_HELLO, &m, &f), 0);
	assert_int_equal(m.version, MSG_VERSION);
	close_pair(&c, &s);
}

static void refuses(const void *bytes, size_t n, bool close_after, int code, const char *word)
{
	struct end c, s;
	struct copy_msg m;

	open_pair(&c, &s, 300);
	assert_int_equal(send(c.link->fd, bytes, n, 0), (ssize_t)n);
	if (close_after)
		shutdown(c.link->fd, SHUT_WR);
	assert_int_equal(link_expect(s.link, MSG_HELLO, &m, &s.f), -1);
	assert_int_equal(s.f.code, code);
	if (!strstr(s.f.text, word))
		fail_msg("\"%s\" does not say \"%s\"", s.f.text, word);
	close_pair(&c, &s);
}

TEST(none, bad_frames)
{
	static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff, 1}, small[] = {3, 0, 0, 0, 1, 2, 3},
			     over[] = {1, 0x20, 0, 0}, part[] = {40, 0, 0, 0, 1, 0},
			     other[] = {4, 0, 0, 0, MSG_BYE, 0, 0, 0};

	refuses("GET / HTTP/1.1\r\n\r\n", 18, false, COPY_PROTOCOL, "is the peer dvx-copy");
	refuses(huge, sizeof(huge), false, COPY_PROTOCOL, "4294967295");
	refuses(over, sizeof(over), false, COPY_PROTOCOL, "8193"); /* at most 8192 */
	refuses(small, sizeof(small), false, COPY_PROTOCOL, "3 bytes");
	refuses(other, sizeof(other), false, COPY_PROTOCOL, "BYE where HELLO belongs");
	refuses(part, sizeof(part), true, COPY_PEER, "closed");
	refuses(part, sizeof(part), false, COPY_PEER, "silent");
	refuses(part, 2, true, COPY_PEER, "closed");
}

/* Changes each byte of an encrypted frame in turn: no changed message arrives. */
TEST(none, tampering)
{
	struct copy_msg m = {.type = MSG_RETURN, .slot = 5};
	uint8_t frame[128];

	for (size_t at = 0;; at++) {
		struct end c, s;
		struct copy_fault f = {0};
		ssize_t n;

		shake_both(&c, &s, "0123456789abcdef", "0123456789abcdef");
		assert_int_equal(link_send(c.link, &m, &f), 0);
		n = recv(s.link->fd, frame, sizeof(frame), 0);
		if (at == (size_t)n) {
			close_pair(&c, &s);
			break;
		}
		frame[at] ^= 1;
		assert_int_equal(send(c.link->fd, frame, (size_t)n, 0), n);
		shutdown(c.link->fd, SHUT_WR);
		/* GnuTLS ignores the three fixed bytes that a record begins with. */
		if (at < 3 && !link_expect(s.link, MSG_RETURN, &m, &s.f)) {
			assert_int_equal(m.slot, 5);
			close_pair(&c, &s);
			continue;
		}
		assert_int_equal(link_expect(s.link, MSG_RETURN, &m, &s.f), -1);
		assert_true(s.f.code == COPY_AUTH || (at < 5 && s.f.code == COPY_PEER));
		m = (struct copy_msg){.type = MSG_RETURN, .slot = 5};
		close_pair(&c, &s);
	}
}

/* A peer that gave up has closed: the next send fails, with the peer's error as the reason. */
TEST(none, last_words)
{
	struct copy_msg m = {.type = MSG_RETURN, .slot = 5};
	struct copy_fault why = {COPY_REFUSED, "not for you"};
	struct end c, s;

	shake_both(&c, &s, "0123456789abcdef", "0123456789abcdef");
	link_send_error(s.link, &why);
	link_close(s.link);
	assert_int_equal(link_send(c.link, &m, &c.f), -1);
	assert_int_equal(c.f.code, COPY_REFUSED);
	assert_non_null(strstr(c.f.text, "not for you"));
	close_pair(&c, &s);
}

/* A recorded frame that is sent again is refused: TLS numbers its records. */
TEST(none, replay)
{
	struct copy_msg m = {.type = MSG_RETURN, .slot = 5};
	uint8_t frame[64];
	struct end c, s;
	struct copy_fault f = {0};
	ssize_t n;

	shake_both(&c, &s, "0123456789abcdef", "0123456789abcdef");
	assert_int_equal(link_send(c.link, &m, &f), 0);
	n = recv(s.link->fd, frame, sizeof(frame), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(send(c.link->fd, frame, (size_t)n, 0), n);
	assert_int_equal(link_expect(s.link, MSG_RETURN, &m, &s.f), 0);
	assert_int_equal(link_expect(s.link, MSG_RETURN, &m, &s.f), -1);
	assert_int_equal(s.f.code, COPY_AUTH);
	close_pair(&c, &s);
}

/* Two connections with one key have no bytes in common: the key exchange is ephemeral. */
TEST(none, nothing_repeats)
{
	struct copy_msg m = {.type = MSG_RETURN, .slot = 5};
	uint8_t frame[2][128] = {{0}};
	struct copy_fault f = {0};

	for (int i = 0; i < 2; i++) {
		struct end c, s;

		shake_both(&c, &s, "0123456789abcdef", "0123456789abcdef");
		assert_int_equal(link_send(c.link, &m, &f), 0);
		assert_in_range(recv(s.link->fd, frame[i], sizeof(frame[i]), 0), 30, 100);
		close_pair(&c, &s);
	}
	assert_memory_not_equal(frame[0] + 5, frame[1] + 5, 16);
}

/* A key file that is open to others, too short, missing, or a directory is refused. */
TEST(none, key_files)
{
	char name[] = "copy_link_key.XXXXXX";
	struct copy_fault f = {0};
	struct key k;
	int fd = mkstemp(name);

	assert_int_equal(write(fd, "0123456789abcdef\n", 17), 17);
	assert_int_equal(key_load(&k, name, &f), 0);
	assert_int_equal(k.n, 16);
	key_wipe(&k);
	assert_int_equal(k.n | k.bytes[0], 0);
	assert_int_equal(fchmod(fd, 0640), 0);
	assert_int_equal(key_load(&k, name, &f), -1);
	assert_non_null(strstr(f.text, "open to others"));
	assert_int_equal(fchmod(fd, 0600), 0);
	assert_int_equal(ftruncate(fd, 15), 0);
	f.code = 0;
	assert_int_equal(key_load(&k, name, &f), -1);
	assert_non_null(strstr(f.text, "15 bytes"));
	assert_int_equal(ftruncate(fd, 5000), 0);
	f.code = 0;
	assert_int_equal(key_load(&k, name, &f), -1);
	assert_int_equal(k.n, 0);
	close(fd);
	unlink(name);
	f.code = 0;
	assert_int_equal(key_load(&k, name, &f), -1);
	f.code = 0;
	assert_int_equal(key_load(&k, ".", &f), -1);
	assert_int_equal(f.code, COPY_AUTH);
}

/* Nothing follows a message that was sent in part: it would be taken for the rest. */
TEST(none, given_up_within_a_message)
{
	static const uint8_t bytes[4000];
	static volatile sig_atomic_t stop;
	struct copy_msg m = {
		.type = MSG_XATTR, .name = bytes_text("user.x"), .text = {bytes, 4000}};
	struct copy_fault f = {0}, heard = {0};
	struct end c, s;
	int got;

	shake_both(&c, &s, "0123456789abcdef", "0123456789abcdef");
	stop = 1;
	c.link->stop = &stop;
	while (!link_send(c.link, &m, &f))
		;
	assert_int_equal(f.code, COPY_INTERRUPTED);
	while ((got = link_take(s.link, &m, 0, &heard)) == 1)
		;
	assert_int_equal(got, 0);
	link_send_error(c.link, &f); /* there is room now */
	assert_int_equal(link_take(s.link, &m, 0, &heard), 0);
	if (heard.code)
		fail_msg("%s", heard.text);
	close_pair(&c, &s);
}

static volatile sig_atomic_t alarms, stop;

static void on_alarm(UNUSED int sig)
{
	stop = ++alarms >= 3;
}

/* Makes a listener whose queue is full, so that it does not answer. */
static int silent_listener(struct copy_target *t, int filler[4])
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(at);

	assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
	assert_int_equal(listen(fd, 0), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	for (int i = 0; i < 4; i++) {
		filler[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		connect(filler[i], (struct sockaddr *)&at, len);
	}
	strcpy(t->host, "127.0.0.1");
	snprintf(t->port, sizeof(t->port), "%u", ntohs(at.sin_port));
	return fd;
}

/* A signal ends the wait for a server only if it sets *stop. */
TEST(none, connecting_through_signals)
{
	const struct itimerval often = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
	struct sigaction act = {.sa_handler = on_alarm}, old;
	struct copy_target *t = calloc(1, sizeof(*t));
	struct copy_fault f = {0};
	int filler[4], fd = silent_listener(t, filler), got;

	sigaction(SIGALRM, &act, &old);
	setitimer(ITIMER_REAL, &often, NULL);
	got = net_connect(t, false, &stop, &f);
	setitimer(ITIMER_REAL, &off, NULL);
	sigaction(SIGALRM, &old, NULL);
	assert_int_equal(got, -1);
	if (alarms < 3)
		fail_msg("after %d signals: %s", (int)alarms, f.text);
	assert_int_equal(f.code, COPY_INTERRUPTED);
	for (int i = 0; i < 4; i++)
		close(filler[i]);
	close(fd);
	free(t);
}
