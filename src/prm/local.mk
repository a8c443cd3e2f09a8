# SPDX-License-Identifier: BSD-2-Clause
noinst_LTLIBRARIES += src/prm/libprm.la
src_prm_libprm_la_SOURCES = src/prm/reflect.c src/prm/reflect.h src/prm/rows.h
nodist_src_prm_libprm_la_SOURCES = src/prm/rows.c
