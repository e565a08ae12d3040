/*
 * command.h - the one command table, and the parser that it drives
 *
 * Owns: every verb and every flag with its type and its words; from the same rows come the parser,
 * --help, the man pages, the reference page and the completion of three shells, so that none of them can
 * drift. Flags may stand anywhere behind the verb; "--flag value", "--flag=value", "-f value", "-fvalue"
 * and bundled switches are the same to it; "--" ends them; "-90m" is a point, not a flag.
 * Does not: carry a verb out (cmd_*.c), or read a source (input.h).
 */
#ifndef PLM_TOOLS_COMMAND_H
#define PLM_TOOLS_COMMAND_H

#include <stdio.h>

#include "core/arena.h"

enum plm_flag_kind {
	PLM_FLAG_SWITCH,   /* no value */
	PLM_FLAG_TEXT,	   /* any value; the last one wins */
	PLM_FLAG_LIST,	   /* may be repeated */
	PLM_FLAG_CHOICE,   /* one of 'choices', separated by "|" */
	PLM_FLAG_NUMBER,   /* a whole number >= 0 */
	PLM_FLAG_DURATION, /* Go's spelling, > 0 */
	PLM_FLAG_FORMAT,   /* one of the verb's output formats */
};

/* X(ID, "name", letter or 0, KIND, "VALUE", "choices", "help") */
#define PLM_FLAGS(X)                                                                               \
	X(HELP, "help", 'h', SWITCH, "", "", "print what this verb does and end")                  \
	X(LOG, "log", 'L', TEXT, "PATH", "",                                                       \
	  "the log: a folder that Plimsoll writes, or an exported .plog file")                     \
	X(KEEP_LOG, "log", 'L', TEXT, "DIR", "",                                                   \
	  "keep the log of this run in DIR, which must be missing or empty")                       \
	X(FILENAME, "filename", 'f', LIST, "FILE", "",                                             \
	  "manifests: a file, a folder, or - for standard input; may be repeated")                 \
	X(WITH, "with", 0, LIST, "FILE", "",                                                       \
	  "add these manifests: \"what if I submitted this?\"; may be repeated")                   \
	X(NOW, "now", 0, TEXT, "TIME", "",                                                         \
	  "the time of the decision, RFC 3339; default: the newest time in the input")             \
	X(CYCLES, "cycles", 0, TEXT, "N|stable|settled", "",                                       \
	  "how far to go: N admission cycles; stable = until no decision changes; settled "        \
	  "(default) = evictions, launches and joins taken as done")                               \
	X(ONLY, "only", 0, CHOICE, "AREA", "queues|nodes", "decide on one area only")              \
	X(COMPAT, "compat", 0, CHOICE, "MODE", "strict|better",                                    \
	  "strict = exactly as Kueue and Karpenter do; better (default) = the same or better")     \
	X(CATALOG, "catalog", 0, TEXT, "FILE", "",                                                 \
	  "instance types from FILE (JSON, kind Catalog); builtin (default) = EC2's")              \
	X(REGION, "region", 0, TEXT, "REGION", "",                                                 \
	  "region of the built-in catalogue; default us-west-2")                                   \
	X(FAIL_ON, "fail-on", 0, LIST, "WHAT", "",                                                 \
	  "end with 1 when there is a row of WHAT: pending, unschedulable, preempted, "            \
	  "nodeClaims, disruptions; separated by commas or repeated")                              \
	X(EXPLAIN, "explain", 0, SWITCH, "", "", "print why below each row")                       \
	X(OUTPUT, "output", 'o', FORMAT, "FORMAT", "", "how to print")                             \
	X(NO_HEADERS, "no-headers", 0, SWITCH, "", "", "tables without their header line")         \
	X(AT, "at", 0, TEXT, "POINT", "", "the state just after POINT; default HEAD")              \
	X(BEFORE, "before", 0, TEXT, "POINT", "", "the state just before POINT")                   \
	X(NAMESPACE, "namespace", 'n', TEXT, "NS", "", "namespace of the object")                  \
	X(ALL, "all-namespaces", 'A', SWITCH, "", "",                                              \
	  "every namespace (the default; accepted for kubectl's sake)")                            \
	X(HASH, "hash", 0, SWITCH, "", "", "print the state hash only")                            \
	X(STAT, "stat", 0, SWITCH, "", "", "print counts instead of fields")                       \
	X(KIND, "kind", 0, LIST, "KIND", "",                                                       \
	  "only objects of KIND; separated by commas or repeated")                                 \
	X(FOLLOW, "follow", 'f', SWITCH, "", "", "go on as the log grows")                         \
	X(LINES, "lines", 'n', NUMBER, "N", "", "begin N events before the end; default 10")       \
	X(TYPE, "type", 0, LIST, "TYPE", "",                                                       \
	  "only events of TYPE (JOB, PEND, ...) or class (Fact, Decision, Intent, Result, "        \
	  "Control); separated by commas or repeated")                                             \
	X(OBJECT, "object", 0, TEXT, "KIND/NAME", "", "only events about this object")             \
	X(OUT, "output", 'o', TEXT, "FILE", "", "the file to write; it must not exist")            \
	X(INTO, "into", 0, TEXT, "DIR", "", "the folder to fill; it must be missing or empty")     \
	X(FROM_START, "from-start", 0, SWITCH, "", "", "leave snapshots out: fold from event 1")   \
	X(SCENARIO_SEED, "seed", 0, NUMBER, "N", "", "seed of all random draws; default 1")        \
	X(UNTIL, "until", 0, DURATION, "DUR", "", "end after this much virtual time")              \
	X(SPEED, "speed", 0, TEXT, "max|N", "",                                                    \
	  "virtual seconds per second, or max (default) = as fast as it goes")                     \
	X(VERBOSE, "verbose", 'v', SWITCH, "", "",                                                 \
	  "print what happens as it does: decisions, effects, outcomes")                           \
	X(TIMEOUT, "timeout", 0, DURATION, "DUR", "", "give up with 124 after this time")          \
	X(SETTINGS, "config", 0, TEXT, "FILE", "",                                                 \
	  "settings file (YAML or JSON): the flags' names as keys, clusterName for "               \
	  "--cluster-name")                                                                        \
	X(DATA_DIR, "data-dir", 0, TEXT, "DIR", "", "folder of the log; made when it is missing")  \
	X(MODE, "mode", 0, CHOICE, "MODE", "observe|enforce",                                      \
	  "observe = log what happens and change nothing; default observe, with --cloud sim "      \
	  "enforce")                                                                               \
	X(ENFORCE, "enforce", 0, LIST, "AREA", "queues|nodes", "carry out decisions of AREA only") \
	X(CLOUD, "cloud", 0, CHOICE, "CLOUD", "ec2|sim|none",                                      \
	  "sim = an embedded cluster and cloud in wall time; none = a real cluster, no cloud")     \
	X(KUBECONFIG, "kubeconfig", 0, TEXT, "FILE", "", "FILE or in-cluster; not with sim")       \
	X(CONTEXT, "context", 0, TEXT, "NAME", "", "of the kubeconfig; else its current one")      \
	X(ACCEPT_OLDER, "accept-older-log", 0, SWITCH, "", "",                                     \
	  "go on from a log that is behind what the Lease says of it")                             \
	X(EC2_ENDPOINT, "ec2-endpoint", 0, TEXT, "URL", "", "URL of the EC2 API; not with sim")    \
	X(CLUSTER_NAME, "cluster-name", 0, TEXT, "NAME", "",                                       \
	  "name of the cluster, from which an embedded one has its identity; default plimsoll")    \
	X(SCENARIO, "scenario", 0, TEXT, "FILE", "",                                               \
	  "a scenario that the embedded ends play from the beginning of the log on")               \
	X(LISTEN, "listen", 0, TEXT, "ADDR", "", "address:port of /metrics and /version")          \
	X(HEALTH_LISTEN, "health-listen", 0, TEXT, "ADDR", "",                                     \
	  "address:port of /healthz, /livez and /readyz")                                          \
	X(LOG_LEVEL, "log-level", 0, CHOICE, "LEVEL", "debug|info|warn|error",                     \
	  "which lines are printed; default info")                                                 \
	X(NO_BALLAST, "no-ballast", 0, SWITCH, "", "",                                             \
	  "do not keep a file of 256 MiB beside the log to give up when the disk is full")         \
	X(ANY_FILESYSTEM, "allow-any-filesystem", 0, SWITCH, "", "",                               \
	  "write to network and overlay file systems too: the log may be lost there")              \
	X(SNAPSHOT_EVENTS, "snapshot-events", 0, NUMBER, "N", "",                                  \
	  "events between two snapshots; default 65536")                                           \
	X(PROFILE, "profile", 0, CHOICE, "PROFILE", "small|cluster",                               \
	  "capacity of a new log's state; default cluster")                                        \
	X(DRAIN_TIMEOUT, "drain-timeout", 0, DURATION, "DUR", "",                                  \
	  "how long SIGTERM waits for effects in flight; default 20s")                             \
	X(CLUSTER_ENDPOINT, "cluster-endpoint", 0, TEXT, "URL", "",                                \
	  "the API server as new nodes reach it; default: EKS says (environment "                  \
	  "CLUSTER_ENDPOINT)")                                                                     \
	X(CLUSTER_CA, "cluster-ca-bundle", 0, TEXT, "BASE64", "",                                  \
	  "its authority for new nodes (CLUSTER_CA_BUNDLE)")                                       \
	X(INTERRUPTION_QUEUE, "interruption-queue", 0, TEXT, "NAME", "",                           \
	  "the SQS queue of interruptions (INTERRUPTION_QUEUE)")                                   \
	X(ISOLATED_VPC, "isolated-vpc", 0, SWITCH, "", "",                                         \
	  "do not ask the Pricing API, which has no endpoint in a VPC (ISOLATED_VPC)")             \
	X(EKS_CONTROL_PLANE, "eks-control-plane", 0, SWITCH, "", "",                               \
	  "ask EKS for endpoint, authority and addresses (EKS_CONTROL_PLANE)")                     \
	X(MAN, "man", 0, SWITCH, "", "", "as a man page")                                          \
	X(MARKDOWN, "markdown", 0, SWITCH, "", "", "the whole reference as Markdown")              \
	X(SERVER, "server", 0, TEXT, "URL", "",                                                    \
	  "a running daemon, such as http://127.0.0.1:8080: it answers the same")                  \
	X(TOKEN_FILE, "token-file", 0, TEXT, "FILE", "",                                           \
	  "with --server: send the token that FILE holds; default: what PLIMSOLL_TOKEN holds")     \
	X(CA_FILE, "certificate-authority", 0, TEXT, "FILE", "",                                   \
	  "with --server https://...: the authorities to trust, as PEM")                           \
	X(LIMIT, "limit", 0, NUMBER, "N", "", "at most N rows; `continue` in -o json leads on")    \
	X(CONTINUE, "continue", 0, TEXT, "TOKEN", "", "go on where an answer to --limit ended")    \
	X(OFFSET, "offset", 0, NUMBER, "N", "", "leave out the first N rows")                      \
	X(FROM, "from", 0, TEXT, "POINT", "",                                                      \
	  "begin behind POINT instead of N events from the end")                                   \
	X(GROUP, "group", 0, CHOICE, "BY", "reason|queue", "what to group by; default reason")     \
	X(ROLES, "mode", 0, CHOICE, "MODE", "observe|enforce|serve",                               \
	  "only what this mode adds; default all of them")                                         \
	X(IAM_MODE, "mode", 0, CHOICE, "MODE", "observe|enforce",                                  \
	  "observe = reads only; default enforce, which has both")                                 \
	X(IAM_FORMAT, "format", 0, CHOICE, "FORMAT", "json|cloudformation|terraform",              \
	  "default json, a policy document")                                                       \
	X(IAM_CLUSTER, "cluster-name", 0, TEXT, "NAME", "",                                        \
	  "the cluster whose things may be changed; a template asks for it when it is not named")  \
	X(IAM_REGION, "region", 0, TEXT, "REGION", "",                                             \
	  "the only region; a document has all of them when it is not named, a template its own")  \
	X(IAM_ACCOUNT, "account", 0, TEXT, "ID", "", "the only account; as --region")              \
	X(IAM_QUEUE, "interruption-queue", 0, TEXT, "NAME", "",                                    \
	  "the SQS queue; default the name of the cluster")                                        \
	X(IAM_ROLE, "node-role", 0, TEXT, "NAME", "",                                              \
	  "the only role that nodes may be given; default KarpenterNodeRole-<cluster>")

enum plm_flag {
	PLM_FLAG_NONE, /* ends a list */
#define PLM_FLAG_ENUM(id, name, letter, kind, value, choices, help) PLM_FLAG_##id,
	PLM_FLAGS(PLM_FLAG_ENUM)
#undef PLM_FLAG_ENUM
	PLM_FLAG_COUNT
};

struct plm_flag_info {
	const char *name;
	char letter; /* 0 = none */
	enum plm_flag_kind kind;
	const char *value; /* placeholder */
	const char *choices;
	const char *help;
};

#define PLM_COMMAND_MAX_FLAGS 32
#define PLM_COMMAND_MAX_OPERANDS 8

struct plm_live;
struct plm_call_point;
struct plm_cli;
typedef enum plm_code plm_verb_fn(struct plm_cli *call, struct plm_error *err);

struct plm_command {
	const char *name;     /* "log show" */
	const char *group;    /* heading of the overview */
	const char *operands; /* "[A..B]" */
	const char *summary;  /* one line, lower case, no full stop */
	const char *text;     /* paragraphs, separated by an empty line */
	const char *examples; /* one command a line, without the program's name */
	const char *formats;  /* of -o, the first is the default; NULL = no -o */
	const char *exits;    /* exit codes besides 0, 2 and 70, separated by spaces */
	uint8_t min_operands, max_operands;
	plm_verb_fn *run;			    /* NULL: brought by src/ (cli.h) */
	enum plm_flag flags[PLM_COMMAND_MAX_FLAGS]; /* ends with PLM_FLAG_NONE */
};

struct plm_flag_value {
	const char **texts; /* arena; one for all kinds but LIST */
	size_t count;
	int64_t number; /* NUMBER, DURATION in ms */
};

/* One run of one verb. */
struct plm_cli {
	const struct plm_command *command;
	const char *program; /* as the user called it: "plimsoll", "kubectl plimsoll" */
	struct plm_flag_value flags[PLM_FLAG_COUNT];
	const char *operands[PLM_COMMAND_MAX_OPERANDS];
	size_t operand_count;
	struct plm_arena *arena;      /* borrowed: lives as long as the call */
	FILE *out;		      /* borrowed: answers */
	FILE *notes;		      /* borrowed: warnings and progress */
	bool finding;		      /* the answer is "yes, a difference": exit 1 */
	bool bug;		      /* the engine broke an invariant: exit 70 */
	const struct plm_live *live;  /* in the daemon: its own log (live.h); else NULL */
	struct plm_call_point *point; /* filled with the point that was looked at; may be NULL */
};

/* The rows, by group and name; ends with one whose name is NULL. */
const struct plm_command *plm_commands(void);
/* NULL when there is no such verb. */
const struct plm_command *plm_command_find(const char *name);
const struct plm_flag_info *plm_flag_info(enum plm_flag flag);
/* The flag of 'command' called 'name' (of 'size' bytes), or with 'letter'; PLM_FLAG_NONE if none. */
enum plm_flag plm_command_flag(const struct plm_command *command, const char *name, size_t size);
enum plm_flag plm_command_letter(const struct plm_command *command, char letter);
/* Is 'word' one of 'choices' ("a|b|c")? */
bool plm_choice_has(const char *choices, const char *word);

/*
 * Find the verb at the head of 'argv' (without the program) and fill 'call'. 'call->command' is NULL when
 * nothing but help was asked for ("", "help", "--help", "log"): '*out_topic' then says of what ("" = all).
 * PLM_E_USAGE: 'err' says what is wrong and names what comes nearest.
 */
enum plm_code plm_command_parse(struct plm_cli *call, int argc, char **argv, const char **out_topic,
				struct plm_error *err) PLM_MUST_CHECK;

static inline bool plm_cli_has(const struct plm_cli *call, enum plm_flag flag)
{
	return call->flags[flag].count > 0;
}
/* The value of a flag, 'otherwise' when it was not given. */
static inline const char *plm_cli_text(const struct plm_cli *call, enum plm_flag flag,
				       const char *otherwise)
{
	return plm_cli_has(call, flag) ? call->flags[flag].texts[0] : otherwise;
}
static inline int64_t plm_cli_number(const struct plm_cli *call, enum plm_flag flag,
				     int64_t otherwise)
{
	return plm_cli_has(call, flag) ? call->flags[flag].number : otherwise;
}
/* The value of -o, or the verb's default. Arena or static. */
const char *plm_cli_format(const struct plm_cli *call);
/* Is 'word' among the values of a LIST flag, commas taken apart, letter case aside? */
bool plm_cli_lists(const struct plm_cli *call, enum plm_flag flag, const char *word);

/* ---- what is generated from the table (help.c, complete.c) ------------------------------------- */

/* The overview ("", all verbs), or all of one verb, or of the verbs that begin with 'topic'. */
void plm_help_print(FILE *out, const char *program, const char *topic);
/* Two lines for stderr: how 'command' (NULL = any) is called, and where the help is. */
void plm_help_usage(FILE *out, const char *program, const struct plm_command *command);
/* A man page in roff: plimsoll(1) for NULL, else plimsoll-<verb>(1). */
void plm_help_man(FILE *out, const struct plm_command *command);
/* The reference page. */
void plm_help_markdown(FILE *out);

/*
 * Candidates for the last of 'words' (the words behind the program), one "word<TAB>help" a line, then a
 * directive line ":4" (no files) or ":0" (files too): the protocol of kubectl's plugin completion.
 */
void plm_complete(FILE *out, int count, char **words);
/* The script for "bash", "zsh" or "fish" that calls plm_complete(). PLM_E_USAGE: another shell. */
enum plm_code plm_complete_script(FILE *out, const char *shell,
				  struct plm_error *err) PLM_MUST_CHECK;

#endif
