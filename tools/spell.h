/*
 * spell.h - how a field of an event or of state is spelled for people and scripts
 *
 * Owns: the key ("created_ms" is "createdAt", "grace_ms" is "grace") and the value: instants as RFC 3339,
 * durations as Go writes them, amounts as Kubernetes quantities. Both the tree of an event (wire_tree.h)
 * and the tree of the state (state_tree.h) take it from here, so that `log show`, `state`, `describe` and
 * `diff` speak alike.
 */
#ifndef PLM_TOOLS_SPELL_H
#define PLM_TOOLS_SPELL_H

#include "tools/json.h"

enum plm_spelling {
	PLM_SPELL_PLAIN,
	PLM_SPELL_INSTANT,  /* ms since 1970 */
	PLM_SPELL_DURATION, /* ms */
	PLM_SPELL_AMOUNT,   /* of the resource beside it */
};

/* By the member's C name. */
enum plm_spelling plm_spell_of(const char *member);
/* The key of member 'member', arena. */
struct plm_slice plm_spell_key(struct plm_arena *arena, const char *member);
/*
 * 'value' as 'spelling' wants it; 'resource' counts for amounts (empty: a plain number). PLM_UNSET is NULL.
 */
struct plm_json *plm_spell_value(struct plm_arena *arena, enum plm_spelling spelling, int64_t value,
				 struct plm_slice resource);
/* A quantity ("3", "4Gi", "unlimited"), arena. */
struct plm_slice plm_spell_amount(struct plm_arena *arena, struct plm_slice resource,
				  int64_t amount);
struct plm_slice plm_spell_time(struct plm_arena *arena, int64_t ms);
/* Go's spelling. */
struct plm_slice plm_spell_duration(struct plm_arena *arena, int64_t ms);
/* As kubectl writes ages: "4m24s", "3d". */
struct plm_slice plm_spell_age(struct plm_arena *arena, int64_t ms);
/* Micro-USD per hour as "$1.234/h", cut to a tenth of a cent. */
struct plm_slice plm_spell_price(struct plm_arena *arena, int64_t micro);

#endif
