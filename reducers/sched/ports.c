#include "reducers/sched/ports.h"

static bool any_address(const struct plm_sched *sched, plm_sym ip)
{
	return ip.n == 0 || plm_sym_equal(ip, sched->known[PLM_KNOWN_ANY_IP]) ||
	       plm_sym_equal(ip, sched->known[PLM_KNOWN_ANY_IP6]);
}

static bool same_port(const struct plm_sched *sched, const struct plm_port *a,
		      const struct plm_port *b)
{
	return a->port == b->port && plm_sym_equal(a->protocol, b->protocol) &&
	       (plm_sym_equal(a->ip, b->ip) || any_address(sched, a->ip) ||
		any_address(sched, b->ip));
}

bool plm_ports_conflict(const struct plm_sched *sched, plm_sym a, plm_sym b)
{
	uint32_t a_count = 0;
	uint32_t b_count = 0;
	const struct plm_port *a_list = PLM_SPAN(sched->st, a, struct plm_port, &a_count);
	const struct plm_port *b_list = PLM_SPAN(sched->st, b, struct plm_port, &b_count);

	for (uint32_t i = 0; i < a_count * b_count; i++) {
		if (same_port(sched, &a_list[i / b_count], &b_list[i % b_count])) {
			return true;
		}
	}
	return false;
}

bool plm_ports_taken(const struct plm_sched *sched, const struct plm_ports *taken, plm_sym span)
{
	for (; span.n != 0 && taken != NULL; taken = taken->next) {
		if (plm_ports_conflict(sched, taken->span, span)) {
			return true;
		}
	}
	return false;
}

const struct plm_ports *plm_ports_add(const struct plm_sched *sched, const struct plm_ports *taken,
				      plm_sym span)
{
	struct plm_ports *more = NULL;

	if (span.n == 0) {
		return taken;
	}
	more = PLM_NEW(sched->arena, struct plm_ports);
	more->next = taken;
	more->span = span;
	return more;
}
