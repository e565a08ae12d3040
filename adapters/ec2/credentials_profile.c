/* Profiles of the shared files: ~/.aws/config and, which wins, ~/.aws/credentials. */
#include "adapters/ec2/credentials_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

/* ---- a file -------------------------------------------------------------------------------------------- */

void plm_aws_file_free(char *text)
{
	if (text != NULL) {
		explicit_bzero(text, strlen(text));
	}
	free(text);
}

enum plm_code plm_aws_file_read(const char *path, size_t most, char **out, struct plm_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text = NULL;
	size_t size = 0;
	ssize_t got = 0;

	if (fd < 0) {
		bool gone = errno == ENOENT || errno == ENOTDIR;

		return plm_fail(err, gone ? PLM_E_NOT_FOUND : PLM_E_IO,
				"%.300s: cannot be read: %s", path, strerror(errno));
	}
	text = calloc(1, most + 2);
	PLM_ASSERT(text != NULL);
	do {
		got = read(fd, text + size, most + 1 - size);
		size += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0) {
		plm_fail_text(err, PLM_E_CONFIG, "%.300s: cannot be read: %s", path,
			      strerror(errno));
	} else if (size > most) {
		plm_fail_text(err, PLM_E_CONFIG, "%.300s: longer than %zu bytes", path, most);
	} else if (strlen(text) != size) {
		plm_fail_text(err, PLM_E_CONFIG, "%.300s: not a text", path);
	}
	(void)close(fd);
	if (got < 0 || size > most || strlen(text) != size) {
		explicit_bzero(text, most + 2);
		free(text);
		return PLM_E_CONFIG;
	}
	*out = text;
	return PLM_OK;
}

/* ---- lines --------------------------------------------------------------------------------------------- */

struct reading {
	const char *path, *name;
	bool config; /* sections are called "profile NAME" */
	struct plm_aws_profile *out;
	struct plm_error *err;
	int line;
};

static struct plm_slice trim(struct plm_slice text)
{
	while (text.size > 0 && (text.ptr[0] == ' ' || text.ptr[0] == '\t')) {
		text = plm_slice_of(text.ptr + 1, text.size - 1);
	}
	while (text.size > 0 && strchr(" \t\r", text.ptr[text.size - 1]) != NULL) {
		text.size--;
	}
	return text;
}

/* Up to a comment: a mark after a blank. */
static struct plm_slice uncomment(struct plm_slice text)
{
	for (size_t i = 1; i < text.size; i++) {
		bool blank = text.ptr[i - 1] == ' ' || text.ptr[i - 1] == '\t';

		if (blank && (text.ptr[i] == '#' || text.ptr[i] == ';')) {
			text.size = i;
			break;
		}
	}
	return trim(text);
}

static struct plm_slice until(struct plm_slice text, char end)
{
	const void *at = text.size == 0 ? NULL : memchr(text.ptr, end, text.size);

	return at == NULL ? text : plm_slice_of(text.ptr, (size_t)((const uint8_t *)at - text.ptr));
}

/* Is 'line', "[...]", the section of the profile? */
static bool is_section(const struct reading *reading, struct plm_slice line)
{
	static const char word[] = "profile";
	struct plm_slice name = trim(until(plm_slice_of(line.ptr + 1, line.size - 1), ']'));
	size_t size = sizeof(word) - 1;

	if (!reading->config) {
		return plm_slice_is(name, reading->name);
	}
	if (plm_slice_is(name, "default")) {
		return strcmp(reading->name, "default") == 0;
	}
	if (name.size <= size || memcmp(name.ptr, word, size) != 0 ||
	    (name.ptr[size] != ' ' && name.ptr[size] != '\t')) {
		return false;
	}
	name = trim(plm_slice_of(name.ptr + size, name.size - size));
	if (name.size >= 2 && (name.ptr[0] == '"' || name.ptr[0] == '\'') &&
	    name.ptr[name.size - 1] == name.ptr[0]) {
		name = plm_slice_of(name.ptr + 1, name.size - 2);
	}
	return plm_slice_is(name, reading->name);
}

/* ---- settings ------------------------------------------------------------------------------------------ */

#define FIELD(name, member)                                                                        \
	{name, offsetof(struct plm_aws_profile, member),                                           \
	 sizeof(((struct plm_aws_profile *)0)->member)}
static const struct field {
	const char *name;
	size_t at, room;
} fields[] = {
	FIELD("aws_access_key_id", key_id),
	FIELD("aws_secret_access_key", secret),
	FIELD("aws_session_token", token),
	FIELD("role_arn", role_arn),
	FIELD("source_profile", source_profile),
	FIELD("credential_source", credential_source),
	FIELD("web_identity_token_file", token_file),
	FIELD("role_session_name", session),
	FIELD("external_id", external_id),
	FIELD("duration_seconds", duration),
	FIELD("region", region),
};

static const char *const others[] = {"credential_process", "sso_session", "sso_account_id",
				     "sso_start_url", "login_session"};

static bool is_key(struct plm_slice key, const char *name)
{
	return key.size == strlen(name) && strncasecmp((const char *)key.ptr, name, key.size) == 0;
}

static char *member(struct plm_aws_profile *profile, const struct field *field)
{
	return (char *)profile + field->at;
}

static enum plm_code take(struct reading *reading, struct plm_slice line)
{
	struct plm_slice key = until(line, '=');
	struct plm_slice value = {0};

	if (key.size == line.size) {
		return plm_fail(reading->err, PLM_E_CONFIG,
				"%.300s: line %d, profile '%s': not key = value", reading->path,
				reading->line, reading->name);
	}
	value = uncomment(plm_slice_of(line.ptr + key.size + 1, line.size - key.size - 1));
	key = trim(key);
	for (size_t i = 0; i < PLM_COUNTOF(others); i++) {
		if (value.size > 0 && is_key(key, others[i])) {
			reading->out->unsupported = others[i];
		}
	}
	reading->out->mfa = reading->out->mfa || (value.size > 0 && is_key(key, "mfa_serial"));
	for (size_t i = 0; i < PLM_COUNTOF(fields); i++) {
		if (is_key(key, fields[i].name) &&
		    !plm_aws_keep(member(reading->out, &fields[i]), fields[i].room, value)) {
			return plm_fail(reading->err, PLM_E_CONFIG,
					"%.300s: profile '%s': %s is too long or not a text",
					reading->path, reading->name, fields[i].name);
		}
	}
	return PLM_OK;
}

static enum plm_code read_lines(struct reading *reading, const char *text)
{
	enum plm_code code = PLM_OK;
	bool mine = false;

	while (*text != '\0' && code == PLM_OK) {
		size_t size = strcspn(text, "\n");
		struct plm_slice line = plm_slice_of(text, size);
		/* An indented line belongs to the setting before it, and none of ours has such. */
		bool indented = size > 0 && (text[0] == ' ' || text[0] == '\t');

		text += size + (text[size] == '\n' ? 1 : 0);
		reading->line++;
		line = trim(line);
		if (line.size == 0 || line.ptr[0] == '#' || line.ptr[0] == ';') {
			continue;
		}
		if (line.ptr[0] == '[') {
			mine = is_section(reading, line);
			reading->out->found = reading->out->found || mine;
		} else if (mine && !indented) {
			code = take(reading, line);
		}
	}
	return code;
}

/* A file that is not there is empty; so is one that nobody named and that may not be read, as that of another user. */
static enum plm_code read_file(struct reading *reading, const char *const *environment,
			       const char *variable)
{
	bool named = plm_aws_variable(environment, variable) != NULL;
	char *text = NULL;
	enum plm_code code = PLM_OK;

	if (reading->path[0] == '\0') {
		return PLM_OK;
	}
	code = plm_aws_file_read(reading->path, PLM_LIMIT_AWS_FILE_BYTES, &text, reading->err);
	if (code == PLM_E_NOT_FOUND || (code == PLM_E_IO && !named)) {
		return PLM_OK;
	}
	if (code == PLM_OK) {
		code = read_lines(reading, text);
	}
	plm_aws_file_free(text);
	return code == PLM_OK ? PLM_OK : PLM_E_CONFIG;
}

/* ---- both files ---------------------------------------------------------------------------------------- */

/* '*out' is "" where it cannot be anywhere. */
static bool path_of(const char *const *environment, const char *variable, const char *name,
		    char out[PLM_AWS_PATH_SIZE])
{
	const char *path = plm_aws_variable(environment, variable);
	const char *home = plm_aws_variable(environment, "HOME");
	int size = 0;

	out[0] = '\0';
	if (path != NULL && strncmp(path, "~/", 2) == 0 && home != NULL) {
		size = snprintf(out, PLM_AWS_PATH_SIZE, "%s/%s", home, path + 2);
	} else if (path != NULL) {
		size = snprintf(out, PLM_AWS_PATH_SIZE, "%s", path);
	} else if (home != NULL) {
		size = snprintf(out, PLM_AWS_PATH_SIZE, "%s/.aws/%s", home, name);
	}
	return size < PLM_AWS_PATH_SIZE;
}

/* What 'over' says holds; key and secret come from one file. */
static void merge(struct plm_aws_profile *under, struct plm_aws_profile *over)
{
	if (over->key_id[0] != '\0' || over->secret[0] != '\0') {
		explicit_bzero(under->key_id, sizeof(under->key_id));
		explicit_bzero(under->secret, sizeof(under->secret));
		explicit_bzero(under->token, sizeof(under->token));
	}
	for (size_t i = 0; i < PLM_COUNTOF(fields); i++) {
		if (member(over, &fields[i])[0] != '\0') {
			memcpy(member(under, &fields[i]), member(over, &fields[i]), fields[i].room);
		}
	}
	under->found = under->found || over->found;
	under->mfa = under->mfa || over->mfa;
	under->unsupported = over->unsupported != NULL ? over->unsupported : under->unsupported;
}

enum plm_code plm_aws_profile_read(const char *const *environment, const char *name,
				   struct plm_aws_profile *out, struct plm_error *err)
{
	char config[PLM_AWS_PATH_SIZE], credentials[PLM_AWS_PATH_SIZE];
	struct plm_aws_profile *over = calloc(1, sizeof(*over));
	enum plm_code code = PLM_OK;

	PLM_ASSERT(over != NULL);
	if (!path_of(environment, "AWS_CONFIG_FILE", "config", config) ||
	    !path_of(environment, "AWS_SHARED_CREDENTIALS_FILE", "credentials", credentials)) {
		code = plm_fail(err, PLM_E_CONFIG, "AWS_CONFIG_FILE: path is too long");
	}
	if (code == PLM_OK) {
		struct reading reading = {
			.path = config, .name = name, .config = true, .out = out, .err = err};

		code = read_file(&reading, environment, "AWS_CONFIG_FILE");
	}
	if (code == PLM_OK) {
		struct reading reading = {
			.path = credentials, .name = name, .out = over, .err = err};

		code = read_file(&reading, environment, "AWS_SHARED_CREDENTIALS_FILE");
	}
	if (code == PLM_OK) {
		bool newer = over->found || !out->found;

		(void)snprintf(out->file, sizeof(out->file), "%s", newer ? credentials : config);
		merge(out, over);
	}
	explicit_bzero(over, sizeof(*over));
	free(over);
	return code;
}
