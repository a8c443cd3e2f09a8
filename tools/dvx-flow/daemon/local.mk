# SPDX-License-Identifier: BSD-2-Clause
# What holds the rules on the device.
tools_dvx_flow_dvx_flow_SOURCES += tools/dvx-flow/daemon/daemon.c \
	tools/dvx-flow/daemon/server.h tools/dvx-flow/daemon/server.c \
	tools/dvx-flow/daemon/answers.c tools/dvx-flow/daemon/edits.c \
	tools/dvx-flow/daemon/holder.h tools/dvx-flow/daemon/holder.c \
	tools/dvx-flow/daemon/holder_priv.h tools/dvx-flow/daemon/holder_edit.c tools/dvx-flow/daemon/apply.c \
	tools/dvx-flow/daemon/lock.c tools/dvx-flow/daemon/pause.h tools/dvx-flow/daemon/pause.c \
	tools/dvx-flow/daemon/service.h tools/dvx-flow/daemon/service.c \
	tools/dvx-flow/daemon/members.h tools/dvx-flow/daemon/members.c \
	tools/dvx-flow/daemon/state.h tools/dvx-flow/daemon/state.c \
	tools/dvx-flow/daemon/generation.h tools/dvx-flow/daemon/generation.c \
	tools/dvx-flow/daemon/generation_priv.h tools/dvx-flow/daemon/generation_table.c \
	tools/dvx-flow/daemon/generation_edit.h tools/dvx-flow/daemon/generation_edit.c \
	tools/dvx-flow/daemon/generation_fits.c tools/dvx-flow/daemon/rule_state.c \
	tools/dvx-flow/daemon/table.h tools/dvx-flow/daemon/codes.c tools/dvx-flow/daemon/overlay.c \
	tools/dvx-flow/daemon/flow_list.h tools/dvx-flow/daemon/flow_list.c \
	tools/dvx-flow/daemon/base_tables.h tools/dvx-flow/daemon/base_tables.c tools/dvx-flow/daemon/switch_base.c \
	tools/dvx-flow/daemon/changes.c tools/dvx-flow/daemon/spread.h tools/dvx-flow/daemon/spread.c \
	tools/dvx-flow/daemon/counters.c tools/dvx-flow/daemon/objects.h tools/dvx-flow/daemon/aso_bulk.c \
	tools/dvx-flow/daemon/limit.c tools/dvx-flow/daemon/option.c tools/dvx-flow/daemon/rule_object.c tools/dvx-flow/daemon/expire.c \
	tools/dvx-flow/daemon/locate.c \
	tools/dvx-flow/daemon/track/track.h tools/dvx-flow/daemon/track/track_priv.h tools/dvx-flow/daemon/track/track.c \
	tools/dvx-flow/daemon/track/track_packet.c tools/dvx-flow/daemon/track/track_connections.c tools/dvx-flow/daemon/track/track_queue.c \
	tools/dvx-flow/daemon/fill.c \
	tools/dvx-flow/daemon/pump.h tools/dvx-flow/daemon/pump.c \
	tools/dvx-flow/daemon/capture.h tools/dvx-flow/daemon/capture.c
