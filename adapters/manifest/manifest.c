#include "adapters/manifest/project.h"
#include "adapters/manifest/reader.h"

#include "core/limits.h"
#include "core/units.h"
#include "core/utf8.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum plm_code plm_manifest_open(struct plm_manifest **out,
				const struct plm_manifest_options *options,
				const struct plm_manifest_sink *sink, struct plm_error *err)
{
	struct plm_manifest *reader = calloc(1, sizeof(*reader));
	enum plm_code code = PLM_OK;

	if (reader == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "out of memory");
	}
	reader->options = *options;
	reader->sink = *sink;
	reader->newest_ms = PLM_UNSET;
	code = plm_arena_init(&reader->arena, PLM_LIMIT_DOC_BYTES, err);
	if (code != PLM_OK) {
		free(reader);
		return code;
	}
	*out = reader;
	return PLM_OK;
}

void plm_manifest_close(struct plm_manifest *reader)
{
	if (reader == NULL) {
		return;
	}
	for (size_t i = 0; i < reader->file_count; i++) {
		free(reader->files[i]);
	}
	free(reader->files);
	free(reader->values);
	plm_seen_fini(&reader->seen);
	plm_arena_fini(&reader->arena);
	free(reader);
}

int64_t plm_manifest_newest(const struct plm_manifest *reader)
{
	return reader->newest_ms;
}

uint64_t plm_manifest_count(const struct plm_manifest *reader)
{
	return reader->count;
}

/* ---- warnings ---------------------------------------------------------------------------------- */

void plm_manifest_warn(struct plm_manifest *reader, const char *format, ...)
{
	const struct plm_seen_place *before = NULL;
	const struct plm_seen_place here = {0};
	char text[PLM_ERROR_TEXT_SIZE];
	va_list args;

	if (reader->sink.warn == NULL) {
		return;
	}
	va_start(args, format);
	text[0] = 'W'; /* objects' names cannot begin like this: kinds are numbers */
	(void)vsnprintf(text + 1, sizeof(text) - 1, format, args);
	va_end(args);
	if (plm_seen_note(&reader->seen, plm_slice_str(text), &here, &before, NULL) == PLM_OK &&
	    before == NULL) {
		reader->sink.warn(reader->sink.ctx, text + 1);
	}
}

/* Every field of 'spec' that no read asked for: unknown, or known and not decided on yet. */
static void warn_unread(struct plm_manifest *reader, struct plm_doc_tree *tree,
			struct plm_doc *root)
{
	struct plm_doc *spec = plm_doc_get(root, "spec");
	struct plm_doc *field = plm_doc_unread(spec);

	for (; field != NULL; field = plm_doc_unread(spec)) {
		struct plm_slice path = plm_doc_field(tree, field);

		plm_manifest_warn(reader, "%.*s: %s is not decided on", (int)tree->kind.size,
				  (const char *)tree->kind.ptr, (const char *)path.ptr);
		plm_doc_ignore(field);
	}
}

/* A protection that nobody can read is none; Karpenter says so by an Event. */
static void warn_protection(struct plm_manifest *reader, const struct plm_doc_tree *tree,
			    const struct plm_w_pod *pod)
{
	if (pod->do_not_disrupt < 0) {
		plm_manifest_warn(
			reader,
			"%.*s: annotation karpenter.sh/do-not-disrupt is neither \"true\" nor "
			"a duration above 0: it is ignored",
			(int)tree->kind.size, (const char *)tree->kind.ptr);
	}
}

/* ---- one object -------------------------------------------------------------------------------- */

static void note_time(struct plm_manifest *reader, struct plm_doc_tree *tree, struct plm_doc *map,
		      const char *key)
{
	int64_t ms = plm_doc_time(tree, map, key);

	reader->newest_ms = plm_max(reader->newest_ms, ms); /* PLM_UNSET is the lowest */
}

/* The newest of creation and of the transitions that status tells. */
static void note_times(struct plm_manifest *reader, struct plm_doc_tree *tree, struct plm_doc *root)
{
	static const char *const lists[] = {"status.conditions", "status.admissionChecks"};

	note_time(reader, tree, plm_doc_at(root, "metadata"), "creationTimestamp");
	for (size_t i = 0; i < PLM_COUNTOF(lists); i++) {
		struct plm_doc *item = plm_doc_items(plm_doc_at(root, lists[i]));

		for (; item != NULL; item = item->next) {
			note_time(reader, tree, item, "lastTransitionTime");
		}
	}
}

static bool starts_with(struct plm_slice text, const char *prefix)
{
	return text.size >= strlen(prefix) && memcmp(text.ptr, prefix, strlen(prefix)) == 0;
}

/* Whether this document is a setting, and which. */
static bool is_setting(const struct plm_doc_tree *tree, enum plm_manifest_setting *out)
{
	if (plm_slice_is(tree->kind, "Configuration") &&
	    starts_with(tree->version, "config.kueue.x-k8s.io/")) {
		*out = PLM_SETTING_KUEUE;
		return true;
	}
	if (plm_slice_is(tree->kind, "ConfigMap") && plm_slice_is(tree->version, "v1") &&
	    plm_slice_is(tree->name, "karpenter-settings")) {
		*out = PLM_SETTING_KARPENTER;
		return true;
	}
	if (plm_slice_is(tree->kind, "Scenario") && starts_with(tree->version, "plimsoll.dev/")) {
		*out = PLM_SETTING_SCENARIO;
		return true;
	}
	return false;
}

static enum plm_code hand_setting(struct plm_manifest *reader, enum plm_manifest_setting setting,
				  struct plm_doc_tree *tree, struct plm_error *err)
{
	if (setting == PLM_SETTING_SCENARIO &&
	    !plm_slice_is(tree->version, "plimsoll.dev/v1alpha1")) {
		plm_doc_fail(tree, NULL, "apiVersion must be plimsoll.dev/v1alpha1");
		return plm_doc_result(tree, err);
	}
	if (reader->sink.setting == NULL) {
		plm_manifest_warn(reader, "%.*s is ignored here", (int)tree->kind.size,
				  (const char *)tree->kind.ptr);
		return PLM_OK;
	}
	return reader->sink.setting(reader->sink.ctx, setting, tree, err);
}

/* PLM_E_INPUT when this object was there before, unless updates are expected. */
static enum plm_code check_twice(struct plm_manifest *reader, struct plm_doc_tree *tree,
				 const struct plm_project *p, uint32_t file, struct plm_error *err)
{
	struct plm_seen_place here = {.file = file, .line = tree->root->line};
	const struct plm_seen_place *before = NULL;
	struct plm_slice key =
		plm_arena_format(tree->arena, "%d/%.*s/%.*s", (int)p->row->kind,
				 (int)p->meta.ns.size, (const char *)p->meta.ns.ptr,
				 (int)p->meta.name.size, (const char *)p->meta.name.ptr);
	enum plm_code code = PLM_OK;

	if (reader->options.updates) {
		return PLM_OK;
	}
	code = plm_seen_note(&reader->seen, key, &here, &before, err);
	if (code == PLM_OK && before != NULL) {
		plm_doc_fail(tree, NULL, "the same object as in %s:%d", reader->files[before->file],
			     before->line);
		code = plm_doc_result(tree, err);
	}
	return code;
}

static void project(struct plm_manifest *reader, struct plm_project *p, struct plm_doc *root,
		    const struct plm_manifest_naming *naming, struct plm_manifest_fact *fact)
{
	const struct plm_event_info *info = NULL;
	void *payload = NULL;

	PLM_ASSERT(p->row != NULL);
	info = plm_event_info((uint16_t)p->row->type);
	PLM_ASSERT(info != NULL);
	payload = plm_arena_take(p->arena, info->payload->size);
	plm_project_meta(p, root, naming, reader->options.now_ms);
	memcpy(payload, &p->meta, sizeof(p->meta)); /* the first member of each */
	p->row->fill(p, root, payload);
	plm_doc_ignore(plm_doc_get(root, "status"));
	*fact = (struct plm_manifest_fact){
		.type = p->row->type,
		.kind = p->row->kind,
		.payload = payload,
		.meta = payload,
		.file = p->tree->file,
		.line = root->line,
		.tree = p->tree,
		.doc = root,
	};
}

static void name_tree(struct plm_doc_tree *tree, const struct plm_list_head *list)
{
	struct plm_doc *meta = plm_doc_map(tree, tree->root, "metadata");

	tree->version = plm_doc_text(tree, tree->root, "apiVersion");
	tree->kind = plm_doc_text(tree, tree->root, "kind");
	if (tree->kind.size == 0 && list != NULL && strcmp(list->kind, "List") != 0 &&
	    list->kind[0] != '\0') {
		/* items of a typed list (PodList) name neither */
		size_t size = strlen(list->kind) - strlen("List");

		tree->kind = plm_arena_copy(tree->arena, plm_slice_of(list->kind, size));
		tree->version = plm_arena_copy(tree->arena, plm_slice_str(list->version));
	}
	tree->ns = plm_doc_text(tree, meta, "namespace");
	tree->name = plm_doc_text(tree, meta, "name");
	if (tree->kind.size == 0) {
		plm_doc_fail(tree, NULL, "an object needs a kind");
	}
}

static void ignore_kind(struct plm_manifest *reader, struct plm_doc_tree *tree)
{
	plm_manifest_warn(reader, "%.*s (%.*s) is ignored: nothing decides on it",
			  (int)tree->kind.size, (const char *)tree->kind.ptr,
			  (int)tree->version.size, (const char *)tree->version.ptr);
}

/* The object at tree->root, whose bytes are tree->source. */
static enum plm_code object(struct plm_manifest *reader, struct plm_doc_tree *tree,
			    const struct plm_piece *piece, struct plm_error *err)
{
	struct plm_project p = {.tree = tree, .arena = tree->arena};
	struct plm_manifest_fact fact = {.type = PLM_EV_NAMESPACE};
	enum plm_manifest_setting setting = PLM_SETTING_KUEUE;
	enum plm_code code = PLM_OK;

	if (tree->root->kind != PLM_DOC_MAP) {
		plm_doc_fail(tree, NULL, "an object is expected");
		return plm_doc_result(tree, err);
	}
	name_tree(tree, piece->list);
	if (tree->code != PLM_OK) {
		return plm_doc_result(tree, err);
	}
	reader->count++;
	if (is_setting(tree, &setting)) {
		return hand_setting(reader, setting, tree, err);
	}
	note_times(reader, tree, tree->root);
	p.row = plm_kind_find(tree->version, tree->kind);
	if (p.row == NULL && tree->version.size == 0 && plm_kind_known(tree->kind)) {
		plm_doc_fail(tree, NULL, "an object needs an apiVersion");
		return plm_doc_result(tree, err);
	}
	if (p.row == NULL) {
		ignore_kind(reader, tree);
		return PLM_OK;
	}
	if (reader->sink.fact == NULL) {
		return plm_doc_result(tree, err);
	}
	project(reader, &p, tree->root, NULL, &fact);
	code = plm_doc_result(tree, err);
	if (code == PLM_OK) {
		code = check_twice(reader, tree, &p, piece->file, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	warn_unread(reader, tree, tree->root);
	if (fact.type == PLM_EV_POD) {
		warn_protection(reader, tree, fact.payload);
	}
	fact.object_hash = plm_sha256(tree->source);
	return reader->sink.fact(reader->sink.ctx, &fact, err);
}

enum plm_code plm_manifest_project(struct plm_manifest *reader, struct plm_doc_tree *tree,
				   struct plm_doc *node, const struct plm_manifest_naming *naming,
				   struct plm_error *err)
{
	struct plm_doc_tree own = *tree; /* so that errors name this object */
	struct plm_project p = {.tree = &own, .arena = tree->arena};
	struct plm_manifest_fact fact = {.type = PLM_EV_NAMESPACE};
	struct plm_doc *meta = plm_doc_map(&own, node, "metadata");
	enum plm_code code = PLM_OK;

	own.version = plm_doc_text(&own, node, "apiVersion");
	own.kind = plm_doc_text(&own, node, "kind");
	own.ns = plm_doc_text(&own, meta, "namespace");
	own.name = plm_doc_text(&own, meta, "name");
	p.row = plm_kind_find(own.version, own.kind);
	if (p.row == NULL && own.code == PLM_OK) {
		plm_doc_fail(&own, node, "%.*s (%.*s): nothing decides on this kind",
			     (int)own.kind.size, (const char *)own.kind.ptr, (int)own.version.size,
			     (const char *)own.version.ptr);
	}
	if (own.code != PLM_OK) {
		return plm_doc_result(&own, err);
	}
	project(reader, &p, node, naming, &fact);
	code = plm_doc_result(&own, err);
	if (code != PLM_OK) {
		return code;
	}
	warn_unread(reader, &own, node);
	fact.object_hash = plm_sha256(tree->source);
	return reader->sink.fact == NULL ? PLM_OK : reader->sink.fact(reader->sink.ctx, &fact, err);
}

/* ---- pieces ------------------------------------------------------------------------------------ */

/* Where the 'count'-th character of UTF-8 'text' begins. */
static size_t character(struct plm_slice text, uint32_t count)
{
	size_t at = 0;

	while (at < text.size && count > 0) {
		at++;
		while (at < text.size && (text.ptr[at] & 0xC0U) == 0x80U) {
			at++;
		}
		count--;
	}
	return at;
}

/* 'node' becomes the root of 'tree'; its bytes are a part of 'whole'. */
static void take_root(struct plm_doc_tree *tree, struct plm_doc *node, struct plm_slice whole)
{
	size_t begin = character(whole, node->begin);
	size_t end = character(whole, node->end);

	if (node->end > node->begin) {
		tree->source = plm_slice_of(whole.ptr + begin, end - begin);
	}
	node->parent = NULL;
	tree->root = node;
}

/* Items of a list that was not cut: an outermost YAML sequence, or "items: [...]". */
static enum plm_code each_item(struct plm_manifest *reader, struct plm_doc_tree *tree,
			       const struct plm_piece *piece, struct plm_error *err)
{
	struct plm_list_head head = {0};
	struct plm_piece item_piece = *piece;
	struct plm_doc *list = tree->root;
	enum plm_code code = PLM_OK;

	if (list->kind == PLM_DOC_MAP) {
		struct plm_slice kind = plm_doc_text(tree, list, "kind");
		struct plm_slice version = plm_doc_text(tree, list, "apiVersion");

		(void)snprintf(head.kind, sizeof(head.kind), "%.*s", (int)kind.size,
			       (const char *)kind.ptr);
		(void)snprintf(head.version, sizeof(head.version), "%.*s", (int)version.size,
			       (const char *)version.ptr);
		item_piece.list = &head;
		list = plm_doc_get(list, "items");
	}
	for (struct plm_doc *item = plm_doc_items(list); item != NULL && code == PLM_OK;) {
		struct plm_doc *next = item->next;
		struct plm_doc_tree own = {
			.file = tree->file, .arena = tree->arena, .source = piece->bytes};

		take_root(&own, item, piece->bytes);
		code = object(reader, &own, &item_piece, err);
		item = next;
	}
	return code;
}

static bool ends_with_list(struct plm_slice kind)
{
	return kind.size >= 4 && memcmp(kind.ptr + kind.size - 4, "List", 4) == 0;
}

static bool is_list(struct plm_doc_tree *tree)
{
	struct plm_doc *root = tree->root;

	if (root->kind == PLM_DOC_LIST) {
		return true;
	}
	return plm_doc_list(tree, root, "items") != NULL &&
	       ends_with_list(plm_doc_text(tree, root, "kind"));
}

/* UTF-8, then the tree. */
static void parse(struct plm_manifest *reader, const struct plm_piece *piece,
		  struct plm_doc_tree *tree)
{
	size_t good = plm_utf8_prefix(piece->bytes);
	struct plm_doc place = {.line = piece->line};

	*tree = (struct plm_doc_tree){.file = reader->files[piece->file],
				      .source = piece->bytes,
				      .arena = &reader->arena};
	plm_arena_reset(&reader->arena);
	if (good < piece->bytes.size) {
		for (size_t i = 0; i < good; i++) {
			place.line += piece->bytes.ptr[i] == '\n' ? 1 : 0;
		}
		plm_doc_fail(tree, &place,
			     piece->bytes.ptr[good] == 0 ? "a NUL byte" : "not UTF-8");
		return;
	}
	if (piece->values != NULL) {
		plm_json_build(tree, piece->bytes, piece->values);
	} else {
		plm_yaml_parse(tree, piece->bytes, piece->line);
	}
}

enum plm_code plm_manifest_piece(struct plm_manifest *reader, const struct plm_piece *piece,
				 struct plm_error *err)
{
	struct plm_doc_tree tree = {0};

	parse(reader, piece, &tree);
	if (tree.code != PLM_OK) {
		return plm_doc_result(&tree, err);
	}
	if (piece->dashed && tree.root != NULL && tree.root->kind == PLM_DOC_LIST) {
		PLM_ASSERT(tree.root->count == 1);
		tree.root = tree.root->first;
		tree.root->parent = NULL;
	}
	if (tree.root == NULL || tree.root->kind == PLM_DOC_NULL) {
		return PLM_OK;
	}
	if (is_list(&tree)) {
		return each_item(reader, &tree, piece, err);
	}
	return object(reader, &tree, piece, err);
}

static void head_text(struct plm_doc_tree *tree, const char *key, char *to)
{
	struct plm_slice text = plm_doc_text(tree, tree->root, key);

	if (text.size > 0) {
		(void)snprintf(to, PLM_LIST_TEXT, "%.*s", (int)text.size, (const char *)text.ptr);
	}
}

enum plm_code plm_manifest_head(struct plm_manifest *reader, const struct plm_piece *piece,
				struct plm_list_head *head, struct plm_error *err)
{
	struct plm_doc_tree tree = {0};

	parse(reader, piece, &tree);
	if (tree.code == PLM_OK && tree.root != NULL && tree.root->kind == PLM_DOC_MAP) {
		head_text(&tree, "kind", head->kind);
		head_text(&tree, "apiVersion", head->version);
	}
	return plm_doc_result(&tree, err);
}

bool plm_list_head_fits(const struct plm_list_head *head)
{
	return head->kind[0] == '\0' || ends_with_list(plm_slice_str(head->kind));
}

enum plm_code plm_list_head_check(const struct plm_manifest *reader, const struct plm_piece *piece,
				  const struct plm_list_head *head, struct plm_error *err)
{
	const char *file = reader->files[piece->file];

	if (head->kind[0] == '\0') {
		return plm_fail(err, PLM_E_INPUT, "%s:%d: a list needs a kind", file, piece->line);
	}
	if (!plm_list_head_fits(head)) {
		return plm_fail(err, PLM_E_INPUT, "%s:%d: items, but the kind is %s and no list",
				file, piece->line, head->kind);
	}
	return PLM_OK;
}

/* ---- files ------------------------------------------------------------------------------------- */

static enum plm_code add_file(struct plm_manifest *reader, const char *name, uint32_t *out,
			      struct plm_error *err)
{
	char **files = realloc(reader->files, (reader->file_count + 1) * sizeof(*files));

	if (files == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "out of memory");
	}
	reader->files = files;
	files[reader->file_count] = strdup(name);
	if (files[reader->file_count] == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "out of memory");
	}
	*out = (uint32_t)reader->file_count++;
	return PLM_OK;
}

enum plm_code plm_manifest_source(struct plm_manifest *reader, const char *name, uint32_t *out,
				  struct plm_error *err)
{
	for (size_t i = 0; i < reader->file_count; i++) {
		if (strcmp(reader->files[i], name) == 0) {
			*out = (uint32_t)i;
			return PLM_OK;
		}
	}
	return add_file(reader, name, out, err);
}

static bool has_suffix(const char *name, const char *suffix)
{
	size_t size = strlen(name);
	size_t end = strlen(suffix);

	return size > end && strcmp(name + size - end, suffix) == 0;
}

/* JSON begins with '[' or with '{' and then '"' or '}'; anything else is for YAML. */
static bool looks_like_json(struct plm_slice text)
{
	size_t at = strspn((const char *)text.ptr, " \t\r\n");

	if (at == text.size || text.ptr[at] != '{') {
		return at < text.size && text.ptr[at] == '[';
	}
	at++;
	at += strspn((const char *)text.ptr + at, " \t\r\n");
	return at < text.size && (text.ptr[at] == '"' || text.ptr[at] == '}');
}

/* Enough bytes to see what the file is. */
static enum plm_code read_start(struct plm_window *source, char start[256], struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	while (code == PLM_OK && source->size < 256 && !source->last) {
		code = plm_window_more(source, source->base, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	if (source->size >= 3 && memcmp(source->window, "\xEF\xBB\xBF", 3) == 0) {
		source->begin = 3;
	}
	memcpy(start, source->window + source->begin,
	       (size_t)plm_min((int64_t)(source->size - source->begin), 255));
	return PLM_OK;
}

static enum plm_code read_source(struct plm_manifest *reader, struct plm_window *source,
				 struct plm_error *err)
{
	char start[256] = {0};
	uint32_t file = 0;
	enum plm_code code = add_file(reader, source->name, &file, err);

	if (code == PLM_OK) {
		code = read_start(source, start, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	source->name = reader->files[file];
	if (has_suffix(source->name, ".json") ||
	    looks_like_json(plm_slice_of(start, strlen(start)))) {
		return plm_stream_json(reader, source, file, err);
	}
	return plm_stream_yaml(reader, source, file, err);
}

enum plm_code plm_manifest_read_text(struct plm_manifest *reader, const char *name,
				     struct plm_slice text, struct plm_error *err)
{
	struct plm_window source;

	PLM_ASSERT(reader->failed == PLM_OK);
	plm_window_open_text(&source, name, text);
	reader->failed = read_source(reader, &source, err);
	plm_window_close(&source);
	return reader->failed;
}

static enum plm_code read_file(struct plm_manifest *reader, const char *path, struct plm_error *err)
{
	struct plm_window source;
	enum plm_code code = plm_window_open(&source, path, err);

	if (code == PLM_OK) {
		code = read_source(reader, &source, err);
		plm_window_close(&source);
	}
	return code;
}

static int is_manifest(const struct dirent *entry)
{
	return has_suffix(entry->d_name, ".yaml") || has_suffix(entry->d_name, ".yml") ||
	       has_suffix(entry->d_name, ".json");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static enum plm_code read_folder(struct plm_manifest *reader, const char *path,
				 struct plm_error *err)
{
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, is_manifest, by_bytes);
	enum plm_code code = PLM_OK;

	if (count < 0) {
		return plm_fail(err, PLM_E_UNREACHABLE, "%s: the folder cannot be read", path);
	}
	if (count == 0) {
		code = plm_fail(err, PLM_E_NOT_FOUND, "%s: no .yaml, .yml or .json file in it",
				path);
	}
	for (int i = 0; i < count; i++) {
		char file[4096];
		int size = snprintf(file, sizeof(file), "%s%s%s", path,
				    has_suffix(path, "/") ? "" : "/", entries[i]->d_name);

		if (code == PLM_OK && size >= (int)sizeof(file)) {
			code = plm_fail(err, PLM_E_LIMIT, "%s: the path is too long", path);
		}
		if (code == PLM_OK) {
			code = read_file(reader, file, err);
		}
		free(entries[i]);
	}
	free(entries);
	return code;
}

enum plm_code plm_manifest_read(struct plm_manifest *reader, const char *path,
				struct plm_error *err)
{
	struct stat status;

	PLM_ASSERT(reader->failed == PLM_OK);
	if (strcmp(path, "-") != 0 && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
		reader->failed = read_folder(reader, path, err);
	} else {
		reader->failed = read_file(reader, path, err);
	}
	return reader->failed;
}
