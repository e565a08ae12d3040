/*
 * wire_table.h - the field table of a wire struct, from the list that declared it
 *
 * Included by the one file that defines a plm_type_<type> or plm_names_<name>: wire.h declares them. Offsets are
 * taken from the struct that the same list made; TYPE names it while the list is used:
 *
 *	#define TYPE struct plm_w_mark
 *	DEFINE_TYPE(mark, PLM_MARK_FIELDS)
 *	#undef TYPE
 */
#ifndef PLM_CORE_WIRE_TABLE_H
#define PLM_CORE_WIRE_TABLE_H

#include "core/wire.h"

#define ROW_S(n) {#n, PLM_WIRE_TEXT, offsetof(TYPE, n), NULL, NULL},
#define ROW_Y(n) {#n, PLM_WIRE_BYTES, offsetof(TYPE, n), NULL, NULL},
#define ROW_I(n) {#n, PLM_WIRE_INT, offsetof(TYPE, n), NULL, NULL},
#define ROW_E(n, e) {#n, PLM_WIRE_ENUM, offsetof(TYPE, n), NULL, &plm_names_##e},
#define ROW_T(n) {#n, PLM_WIRE_TEXTS, offsetof(TYPE, n), NULL, NULL},
#define ROW_R(n, t) {#n, PLM_WIRE_STRUCT, offsetof(TYPE, n), &plm_type_##t, NULL},
#define ROW_L(n, t) {#n, PLM_WIRE_LIST, offsetof(TYPE, n), &plm_type_##t, NULL},

#define DEFINE_TYPE(type, FIELDS)                                                                  \
	static const struct plm_wire_field type##_fields[] = {                                     \
		FIELDS(ROW_S, ROW_Y, ROW_I, ROW_E, ROW_T, ROW_R, ROW_L)};                          \
	const struct plm_wire_type plm_type_##type = {#type, sizeof(struct plm_w_##type),          \
						      PLM_COUNTOF(type##_fields), type##_fields};

#endif
