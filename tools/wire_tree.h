/*
 * wire_tree.h - an event as a tree
 *
 * Owns: the walk over a wire struct by its description (core/wire.h), so that a new event needs no line
 * here. Empty texts and lists, unset numbers and zeros are left out; lists of key and value, and of
 * resource and amount, become objects.
 */
#ifndef PLM_TOOLS_WIRE_TREE_H
#define PLM_TOOLS_WIRE_TREE_H

#include "engine/replay.h"
#include "tools/json.h"

struct plm_json *plm_wire_tree(struct plm_arena *arena, const struct plm_wire_type *type,
			       const void *value);
/* The whole event: envelope, object and payload (CLI.md, `log show`). Texts are copied. */
struct plm_json *plm_event_tree(struct plm_arena *arena, const struct plm_logged *event);

#endif
