/*
 * layout.h - every byte of every slot of state, described
 *
 * Owns: for each table of core/tables.h and each part of core/parts.h the list of its members: name,
 * meaning, place. `state`, `describe` and `diff` walk it, so a new member is one row here, and
 * tests/unit/tools/test_layout.c fails while a byte is left undescribed.
 */
#ifndef PLM_TOOLS_LAYOUT_H
#define PLM_TOOLS_LAYOUT_H

#include "core/state.h"

enum plm_member_kind {
	PLM_MEMBER_SKIP,  /* 'used', padding, links that mean nothing outside */
	PLM_MEMBER_TEXT,  /* plm_sym: a string */
	PLM_MEMBER_TEXTS, /* plm_sym: a span of plm_sym */
	PLM_MEMBER_LIST,  /* plm_sym: a span of 'part' */
	PLM_MEMBER_ONE,	  /* plm_sym: a span of one 'part' */
	PLM_MEMBER_PART,  /* embedded 'part' */
	PLM_MEMBER_ENUM,  /* uint32_t, a value of 'names' */
	PLM_MEMBER_BOOL,  /* uint32_t */
	PLM_MEMBER_U32,
	PLM_MEMBER_I32,
	PLM_MEMBER_U64,
	PLM_MEMBER_I64, /* instants, durations and amounts by name: spell.h */
	PLM_MEMBER_ID,	/* plm_id of an object in 'table' */
};

struct plm_layout;

struct plm_member {
	const char *name;
	enum plm_member_kind kind;
	uint32_t offset, size;
	const struct plm_layout *part;
	const struct plm_wire_names *names;
	enum plm_table table;
};

struct plm_layout {
	const char *name; /* of the C struct */
	uint32_t size;
	uint32_t count;
	const struct plm_member *members;
};

const struct plm_layout *plm_table_layout(enum plm_table table);
/* All parts and tables, for the test; NULL after the last. */
const struct plm_layout *plm_layout_next(const struct plm_layout *layout);

extern const struct plm_layout plm_layout_kv;
extern const struct plm_layout plm_layout_amount;
extern const struct plm_layout plm_layout_object;
extern const struct plm_layout plm_layout_expr;
extern const struct plm_layout plm_layout_node_class;

/* The value of a numeric member ('BOOL', 'U32', ... 'I64') of the slot or part at 'base'. */
int64_t plm_member_number(const struct plm_member *member, const void *base);
/* The symbol of a member that is one. */
plm_sym plm_member_sym(const struct plm_member *member, const void *base);

#endif
