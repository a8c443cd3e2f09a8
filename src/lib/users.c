/* SPDX-License-Identifier: BSD-2-Clause */
/* Detects two threads on one ring, for programs that are compiled with -DDVX_DEBUG. */
#include <unistd.h>
#include "priv.h"

static const struct {
	const char *before, *behind; /* text around the number */
} users_words[] = {
	[DVX_USERS_SQ] = {"send ring", ""},
	[DVX_USERS_RQ] = {"the receive ring of", " entries"},
	[DVX_USERS_CQ] = {"CQ", ""},
	[DVX_USERS_REGISTER] = {"the doorbell register of send ring", ""},
	[DVX_USERS_SRQ] = {"SRQ", ""},
};

/* Returns the thread's id, which costs a system call only once. */
static uint32_t users_self(void)
{
	static _Thread_local uint32_t self;

	if (!self)
		self = (uint32_t)gettid();
	return self;
}

/* Sets *id to `self` if it is 0, atomically; returns *id. */
static uint32_t users_enter(uint32_t *id, uint32_t self)
{
	uint32_t was = 0;

	return __atomic_compare_exchange_n(id, &was, self, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_ACQUIRE)
		       ? self
		       : was;
}

bool dvx_users_foreign(struct dvx_users *users, enum dvx_users_of what, uint32_t number)
{
	uint32_t self = users_self(), owner, intruder;

	if (!users)
		return false;
	owner = users_enter(&users->owner, self);
	intruder = owner == self ? __atomic_load_n(&users->intruder, __ATOMIC_ACQUIRE)
				 : users_enter(&users->intruder, self);
	if (!intruder)
		return false;
	if (intruder == DVX_USERS_BATCH)
		dvx_fail(EUSERS,
			 "%s 0x%x%s: something was posted to it between dvx_sq_begin() and "
			 "dvx_sq_end() of a batch, and both wrote the same blocks",
			 users_words[what].before, number, users_words[what].behind);
	else
		dvx_fail(EUSERS,
			 "%s 0x%x%s is used by thread %u, and by thread %u that did not leave it "
			 "before "
			 "(dvx_sq_leave(3))",
			 users_words[what].before, number, users_words[what].behind, intruder,
			 owner);
	return true;
}

void dvx_users_leave(struct dvx_users *users)
{
	uint32_t self = users_self();

	if (users)
		__atomic_compare_exchange_n(&users->owner, &self, 0, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED);
}
