/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_KERNEL_EVENTS_RIG_H
#define TESTS_KERNEL_EVENTS_RIG_H

/* Events, and a program that reads them at the worst moment: needs --wrap=read,--wrap=__read_chk. */
#include <unistd.h>
#include <dvx/prm/eqe.h>
#include "kernel_fixture.h"
#include "kernel/core/channel.h"

/* The program. It reads reader.fd right after the chip has taken back the first packet. */
static struct {
	int fd; /* 0: does not read */
	uint64_t words[2];
} reader;

ssize_t __real_read(int fd, void *buf, size_t n);
ssize_t __wrap_read(int fd, void *buf, size_t n);
ssize_t __wrap___read_chk(int fd, void *buf, size_t n, size_t room);

ssize_t __wrap_read(int fd, void *buf, size_t n)
{
	ssize_t got = __real_read(fd, buf, n);
	int program = reader.fd;

	reader.fd = 0;
	if (program)
		assert_true(__real_read(program, reader.words, sizeof(reader.words)) > 0);
	return got;
}

ssize_t __wrap___read_chk(int fd, void *buf, size_t n, size_t room)
{
	(void)room;
	return __wrap_read(fd, buf, n);
}

static inline void fire(struct fx *f, uint8_t type, uint32_t number)
{
	uint8_t eqe[PRM_EQE_BYTES] = {0};

	prm_eqe_set_type(eqe, type);
	if (type == PRM_EVENT_CQ_ERROR)
		prm_eqe_set_cq_err_cqn(eqe, number);
	else
		prm_eqe_set_cqn(eqe, number); /* same field as a QP's number */
	kernel_event(f->k, f->v, 0, eqe);
}

static inline void assert_empty(int fd)
{
	char c;

	assert_int_equal(read(fd, &c, 1), -1);
	assert_int_equal(errno, EAGAIN);
}

#endif
