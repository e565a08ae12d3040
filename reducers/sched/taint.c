#include "reducers/sched/taint.h"

struct plm_taints plm_taints_of(const struct plm_sched *sched, plm_sym span)
{
	struct plm_taints taints = {NULL, 0};

	taints.list = PLM_SPAN(sched->st, span, struct plm_taint, &taints.count);
	return taints;
}

static bool value_tolerated(const struct plm_sched *sched, const struct plm_taint *taint,
			    const struct plm_toleration *toleration)
{
	int64_t have = 0;
	int64_t bound = 0;

	switch ((enum plm_toleration_op)toleration->op) {
	case PLM_TOLERATION_EQUAL:
		return plm_sym_equal(toleration->value, taint->value);
	case PLM_TOLERATION_EXISTS:
		return true;
	case PLM_TOLERATION_LT:
		return plm_sched_integer(sched, taint->value, &have) &&
		       plm_sched_integer(sched, toleration->value, &bound) && have < bound;
	case PLM_TOLERATION_GT:
		return plm_sched_integer(sched, taint->value, &have) &&
		       plm_sched_integer(sched, toleration->value, &bound) && have > bound;
	}
	PLM_UNREACHABLE();
}

bool plm_taint_tolerated(const struct plm_sched *sched, const struct plm_taint *taint,
			 const struct plm_tolerations *tolerations)
{
	if (tolerations->all_soft && taint->effect == PLM_EFFECT_PREFER_NO_SCHEDULE) {
		return true;
	}
	for (uint32_t i = 0; i < tolerations->count; i++) {
		const struct plm_toleration *toleration = &tolerations->list[i];

		if (toleration->effect != PLM_EFFECT_ANY && toleration->effect != taint->effect) {
			continue;
		}
		if (toleration->key.n != 0 && !plm_sym_equal(toleration->key, taint->key)) {
			continue;
		}
		if (value_tolerated(sched, taint, toleration)) {
			return true;
		}
	}
	return false;
}

const struct plm_taint *plm_taints_refuse(const struct plm_sched *sched,
					  const struct plm_taints *taints,
					  const struct plm_tolerations *tolerations)
{
	for (uint32_t i = 0; i < taints->count; i++) {
		if (!plm_taint_tolerated(sched, &taints->list[i], tolerations)) {
			return &taints->list[i];
		}
	}
	return NULL;
}

static bool has_prefix(struct plm_slice text, const char *prefix)
{
	size_t size = strlen(prefix);

	return text.size >= size && memcmp(text.ptr, prefix, size) == 0;
}

bool plm_taint_ephemeral(const struct plm_sched *sched, const struct plm_taint *taint)
{
	enum plm_known_word word = plm_known_of(sched, taint->key);

	switch ((uint32_t)word) {
	case PLM_KNOWN_NOT_READY:
		return taint->effect == PLM_EFFECT_NO_SCHEDULE ||
		       taint->effect == PLM_EFFECT_NO_EXECUTE;
	case PLM_KNOWN_UNREACHABLE:
		return taint->effect == PLM_EFFECT_NO_SCHEDULE;
	case PLM_KNOWN_UNINITIALIZED:
		return taint->effect == PLM_EFFECT_NO_SCHEDULE &&
		       plm_sym_equal(taint->value, sched->known[PLM_KNOWN_TRUE]);
	case PLM_KNOWN_UNREGISTERED:
		return true;
	default:
		return has_prefix(plm_sched_text(sched, taint->key), "readiness.k8s.io/");
	}
}
