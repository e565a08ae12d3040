/*
 * wire.h - how a struct of an event is described, once
 *
 * A wire struct holds borrowed texts, int64 numbers, enums and arrays of other wire structs, and is what
 * adapters fill, reducers emit and apply() reads. Its one description (a field table made by the same
 * X-macro that declares the struct) drives the encoder, the decoder, the JSON form of `log show` and
 * the schema page. On the log a struct is a positional msgpack array of its fields, in this order.
 *
 * Evolution: a schema number of an event type fixes the field list. A field may be added at the end of
 * a struct only together with a new schema number and an upcaster (codec/upcast.h).
 */
#ifndef PLM_CORE_WIRE_H
#define PLM_CORE_WIRE_H

#include "core/slice.h"
#include "core/units.h"

enum plm_wire_kind {
	PLM_WIRE_TEXT,	 /* struct plm_slice, UTF-8 */
	PLM_WIRE_BYTES,	 /* struct plm_slice, any bytes */
	PLM_WIRE_INT,	 /* int64_t; PLM_UNSET is nil on the wire */
	PLM_WIRE_ENUM,	 /* int64_t, a value of 'names' */
	PLM_WIRE_TEXTS,	 /* struct plm_vec of struct plm_slice */
	PLM_WIRE_STRUCT, /* embedded struct of 'type' */
	PLM_WIRE_LIST,	 /* struct plm_vec of 'type' */
};

/* The upstream spelling of each value of an enum, by value. */
struct plm_wire_names {
	const char *name;
	const char *const *texts;
	uint32_t count;
};

struct plm_wire_type;

struct plm_wire_field {
	const char *name;
	enum plm_wire_kind kind;
	uint32_t offset;
	const struct plm_wire_type *type;   /* STRUCT, LIST */
	const struct plm_wire_names *names; /* ENUM */
};

struct plm_wire_type {
	const char *name;
	uint32_t size; /* bytes of the C struct */
	uint32_t field_count;
	const struct plm_wire_field *fields;
};

/* Field kinds of the X-macro lists below and in event.h; each list is F_FIELDS(S, Y, I, E, T, R, L). */
#define PLM_W_DECLARE_S(name) struct plm_slice name;
#define PLM_W_DECLARE_Y(name) struct plm_slice name;
#define PLM_W_DECLARE_I(name) int64_t name;
#define PLM_W_DECLARE_E(name, names) int64_t name;
#define PLM_W_DECLARE_T(name) struct plm_vec name;
#define PLM_W_DECLARE_R(name, type) struct plm_w_##type name;
#define PLM_W_DECLARE_L(name, type) struct plm_vec name;

/* Declare struct plm_w_<type> from PLM_<..>_FIELDS and its description plm_type_<type>. */
#define PLM_W_STRUCT(type, FIELDS)                                                                 \
	struct plm_w_##type {                                                                      \
		FIELDS(PLM_W_DECLARE_S, PLM_W_DECLARE_Y, PLM_W_DECLARE_I, PLM_W_DECLARE_E,         \
		       PLM_W_DECLARE_T, PLM_W_DECLARE_R, PLM_W_DECLARE_L)                          \
	};                                                                                         \
	extern const struct plm_wire_type plm_type_##type;

/* Declare enum plm_<name> from LIST(X), X(VALUE, "text"), and its names plm_names_<name>. */
#define PLM_W_ENUM_VALUE(value, text) PLM_##value,
#define PLM_W_ENUM(name, LIST)                                                                     \
	enum plm_##name{LIST(PLM_W_ENUM_VALUE)};                                                   \
	extern const struct plm_wire_names plm_names_##name;

/* The value of 'text' among 'names', or -1. */
int64_t plm_names_find(const struct plm_wire_names *names, struct plm_slice text);
/* The text of 'value'; a value outside the names is a bug. */
const char *plm_names_text(const struct plm_wire_names *names, int64_t value);

#endif
