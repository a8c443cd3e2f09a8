/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that /dev/infiniband/rdma_cm acts as the kernel's character device: poll, dup, fcntl,
 * signals, threads, fork and close of its descriptor, and bad writes.
 */
#include "tests/test.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_user_cm.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#define CDEV "/dev/infiniband/rdma_cm"

struct command {
	struct rdma_ucm_cmd_hdr h;
	uint8_t in[320];
};

static ssize_t put(int fd, uint32_t cmd, const void *in, size_t len, size_t out)
{
	struct command c = {.h = {cmd, (uint16_t)len, (uint16_t)out}};

	memcpy(c.in, in, len);
	return write(fd, &c, sizeof(c.h) + len) == (ssize_t)(sizeof(c.h) + len) ? 0 : -errno;
}

static ssize_t create(int fd, void *response, uint32_t *id)
{
	struct rdma_ucm_create_id_resp r = {0};
	struct rdma_ucm_create_id c = {.uid = 1, .ps = RDMA_PS_TCP};
	ssize_t err;

	c.response = (uintptr_t)(response ? response : &r);
	err = put(fd, RDMA_USER_CM_CMD_CREATE_ID, &c, sizeof(c), sizeof(r));
	*id = r.id;
	return err;
}

static ssize_t resolve(int fd, uint32_t id)
{
	struct rdma_ucm_resolve_ip c = {.id = id, .timeout_ms = 1000};
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(7), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

	memcpy(&c.dst_addr, &to, sizeof(to));
	return put(fd, RDMA_USER_CM_CMD_RESOLVE_IP, &c, sizeof(c), 0);
}

static ssize_t get_event(int fd, void *to)
{
	struct rdma_ucm_get_event c = {.response = (uintptr_t)to};

	return put(fd, RDMA_USER_CM_CMD_GET_EVENT, &c, sizeof(c), sizeof(struct rdma_ucm_event_resp));
}

static bool readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1 && p.revents == POLLIN;
}

static int opened(void)
{
	int fd = open(CDEV, O_RDWR | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

TEST(none, character_device)
{
	struct stat by_name, by_fd;
	int fd = opened(), on = 1;

	assert_int_equal(stat(CDEV, &by_name), 0);
	assert_int_equal(fstat(fd, &by_fd), 0);
	assert_true(S_ISCHR(by_name.st_mode) && S_ISCHR(by_fd.st_mode));
	assert_int_equal(by_name.st_rdev, by_fd.st_rdev);
	assert_int_equal(ioctl(fd, 1, NULL), -1);
	assert_int_equal(errno, ENOTTY);
	assert_ptr_equal(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0), MAP_FAILED);
	assert_int_equal(errno, ENODEV);
	assert_int_equal(ioctl(fd, FIONBIO, &on), 0);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	close(fd);
}

static void *volatile nowhere = (void *)16;

/* After any write, a program gets the kernel's errno and stays alive. */
TEST(none, bad_writes)
{
	struct command c = {.h = {RDMA_USER_CM_CMD_CREATE_ID, 24, 4}};
	int fd = opened();
	uint32_t id;

	assert_int_equal(write(fd, &c, 7), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(write(fd, &c, 8 + 23), -1);
	assert_int_equal(errno, EINVAL);
	c.h.cmd = 1000;
	assert_int_equal(write(fd, &c, 8 + 24), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(write(fd, nowhere, 8), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(create(fd, nowhere, &id), -EFAULT);
	assert_int_equal(create(fd, NULL, &id), 0);
	assert_int_equal(id, 0); /* the previous test left none */
	assert_int_equal(put(fd, RDMA_USER_CM_CMD_GET_OPTION, "", 0, 0), -ENOSYS);
	close(fd);
}

/* An event that could not be delivered is not lost. */
TEST(none, events)
{
	struct rdma_ucm_event_resp e;
	int fd = opened(), twin;
	uint32_t id;

	assert_int_equal(create(fd, NULL, &id), 0);
	assert_false(readable(fd));
	assert_int_equal(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK), 0);
	assert_int_equal(get_event(fd, &e), -EAGAIN);
	assert_int_equal(resolve(fd, id), 0);
	assert_true(readable(fd));
	twin = dup(fd);
	close(fd);
	assert_true(readable(twin));
	assert_int_equal(get_event(twin, nowhere), -EFAULT);
	assert_true(readable(twin));
	assert_int_equal(get_event(twin, &e), 0);
	assert_int_equal(e.uid, 1);
	assert_false(readable(twin));
	close(twin);
}

/* A program without a free descriptor can read its events. */
TEST(none, no_descriptor)
{
	struct rdma_ucm_event_resp e;
	struct rlimit old, few;
	int fd = opened(), lowest;
	uint32_t id;

	assert_int_equal(create(fd, NULL, &id), 0);
	assert_int_equal(resolve(fd, id), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	lowest = dup(fd);
	close(lowest);
	few = (struct rlimit){(rlim_t)lowest, old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(get_event(fd, &e), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	close(fd);
}

TEST(none, migration)
{
	int a = opened(), b = opened(), none = open("/dev/null", O_RDONLY);
	struct rdma_ucm_event_resp e;
	struct rdma_ucm_migrate_resp r;
	struct rdma_ucm_migrate_id c = {.response = (uintptr_t)&r};

	assert_int_equal(create(a, NULL, &c.id), 0);
	assert_int_equal(resolve(a, c.id), 0);
	c.fd = 4000;
	assert_int_equal(put(b, RDMA_USER_CM_CMD_MIGRATE_ID, &c, sizeof(c), sizeof(r)), -ENOENT);
	c.fd = (uint32_t)none;
	assert_int_equal(put(b, RDMA_USER_CM_CMD_MIGRATE_ID, &c, sizeof(c), sizeof(r)), -EINVAL);
	c.fd = (uint32_t)a;
	assert_int_equal(put(b, RDMA_USER_CM_CMD_MIGRATE_ID, &c, sizeof(c), sizeof(r)), 0);
	assert_int_equal(r.events_reported, 0);
	assert_false(readable(a));
	assert_int_equal(get_event(b, &e), 0);
	assert_int_equal(resolve(a, c.id), -EINVAL);
	close(a);
	close(b);
	close(none);
}

/* --- a write() that waits --------------------------------------------------------------------- */

#define FRAMES_BYTES 0x10000u /* more than a call's frames need */

struct waiter {
	int fd;
	ssize_t err;
	struct rdma_ucm_event_resp e;
};

static void *wait_for_event(void *arg)
{
	struct waiter *w = arg;

	w->err = get_event(w->fd, &w->e);
	return NULL;
}

/* Waits until the thread sleeps in recv(). It may have slept elsewhere before, in a request. */
static void until_in_recv(pid_t tid)
{
	long call = -1;
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	while (call != SYS_recvfrom) {
		f = fopen(path, "re");
		assert_non_null(f);
		if (fscanf(f, "%ld", &call) != 1) /* "running" */
			call = -1;
		fclose(f);
	}
}

/*
 * Unpoisons the frames of a cancelled call, from which nothing returns: ASan would report the end
 * of the thread, which runs there.
 */
static void frames_forget(void *arg)
{
	(void)arg;
#ifdef __SANITIZE_ADDRESS__
	__asan_unpoison_memory_region((char *)__builtin_frame_address(0) - FRAMES_BYTES,
				      FRAMES_BYTES);
#endif
}

static void *announce_and_wait(void *arg)
{
	struct waiter *w = arg;

	pthread_cleanup_push(frames_forget, NULL);
	__atomic_store_n(&w->e.id, (uint32_t)gettid(), __ATOMIC_RELEASE);
	wait_for_event(arg);
	pthread_cleanup_pop(0);
	return NULL;
}

static pthread_t start_waiter(struct waiter *w)
{
	pthread_t t;
	uint32_t tid;

	assert_int_equal(pthread_create(&t, NULL, announce_and_wait, w), 0);
	while (!(tid = __atomic_load_n(&w->e.id, __ATOMIC_ACQUIRE)))
		sched_yield();
	until_in_recv((pid_t)tid);
	return t;
}

TEST(none, waits)
{
	struct waiter w = {.fd = opened()};
	uint32_t id;
	pthread_t t;

	assert_int_equal(create(w.fd, NULL, &id), 0);
	t = start_waiter(&w);
	assert_int_equal(resolve(w.fd, id), 0);
	pthread_join(t, NULL);
	assert_int_equal(w.err, 0);
	assert_int_equal(w.e.uid, 1);
	close(w.fd);
}

/* Ends like rping: the channel is closed while a thread waits in it, and that is cancelled. */
TEST(none, closed_while_waiting)
{
	struct waiter w = {.fd = opened(), .err = 77};
	pthread_t t = start_waiter(&w);
	void *end;

	close(w.fd);
	assert_int_equal(pthread_tryjoin_np(t, NULL), EBUSY);
	assert_int_equal(pthread_cancel(t), 0);
	assert_int_equal(pthread_join(t, &end), 0);
	assert_ptr_equal(end, PTHREAD_CANCELED);
	assert_int_equal(w.err, 77);
}

/* A close at any moment of the call: the call finds the descriptor closed, or keeps waiting. */
TEST(none, closed_at_any_moment)
{
	for (int i = 0; i < 300; i++) {
		struct waiter w = {.fd = opened(), .err = 77};
		pthread_t t;

		assert_int_equal(pthread_create(&t, NULL, announce_and_wait, &w), 0);
		while (!__atomic_load_n(&w.e.id, __ATOMIC_ACQUIRE))
			;
		for (int spin = 0; spin < i * 100; spin++)
			__asm__ volatile("");
		close(w.fd);
		pthread_cancel(t);
		assert_int_equal(pthread_join(t, NULL), 0);
		if (w.err != 77)
			assert_int_equal(w.err, -EBADF);
	}
}

static void *cancelled_waiter(void *arg)
{
	pthread_cleanup_push(frames_forget, NULL);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_cancel(pthread_self());
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	wait_for_event(arg);
	pthread_cleanup_pop(0);
	return NULL;
}

/* A cancellation that comes with an event does not keep the file open. */
TEST(none, cancelled_with_an_event)
{
	struct waiter w = {.fd = opened(), .err = 77};
	uint32_t id, next;
	pthread_t t;

	assert_int_equal(create(w.fd, NULL, &id), 0);
	assert_int_equal(resolve(w.fd, id), 0);
	assert_int_equal(pthread_create(&t, NULL, cancelled_waiter, &w), 0);
	assert_int_equal(pthread_join(t, NULL), 0);
	assert_int_equal(w.err, 0);
	close(w.fd);
	assert_int_equal(opened(), w.fd);
	assert_int_equal(create(w.fd, NULL, &next), 0);
	assert_int_equal(next, id);
	close(w.fd);
}

static void nothing(int sig)
{
	(void)sig;
}

TEST(none, signals)
{
	struct sigaction act = {.sa_handler = nothing};
	struct waiter w = {.fd = opened()};
	pthread_t t;

	sigaction(SIGUSR1, &act, NULL);
	t = start_waiter(&w);
	pthread_kill(t, SIGUSR1);
	pthread_join(t, NULL);
	assert_int_equal(w.err, -EINTR);
	close(w.fd);
}

TEST(none, forked)
{
	int fd = opened(), status;
	uint32_t id;
	pid_t pid = fork();

	if (!pid)
		_exit(create(fd, NULL, &id) == -EIO ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(create(fd, NULL, &id), 0);
	close(fd);
}

/* --- both ends -------------------------------------------------------------------------------- */

TEST(none, connection)
{
	struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(7)};
	struct rdma_ucm_bind_ip bind = {0};
	struct rdma_ucm_listen listen = {0};
	struct rdma_ucm_resolve_route route = {.timeout_ms = 1};
	struct rdma_ucm_connect connect = {.conn_param = {.valid = 1, .qp_num = 5}};
	struct rdma_ucm_reject reject = {0};
	struct rdma_ucm_event_resp e;
	int server = opened(), client = opened();

	any.sin_port = htons(7007);
	memcpy(&bind.addr, &any, sizeof(any));
	assert_int_equal(create(server, NULL, &bind.id), 0);
	assert_int_equal(put(server, RDMA_USER_CM_CMD_BIND_IP, &bind, sizeof(bind), 0), 0);
	listen.id = bind.id;
	assert_int_equal(put(server, RDMA_USER_CM_CMD_LISTEN, &listen, sizeof(listen), 0), 0);
	assert_int_equal(create(client, NULL, &route.id), 0);
	{
		struct rdma_ucm_resolve_ip c = {.id = route.id, .timeout_ms = 1000};

		any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		memcpy(&c.dst_addr, &any, sizeof(any));
		assert_int_equal(put(client, RDMA_USER_CM_CMD_RESOLVE_IP, &c, sizeof(c), 0), 0);
	}
	assert_int_equal(put(client, RDMA_USER_CM_CMD_RESOLVE_ROUTE, &route, sizeof(route), 0), 0);
	connect.id = route.id;
	assert_int_equal(put(client, RDMA_USER_CM_CMD_CONNECT, &connect, sizeof(connect), 0), 0);
	assert_int_equal(get_event(server, &e), 0); /* it waits for the message */
	assert_int_equal(e.event, 4);
	assert_int_equal(e.param.conn.qp_num, 5);
	reject.id = e.id;
	assert_int_equal(put(server, RDMA_USER_CM_CMD_REJECT, &reject, sizeof(reject), 0), 0);
	assert_int_equal(get_event(client, &e), 0);
	assert_int_equal(get_event(client, &e), 0);
	assert_int_equal(get_event(client, &e), 0);
	assert_int_equal(e.event, 8);
	assert_int_equal(e.status, 28);
	close(server);
	close(client);
}
