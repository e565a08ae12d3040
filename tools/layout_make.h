/*
 * layout_make.h - how layouts are written down: one row per member of TYPE
 *
 * For the files that define layouts only; each sets TYPE around a list of members.
 */
#ifndef PLM_TOOLS_LAYOUT_MAKE_H
#define PLM_TOOLS_LAYOUT_MAKE_H

#include "tools/layout.h"

/* clang-format off */
#define AT(m, kind, part, names, table)                                                            \
	{#m, PLM_MEMBER_##kind, offsetof(TYPE, m), sizeof(((TYPE *)NULL)->m), part, names, table}
#define SKIP(m) AT(m, SKIP, NULL, NULL, PLM_TABLE_ROOT)
#define TEXT(m) AT(m, TEXT, NULL, NULL, PLM_TABLE_ROOT)
#define TEXTS(m) AT(m, TEXTS, NULL, NULL, PLM_TABLE_ROOT)
#define LIST(m, p) AT(m, LIST, &plm_layout_##p, NULL, PLM_TABLE_ROOT)
#define ONE(m, p) AT(m, ONE, &plm_layout_##p, NULL, PLM_TABLE_ROOT)
#define PART(m, p) AT(m, PART, &plm_layout_##p, NULL, PLM_TABLE_ROOT)
#define ENUM(m, n) AT(m, ENUM, NULL, &plm_names_##n, PLM_TABLE_ROOT)
#define OWN_ENUM(m, n) AT(m, ENUM, NULL, &n, PLM_TABLE_ROOT)
#define BOOL(m) AT(m, BOOL, NULL, NULL, PLM_TABLE_ROOT)
#define U32(m) AT(m, U32, NULL, NULL, PLM_TABLE_ROOT)
#define I32(m) AT(m, I32, NULL, NULL, PLM_TABLE_ROOT)
#define U64(m) AT(m, U64, NULL, NULL, PLM_TABLE_ROOT)
#define I64(m) AT(m, I64, NULL, NULL, PLM_TABLE_ROOT)
#define ID(m, t) AT(m, ID, NULL, NULL, PLM_TABLE_##t)

#define LAYOUT(visible, layout)                                                                    \
	visible const struct plm_layout plm_layout_##layout = {                                    \
		#layout, sizeof(TYPE), PLM_COUNTOF(layout##_members), layout##_members};
/* clang-format on */

#endif
