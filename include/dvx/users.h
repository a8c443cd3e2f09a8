/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_USERS_H
#define DVX_USERS_H

#include <dvx/common.h>

DVX_BEGIN_DECLS

/*
 * Rings and BlueFlame registers are for one thread at a time, and nothing locks them. In a program
 * that is compiled with -DDVX_DEBUG, the first thread that uses a ring owns it, until it leaves it:
 * dvx_sq_leave(), dvx_rq_leave(),
 * dvx_srq_leave(), dvx_cq_leave(). When another one comes, posts and polls of both
 * return -EUSERS from then on, and dvx_strerror() names the ring and the threads (dvx_sq_leave(3)).
 * So they do when something was posted beside a batch.
 * Without DVX_DEBUG there is no check, and no instruction for it.
 */
struct dvx_users {
	uint32_t owner;	   /* thread id, gettid(); 0: nobody */
	uint32_t intruder; /* who came beside it; 0: nobody */
};

/* The intruder is a post beside a batch (dvx_sq_begin()). No thread has this id. */
#define DVX_USERS_BATCH UINT32_MAX

enum dvx_users_of { DVX_USERS_SQ, DVX_USERS_RQ, DVX_USERS_CQ, DVX_USERS_REGISTER, DVX_USERS_SRQ };

/*
 * Whether another thread uses it, too; then the error says so, with the object's number (of a
 * receive ring, its entries). Else it is this thread's from now on. NULL: any thread may use it.
 */
bool dvx_users_foreign(struct dvx_users *users, enum dvx_users_of what, uint32_t number);
/* It is nobody's, if it was this thread's. */
void dvx_users_leave(struct dvx_users *users);

#ifdef DVX_DEBUG
#define DVX_FOREIGN(users, what, number) dvx_users_foreign(users, what, number)
#define DVX_LEAVE(users)		 dvx_users_leave(users)
#else
#define DVX_FOREIGN(users, what, number) ((void)(users), false)
#define DVX_LEAVE(users)		 ((void)(users))
#endif

DVX_END_DECLS

#endif
