/*
 * request_json.h - a frozen request written down as JSON, for golden cases
 *
 * Owns: filling a wire struct by its field table: keys are the names of its fields, enums their texts, what
 * is left out is empty (numbers: PLM_UNSET for 'unset', else 0).
 */
#ifndef PLM_TESTS_REQUEST_JSON_H
#define PLM_TESTS_REQUEST_JSON_H

#include <cjson/cJSON.h>

#include "core/arena.h"
#include "core/wire.h"

/* A struct of 'type'; a key that it does not have fails the test. Texts borrow 'json'. Arena. */
const void *request_from_json(const struct plm_wire_type *type, const cJSON *json,
			      struct plm_arena *arena);

#endif
