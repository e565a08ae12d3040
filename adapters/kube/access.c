#include "adapters/kube/access.h"

#include "core/limits.h"
#include "core/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum file {
	TOKEN,
	CA,
	CERT,
	KEY,
	FILES
};

struct plm_kube_access {
	struct plm_kube_access_options options;
	/* What was read of files: one arena holds what is used, the other what is read next. */
	struct plm_arena arenas[2];
	unsigned used;
	struct plm_slice bytes[FILES];
	struct timespec changed[FILES];
	int64_t looked_ms; /* loop time; PLM_UNSET = look now */

	char *header; /* owned; NULL = none */
	uint64_t tls, serial;

	struct plm_kube_exec *running;
	struct plm_arena given; /* what the plugin gave */
	struct plm_slice cert_pem, key_pem;
	bool has;	    /* it gave something */
	bool stale;	    /* which was refused */
	int64_t expires_ms; /* Unix; PLM_UNSET = never */
	int64_t renew_ms;   /* Unix: from then on it is asked again */
	int64_t again_ms;   /* loop time: not before, after a failure */
	int64_t refused_ms; /* loop time: when it was last run for a 401; PLM_UNSET = never */
	char why[PLM_ERROR_TEXT_SIZE];
};

static int64_t loop_ms(const struct plm_kube_access *access)
{
	return (int64_t)uv_now(access->options.loop);
}

static int64_t wall_ms(void)
{
	uv_timeval64_t now = {0};

	PLM_ASSERT(uv_gettimeofday(&now) == 0);
	return now.tv_sec * 1000 + now.tv_usec / 1000;
}

static void note(const struct plm_kube_access *access, const char *text)
{
	if (access->options.note != NULL) {
		access->options.note(access->options.self, text);
	}
}

/* ---- the header -------------------------------------------------------------------------------- */

static void wipe(char *text)
{
	if (text != NULL) {
		explicit_bzero(text, strlen(text));
	}
	free(text);
}

/* "Authorization: " and the two parts. */
static void set_header(struct plm_kube_access *access, const char *scheme, struct plm_slice value)
{
	static const char name[] = "Authorization: ";
	size_t size = sizeof(name) + strlen(scheme) + value.size;
	char *header = NULL;

	if (value.size > 0) {
		header = malloc(size);
		PLM_ASSERT(header != NULL);
		(void)snprintf(header, size, "%s%s%.*s", name, scheme, (int)value.size,
			       (const char *)value.ptr);
	}
	wipe(access->header);
	access->header = header;
	access->serial++;
}

static void set_basic(struct plm_kube_access *access)
{
	const struct plm_kube_login *login = access->options.login;
	struct plm_arena *arena = &access->given;
	struct plm_slice both = plm_arena_format(
		arena, "%.*s:%.*s", (int)login->username.size, (const char *)login->username.ptr,
		(int)login->password.size, (const char *)login->password.ptr);
	const char *text = plm_kube_base64_write(arena, both);

	set_header(access, "Basic ", plm_slice_str(text));
	explicit_bzero(arena->base, arena->touched);
	plm_arena_reset(arena);
}

/* ---- files ------------------------------------------------------------------------------------- */

static const char *path_of(const struct plm_kube_access *access, enum file file)
{
	const struct plm_kube_login *login = access->options.login;

	switch (file) {
	case TOKEN:
		return login->token_file;
	case CA:
		return login->ca_file;
	case CERT:
		return login->cert_file;
	case KEY:
		return login->key_file;
	case FILES:
		break;
	}
	PLM_UNREACHABLE();
}

static bool from_file(const struct plm_kube_access *access, enum file file)
{
	const char *path = path_of(access, file);

	return path != NULL && path[0] != '\0';
}

/* Was any file written since it was read? A file that cannot be looked at was not. */
static bool changed(const struct plm_kube_access *access, struct timespec times[FILES])
{
	bool any = false;

	for (unsigned i = 0; i < FILES; i++) {
		struct stat info;

		times[i] = access->changed[i];
		if (!from_file(access, (enum file)i) ||
		    stat(path_of(access, (enum file)i), &info) != 0) {
			continue;
		}
		any = any || info.st_mtim.tv_sec != times[i].tv_sec ||
		      info.st_mtim.tv_nsec != times[i].tv_nsec;
		times[i] = info.st_mtim;
	}
	return any;
}

static struct plm_slice trimmed(struct plm_slice text)
{
	while (text.size > 0 && text.ptr[text.size - 1] <= ' ') {
		text.size--;
	}
	return text;
}

static enum plm_code read_files(struct plm_kube_access *access, struct plm_slice bytes[FILES],
				struct plm_error *err)
{
	struct plm_arena *arena = &access->arenas[1 - access->used];
	struct plm_slice token = {0};

	plm_arena_reset(arena);
	for (unsigned i = 0; i < FILES; i++) {
		const char *path = path_of(access, (enum file)i);

		bytes[i] = access->bytes[i];
		if (from_file(access, (enum file)i) &&
		    plm_kube_file_read(arena, path, &bytes[i], err) != PLM_OK) {
			return PLM_E_CONFIG;
		}
		if (!from_file(access, (enum file)i) && bytes[i].size > 0) {
			bytes[i] = plm_arena_copy(arena, bytes[i]);
		}
	}
	bytes[TOKEN] = token = trimmed(bytes[TOKEN]);
	for (size_t i = 0; i < token.size; i++) {
		if (token.ptr[i] <= ' ' || token.ptr[i] > '~') {
			return plm_fail(err, PLM_E_CONFIG, "%s: has a character that no token has",
					path_of(access, TOKEN));
		}
	}
	if (from_file(access, TOKEN) && token.size == 0) {
		return plm_fail(err, PLM_E_CONFIG, "%s: is empty", path_of(access, TOKEN));
	}
	return PLM_OK;
}

/* Take over what was read; what differs gets a new number. */
static void use_files(struct plm_kube_access *access, const struct plm_slice bytes[FILES])
{
	bool token = !plm_slice_equal(bytes[TOKEN], access->bytes[TOKEN]);
	bool tls = false;

	for (unsigned i = CA; i < FILES; i++) {
		tls = tls || !plm_slice_equal(bytes[i], access->bytes[i]);
	}
	memcpy(access->bytes, bytes, sizeof(access->bytes));
	access->used = 1 - access->used;
	explicit_bzero(access->arenas[1 - access->used].base,
		       access->arenas[1 - access->used].touched);
	if (token) {
		set_header(access, "Bearer ", bytes[TOKEN]);
	}
	if (tls) {
		access->tls++;
		access->serial++;
	}
}

static void look_at_files(struct plm_kube_access *access)
{
	int64_t now_ms = loop_ms(access);
	bool due = access->looked_ms == PLM_UNSET ||
		   now_ms - access->looked_ms >= PLM_LIMIT_TOKEN_LOOK_MS;
	struct timespec times[FILES];
	struct plm_slice bytes[FILES];
	struct plm_error err = {0};

	if (!due || !(changed(access, times) || access->looked_ms == PLM_UNSET)) {
		access->looked_ms = due ? now_ms : access->looked_ms;
		return;
	}
	access->looked_ms = now_ms;
	if (read_files(access, bytes, &err) != PLM_OK) {
		note(access, err.text); /* what was read before is used on */
		return;
	}
	memcpy(access->changed, times, sizeof(times));
	use_files(access, bytes);
}

/* ---- the plugin -------------------------------------------------------------------------------- */

static void keep(struct plm_kube_access *access, const struct plm_kube_exec_result *result)
{
	bool tls = !plm_slice_equal(result->cert_pem, access->cert_pem) ||
		   !plm_slice_equal(result->key_pem, access->key_pem);
	int64_t now_ms = wall_ms();
	int64_t ahead_ms = 0;

	set_header(access, "Bearer ", result->token);
	explicit_bzero(access->given.base, access->given.touched);
	plm_arena_reset(&access->given);
	access->cert_pem = plm_arena_copy(&access->given, result->cert_pem);
	access->key_pem = plm_arena_copy(&access->given, result->key_pem);
	access->tls += tls ? 1 : 0;
	access->has = true;
	access->stale = false;
	access->expires_ms = result->expires_ms;
	if (result->expires_ms != PLM_UNSET) {
		/* Short lives are renewed when a fifth is left, so that no call waits. */
		ahead_ms =
			plm_min(PLM_LIMIT_CREDENTIAL_AHEAD_MS, (result->expires_ms - now_ms) / 5);
		access->renew_ms = result->expires_ms - plm_max(ahead_ms, 0);
	}
}

static void on_plugin(void *self, const struct plm_kube_exec_result *result)
{
	struct plm_kube_access *access = self;

	access->running = NULL;
	if (result->ok) {
		keep(access, result);
		access->why[0] = '\0';
	} else {
		(void)snprintf(access->why, sizeof(access->why), "%s", result->text);
		access->again_ms = loop_ms(access) + PLM_LIMIT_CREDENTIAL_AGAIN_MS;
		note(access, access->why);
	}
	access->options.on_change(access->options.self);
}

static void run_plugin(struct plm_kube_access *access)
{
	struct plm_kube_exec_options options = {
		.loop = access->options.loop,
		.plugin = &access->options.login->plugin,
		.environment = access->options.environment,
		.limit_ms = PLM_LIMIT_CREDENTIAL_MS,
		.on_done = on_plugin,
		.self = access,
	};

	if (access->running == NULL && loop_ms(access) >= access->again_ms) {
		access->running = plm_kube_exec_start(&options);
	}
}

static enum plm_kube_access_state ask_plugin(struct plm_kube_access *access)
{
	int64_t now_ms = wall_ms();
	bool expires = access->expires_ms != PLM_UNSET;
	bool good = access->has && !access->stale && (!expires || now_ms < access->expires_ms);

	if (!good || (expires && now_ms >= access->renew_ms)) {
		run_plugin(access);
	}
	if (good) {
		return PLM_KUBE_ACCESS_READY;
	}
	return access->running != NULL ? PLM_KUBE_ACCESS_WAITS : PLM_KUBE_ACCESS_FAILED;
}

/* ---- outside ----------------------------------------------------------------------------------- */

enum plm_kube_access_state plm_kube_access_now(struct plm_kube_access *access,
					       struct plm_kube_credential *out)
{
	bool plugin = access->options.login->plugin.command != NULL;
	enum plm_kube_access_state state = PLM_KUBE_ACCESS_READY;

	look_at_files(access);
	if (plugin) {
		state = ask_plugin(access);
	}
	*out = (struct plm_kube_credential){
		.header = access->header,
		.ca_pem = access->bytes[CA],
		.cert_pem = access->cert_pem.size > 0 ? access->cert_pem : access->bytes[CERT],
		.key_pem = access->cert_pem.size > 0 ? access->key_pem : access->bytes[KEY],
		.tls = access->tls,
		.serial = access->serial,
		.why = access->why,
	};
	return state;
}

bool plm_kube_access_refused(struct plm_kube_access *access, uint64_t serial)
{
	if (serial != access->serial) {
		return true; /* renewed since that call left */
	}
	access->looked_ms = PLM_UNSET;
	look_at_files(access);
	if (serial != access->serial) {
		return true;
	}
	if (access->options.login->plugin.command == NULL) {
		return false;
	}
	if (access->running == NULL && access->refused_ms != PLM_UNSET &&
	    loop_ms(access) - access->refused_ms < PLM_LIMIT_CREDENTIAL_AGAIN_MS) {
		return false; /* what is new was refused too: running it for each call helps nobody */
	}
	access->stale = true;
	access->refused_ms = loop_ms(access);
	run_plugin(access);
	return access->running != NULL;
}

static enum plm_code start(struct plm_kube_access *access, struct plm_error *err)
{
	const struct plm_kube_login *login = access->options.login;
	enum plm_code code = plm_arena_init(&access->given, PLM_LIMIT_DOC_BYTES, err);

	for (unsigned i = 0; i < 2 && code == PLM_OK; i++) {
		code = plm_arena_init(&access->arenas[i], PLM_LIMIT_DOC_BYTES, err);
	}
	if (code != PLM_OK) {
		return code;
	}
	access->bytes[CA] = login->ca_pem;
	access->bytes[CERT] = login->cert_pem;
	access->bytes[KEY] = login->key_pem;
	if (login->token_file == NULL || login->token_file[0] == '\0') {
		access->bytes[TOKEN] = login->token;
		set_header(access, "Bearer ", login->token);
	}
	if (login->username.size > 0) {
		set_basic(access);
	}
	(void)changed(access, access->changed);
	if (from_file(access, TOKEN)) {
		struct plm_slice bytes[FILES];

		code = read_files(access, bytes, err);
		if (code == PLM_OK) {
			use_files(access, bytes);
		}
	}
	access->looked_ms = loop_ms(access);
	return code;
}

enum plm_code plm_kube_access_new(const struct plm_kube_access_options *options,
				  struct plm_kube_access **out, struct plm_error *err)
{
	struct plm_kube_access *access = calloc(1, sizeof(*access));
	enum plm_code code = PLM_OK;

	if (access == NULL) {
		return plm_fail(err, PLM_E_LIMIT, "out of memory");
	}
	access->options = *options;
	access->expires_ms = access->refused_ms = PLM_UNSET;
	access->serial = access->tls = 1;
	code = start(access, err);
	if (code != PLM_OK) {
		plm_kube_access_free(access);
		return code;
	}
	*out = access;
	return PLM_OK;
}

static void drop(struct plm_arena *arena)
{
	if (arena->base != NULL) {
		explicit_bzero(arena->base, arena->touched);
	}
	plm_arena_fini(arena);
}

void plm_kube_access_free(struct plm_kube_access *access)
{
	if (access == NULL) {
		return;
	}
	plm_kube_exec_stop(access->running);
	wipe(access->header);
	drop(&access->arenas[0]);
	drop(&access->arenas[1]);
	drop(&access->given);
	free(access);
}
