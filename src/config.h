/*
 * config.h - the daemon's settings, from flags, environment and file
 *
 * Owns: the table of keys, and being the only reader of argv, environment and the settings file. A flag
 * wins over the environment (PLIMSOLL_DATA_DIR for --data-dir), that over the file, that over the
 * default. Whatever is wrong is PLM_E_CONFIG, and the text begins with the key and says where it came
 * from. Does not: know what a setting does.
 */
#ifndef PLM_CONFIG_H
#define PLM_CONFIG_H

#include "core/arena.h"

enum plm_config_kind {
	PLM_CONFIG_TEXT,
	PLM_CONFIG_LIST,     /* may be repeated; commas separate */
	PLM_CONFIG_CHOICE,   /* one of 'choices' */
	PLM_CONFIG_CHOICES,  /* a list of them */
	PLM_CONFIG_NUMBER,   /* a whole number >= 0 */
	PLM_CONFIG_DURATION, /* Go's spelling; in ms */
	PLM_CONFIG_SWITCH,   /* true or false; a flag alone is true */
};

/* X(ID, "flag", "fileKey", KIND, "choices", default or NULL); what each is for: tools/command.h */
/* clang-format off */
#define PLM_CONFIG_KEYS(X)                                                                         \
	X(CONFIG, "config", "", TEXT, "", NULL)                                                    \
	X(DATA_DIR, "data-dir", "dataDir", TEXT, "", NULL)                                         \
	X(MODE, "mode", "mode", CHOICE, "observe|enforce", NULL)                                   \
	X(ENFORCE, "enforce", "enforce", CHOICES, "queues|nodes", NULL)                            \
	X(CLOUD, "cloud", "cloud", CHOICE, "ec2|sim|none", NULL)                                   \
	X(KUBECONFIG, "kubeconfig", "kubeconfig", TEXT, "", NULL)                                  \
	X(CONTEXT, "context", "context", TEXT, "", NULL)                                           \
	X(EC2_ENDPOINT, "ec2-endpoint", "ec2Endpoint", TEXT, "", NULL)                             \
	X(REGION, "region", "region", TEXT, "", "us-west-2")                                       \
	X(CLUSTER_NAME, "cluster-name", "clusterName", TEXT, "", "plimsoll")                       \
	X(COMPAT, "compat", "compat", CHOICE, "strict|better", "better")                           \
	X(CATALOG, "catalog", "catalog", TEXT, "", "builtin")                                      \
	X(FILENAME, "filename", "filename", LIST, "", NULL)                                        \
	X(SCENARIO, "scenario", "scenario", TEXT, "", NULL)                                        \
	X(SEED, "seed", "seed", NUMBER, "", "1")                                                   \
	X(LISTEN, "listen", "listen", TEXT, "", NULL)                                              \
	X(HEALTH_LISTEN, "health-listen", "healthListen", TEXT, "", NULL)                          \
	X(LOG_LEVEL, "log-level", "logLevel", CHOICE, "debug|info|warn|error", "info")             \
	X(ACCEPT_OLDER, "accept-older-log", "acceptOlderLog", SWITCH, "", "false")                 \
	X(NO_BALLAST, "no-ballast", "noBallast", SWITCH, "", "false")                              \
	X(ANY_FILESYSTEM, "allow-any-filesystem", "allowAnyFilesystem", SWITCH, "", "false")       \
	X(SNAPSHOT_EVENTS, "snapshot-events", "snapshotEvents", NUMBER, "", "65536")               \
	X(PROFILE, "profile", "profile", CHOICE, "small|cluster", "cluster")                       \
	X(DRAIN, "drain-timeout", "drainTimeout", DURATION, "", "20s")                             \
	X(CLUSTER_ENDPOINT, "cluster-endpoint", "clusterEndpoint", TEXT, "", NULL)                 \
	X(CLUSTER_CA, "cluster-ca-bundle", "clusterCABundle", TEXT, "", NULL)                      \
	X(QUEUE, "interruption-queue", "interruptionQueue", TEXT, "", NULL)                        \
	X(ISOLATED_VPC, "isolated-vpc", "isolatedVPC", SWITCH, "", "false")                        \
	X(EKS, "eks-control-plane", "eksControlPlane", SWITCH, "", "false")
/* clang-format on */

enum plm_config_key {
#define PLM_CONFIG_ENUM(id, flag, file, kind, choices, otherwise) PLM_CONFIG_KEY_##id,
	PLM_CONFIG_KEYS(PLM_CONFIG_ENUM)
#undef PLM_CONFIG_ENUM
	PLM_CONFIG_KEY_COUNT
};

struct plm_config_key_info {
	const char *flag, *file;
	enum plm_config_kind kind;
	const char *choices, *otherwise;
};
const struct plm_config_key_info *plm_config_key_info(enum plm_config_key key);

struct plm_config_value {
	const char **texts; /* arena; one for all kinds but lists */
	size_t count;	    /* 0 = not set and no default */
	int64_t number;	    /* NUMBER; DURATION in ms; SWITCH 0 or 1; CHOICE: its index */
	const char
		*origin; /* "flag --mode", "environment PLIMSOLL_MODE", "file.yaml:3", "default" */
};

struct plm_config {
	struct plm_config_value values[PLM_CONFIG_KEY_COUNT];
	struct plm_arena *arena; /* borrowed: holds everything */
};

/* 'argv' without the program and the verb; 'env' looks a variable up (NULL when it is not set). */
enum plm_code plm_config_read(int argc, char **argv, const char *(*env)(const char *name),
			      struct plm_arena *arena, struct plm_config *out,
			      struct plm_error *err) PLM_MUST_CHECK;

static inline bool plm_config_has(const struct plm_config *config, enum plm_config_key key)
{
	return config->values[key].count > 0;
}
/* NULL when it is not set. */
static inline const char *plm_config_text(const struct plm_config *config, enum plm_config_key key)
{
	return plm_config_has(config, key) ? config->values[key].texts[0] : NULL;
}
static inline int64_t plm_config_number(const struct plm_config *config, enum plm_config_key key)
{
	return config->values[key].number;
}
bool plm_config_is(const struct plm_config *config, enum plm_config_key key, const char *text);
/* One of a list is 'text'. */
bool plm_config_lists(const struct plm_config *config, enum plm_config_key key, const char *text);
/* PLM_E_CONFIG: "mode: <what> (from flag --mode)". */
enum plm_code plm_config_fail(const struct plm_config *config, enum plm_config_key key,
			      struct plm_error *err, const char *format, ...) PLM_PRINTF(4, 5);

#endif
