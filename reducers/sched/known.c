#include "reducers/sched/known.h"

#include "core/quantity.h"

static const char *const texts[PLM_KNOWN_COUNT] = {
#define TEXT(name, text) text,
	PLM_KNOWN_LIST(TEXT)
#undef TEXT
};

#define SLOT_COUNT ((uint32_t)PLM_COUNTOF(((struct plm_sched *)NULL)->slots))
PLM_STATIC_ASSERT(PLM_KNOWN_COUNT * 2 < 256, "known words fill the index by half at most");

static uint32_t home(plm_sym sym)
{
	return (sym.n * 0x9e3779b1U) >> 24;
}

void plm_sched_init(struct plm_sched *sched, const struct plm_state *st, struct plm_arena *arena)
{
	memset(sched, 0, sizeof(*sched));
	sched->st = st;
	sched->arena = arena;
	for (uint32_t i = 0; i < PLM_KNOWN_COUNT; i++) {
		plm_sym sym = plm_sym_find(st, plm_slice_str(texts[i]));
		uint32_t at = 0;

		sched->known[i] = sym.n != 0 ? sym : (plm_sym){PLM_SYM_KNOWN + i};
		at = home(sched->known[i]) % SLOT_COUNT;
		while (sched->slots[at] != 0) {
			at = (at + 1) % SLOT_COUNT;
		}
		sched->slots[at] = i + 1;
	}
}

void plm_known_intern(struct plm_state *st)
{
	for (uint32_t i = 0; i < PLM_KNOWN_COUNT; i++) {
		(void)plm_intern(st, plm_slice_str(texts[i]));
	}
}

enum plm_known_word plm_known_of(const struct plm_sched *sched, plm_sym sym)
{
	for (uint32_t at = home(sym) % SLOT_COUNT; sched->slots[at] != 0;
	     at = (at + 1) % SLOT_COUNT) {
		uint32_t index = sched->slots[at] - 1;

		if (plm_sym_equal(sched->known[index], sym)) {
			return (enum plm_known_word)index;
		}
	}
	return PLM_KNOWN_COUNT;
}

plm_sym plm_known_key(const struct plm_sched *sched, plm_sym key)
{
	static const uint32_t today[][2] = {
		{PLM_KNOWN_OLD_ZONE, PLM_KNOWN_ZONE}, {PLM_KNOWN_OLD_REGION, PLM_KNOWN_REGION},
		{PLM_KNOWN_OLD_ARCH, PLM_KNOWN_ARCH}, {PLM_KNOWN_OLD_OS, PLM_KNOWN_OS},
		{PLM_KNOWN_EBS_ZONE, PLM_KNOWN_ZONE}, {PLM_KNOWN_OLD_TYPE, PLM_KNOWN_INSTANCE_TYPE},
	};
	enum plm_known_word word = plm_known_of(sched, key);

	if (word < PLM_KNOWN_OLD_ZONE || word > PLM_KNOWN_EBS_ZONE) {
		return key;
	}
	for (uint32_t i = 0; i < PLM_COUNTOF(today); i++) {
		if (today[i][0] == (uint32_t)word) {
			return sched->known[today[i][1]];
		}
	}
	PLM_UNREACHABLE();
}

struct plm_slice plm_sched_text(const struct plm_sched *sched, plm_sym sym)
{
	if (!plm_sym_outside(sym)) {
		return plm_str(sched->st, sym);
	}
	if (sym.n >= PLM_SYM_KNOWN) {
		PLM_ASSERT(sym.n - PLM_SYM_KNOWN < PLM_KNOWN_COUNT);
		return plm_slice_str(texts[sym.n - PLM_SYM_KNOWN]);
	}
	return plm_slice_of(NULL, 0);
}

int plm_sched_compare(const struct plm_sched *sched, plm_sym a, plm_sym b)
{
	bool a_passing = plm_sym_outside(a) && a.n < PLM_SYM_KNOWN;
	bool b_passing = plm_sym_outside(b) && b.n < PLM_SYM_KNOWN;

	if (a.n == b.n) {
		return 0;
	}
	if (a_passing || b_passing) {
		if (a_passing != b_passing) {
			return a_passing ? 1 : -1;
		}
		return a.n < b.n ? -1 : 1;
	}
	return plm_slice_compare(plm_sched_text(sched, a), plm_sched_text(sched, b));
}

bool plm_sched_integer(const struct plm_sched *sched, plm_sym sym, int64_t *out)
{
	return plm_integer_parse(plm_sched_text(sched, sym), out);
}
