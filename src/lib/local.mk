# SPDX-License-Identifier: BSD-2-Clause
lib_LTLIBRARIES += src/lib/libdvx.la
src_lib_libdvx_la_SOURCES = \
	src/lib/ah.c src/lib/attr.c src/lib/attrs.h src/lib/caps.c src/lib/channel.c src/lib/clock.c src/lib/cmd.c src/lib/cq.c src/lib/cq_moderate.c src/lib/cq_queues.c src/lib/cq_resize.c src/lib/cq_unpack.c src/lib/cqe.c src/lib/crc32c.c src/lib/dbr.c src/lib/dct.c \
	src/lib/dev.c src/lib/error.c src/lib/events.c src/lib/gid.c src/lib/hot.c src/lib/mcast.c src/lib/mem.c src/lib/mkey.c \
	src/lib/mkey_list.c src/lib/mkey_verbs.c \
	src/lib/path.c src/lib/pd.c src/lib/poll.c src/lib/port.c src/lib/priv.h src/lib/qp.c src/lib/qp_adopt.c \
	src/lib/qp_attr.c src/lib/qp_blob.c src/lib/qp_local.c src/lib/qp_state.c src/lib/qp_type.c src/lib/rq.c src/lib/rss.c src/lib/rxq.c src/lib/rxq_drops.c src/lib/rxq_strides.c src/lib/share.c src/lib/sq.c \
	src/lib/srq.c \
	src/lib/ticket.c src/lib/tir.c src/lib/txq.c src/lib/uar.c \
	src/lib/umem.c src/lib/users.c
src_lib_libdvx_la_SOURCES += \
	src/lib/flow/action.c src/lib/flow/array.c src/lib/flow/aso.c src/lib/flow/aso.h \
	src/lib/flow/aso_queue.c src/lib/flow/aso_set.c src/lib/flow/backend.h src/lib/flow/blame.c src/lib/flow/bulk.c \
	src/lib/flow/cap.c src/lib/flow/change.c src/lib/flow/check.c src/lib/flow/counter.c \
	src/lib/flow/domain.c src/lib/flow/dr.c src/lib/flow/dr.h src/lib/flow/dr_errors.c src/lib/flow/dr_fdb.c src/lib/flow/field.c \
	src/lib/flow/match.c src/lib/flow/matcher.c src/lib/flow/modify.c src/lib/flow/priv.h src/lib/flow/range.c \
	src/lib/flow/rewrite.c src/lib/flow/rule.c src/lib/flow/sample.c \
	src/lib/flow/service_queue.c src/lib/flow/service_queue.h src/lib/flow/table.c src/lib/flow/vport.c
src_lib_libdvx_la_SOURCES += \
	src/lib/hws/action.c src/lib/hws/args.c src/lib/hws/domain.c src/lib/hws/dump.c src/lib/hws/fields.c src/lib/hws/fields.def src/lib/hws/forward.c src/lib/hws/hws.h \
	src/lib/hws/image.c src/lib/hws/key.c src/lib/hws/linear.c src/lib/hws/matcher.c src/lib/hws/object.c src/lib/hws/pool.c src/lib/hws/ranges.c src/lib/hws/root.c \
	src/lib/hws/rule.c src/lib/hws/rules.c src/lib/hws/stage.c src/lib/hws/stc.c src/lib/hws/tags.c src/lib/hws/vport.c
src_lib_libdvx_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src -I$(top_srcdir)
# A call inside the library stays inside it; the exported copies of the hot path (hot.c) inline each other.
src_lib_libdvx_la_CFLAGS = $(AM_CFLAGS) -fno-semantic-interposition $(IBVERBS_CFLAGS) $(MLX5_CFLAGS)
src_lib_libdvx_la_LIBADD = src/prm/libprmmatch.la $(MLX5_LIBS) $(IBVERBS_LIBS) -lnuma
src_lib_libdvx_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0 -no-undefined \
	-Wl,--version-script=$(top_srcdir)/src/lib/libdvx.map
src_lib_libdvx_la_DEPENDENCIES = src/prm/libprmmatch.la src/lib/libdvx.map
EXTRA_DIST += src/lib/libdvx.map
pkgconfig_DATA += src/lib/dvx.pc
dvxinclude_HEADERS += \
	include/dvx/aso.h include/dvx/atomic.h include/dvx/barrier.h include/dvx/channel.h include/dvx/clock.h include/dvx/cmd.h include/dvx/common.h include/dvx/connect.h include/dvx/cq.h include/dvx/cross.h \
	include/dvx/cqe.h include/dvx/dbr.h include/dvx/dc.h include/dvx/xrc.h include/dvx/dev.h include/dvx/dvx.h include/dvx/events.h \
	include/dvx/flow.h include/dvx/hws.h include/dvx/rules.h include/dvx/rxq.h include/dvx/txq.h \
	include/dvx/mem.h include/dvx/mkey.h include/dvx/pd.h include/dvx/poll.h include/dvx/post.h include/dvx/qp.h include/dvx/rq.h \
	include/dvx/sq.h include/dvx/srq.h include/dvx/ticket.h include/dvx/uar.h include/dvx/ud.h include/dvx/umem.h include/dvx/umr.h include/dvx/users.h include/dvx/wqe.h
dvxinclude_HEADERS += include/dvx/template.h include/dvx/umr_pool.h include/dvx/sig.h include/dvx/crypt.h
src_lib_libdvx_la_SOURCES += src/lib/template.c src/lib/umr_pool.c src/lib/sig.c src/lib/sig_post.c src/lib/crypt.c
