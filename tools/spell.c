#include "tools/spell.h"

#include <inttypes.h>

#include "core/quantity.h"
#include "core/timefmt.h"
#include "core/units.h"

static bool among(const char *word, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(word, words[i]) == 0) {
			return true;
		}
	}
	return false;
}

enum plm_spelling plm_spell_of(const char *member)
{
	static const char *const durations[] = {
		"grace_ms",	      "expire_ms",	   "consolidate_after_ms",
		"duration_ms",	      "requeue_after_ms",  "batch_idle_ms",
		"batch_max_ms",	      "gang_timeout_ms",   "registration_timeout_ms",
		"stock_out_ms",	      "launch_timeout_ms", "by_ms",
		"disruption_wait_ms",
	};
	static const char *const amounts[] = {"amount",	 "need",      "have",	"limit",
					      "nominal", "borrowing", "lending"};
	size_t size = strlen(member);

	if (among(member, amounts, PLM_COUNTOF(amounts))) {
		return PLM_SPELL_AMOUNT;
	}
	if (size < 3 || strcmp(member + size - 3, "_ms") != 0) {
		return PLM_SPELL_PLAIN;
	}
	return among(member, durations, PLM_COUNTOF(durations)) ? PLM_SPELL_DURATION
								: PLM_SPELL_INSTANT;
}

struct plm_slice plm_spell_key(struct plm_arena *arena, const char *member)
{
	/* Instants that read well without "At". */
	static const char *const bare[] = {"now_ms", "since_ms", "until_ms", "deadline_ms",
					   "places_deadline_ms"};
	enum plm_spelling spelling = plm_spell_of(member);
	char key[64];
	size_t size = strlen(member);
	size_t at = 0;

	if (strcmp(member, "price_micro") == 0) {
		return plm_slice_str("priceMicroUSDPerHour");
	}
	PLM_ASSERT(size + 3 < sizeof(key));
	size -= spelling == PLM_SPELL_INSTANT || spelling == PLM_SPELL_DURATION ? 3 : 0;
	for (size_t i = 0; i < size; i++) {
		if (member[i] == '_' && i + 1 < size) {
			i++;
			key[at++] = (char)(member[i] >= 'a' && member[i] <= 'z'
						   ? member[i] - ('a' - 'A')
						   : member[i]);
		} else {
			key[at++] = member[i];
		}
	}
	if (spelling == PLM_SPELL_INSTANT && !among(member, bare, PLM_COUNTOF(bare)) &&
	    (at < 2 || memcmp(key + at - 2, "At", 2) != 0) && strcmp(member, "at_ms") != 0) {
		memcpy(key + at, "At", 2);
		at += 2;
	}
	return plm_arena_copy(arena, plm_slice_of(key, at));
}

struct plm_slice plm_spell_amount(struct plm_arena *arena, struct plm_slice resource,
				  int64_t amount)
{
	char text[PLM_QUANTITY_SIZE];

	if (amount == PLM_UNLIMITED) {
		return plm_slice_str("unlimited");
	}
	return plm_arena_copy(arena, plm_slice_str(plm_quantity_format(resource, amount, text)));
}

struct plm_slice plm_spell_time(struct plm_arena *arena, int64_t ms)
{
	char text[PLM_TIME_SIZE];

	return plm_arena_copy(arena, plm_slice_str(plm_time_format(ms, text)));
}

struct plm_slice plm_spell_duration(struct plm_arena *arena, int64_t ms)
{
	char text[PLM_TIME_SIZE];

	return plm_arena_copy(arena, plm_slice_str(plm_duration_format(ms, text)));
}

/* The two units that matter, as kubectl has them. */
struct plm_slice plm_spell_age(struct plm_arena *arena, int64_t ms)
{
	int64_t seconds = ms < 0 ? 0 : ms / 1000;
	int64_t minutes = seconds / 60;
	int64_t hours = minutes / 60;
	int64_t days = hours / 24;

	if (seconds < 120) {
		return plm_arena_format(arena, "%" PRId64 "s", seconds);
	}
	if (minutes < 10 && seconds % 60 != 0) {
		return plm_arena_format(arena, "%" PRId64 "m%" PRId64 "s", minutes, seconds % 60);
	}
	if (minutes < 180) {
		return plm_arena_format(arena, "%" PRId64 "m", minutes);
	}
	if (hours < 8 && minutes % 60 != 0) {
		return plm_arena_format(arena, "%" PRId64 "h%" PRId64 "m", hours, minutes % 60);
	}
	if (hours < 48) {
		return plm_arena_format(arena, "%" PRId64 "h", hours);
	}
	if (days < 8 && hours % 24 != 0) {
		return plm_arena_format(arena, "%" PRId64 "d%" PRId64 "h", days, hours % 24);
	}
	return plm_arena_format(arena, "%" PRId64 "d", days);
}

struct plm_slice plm_spell_price(struct plm_arena *arena, int64_t micro)
{
	if (micro == PLM_UNSET) {
		return (struct plm_slice){0};
	}
	return plm_arena_format(arena, "$%" PRId64 ".%03" PRId64 "/h", micro / 1000000,
				micro % 1000000 / 1000);
}

struct plm_json *plm_spell_value(struct plm_arena *arena, enum plm_spelling spelling, int64_t value,
				 struct plm_slice resource)
{
	if (value == PLM_UNSET) {
		return NULL;
	}
	switch (spelling) {
	case PLM_SPELL_INSTANT:
		return plm_json_text(arena, plm_spell_time(arena, value));
	case PLM_SPELL_DURATION:
		return plm_json_text(arena, plm_spell_duration(arena, value));
	case PLM_SPELL_AMOUNT:
		if (resource.size > 0 || value == PLM_UNLIMITED) {
			return plm_json_text(arena, plm_spell_amount(arena, resource, value));
		}
		break;
	case PLM_SPELL_PLAIN:
		break;
	}
	return plm_json_int(arena, value);
}
