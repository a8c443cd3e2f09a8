# SPDX-License-Identifier: BSD-2-Clause
# Recordings: the device, the preload of programs and dvx-sim have their format in common (doc/design/0104).
noinst_LTLIBRARIES += src/record/librecord.la
src_record_librecord_la_SOURCES = src/record/read.c src/record/record.h src/record/write.c
src_record_librecord_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden
