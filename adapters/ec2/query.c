#include "adapters/ec2/query.h"

#include "adapters/ec2/text.h"
#include "core/event.h"
#include "core/sort.h"

#include <stdarg.h>
#include <stdio.h>

/* Longer names than any call has. */
#define NAME_SIZE 256

struct plm_query_pair {
	struct plm_query_pair *older;
	struct plm_slice name, value;
};

void plm_query_init(struct plm_query *query, struct plm_arena *arena)
{
	*query = (struct plm_query){.arena = arena};
}

static void put(struct plm_query *query, const char *name, struct plm_slice value)
{
	struct plm_query_pair *pair = PLM_NEW(query->arena, struct plm_query_pair);

	pair->name = plm_arena_copy(query->arena, plm_slice_str(name));
	pair->value = plm_arena_copy(query->arena, value);
	pair->older = query->newest;
	query->newest = pair;
	query->count++;
}

PLM_PRINTF(3, 0)
static void put_named(struct plm_query *query, struct plm_slice value, const char *format,
		      va_list args)
{
	char name[NAME_SIZE];
	int size = vsnprintf(name, sizeof(name), format, args);

	PLM_ASSERT(size > 0 && (size_t)size < sizeof(name));
	put(query, name, value);
}

void plm_query_put(struct plm_query *query, struct plm_slice value, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	put_named(query, value, format, args);
	va_end(args);
}

void plm_query_text(struct plm_query *query, const char *name, const char *value)
{
	put(query, name, plm_slice_str(value));
}

void plm_query_number(struct plm_query *query, int64_t value, const char *format, ...)
{
	char text[32];
	va_list args;
	int size = snprintf(text, sizeof(text), "%lld", (long long)value);

	va_start(args, format);
	put_named(query, plm_slice_of(text, (size_t)size), format, args);
	va_end(args);
}

void plm_query_bool(struct plm_query *query, const char *name, bool value)
{
	plm_query_text(query, name, value ? "true" : "false");
}

void plm_query_list(struct plm_query *query, const char *prefix, struct plm_vec values)
{
	const struct plm_slice *list = values.ptr;

	for (size_t i = 0; i < values.count; i++) {
		plm_query_put(query, list[i], "%s.%zu", prefix, i + 1);
	}
}

void plm_query_filter(struct plm_query *query, const char *name, struct plm_vec values)
{
	const struct plm_slice *list = values.ptr;
	unsigned number = ++query->filters;

	PLM_ASSERT(values.count > 0);
	plm_query_put(query, plm_slice_str(name), "Filter.%u.Name", number);
	for (size_t i = 0; i < values.count; i++) {
		plm_query_put(query, list[i], "Filter.%u.Value.%zu", number, i + 1);
	}
}

void plm_query_filter_one(struct plm_query *query, const char *name, struct plm_slice value)
{
	plm_query_filter(query, name, (struct plm_vec){.ptr = &value, .count = 1});
}

void plm_query_tags(struct plm_query *query, const char *prefix, struct plm_vec tags)
{
	const struct plm_w_kv *list = tags.ptr;

	for (size_t i = 0; i < tags.count; i++) {
		plm_query_put(query, list[i].key, "%s.Tag.%zu.Key", prefix, i + 1);
		plm_query_put(query, list[i].value, "%s.Tag.%zu.Value", prefix, i + 1);
	}
}

/* ---- as bytes ------------------------------------------------------------------------------------ */

static bool is_plain(uint8_t byte)
{
	return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
	       (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.' ||
	       byte == '~';
}

static void escape(struct plm_text *text, struct plm_slice value)
{
	size_t from = 0;

	for (size_t i = 0; i < value.size; i++) {
		if (!is_plain(value.ptr[i])) {
			plm_text_put(text, plm_slice_of(value.ptr + from, i - from));
			plm_text_putf(text, "%%%02X", value.ptr[i]);
			from = i + 1;
		}
	}
	if (from < value.size) {
		plm_text_put(text, plm_slice_of(value.ptr + from, value.size - from));
	}
}

struct plm_slice plm_query_escape(struct plm_slice value, struct plm_arena *arena)
{
	struct plm_text text = {.arena = arena};

	escape(&text, value);
	return plm_text_slice(&text);
}

static int by_name(const void *context, uint32_t a, uint32_t b)
{
	const struct plm_query_pair *const *pairs = context;

	return plm_slice_compare(pairs[a]->name, pairs[b]->name);
}

static void write_pairs(const struct plm_query *query, struct plm_text *text)
{
	struct plm_query_pair **pairs =
		PLM_NEW_ARRAY(query->arena, query->count, struct plm_query_pair *);
	uint32_t *order = PLM_NEW_ARRAY(query->arena, query->count, uint32_t);
	uint32_t count = 0;

	for (struct plm_query_pair *pair = query->newest; pair != NULL; pair = pair->older) {
		pairs[count] = pair;
		order[count] = count;
		count++;
	}
	plm_sort(order, count, by_name, pairs, query->arena); /* two of one name: ends there */
	for (uint32_t i = 0; i < count; i++) {
		plm_text_putf(text, "%s", text->size == 0 ? "" : "&");
		escape(text, pairs[order[i]]->name);
		plm_text_putf(text, "=");
		escape(text, pairs[order[i]]->value);
	}
}

struct plm_slice plm_query_form(const struct plm_query *query)
{
	struct plm_text text = {.arena = query->arena};

	write_pairs(query, &text);
	return plm_text_slice(&text);
}

struct plm_slice plm_query_whole(const struct plm_query *query, enum plm_aws_call call)
{
	struct plm_text text = {.arena = query->arena};
	char head[PLM_QUERY_HEAD_SIZE];

	plm_text_putf(&text, "%s", plm_query_head(call, head));
	write_pairs(query, &text);
	return plm_text_slice(&text);
}

const char *plm_query_head(enum plm_aws_call call, char out[PLM_QUERY_HEAD_SIZE])
{
	const struct plm_aws_call_row *row = plm_aws_call(call);
	int size = snprintf(out, PLM_QUERY_HEAD_SIZE, "Action=%s&Version=%s", row->action,
			    plm_aws_service(row->service)->version);

	PLM_ASSERT(plm_aws_protocol(row->service) == PLM_AWS_QUERY);
	PLM_ASSERT(size > 0 && size < PLM_QUERY_HEAD_SIZE);
	return out;
}
