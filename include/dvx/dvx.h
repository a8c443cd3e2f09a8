/* SPDX-License-Identifier: BSD-2-Clause */
/* Includes all of libdvx. Start reading at post.h and sq.h: the library's core are its rings. */
#ifndef DVX_DVX_H
#define DVX_DVX_H

#include <dvx/aso.h>
#include <dvx/atomic.h>
#include <dvx/channel.h>
#include <dvx/clock.h>
#include <dvx/cmd.h>
#include <dvx/connect.h>
#include <dvx/cq.h>
#include <dvx/cross.h>
#include <dvx/crypt.h>
#include <dvx/dbr.h>
#include <dvx/dc.h>
#include <dvx/dev.h>
#include <dvx/events.h>
#include <dvx/flow.h>
#include <dvx/hws.h>
#include <dvx/mem.h>
#include <dvx/mkey.h>
#include <dvx/pd.h>
#include <dvx/poll.h>
#include <dvx/post.h>
#include <dvx/qp.h>
#include <dvx/rq.h>
#include <dvx/rules.h>
#include <dvx/rxq.h>
#include <dvx/sig.h>
#include <dvx/sq.h>
#include <dvx/srq.h>
#include <dvx/template.h>
#include <dvx/txq.h>
#include <dvx/uar.h>
#include <dvx/ud.h>
#include <dvx/umem.h>
#include <dvx/umr.h>
#include <dvx/umr_pool.h>
#include <dvx/users.h>
#include <dvx/xrc.h>

#endif
