#include "sched_words.h"

#include <stdio.h>
#include <string.h>

void words_begin(struct words *w)
{
	struct plm_error err = {0};

	memset(w, 0, sizeof(*w));
	plm_assert_ok(plm_state_init(&w->st, PLM_PROFILE_SMALL, &err), &err);
	plm_assert_ok(plm_arena_init(&w->arena, (size_t)64 << 20, &err), &err);
	plm_known_intern(&w->st);
	plm_sched_init(&w->sched, &w->st, &w->arena);
}

void words_end(struct words *w)
{
	plm_arena_fini(&w->arena);
	plm_state_fini(&w->st);
}

plm_sym word(struct words *w, const char *text)
{
	return plm_intern(&w->st, plm_slice_str(text));
}

/* The text up to 'end' or the end, which is stepped over. */
static char *cut(char **text, char end)
{
	char *from = *text;
	char *to = strchr(from, end);

	if (to == NULL) {
		*text = from + strlen(from);
	} else {
		*to = '\0';
		*text = to + 1;
	}
	return from;
}

struct plm_expr words_expr(struct words *w, const char *key, const char *text)
{
	char copy[256] = {0};
	char *rest = copy;
	plm_sym values[16];
	size_t count = 0;
	struct plm_expr expr = {.key = word(w, key)};
	int64_t op = 0;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	op = plm_names_find(&plm_names_op, plm_slice_str(cut(&rest, ' ')));
	assert_true(op >= 0);
	expr.op = (uint32_t)op;
	while (*rest != '\0') {
		values[count++] = word(w, cut(&rest, ','));
	}
	expr.values = plm_intern_span(&w->st, values, count, sizeof(*values));
	return expr;
}

struct plm_req words_req(struct words *w, const char *key, const char *text)
{
	struct plm_expr expr = words_expr(w, key, text);

	return plm_req_of(&w->sched, &expr);
}

struct plm_reqs words_reqs(struct words *w, const char *text)
{
	char copy[512] = {0};
	char *rest = copy;
	struct plm_reqs set = {0};

	(void)snprintf(copy, sizeof(copy), "%s", text);
	while (*rest != '\0') {
		char *one = cut(&rest, ';');
		char *key = NULL;
		struct plm_req req;

		one += *one == ' ' ? 1 : 0;
		key = cut(&one, ' ');
		req = words_req(w, key, one);
		set = plm_reqs_add(&w->sched, &set, &req);
	}
	return set;
}

plm_sym words_labels(struct words *w, const char *text)
{
	char copy[512] = {0};
	char *rest = copy;
	struct plm_kv list[16];
	size_t count = 0;

	(void)snprintf(copy, sizeof(copy), "%s", text);
	while (*rest != '\0') {
		char *value = cut(&rest, ' ');
		char *key = cut(&value, '=');

		list[count++] = (struct plm_kv){word(w, key), word(w, value)};
	}
	return plm_intern_span(&w->st, list, count, sizeof(*list));
}

/* By text: what a symbol's number is must not show. */
static void order(const char **values, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		const char *value = values[i];
		uint32_t at = i;

		for (; at > 0 && strcmp(values[at - 1], value) > 0; at--) {
			values[at] = values[at - 1];
		}
		values[at] = value;
	}
}

const char *words_show(struct words *w, const struct plm_req *req)
{
	static char text[256];
	const char *values[16];
	size_t used = (size_t)snprintf(text, sizeof(text), "%s",
				       plm_names_text(&plm_names_op, plm_req_op(req)));

	for (uint32_t i = 0; i < req->count; i++) {
		struct plm_slice slice = plm_sched_text(&w->sched, req->values[i]);

		values[i] = (const char *)plm_arena_format(&w->arena, "%.*s", (int)slice.size,
							   (const char *)slice.ptr)
				    .ptr;
	}
	order(values, req->count);
	for (uint32_t i = 0; i < req->count; i++) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 i == 0 ? " " : ",", values[i]);
	}
	if (req->gte != PLM_NO_GTE) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, " >=%lld",
					 (long long)req->gte);
	}
	if (req->lte != PLM_NO_LTE) {
		(void)snprintf(text + used, sizeof(text) - used, " <=%lld", (long long)req->lte);
	}
	return text;
}
