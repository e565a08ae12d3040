#include "tools/command.h"
#include "tools/verbs.h"

#define F(id) PLM_FLAG_##id
#define SOURCE F(SERVER), F(TOKEN_FILE), F(CA_FILE), F(LOG), F(FILENAME)
#define LOG_SOURCE F(SERVER), F(TOKEN_FILE), F(CA_FILE), F(LOG)
#define PAGE F(LIMIT), F(CONTINUE)
#define ROUND F(NOW), F(CYCLES), F(ONLY), F(COMPAT), F(CATALOG), F(REGION)
#define POINT F(AT), F(BEFORE)
#define COMMON F(TIMEOUT), F(HELP)

#define POINTS                                                                                     \
	"A point of the log is a number, HEAD, HEAD~20, START, a time (RFC 3339), -90m (before "   \
	"the end of the log) or mark:NAME. A..B is the range behind A up to and with B; either "   \
	"side may be left out."
#define SOURCES                                                                                    \
	"The source is a running daemon (--server), a log (-L: a folder or a .plog file) or "      \
	"manifests (-f), from which a log is made in memory and one decision taken, as `decide` "  \
	"does."

#define RUN "Run"
#define DECIDE "Decide"
#define LOOK "Look"
#define LOG_GROUP "Log"
#define OTHER "Other"

static const struct plm_command commands[] = {
	{"run",
	 RUN,
	 "",
	 "the daemon: decide on what happens, as it happens",
	 "Writes everything that it sees, decides and does to the log in --data-dir, and carries "
	 "out "
	 "what it decided when that is durable. A daemon that was killed goes on from its log. One "
	 "process at a time: a second one ends with 8.\n\n"
	 "--kubeconfig runs it on a real cluster: it observes (reads, decides, writes nothing) "
	 "unless "
	 "--mode or --enforce say what is to be carried out; then it holds the Lease `plimsoll`, "
	 "waits "
	 "as standby while another one does, and leaves the area of a Kueue or Karpenter that "
	 "still "
	 "lives alone. Kueue's Configuration and Karpenter's settings go into -f.\n\n"
	 "--cloud sim plays the cluster and the cloud inside the process, in wall time: it begins "
	 "with the manifests of -f or --scenario, and after a restart with what the log last saw "
	 "of "
	 "each object; objects that the log knows are not applied again.\n\n"
	 "Each flag may be given in the environment (PLIMSOLL_DATA_DIR for --data-dir) or in the "
	 "file of --config (dataDir); a flag wins over the environment, that over the file. A "
	 "wrong "
	 "setting ends with 78 and names the key. The lines on stdout are JSON with Karpenter's "
	 "key "
	 "names. SIGTERM finishes the effects in flight, syncs and ends with 0; a second one does "
	 "not wait.",
	 "run --kubeconfig in-cluster --data-dir /data --enforce queues --listen :8080\n"
	 "run --cloud sim --data-dir ./data --scenario examples/web-burst.yaml\n"
	 "run --cloud sim --data-dir ./data -f examples/tour/queues.yaml --mode observe",
	 NULL,
	 "5 7 8 75 78",
	 0,
	 0,
	 NULL,
	 {F(SETTINGS),
	  F(DATA_DIR),
	  F(MODE),
	  F(ENFORCE),
	  F(CLOUD),
	  F(KUBECONFIG),
	  F(EC2_ENDPOINT),
	  F(REGION),
	  F(CLUSTER_NAME),
	  F(COMPAT),
	  F(CATALOG),
	  F(FILENAME),
	  F(SCENARIO),
	  F(SCENARIO_SEED),
	  F(LISTEN),
	  F(HEALTH_LISTEN),
	  F(LOG_LEVEL),
	  F(NO_BALLAST),
	  F(ANY_FILESYSTEM),
	  F(SNAPSHOT_EVENTS),
	  F(PROFILE),
	  F(DRAIN_TIMEOUT),
	  F(CONTEXT),
	  F(ACCEPT_OLDER),
	  F(CLUSTER_ENDPOINT),
	  F(CLUSTER_CA),
	  F(INTERRUPTION_QUEUE),
	  F(ISOLATED_VPC),
	  F(EKS_CONTROL_PLANE),
	  F(HELP)}},
	{"decide",
	 DECIDE,
	 "",
	 "decide over manifests, without a cluster",
	 "Reads manifests as people write them or as `kubectl get -o yaml` prints them, both "
	 "dialects mixed, and prints what is admitted, preempted, launched, placed and removed, "
	 "and why the rest waits. Nothing is contacted, and no clock is read: the time is --now, "
	 "or the newest time in the input.\n\n"
	 "A document that cannot be parsed ends the run with file, line and reason, and nothing "
	 "is decided. Kinds that no rule reads are named once each on stderr.\n\n"
	 "With -L the log of the decision is kept in a folder, for `why`, `replay`, `timeline` "
	 "and the other verbs.",
	 "decide -f examples/tour/queues.yaml -f examples/tour/nodes.yaml -f "
	 "examples/tour/job.yaml\n"
	 "decide -f dump.yaml --with job.yaml --fail-on pending\n"
	 "kubectl get cq,lq,rf,workloads,nodes,pods,nodepools -A -o yaml | plimsoll decide -f - "
	 "-o json",
	 "table|json|yaml",
	 "1 4 8 9",
	 0,
	 0,
	 plm_cmd_decide,
	 {F(FILENAME), F(WITH), ROUND, F(FAIL_ON), F(EXPLAIN), F(KEEP_LOG), F(OUTPUT),
	  F(NO_HEADERS), COMMON}},
	{"sim",
	 DECIDE,
	 "SCENARIO",
	 "run the engine on an embedded cluster and cloud",
	 "Plays a scenario (a file or a folder: manifests and one document of kind Scenario) on "
	 "virtual time: jobs arrive and run, nodes boot, the cloud runs out of stock, things fail. "
	 "The same scenario and seed write the same log on every machine. Invariants are checked "
	 "after every event; a broken one ends with 70.\n\n"
	 "With -L the log is kept in a folder, for `why`, `replay`, `timeline` and the other "
	 "verbs.",
	 "sim examples/gpu-gang-stock-out.yaml\n"
	 "sim examples/gpu-gang-stock-out.yaml --seed 7 -L ./data -o json\n"
	 "sim examples/gpu-gang-stock-out.yaml -v --until 10m",
	 "table|json",
	 "4 8",
	 1,
	 1,
	 plm_cmd_sim,
	 {F(KEEP_LOG), F(SCENARIO_SEED), F(UNTIL), F(SPEED), F(CATALOG), F(VERBOSE), F(OUTPUT),
	  COMMON}},
	{"get",
	 LOOK,
	 "KIND [NAME]",
	 "list objects as the engine sees them at a point",
	 "Kinds: workloads (wl), clusterqueues (cq), localqueues (lq), workqueues (wq), cohorts, "
	 "flavors (rf), jobs, podsets, pods (po), nodes (no), nodepools (np), nodeclaims (nc), "
	 "nodeclasses, daemonsets (ds), namespaces (ns), priorityclasses (pc), admissionchecks, "
	 "instancetypes, stockouts, effects (eff: intents without a result), decisions (dec) and "
	 "events.\n\n" SOURCES "\n\n" POINTS,
	 "get workloads -L ./data\n"
	 "get nodeclaims -L ./data --at -90m -o wide\n"
	 "get cq ml -f dump.yaml -o yaml",
	 "table|wide|json|yaml|name",
	 "3 4 5 7",
	 1,
	 2,
	 plm_cmd_get,
	 {SOURCE, POINT, F(NAMESPACE), F(ALL), PAGE, ROUND, F(OUTPUT), F(NO_HEADERS), COMMON}},
	{"describe",
	 LOOK,
	 "KIND/NAME",
	 "everything about one object",
	 "All fields of the object as the engine sees it, why it stands where it stands, and the "
	 "events that touched it.\n\n" SOURCES "\n\n" POINTS,
	 "describe workload/job-train-1a2b3 -n ml -L ./data\n"
	 "describe nodepool/gpu -L ./data --at 2026-01-01T10:00:00Z",
	 "text|json|yaml",
	 "3 4 5 7",
	 1,
	 2,
	 plm_cmd_describe,
	 {SOURCE, POINT, F(NAMESPACE), ROUND, F(OUTPUT), COMMON}},
	{"why",
	 LOOK,
	 "KIND/NAME",
	 "why something waits, runs, exists or is gone",
	 "The verdict with its numbers: what is needed, what was considered and which rule ended "
	 "it, who stands ahead, what would change the answer, and the decision and the events "
	 "that led there. Works for workloads, jobs, pod sets, pods, nodes, node claims, node "
	 "pools and queues, also for those that are gone.\n\n" SOURCES "\n\n" POINTS,
	 "why job/train -n ml -L ./data\n"
	 "why podset/training-job-001 -n data-science-prod -f examples/samples-as-given.yaml\n"
	 "why node/gpu-x7 -L ./data --at HEAD~100 -o json",
	 "text|json|yaml",
	 "3 4 5 7",
	 1,
	 2,
	 plm_cmd_why,
	 {SOURCE, POINT, F(NAMESPACE), ROUND, F(OUTPUT), COMMON}},
	{"timeline",
	 LOOK,
	 "KIND/NAME",
	 "events about an object and its relatives",
	 "Rows in order: facts about the object, its owner and what it owns, the decisions that "
	 "were made on them, the effects these led to, and their results.\n\n" SOURCES
	 "\n\n" POINTS,
	 "timeline job/train -n ml -L ./data\n"
	 "timeline nodeclaim/gpu-x7 -L ./data -o json",
	 "table|wide|json|jsonl|yaml",
	 "3 4 5 7",
	 1,
	 2,
	 plm_cmd_timeline,
	 {SOURCE, POINT, F(NAMESPACE), ROUND, F(OUTPUT), F(NO_HEADERS), COMMON}},
	{"metrics",
	 LOOK,
	 "",
	 "what a scrape by Prometheus would have read",
	 "Gauges of the state at the point, counters and histograms from the first event of the "
	 "log "
	 "on. Names, types and labels are Kueue's, and those of the simple dialect.\n\n" SOURCES
	 "\n\n" POINTS,
	 "plimsoll metrics -L ./data --at -1h\n"
	 "plimsoll metrics -f cluster.yaml",
	 "",
	 "4 5 7",
	 0,
	 0,
	 plm_cmd_metrics,
	 {SOURCE, POINT, ROUND, COMMON}},
	{"diff",
	 LOOK,
	 "A [B] [KIND/NAME]",
	 "objects and fields that changed between two points",
	 "Compares the state just after A with the state just after B (default HEAD); A..B is the "
	 "same. Ends with 0 when nothing differs, with 1 when something does.\n\n" POINTS,
	 "diff -L ./data START HEAD --stat\n"
	 "diff -L ./data 100..120 workload/ml/job-train-1a2b3",
	 "text|json|yaml",
	 "1 3 4 5 7",
	 1,
	 3,
	 plm_cmd_diff,
	 {LOG_SOURCE, F(NAMESPACE), F(KIND), F(STAT), F(OUTPUT), COMMON}},
	{"state",
	 LOOK,
	 "[PATH]",
	 "the folded state at a point, whole or by path",
	 "The state as the engine holds it: per table the objects by name. A path picks a part, "
	 "such as workloads.ml/job-a.stage; letter case does not matter in table names. --hash "
	 "prints the state hash, which is equal for equal logs on every machine.\n\n" POINTS,
	 "state -L ./data --at HEAD~20 clusterqueues.ml\n"
	 "state -L ./data --hash",
	 "yaml|json",
	 "3 4 5 7",
	 0,
	 1,
	 plm_cmd_state,
	 {SOURCE, POINT, F(HASH), ROUND, F(OUTPUT), COMMON}},
	{"log stat",
	 LOG_GROUP,
	 "",
	 "size, range and chain head of a log",
	 "Facts about the log after the checks that every reader makes. `log verify` reads all "
	 "of it.",
	 "log stat -L ./data\nlog stat -L incident.plog -o json",
	 "table|json|yaml",
	 "4 5 7",
	 0,
	 0,
	 plm_cmd_log_stat,
	 {LOG_SOURCE, F(OUTPUT), COMMON}},
	{"log show",
	 LOG_GROUP,
	 "[A..B | POINT]",
	 "events, decoded",
	 "Without a range: all of the log. With one point: that event.\n\n" POINTS,
	 "log show -L ./data 100..120\n"
	 "log show -L ./data HEAD -o yaml\n"
	 "log show -L ./data --type Decision,Intent --object workload/ml/job-a -o jsonl",
	 "table|wide|json|jsonl|yaml",
	 "3 4 5 7",
	 0,
	 1,
	 plm_cmd_log_show,
	 {SOURCE, F(TYPE), F(OBJECT), F(NAMESPACE), PAGE, ROUND, F(OUTPUT), F(NO_HEADERS), COMMON}},
	{"log tail",
	 LOG_GROUP,
	 "",
	 "the last events, and with -f those that come",
	 "Prints the last N events. With -f it waits for more until it is interrupted or the "
	 "reader of its output goes away. -o sse writes Server-Sent Events, as the daemon "
	 "streams them.",
	 "log tail -L ./data -n 50\nlog tail -L ./data -f --type Decision -o jsonl",
	 "table|wide|jsonl|sse",
	 "4 5 7 124",
	 0,
	 0,
	 plm_cmd_log_tail,
	 {LOG_SOURCE, F(LINES), F(FROM), F(FOLLOW), F(TYPE), F(OBJECT), F(OUTPUT), F(NO_HEADERS),
	  COMMON}},
	{"log verify",
	 LOG_GROUP,
	 "",
	 "read every frame again and check all that can be checked",
	 "Checksums, the hash chain, gaps, the witness beside the log, every snapshot. Damage "
	 "ends with 5, and the last good number stands on stderr.",
	 "log verify -L ./data",
	 "text|json|yaml",
	 "4 5 7",
	 0,
	 0,
	 plm_cmd_log_verify,
	 {F(LOG), F(OUTPUT), COMMON}},
	{"log export",
	 LOG_GROUP,
	 "[A..B]",
	 "write a range to one file that can be checked alone",
	 "The file holds whole batches, compressed, with their chain. Every verb that takes -L "
	 "reads it; `log import` makes a folder of one that begins at the first event.\n\n" POINTS,
	 "log export -L ./data -o incident.plog\nlog export -L ./data 4000..5000 -o part.plog",
	 NULL,
	 "3 4 5 7 8",
	 0,
	 1,
	 plm_cmd_log_export,
	 {F(LOG), F(OUT), COMMON}},
	{"log import",
	 LOG_GROUP,
	 "FILE.plog",
	 "make a log folder of an exported file",
	 "Same records, frames, chain head and state hash. A folder that is not empty is refused.",
	 "log import incident.plog --into ./copy",
	 NULL,
	 "4 5 7 8",
	 1,
	 1,
	 plm_cmd_log_import,
	 {F(INTO), COMMON}},
	{"replay",
	 LOG_GROUP,
	 "[A..B]",
	 "recompute every decision and compare with what was recorded",
	 "Folds the log and decides again at each cycle. Ends with 0 when every decision and "
	 "every state hash is the recorded one, with 6 at the first that differs. A range begins "
	 "at A with the recorded state.\n\n" POINTS,
	 "replay -L ./data\nreplay -L incident.plog -o json",
	 "text|json|yaml",
	 "3 4 5 6 7",
	 0,
	 1,
	 plm_cmd_replay,
	 {SOURCE, F(FROM_START), ROUND, F(OUTPUT), COMMON}},
	{"agree",
	 LOG_GROUP,
	 "",
	 "would we have decided what Kueue and Karpenter decided?",
	 "Of a log that `run` wrote while it observed: for every Workload that Kueue let in or "
	 "preempted and every NodeClaim that Karpenter made or removed, whether the same would "
	 "have "
	 "been decided here on the state just before. later = the same, 10 s after we would have; "
	 "onlyUs = wanted here for 10 s and not done; onlyThem = not wanted here. Ends with 1 when "
	 "anything differs.\n\n" POINTS,
	 "agree -L ./data\nagree -L ./data -o json",
	 "text|json|yaml",
	 "1 3 4 5 7",
	 0,
	 0,
	 plm_cmd_agree,
	 {SOURCE, F(OUTPUT), COMMON}},
	{"head",
	 LOOK,
	 "",
	 "where a log ends: event, time, state hash",
	 "The newest event of the source, or the point that is named. Of a daemon also its mode "
	 "and "
	 "how many events it has yet to look at.\n\n" SOURCES "\n\n" POINTS,
	 "head -L ./data\nhead --server http://127.0.0.1:8080 -o json",
	 "text|json|yaml",
	 "3 4 5 7",
	 0,
	 0,
	 plm_cmd_head,
	 {SOURCE, POINT, ROUND, F(OUTPUT), COMMON}},
	{"summary",
	 LOOK,
	 "",
	 "how many of what there are, and why workloads wait",
	 "Counts of workloads by stage, of those that wait by reason, of pods by phase, of nodes "
	 "and node claims, and what the claims cost an hour.\n\n" SOURCES "\n\n" POINTS,
	 "summary -L ./data\nsummary --server http://127.0.0.1:8080 -o json",
	 "text|json|yaml",
	 "3 4 5 7",
	 0,
	 0,
	 plm_cmd_summary,
	 {SOURCE, POINT, ROUND, F(OUTPUT), COMMON}},
	{"pending",
	 LOOK,
	 "",
	 "workloads that wait, by queue and position",
	 "All workloads without quota, each with its reason, and counts by reason or "
	 "queue.\n\n" SOURCES "\n\n" POINTS,
	 "pending -L ./data\npending -n ml --group queue -o json -L ./data",
	 "table|wide|json|yaml",
	 "3 4 5 7",
	 0,
	 0,
	 plm_cmd_pending,
	 {SOURCE, POINT, F(NAMESPACE), F(GROUP), PAGE, ROUND, F(OUTPUT), F(NO_HEADERS), COMMON}},
	{"visibility",
	 LOOK,
	 "KIND/NAME",
	 "a queue's line, as the body of Kueue's visibility API",
	 "Of clusterqueue/NAME or localqueue/NS/NAME; positions count from 0.\n\n" SOURCES
	 "\n\n" POINTS,
	 "visibility clusterqueue/ml -L ./data\nvisibility localqueue/team/ml -f cluster.yaml",
	 "json|yaml",
	 "3 4 5 7",
	 1,
	 2,
	 plm_cmd_visibility,
	 {SOURCE, POINT, F(NAMESPACE), F(OFFSET), F(LIMIT), ROUND, F(OUTPUT), COMMON}},
	{"doctor",
	 OTHER,
	 "",
	 "what is in a cluster, whose it is, and what would collide",
	 "Looks at the server's version, the CRDs (ours, upstream's, none), admission policies, "
	 "and "
	 "the Leases and webhooks of Kueue and Karpenter. With --cloud ec2 at whose keys these are "
	 "and which reads of AWS they allow, by dry runs. Reads only. Ends with 1 when something "
	 "has "
	 "to be done.",
	 "doctor --kubeconfig ~/.kube/config\ndoctor --kubeconfig in-cluster -o json\n"
	 "doctor --cloud ec2 --region eu-west-1",
	 "text|json|yaml",
	 "1 4 78",
	 0,
	 0,
	 NULL,
	 {F(KUBECONFIG), F(CONTEXT), F(CLOUD), F(REGION), F(EC2_ENDPOINT), F(OUTPUT), COMMON}},
	{"migrate check",
	 OTHER,
	 "",
	 "what of a cluster's objects is not supported yet, by name",
	 "Reads every object that decisions can depend on and names each field that is accepted "
	 "but "
	 "not decided on yet, and each object that cannot be read. Reads only. Ends with 1 when "
	 "there "
	 "is any.",
	 "migrate check --kubeconfig ~/.kube/config",
	 "text|json|yaml",
	 "1 4 78",
	 0,
	 0,
	 NULL,
	 {F(KUBECONFIG), F(CONTEXT), F(OUTPUT), COMMON}},
	{"rbac print",
	 OTHER,
	 "",
	 "print the roles that the daemon needs in a cluster",
	 "Made of the one table of calls that the daemon can make at all, so that they are enough "
	 "and not more. observe: ClusterRole plimsoll-observe, reads only. enforce, on top of it: "
	 "ClusterRole plimsoll-enforce, and Role plimsoll-lease for its own namespace. serve: "
	 "ClusterRole plimsoll-serve, for a daemon that more than the loopback may ask. With -n "
	 "they are bound to service account plimsoll of that namespace, else to nobody.",
	 "rbac print -n plimsoll-system | kubectl apply -f -\n"
	 "rbac print --mode observe",
	 NULL,
	 "",
	 0,
	 0,
	 NULL,
	 {F(ROLES), F(NAMESPACE), COMMON}},
	{"iam print",
	 OTHER,
	 "",
	 "print the IAM policies that the daemon needs in an account",
	 "Made of the one table of calls that the daemon can make at all, so that they are enough "
	 "and not more. observe: reads. enforce: also launching, tagging and ending what carries "
	 "the cluster's tags, instance profiles, passing on the nodes' role, and taking messages "
	 "off the interruption queue. A document is one policy; a template has one for each mode, "
	 "since both together may be longer than AWS lets a managed policy be.",
	 "iam print --mode observe --cluster-name prod\n"
	 "iam print --cluster-name prod --region eu-west-1 --account 123456789012\n"
	 "iam print --format cloudformation > plimsoll-iam.yaml",
	 NULL,
	 "",
	 0,
	 0,
	 NULL,
	 {F(IAM_MODE), F(IAM_FORMAT), F(IAM_CLUSTER), F(IAM_REGION), F(IAM_ACCOUNT), F(IAM_QUEUE),
	  F(IAM_ROLE), COMMON}},
	{"completion",
	 OTHER,
	 "bash|zsh|fish",
	 "print the completion script of a shell",
	 "For kubectl: put a link named kubectl_complete-plimsoll to this program on the PATH.",
	 "completion bash > /etc/bash_completion.d/plimsoll\ncompletion fish | source",
	 NULL,
	 "",
	 1,
	 1,
	 plm_cmd_completion,
	 {COMMON}},
	{"help",
	 OTHER,
	 "[VERB]",
	 "print help about a verb, as text, man page or Markdown",
	 "The same as VERB --help.",
	 "help log show\nhelp decide --man | man -l -",
	 NULL,
	 "",
	 0,
	 2,
	 plm_cmd_help,
	 {F(MAN), F(MARKDOWN), COMMON}},
	{"version",
	 OTHER,
	 "",
	 "print the version of this program and of what it reads and writes",
	 "The version, the formats of the log and the decision bundle. A log that needs newer ones "
	 "ends every verb with 7.",
	 "version\nversion -o json",
	 "text|json|yaml",
	 "",
	 0,
	 0,
	 plm_cmd_version,
	 {F(OUTPUT), COMMON}},
	{NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, {PLM_FLAG_NONE}},
};

const struct plm_command *plm_commands(void)
{
	return commands;
}
