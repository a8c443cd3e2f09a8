/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef DVX_USERS_H
#define DVX_USERS_H

#include <dvx/common.h>

DVX_BEGIN_DECLS

/*
 * Rings and BlueFlame registers are for one thread at a time, and have no locks. In a program that
 * is compiled with -DDVX_DEBUG, the first thread that uses a ring owns it until it calls
 * dvx_sq_leave(), dvx_rq_leave(), dvx_srq_leave() or dvx_cq_leave(). If a second thread uses the
 * ring meanwhile, posts and polls of both threads return -EUSERS from then on, and dvx_strerror()
 * names the ring and the threads (dvx_sq_leave(3)). They also do after a post to a ring during a
 * batch (dvx_sq_begin()). Without DVX_DEBUG there is no check, and no instruction for it.
 */
struct dvx_users {
	uint32_t owner;	   /* thread id, gettid(); 0: none */
	uint32_t intruder; /* id of the second thread, or DVX_USERS_BATCH; 0: none */
};

/* The intruder if a post was made during a batch (dvx_sq_begin()). No thread has this id. */
#define DVX_USERS_BATCH UINT32_MAX

enum dvx_users_of { DVX_USERS_SQ, DVX_USERS_RQ, DVX_USERS_CQ, DVX_USERS_REGISTER, DVX_USERS_SRQ };

/*
 * Returns true if another thread uses the object, too; then dvx_last_error() names the object by
 * `number` (a receive ring by its entries). Else the calling thread owns it from now on. NULL: any
 * thread may use the object.
 */
bool dvx_users_foreign(struct dvx_users *users, enum dvx_users_of what, uint32_t number);
/* Ends the calling thread's ownership, if it is the owner. */
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
