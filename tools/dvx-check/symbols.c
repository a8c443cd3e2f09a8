/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions and lines from symbol tables and DWARF, by libdw of elfutils. */
#include "dvx-check.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *no_debug_path;
static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
					 .find_debuginfo = dwfl_standard_find_debuginfo,
					 .section_address = dwfl_offline_section_address,
					 .debuginfo_path = &no_debug_path};

/* An inline function of verbs, or of librdmacm over it. */
static bool symbol_is_verbs(const char *file)
{
	return file && (strstr(file, "/infiniband/") || strstr(file, "/rdma/"));
}

/* The place where an inline function is called. */
static void symbol_call_site(Dwarf_Die *unit, Dwarf_Die *call, struct symbol *s)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word file = 0, line = 0;
	const char *name;

	if (dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attr), &file) ||
	    dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &attr), &line) ||
	    dwarf_getsrcfiles(unit, &files, NULL))
		return;
	name = dwarf_filesrc(files, file, NULL, NULL);
	snprintf(s->file, sizeof(s->file), "%s", name ? name : "");
	s->line = (int)line;
}

/*
 * Finds the function around an address. While it is verbs' and inlined, the place is where it is
 * called.
 */
static void symbol_scopes(Dwarf_Die *unit, Dwarf_Addr at, struct symbol *s)
{
	Dwarf_Die *inner = NULL, *scopes = NULL;
	const int n =
		dwarf_getscopes(unit, at, &inner) > 0 ? dwarf_getscopes_die(inner, &scopes) : 0;

	for (int i = 0; i < n; i++) {
		const int tag = dwarf_tag(&scopes[i]);
		const bool inlined = tag == DW_TAG_inlined_subroutine;
		const char *name;

		if (!inlined && tag != DW_TAG_subprogram)
			continue;
		s->verbs = symbol_is_verbs(dwarf_decl_file(&scopes[i]));
		name = dwarf_diename(&scopes[i]);
		snprintf(s->function, sizeof(s->function), "%s", name ? name : "");
		if (!s->verbs || !inlined)
			break;
		symbol_call_site(unit, &scopes[i], s);
	}
	free(inner);
	free(scopes);
}

static void symbol_of_module(Dwfl_Module *m, Dwarf_Addr at, struct symbol *s)
{
	Dwfl_Line *line = dwfl_module_getsrc(m, at);
	const char *name = dwfl_module_addrname(m, at), *file;
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = dwfl_module_addrdie(m, at, &bias);

	snprintf(s->function, sizeof(s->function), "%s", name ? name : "");
	file = line ? dwfl_lineinfo(line, NULL, &s->line, NULL, NULL, NULL) : NULL;
	snprintf(s->file, sizeof(s->file), "%s", file ? file : "");
	if (unit)
		symbol_scopes(unit, at - bias, s);
}

/* The address is that of a return: the call is before it. */
void symbol_find(const char *module, uint64_t offset, struct symbol *s)
{
	Dwfl *dwfl = dwfl_begin(&callbacks);
	Dwfl_Module *m;
	GElf_Addr bias;

	*s = (struct symbol){.line = 0};
	if (!dwfl)
		return;
	m = dwfl_report_offline(dwfl, module, module, -1);
	dwfl_report_end(dwfl, NULL, NULL);
	if (m && dwfl_module_getelf(m, &bias))
		symbol_of_module(m, offset - 1 + bias, s);
	dwfl_end(dwfl);
}

#else
/* Places are files and offsets, as addr2line takes them. */
void symbol_find(const char *module, uint64_t offset, struct symbol *s)
{
	(void)module, (void)offset;
	*s = (struct symbol){.line = 0};
}
#endif
