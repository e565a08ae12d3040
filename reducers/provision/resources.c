/* Amounts as vectors over the resources that matter in this pass. */
#include "reducers/provision/pass.h"

uint32_t plm_res_find(const struct plm_resources *res, plm_sym name)
{
	for (uint32_t i = 0; i < res->count; i++) {
		if (plm_sym_equal(res->names[i], name)) {
			return i;
		}
	}
	return res->count;
}

static uint32_t note(struct plm_pass *pass, plm_sym name)
{
	struct plm_resources *res = &pass->res;
	uint32_t at = plm_res_find(res, name);

	if (at == res->count) {
		/* Doubled when the count is a power of two: 8, 16, ... */
		if (res->count == 0 || (res->count >= 8 && (res->count & (res->count - 1)) == 0)) {
			uint32_t room = res->count == 0 ? 8 : res->count * 2;
			plm_sym *names = PLM_NEW_ARRAY(pass->arena, room, plm_sym);

			if (res->count > 0) {
				memcpy(names, res->names, res->count * sizeof(*names));
			}
			res->names = names;
		}
		res->names[res->count++] = name;
	}
	return at;
}

void plm_res_begin(struct plm_pass *pass)
{
	pass->res = (struct plm_resources){0};
	pass->res.cpu = note(pass, pass->sched.known[PLM_KNOWN_CPU]);
	pass->res.memory = note(pass, pass->sched.known[PLM_KNOWN_MEMORY]);
	pass->res.pods = note(pass, pass->sched.known[PLM_KNOWN_PODS]);
}

void plm_res_note(struct plm_pass *pass, plm_sym amounts)
{
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(pass->st, amounts, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (!plm_sym_equal(list[i].resource, pass->sched.known[PLM_KNOWN_NODES])) {
			(void)note(pass, list[i].resource);
		}
	}
}

void plm_res_fill(const struct plm_pass *pass, plm_sym amounts, int64_t *out)
{
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(pass->st, amounts, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = plm_res_find(&pass->res, list[i].resource);

		if (at < pass->res.count) {
			out[at] = list[i].amount;
		}
	}
}

int64_t *plm_res_vector(const struct plm_pass *pass, plm_sym amounts)
{
	int64_t *vector = PLM_NEW_ARRAY(pass->arena, pass->res.count, int64_t);

	plm_res_fill(pass, amounts, vector);
	return vector;
}

int64_t *plm_res_of_pod(const struct plm_pass *pass, plm_sym requests)
{
	int64_t *vector = plm_res_vector(pass, requests);

	vector[pass->res.pods] = 1;
	return vector;
}

bool plm_res_negative(const struct plm_pass *pass, plm_sym amounts)
{
	uint32_t count = 0;
	const struct plm_amount *list = PLM_SPAN(pass->st, amounts, struct plm_amount, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (list[i].amount < 0) {
			return true;
		}
	}
	return false;
}

void plm_res_add(const struct plm_pass *pass, int64_t *to, const int64_t *amounts)
{
	for (uint32_t i = 0; i < pass->res.count; i++) {
		to[i] = plm_add_sat(to[i], amounts[i]);
	}
}

void plm_res_sub(const struct plm_pass *pass, int64_t *to, const int64_t *amounts)
{
	for (uint32_t i = 0; i < pass->res.count; i++) {
		to[i] = plm_sub_sat(to[i], amounts[i]);
	}
}

bool plm_res_fits(const struct plm_pass *pass, const int64_t *ask, const int64_t *have)
{
	for (uint32_t i = 0; i < pass->res.count; i++) {
		if (ask[i] > have[i]) {
			return false;
		}
	}
	return true;
}
