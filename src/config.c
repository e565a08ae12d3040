#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "config_file.h"
#include "core/timefmt.h"

#define ENV_PREFIX "PLIMSOLL_"
#define ENV_SIZE 64

static const struct plm_config_key_info keys[] = {
#define KEY_ROW(id, flag, file, kind, choices, otherwise)                                          \
	{flag, file, PLM_CONFIG_##kind, choices, otherwise},
	PLM_CONFIG_KEYS(KEY_ROW)
#undef KEY_ROW
};

const struct plm_config_key_info *plm_config_key_info(enum plm_config_key key)
{
	return &keys[key];
}

bool plm_config_is(const struct plm_config *config, enum plm_config_key key, const char *text)
{
	return plm_config_has(config, key) && strcmp(config->values[key].texts[0], text) == 0;
}

bool plm_config_lists(const struct plm_config *config, enum plm_config_key key, const char *text)
{
	for (size_t i = 0; i < config->values[key].count; i++) {
		if (strcmp(config->values[key].texts[i], text) == 0) {
			return true;
		}
	}
	return false;
}

enum plm_code plm_config_fail(const struct plm_config *config, enum plm_config_key key,
			      struct plm_error *err, const char *format, ...)
{
	const char *origin = config->values[key].origin;
	char text[PLM_ERROR_TEXT_SIZE];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (origin == NULL) {
		return plm_fail(err, PLM_E_CONFIG, "%s: %s", keys[key].flag, text);
	}
	return plm_fail(err, PLM_E_CONFIG, "%s: %s (from %s)", keys[key].flag, text, origin);
}

/* ---- values ------------------------------------------------------------------------------------ */

static bool is_list(enum plm_config_kind kind)
{
	return kind == PLM_CONFIG_LIST || kind == PLM_CONFIG_CHOICES;
}

/* Index of 'text' among "a|b|c", or -1. */
static int64_t choice_of(const char *choices, const char *text)
{
	size_t size = strlen(text);
	int64_t index = 0;

	for (const char *at = choices; at != NULL; index++) {
		const char *end = strchr(at, '|');
		size_t have = end == NULL ? strlen(at) : (size_t)(end - at);

		if (have == size && memcmp(at, text, size) == 0) {
			return index;
		}
		at = end == NULL ? NULL : end + 1;
	}
	return -1;
}

static bool whole_number(const char *text, int64_t *out)
{
	int64_t number = 0;

	for (const char *c = text; *c != '\0'; c++) {
		if (*c < '0' || *c > '9' || __builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, *c - '0', &number)) {
			return false;
		}
	}
	*out = number;
	return *text != '\0';
}

static enum plm_code check_one(const struct plm_config *config, enum plm_config_key key,
			       const char *text, int64_t *out, struct plm_error *err)
{
	switch (keys[key].kind) {
	case PLM_CONFIG_TEXT:
	case PLM_CONFIG_LIST:
		if (*text == '\0') {
			return plm_config_fail(config, key, err, "is empty");
		}
		return PLM_OK;
	case PLM_CONFIG_CHOICE:
	case PLM_CONFIG_CHOICES:
		*out = choice_of(keys[key].choices, text);
		if (*out < 0) {
			return plm_config_fail(config, key, err, "\"%s\" is not one of %s", text,
					       keys[key].choices);
		}
		return PLM_OK;
	case PLM_CONFIG_NUMBER:
		if (!whole_number(text, out)) {
			return plm_config_fail(config, key, err,
					       "\"%s\" is not a whole number of 0 or more", text);
		}
		return PLM_OK;
	case PLM_CONFIG_DURATION:
		if (plm_duration_parse_ms(plm_slice_str(text), out, NULL) != PLM_OK || *out < 0) {
			return plm_config_fail(config, key, err,
					       "\"%s\" is not a duration like 20s or 1m30s", text);
		}
		return PLM_OK;
	case PLM_CONFIG_SWITCH:
		*out = choice_of("false|true", text);
		if (*out < 0) {
			return plm_config_fail(config, key, err, "\"%s\" is not true or false",
					       text);
		}
		return PLM_OK;
	}
	PLM_UNREACHABLE();
}

/* Append to a list; anything else is replaced. */
static void put(struct plm_config *config, enum plm_config_key key, const char *text)
{
	struct plm_config_value *value = &config->values[key];
	size_t count = is_list(keys[key].kind) ? value->count : 0;
	const char **texts = PLM_NEW_ARRAY(config->arena, count + 1, const char *);

	for (size_t i = 0; i < count; i++) {
		texts[i] = value->texts[i];
	}
	texts[count] = text;
	value->texts = texts;
	value->count = count + 1;
}

static const char *copy(struct plm_arena *arena, const char *text, size_t size)
{
	char *bytes = plm_arena_take(arena, size + 1);

	memcpy(bytes, text, size);
	return bytes;
}

enum plm_code plm_config_set(struct plm_config *config, enum plm_config_key key,
			     const struct plm_config_given *given, struct plm_error *err)
{
	struct plm_config_value *value = &config->values[key];
	const char *at = given->text;
	enum plm_code code = PLM_OK;

	/* The first source that has it wins; a list may come in several pieces from one source. */
	if (value->origin != NULL && strcmp(value->origin, given->origin) != 0) {
		return PLM_OK;
	}
	value->origin = given->origin;
	while (code == PLM_OK && at != NULL) {
		const char *end = is_list(keys[key].kind) ? strchr(at, ',') : NULL;
		const char *one =
			copy(config->arena, at, end == NULL ? strlen(at) : (size_t)(end - at));

		code = check_one(config, key, one, &value->number, err);
		put(config, key, one);
		at = end == NULL ? NULL : end + 1;
	}
	return code;
}

/* ---- flags ------------------------------------------------------------------------------------- */

struct args {
	int argc, at;
	char **argv;
};

static int key_by_flag(const char *name, size_t size)
{
	for (int i = 0; i < PLM_CONFIG_KEY_COUNT; i++) {
		if (strlen(keys[i].flag) == size && memcmp(keys[i].flag, name, size) == 0) {
			return i;
		}
	}
	return -1;
}

/* The name of the flag at hand and, behind "=", its value. */
static const char *flag_name(const char *arg, size_t *out_size, const char **out_value)
{
	const char *equals = NULL;

	*out_value = NULL;
	if (strncmp(arg, "-f", 2) == 0) {
		*out_value = arg[2] == '\0' ? NULL : arg + 2;
		*out_size = strlen(keys[PLM_CONFIG_KEY_FILENAME].flag);
		return keys[PLM_CONFIG_KEY_FILENAME].flag;
	}
	if (strncmp(arg, "--", 2) != 0) {
		return NULL;
	}
	equals = strchr(arg, '=');
	*out_value = equals == NULL ? NULL : equals + 1;
	*out_size = equals == NULL ? strlen(arg + 2) : (size_t)(equals - arg - 2);
	return arg + 2;
}

static enum plm_code read_flag(struct plm_config *config, struct args *args, struct plm_error *err)
{
	const char *arg = args->argv[args->at++];
	struct plm_config_given given = {0};
	size_t size = 0;
	const char *name = flag_name(arg, &size, &given.text);
	int key = name == NULL ? -1 : key_by_flag(name, size);

	if (key < 0) {
		return plm_fail(err, PLM_E_CONFIG, "%s: no such setting", arg);
	}
	given.origin =
		(const char *)plm_arena_format(config->arena, "flag --%s", keys[key].flag).ptr;
	if (given.text == NULL && keys[key].kind == PLM_CONFIG_SWITCH) {
		given.text = "true";
	} else if (given.text == NULL && args->at == args->argc) {
		return plm_fail(err, PLM_E_CONFIG, "%s: the flag needs a value", keys[key].flag);
	} else if (given.text == NULL) {
		given.text = args->argv[args->at++];
	}
	return plm_config_set(config, (enum plm_config_key)key, &given, err);
}

/* ---- environment and defaults ------------------------------------------------------------------ */

static void env_name(const char *flag, char name[ENV_SIZE])
{
	int size = snprintf(name, ENV_SIZE, "%s%s", ENV_PREFIX, flag);

	PLM_ASSERT(size < ENV_SIZE);
	for (char *c = name; *c != '\0'; c++) {
		if (*c == '-') {
			*c = '_';
		} else if (*c >= 'a' && *c <= 'z') {
			*c = (char)(*c - 'a' + 'A');
		}
	}
}

static enum plm_code read_environment(struct plm_config *config,
				      const char *(*env)(const char *name), struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	for (int i = 0; i < PLM_CONFIG_KEY_COUNT && code == PLM_OK; i++) {
		struct plm_config_given given = {0};
		char name[ENV_SIZE];

		env_name(keys[i].flag, name);
		given.text = env(name);
		if (given.text == NULL) {
			continue;
		}
		given.origin =
			(const char *)plm_arena_format(config->arena, "environment %s", name).ptr;
		code = plm_config_set(config, (enum plm_config_key)i, &given, err);
	}
	return code;
}

static enum plm_code set_defaults(struct plm_config *config, struct plm_error *err)
{
	enum plm_code code = PLM_OK;

	for (int i = 0; i < PLM_CONFIG_KEY_COUNT && code == PLM_OK; i++) {
		const struct plm_config_given given = {keys[i].otherwise, "default"};

		if (given.text != NULL) {
			code = plm_config_set(config, (enum plm_config_key)i, &given, err);
		}
	}
	return code;
}

enum plm_code plm_config_read(int argc, char **argv, const char *(*env)(const char *name),
			      struct plm_arena *arena, struct plm_config *out,
			      struct plm_error *err)
{
	struct args args = {.argc = argc, .argv = argv};
	struct plm_config config = {.arena = arena};
	enum plm_code code = PLM_OK;

	while (code == PLM_OK && args.at < args.argc) {
		code = read_flag(&config, &args, err);
	}
	if (code == PLM_OK) {
		code = read_environment(&config, env, err);
	}
	if (code == PLM_OK && plm_config_has(&config, PLM_CONFIG_KEY_CONFIG)) {
		code = plm_config_read_file(&config, err);
	}
	if (code == PLM_OK) {
		code = set_defaults(&config, err);
	}
	if (code == PLM_OK) {
		*out = config;
	}
	return code;
}
