/*
 * fuzz_request.c - addresses and parameters of the read API from any bytes
 *
 * A path, then lines "name=value". What the table accepts is a call without a source of its own, and asked
 * again by the address that `--server` would make of it, it is the same call.
 */
#include "tests/fuzz/fuzz.h"
#include "tools/api.h"

#define MAX_PAIRS 16U
#define ARENA_BYTES ((size_t)64 * 1024 * 1024)

static struct plm_arena arena;

static char *text_of(struct plm_slice bytes)
{
	char *text = plm_arena_take(&arena, bytes.size + 1);

	if (bytes.size > 0) {
		memcpy(text, bytes.ptr, bytes.size);
	}
	return text;
}

static bool next_line(struct plm_slice *rest, struct plm_slice *out)
{
	size_t size = 0;

	if (rest->size == 0) {
		return false;
	}
	while (size < rest->size && rest->ptr[size] != '\n') {
		size++;
	}
	*out = plm_slice_of(rest->ptr, size);
	size += size < rest->size ? 1 : 0;
	*rest = plm_slice_of(rest->ptr + size, rest->size - size);
	return true;
}

static size_t read_pairs(struct plm_slice rest, struct plm_api_pair *pairs)
{
	struct plm_slice line;
	size_t count = 0;

	while (count < MAX_PAIRS && next_line(&rest, &line)) {
		char *name = text_of(line);
		char *equals = strchr(name, '=');

		if (equals != NULL) {
			*equals = '\0';
		}
		pairs[count++] = (struct plm_api_pair){name, equals == NULL ? "true" : equals + 1};
	}
	return count;
}

/* ---- the way back ------------------------------------------------------------------------------ */

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void unescape(char *text)
{
	char *to = text;

	for (const char *at = text; *at != '\0'; at++) {
		if (*at == '%') {
			PLM_ASSERT(digit(at[1]) >= 0 && digit(at[2]) >= 0);
			*to++ = (char)(digit(at[1]) * 16 + digit(at[2]));
			at += 2;
		} else {
			*to++ = *at;
		}
	}
	*to = '\0';
}

static size_t split_query(char *query, struct plm_api_pair *pairs)
{
	size_t count = 0;

	for (char *at = query; at != NULL && count < 2 * MAX_PAIRS;) {
		char *end = strchr(at, '&');
		char *equals = strchr(at, '=');

		PLM_ASSERT(equals != NULL);
		if (end != NULL) {
			*end++ = '\0';
		}
		*equals = '\0';
		unescape(equals + 1);
		pairs[count++] = (struct plm_api_pair){at, equals + 1};
		at = end;
	}
	return count;
}

static void same_call(const struct plm_cli *a, const struct plm_cli *b)
{
	PLM_ASSERT(a->command == b->command);
	PLM_ASSERT(a->operand_count == b->operand_count);
	for (size_t i = 0; i < a->operand_count; i++) {
		PLM_ASSERT(strcmp(a->operands[i], b->operands[i]) == 0);
	}
	for (const enum plm_flag *flag = a->command->flags; *flag != PLM_FLAG_NONE; flag++) {
		const struct plm_flag_value *x = &a->flags[*flag];
		const struct plm_flag_value *y = &b->flags[*flag];

		PLM_ASSERT(x->count == y->count);
		for (size_t i = 0; i < x->count && x->texts != NULL && y->texts != NULL; i++) {
			PLM_ASSERT(strcmp(x->texts[i], y->texts[i]) == 0);
		}
	}
}

static void there_and_back(const struct plm_cli *call)
{
	struct plm_api_pair pairs[2 * MAX_PAIRS];
	struct plm_api_request request = {.pairs = pairs};
	struct plm_cli again = {.arena = &arena, .program = "plimsoll"};
	const struct plm_api_route *route = NULL;
	struct plm_slice address;
	struct plm_error err;
	char *text = NULL;
	char *query = NULL;

	if (plm_api_address(call, &address, &err) != PLM_OK) {
		return; /* more segments than any address has */
	}
	text = text_of(address);
	query = strchr(text, '?');
	if (query != NULL) {
		*query++ = '\0';
	}
	unescape(text);
	request.path = text;
	request.count = split_query(query, pairs);
	PLM_ASSERT(plm_api_call(&request, &again, &route, &err) == PLM_OK);
	same_call(call, &again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plm_api_pair pairs[MAX_PAIRS];
	struct plm_api_request request = {.pairs = pairs};
	struct plm_slice rest = plm_slice_of(data, size);
	struct plm_slice path = {0};
	struct plm_cli call = {.arena = &arena, .program = "plimsoll"};
	const struct plm_api_route *route = NULL;
	struct plm_error err;

	if (arena.base == NULL) {
		PLM_ASSERT(plm_arena_init(&arena, ARENA_BYTES, &err) == PLM_OK);
	}
	plm_arena_reset(&arena);
	if (size > (size_t)32 * 1024 || !next_line(&rest, &path)) {
		return 0;
	}
	request.path = text_of(path);
	request.count = read_pairs(rest, pairs);
	if (plm_api_call(&request, &call, &route, &err) != PLM_OK) {
		return 0;
	}
	PLM_ASSERT(plm_api_owns(request.path));
	PLM_ASSERT(!plm_cli_has(&call, PLM_FLAG_LOG) && !plm_cli_has(&call, PLM_FLAG_FILENAME));
	PLM_ASSERT(!plm_cli_has(&call, PLM_FLAG_SERVER) && !plm_cli_has(&call, PLM_FLAG_TIMEOUT));
	PLM_ASSERT(plm_cli_has(&call, PLM_FLAG_FOLLOW) == route->stream);
	there_and_back(&call);
	return 0;
}
