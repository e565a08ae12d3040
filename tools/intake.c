#include "tools/intake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "adapters/manifest/manifest.h"
#include "codec/codec.h"
#include "core/wire_copy.h"
#include "tools/name_set.h"
#include "tools/print.h"
#include "tools/term.h"

#define BYTES_SPACE (PLM_INTAKE_KEEP_BYTES * 4)
/* Given back at once while the kept facts are fed. */
#define FORGET_BYTES ((size_t)1024 * 1024)
#define SCRATCH_SPACE ((size_t)1024 * 1024 * 1024)

struct kept {
	enum plm_event_type type;
	bool undated; /* creation time is still open */
	struct plm_slice payload;
};

typedef enum plm_code take_fn(void *ctx, const struct plm_observation *observation,
			      struct plm_error *err);

struct plm_intake {
	struct plm_cli *call; /* borrowed */
	size_t keep_bytes;
	struct plm_arena bytes;	  /* owned: payloads that are kept */
	struct plm_arena scratch; /* owned: one fact */
	struct kept *kept;	  /* owned */
	size_t count, capacity;
	size_t forgotten; /* bytes given back while they were fed */
	bool overflow;	  /* more than is kept: the files are read again */
	bool wants_catalog;
	struct plm_name_set namespaces; /* of objects; call's arena */
	struct plm_name_set given;	/* Namespace objects in the input */
	uint64_t objects;
	int64_t newest;
	off_t input_from; /* where standard input begins, once it is a file */
	bool input_read;
	struct plm_manifest *reader; /* owned, while a look lasts */
	struct plm_w_config *config;
	take_fn *take; /* second look */
	void *take_ctx;
	struct plm_progress progress;
};

/* ---- standard input ---------------------------------------------------------------------------- */

static enum plm_code copy_input(FILE *file, struct plm_error *err)
{
	char chunk[1 << 16];

	for (;;) {
		ssize_t got = read(STDIN_FILENO, chunk, sizeof(chunk));

		if (got < 0 && errno == EINTR) {
			continue;
		}
		if (got < 0) {
			return plm_fail(err, PLM_E_UNREACHABLE, "standard input: %s",
					strerror(errno));
		}
		if (got == 0) {
			break;
		}
		if (fwrite(chunk, 1, (size_t)got, file) != (size_t)got) {
			return plm_fail(err, PLM_E_IO, "temporary file: %s", strerror(errno));
		}
	}
	return fflush(file) == 0 ? PLM_OK
				 : plm_fail(err, PLM_E_IO, "temporary file: %s", strerror(errno));
}

/*
 * Standard input is looked at twice: what is no file becomes one, and takes its place, so that it is read
 * through the same bounded window as any file.
 */
static enum plm_code spool_input(struct plm_intake *intake, struct plm_error *err)
{
	struct stat info;
	FILE *file = NULL;
	enum plm_code code = PLM_OK;

	intake->input_read = true;
	if (fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode)) {
		intake->input_from = lseek(STDIN_FILENO, 0, SEEK_CUR);
		return PLM_OK;
	}
	file = tmpfile();
	if (file == NULL) {
		return plm_fail(err, PLM_E_IO, "temporary file: %s", strerror(errno));
	}
	code = copy_input(file, err);
	if (code == PLM_OK && dup2(fileno(file), STDIN_FILENO) < 0) {
		code = plm_fail(err, PLM_E_IO, "temporary file: %s", strerror(errno));
	}
	(void)fclose(file);
	return code;
}

static enum plm_code rewind_input(struct plm_intake *intake, struct plm_error *err)
{
	enum plm_code code = intake->input_read ? PLM_OK : spool_input(intake, err);

	if (code == PLM_OK && lseek(STDIN_FILENO, intake->input_from, SEEK_SET) < 0) {
		code = plm_fail(err, PLM_E_IO, "standard input: %s", strerror(errno));
	}
	return code;
}

/* ---- facts ------------------------------------------------------------------------------------- */

static enum plm_code out_of_kept(struct plm_intake *intake)
{
	intake->overflow = true;
	intake->count = 0;
	plm_arena_reset(&intake->bytes);
	return PLM_OK;
}

static enum plm_code keep(struct plm_intake *intake, const struct plm_manifest_fact *fact)
{
	struct plm_slice hash =
		plm_slice_of(fact->object_hash.bytes, sizeof(fact->object_hash.bytes));
	struct plm_slice payload;

	if (intake->count == intake->capacity) {
		size_t capacity = intake->capacity == 0 ? 1024 : intake->capacity * 2;
		struct kept *grown = realloc(intake->kept, capacity * sizeof(*grown));

		PLM_ASSERT(grown != NULL);
		intake->kept = grown;
		intake->capacity = capacity;
	}
	plm_arena_reset(&intake->scratch);
	payload = plm_payload_encode(plm_event_info((uint16_t)fact->type), fact->payload, hash,
				     &intake->scratch);
	if (plm_arena_mark(&intake->bytes) + payload.size > intake->keep_bytes) {
		return out_of_kept(intake);
	}
	intake->kept[intake->count++] = (struct kept){
		.type = fact->type,
		.undated = fact->meta->created_ms == PLM_UNSET,
		.payload = plm_arena_copy(&intake->bytes, payload),
	};
	return PLM_OK;
}

static enum plm_code on_first(void *ctx, const struct plm_manifest_fact *fact,
			      struct plm_error *err)
{
	struct plm_intake *intake = ctx;

	(void)err;
	intake->objects++;
	if (fact->type == PLM_EV_NAMESPACE) {
		(void)plm_name_set_add(&intake->given, fact->meta->name);
	} else if (fact->meta->ns.size > 0) {
		(void)plm_name_set_add(&intake->namespaces, fact->meta->ns);
	}
	intake->wants_catalog |= fact->type == PLM_EV_NODE_POOL || fact->type == PLM_EV_NODE_CLAIM;
	plm_progress_tick(&intake->progress, intake->objects, 0);
	return intake->overflow ? PLM_OK : keep(intake, fact);
}

static enum plm_code on_second(void *ctx, const struct plm_manifest_fact *fact,
			       struct plm_error *err)
{
	struct plm_intake *intake = ctx;
	struct plm_slice hash =
		plm_slice_of(fact->object_hash.bytes, sizeof(fact->object_hash.bytes));
	struct plm_observation observation = {.source = PLM_SOURCE_FILE, .type = fact->type};

	plm_arena_reset(&intake->scratch);
	observation.payload = plm_payload_encode(plm_event_info((uint16_t)fact->type),
						 fact->payload, hash, &intake->scratch);
	return intake->take(intake->take_ctx, &observation, err);
}

static enum plm_code on_setting(void *ctx, enum plm_manifest_setting setting,
				struct plm_doc_tree *tree, struct plm_error *err)
{
	struct plm_intake *intake = ctx;
	enum plm_code code = PLM_OK;

	if (setting == PLM_SETTING_SCENARIO) {
		plm_print_warning(intake->call,
				  "kind Scenario is for `plimsoll sim`; it is left out here");
		return PLM_OK;
	}
	code = plm_manifest_apply_setting(intake->reader, setting, tree, intake->config, err);
	if (code == PLM_OK) { /* its texts end with the document */
		const struct plm_w_config *copy =
			plm_wire_copy(&plm_type_config, intake->config, intake->call->arena);

		*intake->config = *copy;
	}
	return code;
}

static void on_warning(void *ctx, const char *text)
{
	struct plm_intake *intake = ctx;

	plm_print_warning(intake->call, "%s", text);
}

/* ---- looks ------------------------------------------------------------------------------------- */

static enum plm_code read_path(struct plm_intake *intake, const char *path, struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	if (strcmp(path, "-") == 0) {
		code = rewind_input(intake, err);
	}
	if (code == PLM_OK) {
		code = plm_manifest_read(intake->reader, path, err);
	}
	if (code == PLM_E_NOT_FOUND && err != NULL) {
		err->code = PLM_E_UNREACHABLE;
	}
	return code == PLM_E_NOT_FOUND ? PLM_E_UNREACHABLE : code;
}

static enum plm_code look(struct plm_intake *intake, const struct plm_manifest_options *options,
			  const struct plm_manifest_sink *sink, struct plm_error *err)
{
	static const enum plm_flag lists[] = {PLM_FLAG_FILENAME, PLM_FLAG_WITH};
	enum plm_code code = plm_manifest_open(&intake->reader, options, sink, err);

	for (size_t l = 0; code == PLM_OK && l < PLM_COUNTOF(lists); l++) {
		const struct plm_flag_value *paths = &intake->call->flags[lists[l]];

		for (size_t i = 0; code == PLM_OK && i < paths->count; i++) {
			code = read_path(intake, paths->texts[i], err);
		}
	}
	if (intake->reader != NULL) {
		intake->newest = plm_manifest_newest(intake->reader);
	}
	plm_manifest_close(intake->reader);
	intake->reader = NULL;
	return code;
}

enum plm_code plm_intake_open(struct plm_cli *call, size_t keep_bytes, struct plm_intake **out,
			      struct plm_error *err)
{
	struct plm_intake *intake = calloc(1, sizeof(*intake));
	enum plm_code code = PLM_OK;

	PLM_ASSERT(intake != NULL);
	PLM_ASSERT(keep_bytes <= PLM_INTAKE_KEEP_BYTES);
	intake->call = call;
	intake->keep_bytes = keep_bytes;
	intake->newest = PLM_UNSET;
	intake->namespaces.arena = call->arena;
	intake->given.arena = call->arena;
	code = plm_arena_init(&intake->bytes, BYTES_SPACE, err);
	if (code == PLM_OK) {
		code = plm_arena_init(&intake->scratch, SCRATCH_SPACE, err);
	}
	if (code != PLM_OK) {
		plm_intake_close(intake);
		return code;
	}
	*out = intake;
	return PLM_OK;
}

void plm_intake_close(struct plm_intake *intake)
{
	if (intake == NULL) {
		return;
	}
	plm_manifest_close(intake->reader);
	plm_arena_fini(&intake->bytes);
	plm_arena_fini(&intake->scratch);
	free(intake->kept);
	free(intake);
}

enum plm_code plm_intake_read(struct plm_intake *intake, struct plm_w_config *config,
			      struct plm_error *err)
{
	struct plm_manifest_options options = {.now_ms = PLM_UNSET};
	struct plm_manifest_sink sink = {
		.ctx = intake,
		.fact = on_first,
		.setting = on_setting,
		.warn = on_warning,
	};
	enum plm_code code = PLM_OK;

	intake->config = config;
	plm_progress_begin(&intake->progress, "reading objects:");
	code = look(intake, &options, &sink, err);
	plm_progress_end(&intake->progress);
	return code;
}

int64_t plm_intake_newest(const struct plm_intake *intake)
{
	return intake->newest;
}

uint64_t plm_intake_objects(const struct plm_intake *intake)
{
	return intake->objects;
}

bool plm_intake_wants_catalog(const struct plm_intake *intake)
{
	return intake->wants_catalog;
}

/* The payload of a kept fact with its creation time filled in. */
static enum plm_code date(struct plm_intake *intake, const struct kept *kept, int64_t now_ms,
			  struct plm_slice *out, struct plm_error *err)
{
	const struct plm_event_info *info = plm_event_info((uint16_t)kept->type);
	struct plm_payload payload;
	enum plm_code code = PLM_OK;
	struct plm_w_meta *meta = NULL;
	void *value = NULL;

	plm_arena_reset(&intake->scratch);
	code = plm_payload_decode(info, kept->payload, &intake->scratch, &payload, err);
	if (code != PLM_OK) {
		return code;
	}
	value = plm_arena_take(&intake->scratch, info->payload->size);
	memcpy(value, payload.value, info->payload->size);
	meta = value; /* the first member of every object */
	meta->created_ms = now_ms;
	*out = plm_payload_encode(info, value, payload.hash, &intake->scratch);
	return PLM_OK;
}

/* Give the pages of kept bytes before 'to' back: the log holds them now. */
static void forget(struct plm_intake *intake, const uint8_t *to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from =
		((uintptr_t)intake->bytes.base + intake->forgotten + page - 1) / page * page;
	uintptr_t end = (uintptr_t)to / page * page;

	if (end > from && end - from >= FORGET_BYTES) {
		(void)madvise((void *)from, end - from,
			      MADV_DONTNEED); /* a refusal costs memory only */
		intake->forgotten = end - (uintptr_t)intake->bytes.base;
	}
}

static enum plm_code feed_kept(struct plm_intake *intake, int64_t now_ms, struct plm_error *err)
{
	for (size_t i = 0; i < intake->count; i++) {
		const struct kept *kept = &intake->kept[i];
		struct plm_observation observation = {
			.source = PLM_SOURCE_FILE, .type = kept->type, .payload = kept->payload};
		enum plm_code code = PLM_OK;

		if (kept->undated) {
			code = date(intake, kept, now_ms, &observation.payload, err);
		}
		if (code == PLM_OK) {
			code = intake->take(intake->take_ctx, &observation, err);
		}
		if (code != PLM_OK) {
			return code;
		}
		forget(intake, kept->payload.ptr);
	}
	return PLM_OK;
}

/*
 * A namespace that objects live in exists, also where the input does not show it (`kubectl get` of the
 * other kinds does not): it is taken as one with the label that every namespace has.
 */
static enum plm_code feed_namespaces(struct plm_intake *intake, int64_t now_ms,
				     struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	for (size_t i = 0; code == PLM_OK && i < intake->namespaces.count; i++) {
		struct plm_slice name = intake->namespaces.names[i];
		struct plm_w_kv label = {.key = plm_slice_str("kubernetes.io/metadata.name"),
					 .value = name};
		struct plm_w_namespace fact = {
			.meta = {.name = name,
				 .created_ms = now_ms,
				 .deleting_ms = PLM_UNSET,
				 .labels = {.ptr = &label, .count = 1}},
		};
		struct plm_observation observation = {.source = PLM_SOURCE_FILE,
						      .type = PLM_EV_NAMESPACE};

		if (plm_name_set_has(&intake->given, name)) {
			continue;
		}
		if (intake->given.count > 0) {
			plm_print_warning(intake->call,
					  "Namespace %.*s is not in the input: taken as one "
					  "without labels",
					  (int)name.size, (const char *)name.ptr);
		}
		plm_arena_reset(&intake->scratch);
		fact.meta.uid = plm_manifest_uid(&intake->scratch, PLM_KIND_NAMESPACE,
						 (struct plm_slice){0}, name);
		observation.payload = plm_payload_encode(plm_event_info(PLM_EV_NAMESPACE), &fact,
							 (struct plm_slice){0}, &intake->scratch);
		code = intake->take(intake->take_ctx, &observation, err);
	}
	return code;
}

enum plm_code plm_intake_feed(struct plm_intake *intake, int64_t now_ms, take_fn *take, void *ctx,
			      struct plm_error *err)
{
	struct plm_manifest_options options = {.now_ms = now_ms};
	struct plm_manifest_sink sink = {.ctx = intake, .fact = on_second};
	enum plm_code code = PLM_OK;

	intake->take = take;
	intake->take_ctx = ctx;
	code = feed_namespaces(intake, now_ms, err);
	if (code != PLM_OK) {
		return code;
	}
	return intake->overflow ? look(intake, &options, &sink, err)
				: feed_kept(intake, now_ms, err);
}
