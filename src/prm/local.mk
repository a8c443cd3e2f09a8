# SPDX-License-Identifier: BSD-2-Clause
# libtool puts a whole convenience library into a shared one: libdvx, which only names numbers and
# match fields, takes small ones.
noinst_LTLIBRARIES += src/prm/libprm.la src/prm/libprmnames.la src/prm/libprmmatch.la
src_prm_libprmnames_la_SOURCES = src/prm/names.c src/prm/reflect.h src/prm/rows.h
nodist_src_prm_libprmnames_la_SOURCES = src/prm/enums.c
src_prm_libprm_la_SOURCES = src/prm/command.c src/prm/reflect.c src/prm/reflect.h src/prm/rows.h
nodist_src_prm_libprm_la_SOURCES = src/prm/rows.c
src_prm_libprm_la_LIBADD = src/prm/libprmnames.la
src_prm_libprmmatch_la_SOURCES = src/prm/reflect.c src/prm/reflect.h src/prm/rows.h
nodist_src_prm_libprmmatch_la_SOURCES = src/prm/match.c
src_prm_libprmmatch_la_LIBADD = src/prm/libprmnames.la
