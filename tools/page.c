#include "tools/page.h"

#include <inttypes.h>

static bool read_number(const char **at, uint64_t *out)
{
	uint64_t value = 0;
	const char *begin = *at;

	for (; **at >= '0' && **at <= '9'; (*at)++) {
		if (value > UINT64_MAX / 10 - 1) {
			return false;
		}
		value = value * 10 + (uint64_t)(**at - '0');
	}
	*out = value;
	return *at > begin;
}

static void set_at(struct plm_cli *call, uint64_t seq)
{
	struct plm_flag_value *value = &call->flags[PLM_FLAG_AT];

	value->texts = PLM_NEW_ARRAY(call->arena, 1, const char *);
	value->texts[0] = (const char *)plm_arena_format(call->arena, "%" PRIu64, seq).ptr;
	value->count = 1;
}

enum plm_code plm_page_begin(struct plm_cli *call, struct plm_page *page, struct plm_error *err)
{
	const char *token = plm_cli_text(call, PLM_FLAG_CONTINUE, NULL);
	const char *at = token;
	uint64_t seq = 0;
	bool whole = false;

	*page = (struct plm_page){.limit = (uint64_t)plm_cli_number(call, PLM_FLAG_LIMIT, 0)};
	if (token == NULL) {
		return PLM_OK;
	}
	if (plm_cli_has(call, PLM_FLAG_AT) || plm_cli_has(call, PLM_FLAG_BEFORE)) {
		return plm_fail(err, PLM_E_USAGE, "--continue has its own point: leave --at out");
	}
	if (read_number(&at, &seq) && *at == ':') {
		at++;
		whole = read_number(&at, &page->skip) && *at == '\0';
	}
	if (!whole) {
		return plm_fail(err, PLM_E_USAGE,
				"--continue: '%s' is not what an answer had as `continue`", token);
	}
	set_at(call, seq);
	return PLM_OK;
}

bool plm_page_has(const struct plm_page *page, uint64_t index)
{
	return index >= page->skip && (page->limit == 0 || index - page->skip < page->limit);
}

void plm_page_end(const struct plm_page *page, uint64_t seq, uint64_t count,
		  struct plm_json *document)
{
	uint64_t next = page->limit == 0 ? UINT64_MAX : page->skip + page->limit;

	if (next < count) {
		plm_json_put_text(
			document, "continue",
			plm_arena_format(document->arena, "%" PRIu64 ":%" PRIu64, seq, next));
	}
}
