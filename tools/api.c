#include "tools/api.h"

#include "core/utf8.h"

#define V1 "/api/v1"
#define VISIBILITY "/apis/visibility.kueue.x-k8s.io/v1beta2"
#define MAX_WORDS 64U
#define MAX_SEGMENTS 16U

/* clang-format off */
static const struct plm_api_route routes[] = {
	{V1 "/head", "head", "", {NULL}, "json", false, "newest event, time, state hash, mode"},
	{V1 "/range", "log stat", "", {NULL}, "json", false, "first and last event, snapshots"},
	{V1 "/events", "log show", "", {"range", "from..to", NULL}, "json", false, "events, decoded"},
	{V1 "/events/{seq}", "log show", "", {NULL}, "json", false, "one event"},
	{V1 "/tail", "log tail", "", {NULL}, "jsonl", false, "the last events"},
	{V1 "/stream", "log tail", "", {NULL}, "sse", true, "events as they come"},
	{V1 "/state", "state", "", {"path", NULL}, "json", false, "the folded state or a part of it"},
	{V1 "/objects/{kind}", "get", "", {NULL}, "json", false, "objects of a kind"},
	{V1 "/objects/{kind}/{name}", "get", "", {NULL}, "json", false, "one object"},
	{V1 "/objects/{kind}/{namespace}/{name}", "get", "", {NULL}, "json", false, "one object"},
	{V1 "/describe/{kind}/{name}", "describe", "", {NULL}, "json", false, "all about an object"},
	{V1 "/describe/{kind}/{namespace}/{name}", "describe", "", {NULL}, "json", false,
	 "all about an object"},
	{V1 "/why/{kind}/{name}", "why", "", {NULL}, "json", false, "why it stands as it stands"},
	{V1 "/why/{kind}/{namespace}/{name}", "why", "", {NULL}, "json", false,
	 "why it stands as it stands"},
	{V1 "/timeline/{kind}/{name}", "timeline", "", {NULL}, "json", false, "events about it"},
	{V1 "/timeline/{kind}/{namespace}/{name}", "timeline", "", {NULL}, "json", false,
	 "events about it"},
	{V1 "/diff", "diff", "", {"a", "b", "object", NULL}, "json", false,
	 "what changed between two points"},
	{V1 "/pending", "pending", "", {NULL}, "json", false, "workloads that wait"},
	{V1 "/summary", "summary", "", {NULL}, "json", false, "counts"},
	{V1 "/visibility", "visibility", "", {"queue", NULL}, "json", false,
	 "the line of clusterqueue/NAME or localqueue/NS/NAME"},
	{V1 "/visibility/clusterqueues/{name}/pendingworkloads", "visibility", "clusterqueue/",
	 {NULL}, "json", false, "the line of a ClusterQueue"},
	{V1 "/visibility/namespaces/{namespace}/localqueues/{name}/pendingworkloads", "visibility",
	 "localqueue/", {NULL}, "json", false, "the line of a LocalQueue"},
	{VISIBILITY "/clusterqueues/{name}/pendingworkloads", "visibility", "clusterqueue/", {NULL},
	 "json", false, "as Kueue serves it"},
	{VISIBILITY "/namespaces/{namespace}/localqueues/{name}/pendingworkloads", "visibility",
	 "localqueue/", {NULL}, "json", false, "as Kueue serves it"},
	{NULL, NULL, NULL, {NULL}, NULL, false, NULL},
};
/* clang-format on */

/* What a request may say: nothing that names a source, and nothing that does not end. */
static const enum plm_flag allowed[] = {
	PLM_FLAG_AT,	     PLM_FLAG_BEFORE, PLM_FLAG_NAMESPACE, PLM_FLAG_ALL,	   PLM_FLAG_KIND,
	PLM_FLAG_STAT,	     PLM_FLAG_HASH,   PLM_FLAG_TYPE,	  PLM_FLAG_OBJECT, PLM_FLAG_LIMIT,
	PLM_FLAG_CONTINUE,   PLM_FLAG_OFFSET, PLM_FLAG_FROM,	  PLM_FLAG_GROUP,  PLM_FLAG_LINES,
	PLM_FLAG_NO_HEADERS, PLM_FLAG_OUTPUT,
};

const struct plm_api_route *plm_api_routes(void)
{
	return routes;
}

bool plm_api_owns(const char *path)
{
	return strncmp(path, V1 "/", sizeof(V1)) == 0 ||
	       strncmp(path, VISIBILITY "/", sizeof(VISIBILITY)) == 0;
}

/* ---- from a request to a call ------------------------------------------------------------------ */

struct captures {
	struct plm_slice texts[MAX_SEGMENTS];
	size_t count;
};

/* The next segment behind a slash; false at the end. */
static bool next_segment(const char **at, struct plm_slice *out)
{
	size_t size = 0;

	if (**at != '/') {
		return false;
	}
	size = strcspn(*at + 1, "/");
	*out = plm_slice_of(*at + 1, size);
	*at += 1 + size;
	return true;
}

static bool path_fits(const struct plm_api_route *route, const char *path, struct captures *out)
{
	const char *want = route->path;
	struct plm_slice mine;
	struct plm_slice theirs;

	*out = (struct captures){0};
	while (next_segment(&want, &mine)) {
		if (!next_segment(&path, &theirs) || theirs.size == 0) {
			return false;
		}
		if (mine.ptr[0] == '{') {
			out->texts[out->count++] = theirs;
		} else if (!plm_slice_equal(mine, theirs)) {
			return false;
		}
	}
	return *path == '\0';
}

static const struct plm_api_route *find(const char *path, struct captures *captures)
{
	for (const struct plm_api_route *route = routes; route->path != NULL; route++) {
		if (path_fits(route, path, captures)) {
			return route;
		}
	}
	return NULL;
}

struct words {
	char *list[MAX_WORDS];
	int count;
};

static enum plm_code add_word(struct words *words, struct plm_slice text, struct plm_error *err)
{
	/* The parser takes words as main() gets them; it writes to none. */
	union {
		const uint8_t *from;
		char *to;
	} word = {.from = text.ptr};

	if (words->count == (int)MAX_WORDS) {
		return plm_fail(err, PLM_E_USAGE, "more than %u parameters", MAX_WORDS);
	}
	words->list[words->count++] = word.to;
	return PLM_OK;
}

/* "from..to" stands for two parameters. */
static const char *dots_of(const char *operand)
{
	return strstr(operand, "..");
}

static bool is_operand(const struct plm_api_route *route, const char *name)
{
	for (size_t i = 0; route->operands[i] != NULL; i++) {
		const char *dots = dots_of(route->operands[i]);

		if (strcmp(route->operands[i], name) == 0 ||
		    (dots != NULL && (strcmp(dots + 2, name) == 0 ||
				      (strlen(name) == (size_t)(dots - route->operands[i]) &&
				       memcmp(route->operands[i], name, strlen(name)) == 0)))) {
			return true;
		}
	}
	return false;
}

/* The flag that a parameter stands for; "o" and "ns" are as people write them. */
static enum plm_flag flag_of(const struct plm_command *command, const char *name)
{
	enum plm_flag flag = PLM_FLAG_NONE;

	if (strcmp(name, "o") == 0) {
		name = "output";
	} else if (strcmp(name, "ns") == 0) {
		name = "namespace";
	}
	flag = plm_command_flag(command, name, strlen(name));
	for (size_t i = 0; i < PLM_COUNTOF(allowed); i++) {
		if (flag == allowed[i]) {
			return flag;
		}
	}
	return PLM_FLAG_NONE;
}

static enum plm_code add_flag(const struct plm_api_route *route, const struct plm_api_pair *pair,
			      struct plm_arena *arena, struct words *words, struct plm_error *err)
{
	enum plm_flag flag = flag_of(plm_command_find(route->verb), pair->name);

	if (flag == PLM_FLAG_NONE) {
		return plm_fail(err, PLM_E_USAGE, "%s has no parameter '%s'", route->path,
				pair->name);
	}
	return add_word(words,
			plm_arena_format(arena, "--%s=%s", plm_flag_info(flag)->name, pair->value),
			err);
}

static const char *value_of(const struct plm_api_request *request, const char *name, size_t size)
{
	for (size_t i = 0; i < request->count; i++) {
		if (strlen(request->pairs[i].name) == size &&
		    memcmp(request->pairs[i].name, name, size) == 0) {
			return request->pairs[i].value;
		}
	}
	return "";
}

/* What the request says for one operand of the row; "" = nothing. */
static struct plm_slice operand_of(const struct plm_api_request *request, const char *operand,
				   struct plm_arena *arena)
{
	const char *dots = dots_of(operand);
	const char *from = NULL;
	const char *to = NULL;

	if (dots == NULL) {
		return plm_slice_str(value_of(request, operand, strlen(operand)));
	}
	from = value_of(request, operand, (size_t)(dots - operand));
	to = value_of(request, dots + 2, strlen(dots + 2));
	return from[0] == '\0' && to[0] == '\0' ? (struct plm_slice){0}
						: plm_arena_format(arena, "%s..%s", from, to);
}

/* Those of the query, in the row's order, or the one that the address makes. */
static enum plm_code add_operands(const struct plm_api_route *route,
				  const struct plm_api_request *request,
				  const struct captures *captures, struct plm_arena *arena,
				  struct words *words, struct plm_error *err)
{
	struct plm_slice text = plm_slice_str(route->prefix);
	enum plm_code code = PLM_OK;

	for (size_t i = 0; code == PLM_OK && route->operands[i] != NULL; i++) {
		struct plm_slice value = operand_of(request, route->operands[i], arena);

		if (value.size > 0) {
			code = add_word(words, value, err);
		}
	}
	for (size_t i = 0; i < captures->count; i++) {
		text = plm_arena_format(arena, "%.*s%s%.*s", (int)text.size, (const char *)text.ptr,
					i > 0 ? "/" : "", (int)captures->texts[i].size,
					(const char *)captures->texts[i].ptr);
	}
	return code == PLM_OK && captures->count > 0 ? add_word(words, text, err) : code;
}

static enum plm_code make_words(const struct plm_api_route *route,
				const struct plm_api_request *request,
				const struct captures *captures, struct plm_arena *arena,
				struct words *words, struct plm_error *err)
{
	const char *second = strchr(route->verb, ' ');
	enum plm_code code = PLM_OK;

	if (second != NULL) {
		code = add_word(
			words,
			plm_arena_format(arena, "%.*s", (int)(second - route->verb), route->verb),
			err);
		second++;
	}
	if (code == PLM_OK) {
		code = add_word(words, plm_slice_str(second != NULL ? second : route->verb), err);
	}
	/* First: the last one of a flag wins. */
	if (code == PLM_OK) {
		code = add_word(words, plm_arena_format(arena, "--output=%s", route->format), err);
	}
	for (size_t i = 0; code == PLM_OK && i < request->count; i++) {
		if (!is_operand(route, request->pairs[i].name)) {
			code = add_flag(route, &request->pairs[i], arena, words, err);
		}
	}
	if (code == PLM_OK && route->stream) {
		code = add_word(words, plm_slice_str("--follow"), err);
	}
	if (code == PLM_OK) {
		code = add_word(words, plm_slice_str("--"), err);
	}
	return code == PLM_OK ? add_operands(route, request, captures, arena, words, err) : code;
}

/* Names of Kubernetes are ASCII; what is no text is told from what is not there. */
static bool is_text(const struct plm_api_request *request)
{
	struct plm_slice path = plm_slice_str(request->path);
	bool good = plm_utf8_prefix(path) == path.size;

	for (size_t i = 0; i < request->count; i++) {
		struct plm_slice name = plm_slice_str(request->pairs[i].name);
		struct plm_slice value = plm_slice_str(request->pairs[i].value);

		good = good && plm_utf8_prefix(name) == name.size &&
		       plm_utf8_prefix(value) == value.size;
	}
	return good;
}

enum plm_code plm_api_call(const struct plm_api_request *request, struct plm_cli *call,
			   const struct plm_api_route **out, struct plm_error *err)
{
	struct captures captures;
	struct words words = {.count = 0};
	const struct plm_api_route *route = find(request->path, &captures);
	const char *topic = "";
	enum plm_code code = PLM_OK;

	if (!is_text(request)) {
		return plm_fail(err, PLM_E_USAGE, "the address is not UTF-8");
	}
	if (route == NULL) {
		return plm_fail(err, PLM_E_NOT_FOUND,
				"no such address; /api/openapi.json lists them");
	}
	*out = route;
	code = make_words(route, request, &captures, call->arena, &words, err);
	return code == PLM_OK ? plm_command_parse(call, words.count, words.list, &topic, err)
			      : code;
}

/* ---- from a call to a request ------------------------------------------------------------------ */

static struct plm_slice escape(struct plm_arena *arena, struct plm_slice text)
{
	static const char digits[] = "0123456789ABCDEF";
	char *out = plm_arena_take(arena, 3 * text.size + 1);
	size_t size = 0;

	for (size_t i = 0; i < text.size; i++) {
		uint8_t c = text.ptr[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    c == '-' || c == '.' || c == '_' || c == '~' || c == ':') {
			out[size++] = (char)c;
		} else {
			out[size++] = '%';
			out[size++] = digits[c >> 4];
			out[size++] = digits[c & 15U];
		}
	}
	return plm_slice_of(out, size);
}

static size_t captures_of(const struct plm_api_route *route)
{
	size_t count = 0;

	for (const char *at = route->path; *at != '\0'; at++) {
		count += *at == '{' ? 1 : 0;
	}
	return count;
}

/* The operands as the segments of an address: "KIND NAME" is "KIND/NAME". */
static size_t split_operands(const struct plm_cli *call, struct plm_slice *segments)
{
	size_t count = 0;

	for (size_t i = 0; i < call->operand_count; i++) {
		const char *at = call->operands[i];

		for (; count < MAX_SEGMENTS; at++) {
			size_t size = strcspn(at, "/");

			segments[count++] = plm_slice_of(at, size);
			at += size;
			if (*at == '\0') {
				break;
			}
		}
	}
	return count;
}

static const struct plm_api_route *route_for(const struct plm_cli *call, size_t segments)
{
	bool follows = plm_cli_has(call, PLM_FLAG_FOLLOW);

	for (const struct plm_api_route *route = routes; route->path != NULL; route++) {
		if (strcmp(route->verb, call->command->name) == 0 && route->stream == follows &&
		    (route->operands[0] != NULL || captures_of(route) == segments)) {
			return route;
		}
	}
	return NULL;
}

struct address {
	struct plm_arena *arena;
	struct plm_slice text;
	char next; /* '?' or '&' */
};

static void append(struct address *a, const char *what, struct plm_slice text)
{
	a->text = plm_arena_format(a->arena, "%.*s%s%.*s", (int)a->text.size,
				   (const char *)a->text.ptr, what, (int)text.size,
				   (const char *)text.ptr);
}

static void add_pair(struct address *a, const char *name, const char *value)
{
	struct plm_slice escaped = escape(a->arena, plm_slice_str(value));

	a->text = plm_arena_format(a->arena, "%.*s%c%s=%.*s", (int)a->text.size,
				   (const char *)a->text.ptr, a->next, name, (int)escaped.size,
				   (const char *)escaped.ptr);
	a->next = '&';
}

static void add_path(struct address *a, const struct plm_api_route *route,
		     const struct plm_slice *segments)
{
	const char *at = route->path;
	struct plm_slice part;

	while (next_segment(&at, &part)) {
		append(a, "/", part.ptr[0] == '{' ? escape(a->arena, *segments++) : part);
	}
}

static bool chooses_source(enum plm_flag flag)
{
	return flag == PLM_FLAG_SERVER || flag == PLM_FLAG_TOKEN_FILE || flag == PLM_FLAG_CA_FILE ||
	       flag == PLM_FLAG_TIMEOUT || flag == PLM_FLAG_FOLLOW || flag == PLM_FLAG_OUTPUT;
}

static enum plm_code add_flags(struct address *a, const struct plm_cli *call, struct plm_error *err)
{
	for (const enum plm_flag *flag = call->command->flags; *flag != PLM_FLAG_NONE; flag++) {
		const struct plm_flag_info *info = plm_flag_info(*flag);
		const struct plm_flag_value *value = &call->flags[*flag];

		if (value->count == 0 || chooses_source(*flag)) {
			continue;
		}
		if (flag_of(call->command, info->name) == PLM_FLAG_NONE) {
			return plm_fail(err, PLM_E_USAGE, "--%s has no meaning with --server",
					info->name);
		}
		if (info->kind == PLM_FLAG_SWITCH) {
			add_pair(a, info->name, "true");
		}
		for (size_t i = 0; info->kind != PLM_FLAG_SWITCH && i < value->count; i++) {
			add_pair(a, info->name, value->texts[i]);
		}
	}
	add_pair(a, "output", plm_cli_format(call));
	return PLM_OK;
}

enum plm_code plm_api_address(const struct plm_cli *call, struct plm_slice *out,
			      struct plm_error *err)
{
	struct address a = {.arena = call->arena, .next = '?'};
	struct plm_slice segments[MAX_SEGMENTS] = {{0}};
	size_t count = split_operands(call, segments);
	const struct plm_api_route *route = route_for(call, count);
	enum plm_code code = PLM_OK;

	if (route == NULL) {
		return plm_fail(err, PLM_E_USAGE, "a daemon cannot be asked this: %s %s",
				call->command->name, call->command->operands);
	}
	add_path(&a, route, segments);
	for (size_t i = 0; i < call->operand_count && route->operands[0] != NULL; i++) {
		PLM_ASSERT(i < PLM_API_OPERANDS);
		add_pair(&a, route->operands[i], call->operands[i]);
	}
	code = add_flags(&a, call, err);
	if (code == PLM_OK) {
		*out = a.text;
	}
	return code;
}

/* ---- OpenAPI ----------------------------------------------------------------------------------- */

static struct plm_json *parameter(struct plm_arena *arena, const char *name, const char *in,
				  const char *help, const char *type)
{
	struct plm_json *node = plm_json_object(arena);
	struct plm_json *schema = plm_json_object(arena);

	plm_json_put_str(schema, "type", type);
	plm_json_put_str(node, "name", name);
	plm_json_put_str(node, "in", in);
	plm_json_put_str(node, "description", help);
	plm_json_put_bool(node, "required", strcmp(in, "path") == 0);
	plm_json_put(node, "schema", schema);
	return node;
}

static void add_operand_parameters(struct plm_json *list, const char *operand, const char *help)
{
	const char *dots = dots_of(operand);
	struct plm_slice first = {0};

	if (dots == NULL) {
		plm_json_add(list, parameter(list->arena, operand, "query", help, "string"));
		return;
	}
	first = plm_arena_format(list->arena, "%.*s", (int)(dots - operand), operand);
	plm_json_add(list, parameter(list->arena, (const char *)first.ptr, "query",
				     "the point behind which it begins", "string"));
	plm_json_add(list, parameter(list->arena, dots + 2, "query", "its last point", "string"));
}

static struct plm_json *parameters(struct plm_arena *arena, const struct plm_api_route *route)
{
	const struct plm_command *command = plm_command_find(route->verb);
	struct plm_json *list = plm_json_list(arena);
	struct plm_slice part;

	for (const char *at = route->path; next_segment(&at, &part);) {
		if (part.ptr[0] == '{') {
			struct plm_slice name = plm_arena_format(arena, "%.*s", (int)part.size - 2,
								 (const char *)part.ptr + 1);

			plm_json_add(list, parameter(arena, (const char *)name.ptr, "path",
						     "part of the address", "string"));
		}
	}
	for (size_t i = 0; route->operands[i] != NULL; i++) {
		add_operand_parameters(list, route->operands[i], command->operands);
	}
	for (size_t i = 0; i < PLM_COUNTOF(allowed); i++) {
		const struct plm_flag_info *info = plm_flag_info(allowed[i]);

		if (plm_command_flag(command, info->name, strlen(info->name)) == allowed[i]) {
			plm_json_add(list, parameter(arena, info->name, "query", info->help,
						     info->kind == PLM_FLAG_NUMBER   ? "integer"
						     : info->kind == PLM_FLAG_SWITCH ? "boolean"
										     : "string"));
		}
	}
	return list;
}

static struct plm_json *answer(struct plm_arena *arena, const char *text, const char *type)
{
	struct plm_json *node = plm_json_object(arena);
	struct plm_json *content = plm_json_object(arena);
	struct plm_json *media = plm_json_object(arena);
	struct plm_json *schema = plm_json_object(arena);

	plm_json_put_str(schema, "type",
			 strcmp(type, "application/json") == 0 ? "object" : "string");
	plm_json_put(media, "schema", schema);
	plm_json_put(content, type, media);
	plm_json_put_str(node, "description", text);
	plm_json_put(node, "content", content);
	return node;
}

static struct plm_json *operation(struct plm_arena *arena, const struct plm_api_route *route)
{
	static const struct {
		const char *status, *text;
	} failures[] = {
		{"400", "a parameter is not what it should be"},
		{"401", "no token, or not a good one"},
		{"403", "the token's user may not read views of plimsoll.dev"},
		{"404", "no such thing at that point"},
		{"503", "too busy, or the log cannot be read; ask again"},
	};
	struct plm_json *get = plm_json_object(arena);
	struct plm_json *node = plm_json_object(arena);
	struct plm_json *responses = plm_json_object(arena);
	const char *type = route->stream ? "text/event-stream" : "application/json";

	plm_json_put(responses, "200", answer(arena, "as `plimsoll -o json` prints it", type));
	for (size_t i = 0; i < PLM_COUNTOF(failures); i++) {
		plm_json_put(responses, failures[i].status,
			     answer(arena, failures[i].text, "application/json"));
	}
	plm_json_put_str(get, "summary", route->summary);
	plm_json_put_text(get, "description", plm_arena_format(arena, "plimsoll %s", route->verb));
	plm_json_put(get, "parameters", parameters(arena, route));
	plm_json_put(get, "responses", responses);
	plm_json_put(node, "get", get);
	return node;
}

struct plm_json *plm_api_document(struct plm_arena *arena)
{
	struct plm_json *doc = plm_json_object(arena);
	struct plm_json *info = plm_json_object(arena);
	struct plm_json *paths = plm_json_object(arena);

	plm_json_put_str(info, "title", "Plimsoll");
	plm_json_put_str(info, "version", PLM_VERSION);
	for (const struct plm_api_route *route = routes; route->path != NULL; route++) {
		plm_json_put(paths, route->path, operation(arena, route));
	}
	plm_json_put_str(doc, "openapi", "3.0.3");
	plm_json_put(doc, "info", info);
	plm_json_put(doc, "paths", paths);
	return doc;
}
