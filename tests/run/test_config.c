#include "plm_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "config.h"
#include "tools/command.h"

static struct plm_arena arena;
static const char *env_mode;

static const char *env(const char *name)
{
	return strcmp(name, "PLIMSOLL_MODE") == 0 ? env_mode : NULL;
}

#define MAX_ARGS 12

/* 'line' is taken apart at blanks. */
static enum plm_code read_line(const char *line, struct plm_config *out, struct plm_error *err)
{
	char *argv[MAX_ARGS];
	int argc = 0;
	char *text = plm_arena_take(&arena, strlen(line) + 1);

	memcpy(text, line, strlen(line) + 1);
	for (char *at = text; *at != '\0';) {
		char *blank = strchr(at, ' ');

		assert_true(argc < MAX_ARGS);
		argv[argc++] = at;
		if (blank == NULL) {
			break;
		}
		*blank = '\0';
		at = blank + 1;
	}
	return plm_config_read(argc, argv, env, &arena, out, err);
}

static void must_read(const char *line, struct plm_config *out)
{
	struct plm_error err;

	plm_arena_reset(&arena);
	plm_assert_ok(read_line(line, out, &err), &err);
}

static void every_way_to_write_a_flag(void **state)
{
	struct plm_config config;

	(void)state;
	env_mode = NULL;
	must_read(
		"--data-dir d --cloud=sim -f a,b -fc --filename d --allow-any-filesystem --seed 7",
		&config);
	assert_string_equal(plm_config_text(&config, PLM_CONFIG_KEY_DATA_DIR), "d");
	assert_true(plm_config_is(&config, PLM_CONFIG_KEY_CLOUD, "sim"));
	assert_int_equal(plm_config_number(&config, PLM_CONFIG_KEY_ANY_FILESYSTEM), 1);
	assert_int_equal(plm_config_number(&config, PLM_CONFIG_KEY_SEED), 7);
	assert_int_equal(config.values[PLM_CONFIG_KEY_FILENAME].count, 4);
	assert_string_equal(config.values[PLM_CONFIG_KEY_FILENAME].texts[0], "a");
	assert_string_equal(config.values[PLM_CONFIG_KEY_FILENAME].texts[2], "c");
	assert_true(plm_config_lists(&config, PLM_CONFIG_KEY_FILENAME, "d"));
	assert_false(plm_config_lists(&config, PLM_CONFIG_KEY_FILENAME, "e"));
}

static void the_last_of_a_flag_wins_and_defaults_fill_in(void **state)
{
	struct plm_config config;

	(void)state;
	env_mode = NULL;
	must_read("--region a --region b", &config);
	assert_string_equal(plm_config_text(&config, PLM_CONFIG_KEY_REGION), "b");
	assert_false(plm_config_has(&config, PLM_CONFIG_KEY_MODE));
	assert_int_equal(plm_config_number(&config, PLM_CONFIG_KEY_DRAIN), 20000);
	assert_string_equal(config.values[PLM_CONFIG_KEY_DRAIN].origin, "default");
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (file == NULL) {
		fail_msg("%s cannot be written", path);
		return;
	}
	assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
	assert_int_equal(fclose(file), 0);
}

static void flag_over_environment_over_file(void **state)
{
	struct plm_config config;
	char path[] = "/tmp/plm-config-XXXXXX";
	char line[128];

	(void)state;
	assert_true(mkstemp(path) >= 0);
	write_file(path,
		   "mode: observe\nregion: eu-west-1\nclusterName: c\nenforce: [queues, nodes]\n"
		   "seed: 9\nallowAnyFilesystem: true\ndrainTimeout: 1m30s\n");
	env_mode = "enforce";
	(void)snprintf(line, sizeof(line), "--config %s --region r", path);
	must_read(line, &config);
	assert_string_equal(plm_config_text(&config, PLM_CONFIG_KEY_REGION), "r");
	assert_string_equal(plm_config_text(&config, PLM_CONFIG_KEY_MODE), "enforce");
	assert_string_equal(config.values[PLM_CONFIG_KEY_MODE].origin, "environment PLIMSOLL_MODE");
	assert_string_equal(plm_config_text(&config, PLM_CONFIG_KEY_CLUSTER_NAME), "c");
	assert_int_equal(config.values[PLM_CONFIG_KEY_ENFORCE].count, 2);
	assert_int_equal(plm_config_number(&config, PLM_CONFIG_KEY_SEED), 9);
	assert_int_equal(plm_config_number(&config, PLM_CONFIG_KEY_ANY_FILESYSTEM), 1);
	assert_int_equal(plm_config_number(&config, PLM_CONFIG_KEY_DRAIN), 90000);
	assert_int_equal(unlink(path), 0);
}

static const struct wrong_case {
	const char *why;
	const char *line;
	const char *mode; /* environment */
	const char *file; /* contents of the settings file, or NULL */
	const char *part;
} wrong_table[] = {
	{"no such flag", "--nodes 3", NULL, NULL, "--nodes: no such setting"},
	{"no flag at all", "sim", NULL, NULL, "sim: no such setting"},
	{"a flag without value", "--cloud", NULL, NULL, "cloud: the flag needs a value"},
	{"an empty value", "--region=", NULL, NULL, "region: is empty (from flag --region)"},
	{"not a choice", "--cloud gce", NULL, NULL,
	 "cloud: \"gce\" is not one of ec2|sim|none (from flag --cloud)"},
	{"half a choice", "--cloud ec", NULL, NULL, "cloud: \"ec\" is not one of"},
	{"one of a list", "--enforce queues,pods", NULL, NULL, "enforce: \"pods\" is not one of"},
	{"not a number", "--seed -1", NULL, NULL, "seed: \"-1\" is not a whole number"},
	{"too large a number", "--seed 9223372036854775808", NULL, NULL, "seed: "},
	{"not a duration", "--drain-timeout 20", NULL, NULL,
	 "drain-timeout: \"20\" is not a duration"},
	{"less than no time", "--drain-timeout -1s", NULL, NULL, "drain-timeout: "},
	{"not a switch", "--allow-any-filesystem=maybe", NULL, NULL,
	 "allow-any-filesystem: \"maybe\" is not true or false"},
	{"in the environment", "--seed 1", "off", NULL,
	 "mode: \"off\" is not one of observe|enforce (from environment PLIMSOLL_MODE)"},
	{"no such file", "--config /nowhere/at/all", NULL, NULL, "config: /nowhere/at/all: "},
	{"an unknown key", "", NULL, "cloud: sim\nnodes: 3\n",
	 "nodes: no such setting (from /tmp/"},
	{"with its line", "", NULL, "cloud: sim\nseed: x\n", ":2)"},
	{"a map for a value", "", NULL, "region: {a: b}\n", "region: is not a plain value"},
	{"a map in a list", "", NULL, "filename: [{a: b}]\n", "filename: is not a plain value"},
	{"no map", "", NULL, "- a\n", "config: "},
	{"no YAML", "", NULL, "a: [\n", "config: "},
	{"a key twice", "", NULL, "seed: 1\nseed: 2\n", "config: "},
};

static void wrong_row(const struct wrong_case *row)
{
	struct plm_config config = {.arena = &arena};
	char path[] = "/tmp/plm-config-XXXXXX";
	char line[256];
	struct plm_error err = {0};

	plm_arena_reset(&arena);
	env_mode = row->mode;
	(void)snprintf(line, sizeof(line), "%s", row->line);
	if (row->file != NULL) {
		assert_true(mkstemp(path) >= 0);
		write_file(path, row->file);
		(void)snprintf(line, sizeof(line), "--config %s", path);
	}
	plm_assert_fails(read_line(line, &config, &err), PLM_E_CONFIG, err, row->part);
	assert_int_equal(plm_code_exit(err.code), 78);
	if (row->file != NULL) {
		assert_int_equal(unlink(path), 0);
	}
}
PLM_TEST_ROWS(wrong_row, struct wrong_case)

/* --help, man page and completion come from the command table, the values from here. */
static void the_help_knows_every_key(void **state)
{
	const struct plm_command *run = plm_command_find("run");
	int flags = 0;

	(void)state;
	assert_non_null(run);
	for (int i = 0; i < PLM_CONFIG_KEY_COUNT; i++) {
		const struct plm_config_key_info *key = plm_config_key_info((enum plm_config_key)i);
		enum plm_flag flag = plm_command_flag(run, key->flag, strlen(key->flag));

		assert_int_not_equal(flag, PLM_FLAG_NONE);
		if (key->kind == PLM_CONFIG_CHOICE) {
			assert_string_equal(plm_flag_info(flag)->choices, key->choices);
		}
	}
	while (run->flags[flags] != PLM_FLAG_NONE) {
		flags++;
	}
	assert_int_equal(flags, PLM_CONFIG_KEY_COUNT + 1); /* and --help */
}

int main(void)
{
	static struct plm_tests tests;
	struct plm_error err;

	plm_assert_ok(plm_arena_init(&arena, 64U << 20, &err), &err);
	PLM_TEST_ADD(&tests, every_way_to_write_a_flag);
	PLM_TEST_ADD(&tests, the_last_of_a_flag_wins_and_defaults_fill_in);
	PLM_TEST_ADD(&tests, flag_over_environment_over_file);
	PLM_TEST_TABLE(&tests, wrong_row, wrong_table);
	PLM_TEST_ADD(&tests, the_help_knows_every_key);
	return plm_tests_run(&tests, "config");
}
