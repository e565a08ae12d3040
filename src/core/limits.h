/*
 * limits.h - every limit by name, and what happens when it is met
 */
#ifndef PLM_CORE_LIMITS_H
#define PLM_CORE_LIMITS_H

/* Log. A payload that makes a record larger is split into PART records before it reaches the store. */
#define PLM_LIMIT_RECORD_BYTES 1900
/* Facts of one batch; more wait for the next batch. */
#define PLM_LIMIT_BATCH_FACTS 1024
/* Bytes of the facts of one batch; more wait for the next batch. */
#define PLM_LIMIT_BATCH_BYTES (1024 * 1024)
/* Records of one batch, decisions included; more is refused before anything is tried. */
#define PLM_LIMIT_FRAME_RECORDS (1024 * 1024)
/* Bytes of the records of one batch, decisions included; more is refused before anything is tried. */
#define PLM_LIMIT_FRAME_BYTES (256LL * 1024 * 1024)
/* Records whose frames a writer verifies when it opens the log; older ones are verified when read. */
#define PLM_LIMIT_TAIL_EVENTS (256 * 1024)
/* Age of a read transaction on a live log; it is renewed then, so that no page is pinned for long. */
#define PLM_LIMIT_READ_MS 2000
/* Room that the daemon keeps in reserve for the last batches of a full volume. */
#define PLM_LIMIT_BALLAST_BYTES (256LL * 1024 * 1024)
/* Processes that read a live log at once; one more is told to try again. */
#define PLM_LIMIT_READERS 126
/* Slices of a snapshot's image, and its bytes; more is refused. */
#define PLM_LIMIT_SNAPSHOT_PARTS 64
#define PLM_LIMIT_SNAPSHOT_BYTES (16LL * 1024 * 1024 * 1024)
/* A HASH record comes first in the batch after this many events. */
#define PLM_LIMIT_HASH_EVENTS 4096
/* Granularity of the incremental state hash. */
#define PLM_LIMIT_CHUNK_BYTES 65536
/* Address space of the LMDB map, reserved once. */
#define PLM_LIMIT_MAP_BYTES (64LL * 1024 * 1024 * 1024)
/*
 * Nesting of a payload; deeper is refused. A Workload's pod affinity needs 11: pair, workload, pod sets,
 * pod set, shape, terms, term, selector, expressions, expression, values. D2's 8 would drop it.
 */
#define PLM_LIMIT_PAYLOAD_DEPTH 12
/* One event's payload with all its parts; larger is refused with the object's name. */
#define PLM_LIMIT_PAYLOAD_BYTES (64 * 1024 * 1024)

/* Bytes of interned strings and spans by profile; capacities of the tables are in tables.h. */
#define PLM_LIMIT_HEAP_SMALL (8U * 1024 * 1024)
#define PLM_LIMIT_HEAP_CLUSTER (512U * 1024 * 1024)
#define PLM_LIMIT_HEAP_CEILING (4ULL * 1024 * 1024 * 1024 - 8)

/* Pods of one object at once, indexes of a Job; more are refused with its name and field. */
#define PLM_LIMIT_POD_SET_PODS 100000
/* Nodes that a pool keeps at least (minSize); more are refused with its name and field. */
#define PLM_LIMIT_POOL_MIN_SIZE 20000
/* Pods of one PodSet that wait to be made again; more are made after these. */
#define PLM_LIMIT_REMAKE 256

/* Node labels, and tolerations, that the flavors of one pod set add (8 per flavor upstream). */
#define PLM_LIMIT_FLAVOR_LABELS 128

/* Ways to reach all volumes of one pod; those behind are not tried. */
#define PLM_LIMIT_VOLUME_WAYS 1024
/* Looks at open claims for pods without a cheap place, of one pass; after these they stay without. */
#define PLM_LIMIT_PACK_CHANCES 20000U

/* Shapes of pods in one planning pass; with more, new nodes are not filled by columns, pod by pod only. */
#define PLM_LIMIT_COLUMN_SHAPES 512U

/* Resources that one pod names; more are refused with its name. */
#define PLM_LIMIT_POD_RESOURCES 64

/* A drain no longer waits for a pod that is this long behind its own deletionTimestamp. */
#define PLM_DRAIN_STUCK_MS (60LL * 1000)
/* A drain takes at least this long: a pod may have been bound just before its node was closed. */
#define PLM_DRAIN_LEAST_MS (5LL * 1000)
/* After its deadline a drain waits this long for the answer about pods that it has asked to go. */
#define PLM_DRAIN_LAST_MS (2LL * 1000)
/* An instance that does not say that it has gone is told again after this long. */
#define PLM_TERMINATE_AGAIN_MS (2 * 60LL * 1000)
/* An eviction that was refused is asked for again after this long, doubled each time up to the second. */
#define PLM_EVICT_FIRST_MS 100LL
#define PLM_EVICT_LAST_MS (10LL * 1000)

/* Sources. A Kubernetes quantity longer than this is refused. */
#define PLM_LIMIT_QUANTITY_CHARS 64
/* One document, or one item of a list; larger is refused (etcd itself takes 1.5 MiB). */
#define PLM_LIMIT_ITEM_BYTES (8L * 1024 * 1024)
/* Values of one document, aliases expanded; more are refused. */
#define PLM_LIMIT_DOC_NODES 200000
/* Nesting of a document; deeper is refused. */
#define PLM_LIMIT_DOC_DEPTH 64
/* Anchors of one YAML document; more are refused. */
#define PLM_LIMIT_DOC_ANCHORS 256
/* Memory for one document's tree, projection and texts. */
#define PLM_LIMIT_DOC_BYTES (256L * 1024 * 1024)
/* Entries of one list of a catalogue type (values, requirements, resources, offerings). */
#define PLM_LIMIT_CATALOG_LIST 4096
/* Position of an event in its source (resourceVersion, request id). */
#define PLM_LIMIT_POSITION_BYTES 128
/* Address space of one batch while it is gathered, of one step's decisions, of one decoded event. */
#define PLM_LIMIT_BATCH_ARENA (4ULL * 1024 * 1024 * 1024)
#define PLM_LIMIT_STEP_ARENA (4ULL * 1024 * 1024 * 1024)
#define PLM_LIMIT_EVENT_ARENA (1024ULL * 1024 * 1024)
/* Events between two snapshots, by default. */
#define PLM_LIMIT_SNAPSHOT_EVENTS 65536

/* Types that a claim names under strict, and types that one launch asks for: the cheapest, as upstream. */
#define PLM_LIMIT_CLAIM_TYPES 600
#define PLM_LIMIT_LAUNCH_TYPES 60
/* Types that a claim names otherwise: no more are ever asked for at once, and the log stays small. */
#define PLM_LIMIT_CLAIM_TYPES_BETTER 20

/* Candidate evaluations of one cycle; the rest goes on in the next batch. */
#define PLM_LIMIT_CYCLE_BUDGET 50000000

/* Admission rounds of one cycle at most, and how many in a row without a change end it: exact.md 8. */
#define PLM_LIMIT_ROUNDS 1000
#define PLM_LIMIT_QUIET_ROUNDS 12
/* Ways through the flavors of one workload that are tried in a row; the first one says why it waits. */
#define PLM_LIMIT_FLAVOR_TRIES 8
/* The ring between loop and engine thread: bytes (more than one payload) and entries; full = PLM_E_AGAIN. */
#define PLM_LIMIT_RING_BYTES (80LL * 1024 * 1024)
#define PLM_LIMIT_RING_ENTRIES (64 * 1024)
/* Free room on the log's volume in percent: a warning, a louder one, and no new effects below. */
#define PLM_LIMIT_ROOM_WARN_PERCENT 20
#define PLM_LIMIT_ROOM_LOW_PERCENT 10
#define PLM_LIMIT_ROOM_OBSERVE_PERCENT 5
/* Free bytes below which the ballast is given up, and with that gone the daemon ends before LMDB fails. */
#define PLM_LIMIT_ROOM_LAST_BYTES (32LL * 1024 * 1024)

/* A wall clock that runs apart from the boot clock by more than this was set: CLOCK_STEP. */
#define PLM_LIMIT_CLOCK_STEP_MS 2000

/* Levels of a Topology, layers of slices of a pod set; more are refused, as upstream. */
#define PLM_LIMIT_TOPOLOGY_LEVELS 16
#define PLM_LIMIT_TOPOLOGY_SLICES 3
/* Pod sets of one job; more are refused with its name. Kueue itself takes 18 in a Workload. */
#define PLM_LIMIT_JOB_SETS 64
/* Roles of one group of pods; with more it is not let in, and `why` says so. Kueue's own limit. */
#define PLM_LIMIT_GROUP_ROLES 8
/* Disruption budgets of one NodePool; more are refused, as by upstream's schema. */
#define PLM_LIMIT_BUDGETS 50

/* Pools whose funnel an explanation holds; of those after them only what stops the nearest type. */
#define PLM_LIMIT_FUNNEL_POOLS 16
/* An offering that is refused over and over is left alone for twice as long each time, this often at most. */
#define PLM_LIMIT_STOCK_OUT_DOUBLINGS 3
/* The wait before a launch that failed for something else than capacity is repeated. */
#define PLM_LIMIT_LAUNCH_BACKOFF_FIRST_MS 1000
#define PLM_LIMIT_LAUNCH_BACKOFF_MS 60000
/* The wait before an effect on a node or claim that failed is asked for again, and when that is forgotten. */
#define PLM_LIMIT_RETRY_FIRST_MS 1000
#define PLM_LIMIT_RETRY_MS 60000
#define PLM_LIMIT_RETRY_FORGET_MS (10LL * 60 * 1000)
/*
 * An instance that no claim knows is left alone until it is older than this, and than twice the lag with which
 * launched instances were seen lately. A longer lag than the second counts as that: nobody is left for ever.
 */
#define PLM_LIMIT_ORPHAN_AGE_MS 30000
#define PLM_LIMIT_LAUNCH_LAG_MS 120000
/* Launches of a pool by which its health is told; older ones are forgotten. */
#define PLM_LIMIT_HEALTH_RING 4
/* Pods, and refused offers, that are kept with a claim for explanations; more are counted only. */
#define PLM_LIMIT_CLAIM_STORY 8
/*
 * Why a workload waits is written into its object when it has waited for so long, and for all workloads
 * together one at a time: what became of them is more urgent, and most have been let in before their turn.
 */
#define PLM_LIMIT_SAY_AFTER_MS 1000
#define PLM_LIMIT_SAY_EVERY_MS 150
/* How often what queues say of themselves is looked at, and each of them is written at most. */
#define PLM_LIMIT_BOARD_EVERY_MS 1000
#define PLM_LIMIT_BOARD_OBJECT_MS 5000
/* How often what claims, pools and classes say is looked at, and how old the last look may be in a cycle. */
#define PLM_LIMIT_NODES_EVERY_MS 250
#define PLM_LIMIT_NODES_AGAIN_MS 1000
/* The wait before a status is written again that met a conflict. */
#define PLM_LIMIT_WRITE_AGAIN_MS 1000
/* The wait before an object is asked for again whose making was refused; a conflict: as above. */
#define PLM_LIMIT_MAKE_AGAIN_MS 60000
/* How long somebody else's word in a field of ours stands before it is set right, once. */
#define PLM_LIMIT_THEIRS_MS 5000
/* Reasons of waiting that are looked at to tell when the next is due; the rest waits for these. */
#define PLM_LIMIT_SAY_LOOK 256

/* Rows of the visibility body when no limit is said, and at most: as upstream. */
#define PLM_LIMIT_VISIBILITY_DEFAULT 1000
#define PLM_LIMIT_VISIBILITY_MAX 100000

/* HTTP. Connections at once, and from one address: one more is closed at once. */
#define PLM_LIMIT_WEB_CONNECTIONS 96
#define PLM_LIMIT_WEB_CONNECTIONS_OF_ONE 64
/* Bytes of a request's line and header, with what the connection needs besides; more is 431 or 414. */
#define PLM_LIMIT_WEB_HEADER_BYTES (32 * 1024)
/* Parameters of one request; more is 400. */
#define PLM_LIMIT_WEB_PARAMETERS 48
/* A connection may be silent, and may take for its whole header, so long; then it is closed. */
#define PLM_LIMIT_WEB_SILENCE_S 10
#define PLM_LIMIT_WEB_HEADER_MS 10000
/* An answer that is not taken within this is cut off, and its connection closed; not streams. */
#define PLM_LIMIT_WEB_ANSWER_MS 120000
/* Questions that are worked on at once; others wait so long, then they are told to come again (503). */
#define PLM_LIMIT_WEB_WORK 4
/* Scrapes of metrics at once, besides; more get 503: each is a child with a copy of the state. */
#define PLM_LIMIT_WEB_SCRAPES 2
#define PLM_LIMIT_WEB_WAIT_MS 5000
/* One question may take so long, and its answer be so large; more is 503 with a hint. */
#define PLM_LIMIT_WEB_WORK_MS 30000
#define PLM_LIMIT_WEB_ANSWER_BYTES (256LL * 1024 * 1024)
/* Memory of one question, in a process of its own, which ends when it is used up. */
#define PLM_LIMIT_WEB_ARENA_BYTES (8LL * 1024 * 1024 * 1024)
/* Streams at once; one more is told to come again. */
#define PLM_LIMIT_WEB_STREAMS 32
/* What was said of a token is believed so long: yes, no. A stream is asked for again so often. */
#define PLM_LIMIT_ACCESS_YES_MS 60000
#define PLM_LIMIT_ACCESS_NO_MS 5000
#define PLM_LIMIT_ACCESS_STREAM_MS 30000
/* Tokens that are remembered, bytes of one, and how long a review may take; beyond: not allowed. */
#define PLM_LIMIT_ACCESS_TOKENS 1024
#define PLM_LIMIT_TOKEN_BYTES (16 * 1024)
#define PLM_LIMIT_ACCESS_REVIEW_MS 10000
/* HTTP. Bytes of an answer's body where its caller names no bound; a larger one is TOO_LARGE. */
#define PLM_LIMIT_HTTP_BODY_BYTES (8UL * 1024 * 1024)
/* Bytes that curl hands over at once of an answer that is read as it comes. */
#define PLM_LIMIT_HTTP_PIECE_BYTES (128L * 1024)
/* Connections to one host where its peer names no bound; more calls wait their turn. */
#define PLM_LIMIT_HTTP_CONNECTIONS 8U
/* Calls at once to one host that speaks HTTP/2, all on one connection; more wait their turn. */
#define PLM_LIMIT_HTTP_STREAMS 100U
/* A connection whose far end acknowledges nothing for so long is given up; an idle one is asked this often. */
#define PLM_LIMIT_HTTP_UNACKED_MS 8000U
#define PLM_LIMIT_HTTP_KEEPALIVE_S 15L
/* A name's addresses are looked up again after this long; the old ones serve until the new ones are there. */
#define PLM_LIMIT_HTTP_RESOLVE_MS (30LL * 1000)
/* A Retry-After that asks for more counts as this. */
#define PLM_LIMIT_RETRY_AFTER_MS (60LL * 60 * 1000)
/* Nesting of what a list or watch answers, Go's own limit; an object deeper than DOC_DEPTH is not read. */
#define PLM_LIMIT_SCAN_DEPTH 10000

/* Objects of one page of a list, where lists are not streamed. */
#define PLM_LIMIT_LIST_PAGE 500
/* A list that says nothing for so long is begun anew; so is a watch that has had bookmarks before. */
#define PLM_LIMIT_LIST_STALL_MS (60LL * 1000)
#define PLM_LIMIT_WATCH_STALL_MS (150LL * 1000)
/* The server is asked to end a watch after a time between these, as client-go does. */
#define PLM_LIMIT_WATCH_LEAST_S 300
#define PLM_LIMIT_WATCH_MOST_S 600
/* A kubeconfig file, or a file that it names; longer is refused. */
#define PLM_LIMIT_KUBECONFIG_BYTES (1024 * 1024)
/* Kubeconfig files that are merged; more are refused. */
#define PLM_LIMIT_KUBECONFIG_FILES 16
/* Files with tokens and certificates are looked at again after this long, when a call is made. */
#define PLM_LIMIT_TOKEN_LOOK_MS 10000
/* What a credential plugin prints, and how long it may take; past either it is killed, and its calls fail. */
#define PLM_LIMIT_CREDENTIAL_BYTES (256 * 1024)
#define PLM_LIMIT_CREDENTIAL_MS 30000
/* What a plugin gave is renewed this long before it expires; after a failure it is asked no sooner than this. */
#define PLM_LIMIT_CREDENTIAL_AHEAD_MS 60000
#define PLM_LIMIT_CREDENTIAL_AGAIN_MS 2000
/* Connections to the API server; more calls share them (HTTP/2) or wait. */
#define PLM_LIMIT_KUBE_CONNECTIONS 8
/* One call of discovery; when the list of groups, and when all is asked for again; no sooner after a miss. */
#define PLM_LIMIT_DISCOVERY_CALL_MS 15000
#define PLM_LIMIT_DISCOVERY_LOOK_MS 30000
#define PLM_LIMIT_DISCOVERY_MS (10 * 60 * 1000)
#define PLM_LIMIT_DISCOVERY_SOON_MS 5000
/* The wait where it is not allowed: a right may be given later. */
#define PLM_LIMIT_WATCH_DENIED_MS (60LL * 1000)
/* How often it is looked whether the server has got a resource that it did not have. */
#define PLM_LIMIT_LOOK_MS (5LL * 1000)
/* Failing for so long, the API server counts as away (event REACH). */
#define PLM_LIMIT_AWAY_MS (10LL * 1000)
/* Objects that cannot be read and are remembered, so that each is named once; others may be named again. */
#define PLM_LIMIT_NAMED_OBJECTS 1024

/* The wait before a watch that ended badly is begun again, doubled each time, and when that is forgotten. */
#define PLM_LIMIT_WATCH_BACKOFF_FIRST_MS 800
#define PLM_LIMIT_WATCH_BACKOFF_LAST_MS (30LL * 1000)
#define PLM_LIMIT_WATCH_BACKOFF_RESET_MS (2LL * 60 * 1000)
/* Kubernetes. Effects under way at once; more wait their turn in the order in which they came. */
#define PLM_LIMIT_EFFECTS_UNDER_WAY 64
/* Times that an effect is begun anew because its object changed under it; then it is a conflict. */
#define PLM_LIMIT_EFFECT_CONFLICTS 3
/* Steps of one try of an effect; one that takes more is begun anew later. */
#define PLM_LIMIT_EFFECT_STEPS 12
/* The wait before an effect that could not be carried out, or is not known to be, goes out again. */
#define PLM_LIMIT_EFFECT_WAIT_FIRST_MS 250
#define PLM_LIMIT_EFFECT_WAIT_MS 30000
/* The pods of a group are listed; without a byte for so long the list is begun anew. */
#define PLM_LIMIT_EFFECT_STALL_MS 10000
/* An effect that has to wait for another controller looks again after this long at most. */
#define PLM_LIMIT_EFFECT_LOOK_MS 2000
/* Bytes of a RESULT's message; the rest is cut off. */
#define PLM_LIMIT_RESULT_MESSAGE 1024
/* Bytes of a condition's message that takes another one back; the rest is cut off, as upstream's CRD asks. */
#define PLM_LIMIT_CONDITION_MESSAGE (32 * 1024)
/* Workloads whose resourceVersion is remembered; the status of others is read before it is written. */
#define PLM_LIMIT_KNOWN_WORKLOADS (256 * 1024)
/* Kubernetes Events that wait or are remembered for their series; one more is dropped and counted. */
#define PLM_LIMIT_EVENT_SERIES 16384
/* The same Event within this time is counted at the one that is there. */
#define PLM_LIMIT_EVENT_SERIES_MS (10LL * 60 * 1000)
/* Events a second, and at once after a pause; and under way at once. More wait. */
#define PLM_LIMIT_EVENT_RATE 50
#define PLM_LIMIT_EVENT_BURST 100
#define PLM_LIMIT_EVENTS_UNDER_WAY 4
/* Times that an Event is sent; then it is dropped and counted. The wait after one that failed. */
#define PLM_LIMIT_EVENT_TRIES 3
#define PLM_LIMIT_EVENT_WAIT_MS 2000
/* Bytes of an Event's message; the rest is cut off, as the API server would refuse it. */
#define PLM_LIMIT_EVENT_MESSAGE 1024
/* The wait before an API server that did not answer at a start is asked again. */
#define PLM_LIMIT_MEET_AGAIN_MS 2000
/* Whole lists of every resource are taken again this often: a lost watch event is not lost for ever. */
#define PLM_LIMIT_RELIST_MS (10 * 60 * 1000)
/* HTTP calls that are under way at once; more wait their turn. */
#define PLM_LIMIT_HTTP_CALLS 256
/* Kubernetes Events that wait for the loop; more are dropped and counted. */
#define PLM_LIMIT_ANNOUNCED 10000
/* After a start Events of the log that are not older than this are sent (again). */
#define PLM_LIMIT_ANNOUNCE_AGAIN_MS 30000

/* Pods that have series of their own on the page of metrics; plimsoll_metrics_dropped counts the others. */
#define PLM_LIMIT_METRIC_PODS 20000

/* The Lease: how long it lasts, until when its holder may act after a renewal, how often it is renewed. */
#define PLM_LIMIT_LEASE_MS (15LL * 1000)
#define PLM_LIMIT_LEASE_ACT_MS (10LL * 1000)
#define PLM_LIMIT_LEASE_RENEW_MS (2LL * 1000)
#define PLM_LIMIT_LEASE_JITTER_MS 400LL
/* A call about a Lease is given up after this long, so that there is time for others before it runs out. */
#define PLM_LIMIT_LEASE_CALL_MS (3LL * 1000)
/* How often a peer's Lease is looked at. */
#define PLM_LIMIT_PEER_LOOK_MS (2LL * 1000)

/* Of a request that is signed: bytes of its body (curl asks first from 1 MiB on, unsigned) and of a session token. */
#define PLM_LIMIT_SIGNED_BODY_BYTES (1024UL * 1024)
#define PLM_LIMIT_SIGNED_TOKEN_BYTES (16UL * 1024)

/* A shared file of AWS' configuration, or a file with a token; longer is refused. */
#define PLM_LIMIT_AWS_FILE_BYTES (1024UL * 1024)
/* Roles that one profile's keys go through; more are refused, as profiles that name each other. */
#define PLM_LIMIT_AWS_HOPS 5
/* Temporary keys are renewed when the smaller of this and a quarter of their life is left; less than that is none. */
#define PLM_LIMIT_AWS_AHEAD_MS (10LL * 60 * 1000)
#define PLM_LIMIT_AWS_LEFT_MS 1000LL
/* How often it is looked at the wall's clock, which may step, whether it is time to. */
#define PLM_LIMIT_AWS_LOOK_MS (15LL * 1000)
/* Keys that were refused are fetched anew no sooner after they came. */
#define PLM_LIMIT_AWS_REFUSED_MS (60LL * 1000)
/* One request for keys: of an agent on this machine or IMDS, of STS; how often it is tried, and the first wait. */
#define PLM_LIMIT_AWS_NEAR_CONNECT_MS 1000LL
#define PLM_LIMIT_AWS_NEAR_MS 2000LL
#define PLM_LIMIT_AWS_STS_MS (10LL * 1000)
#define PLM_LIMIT_AWS_TRIES 3
#define PLM_LIMIT_AWS_TRY_FIRST_MS 200LL
#define PLM_LIMIT_AWS_TRY_LAST_MS (5LL * 1000)
/* What answers with keys may have of bytes. */
#define PLM_LIMIT_AWS_KEYS_BYTES (256UL * 1024)
/* IMDS that cannot renew gives keys that have expired and are honoured: they are used for so long, then asked for. */
#define PLM_LIMIT_AWS_STALE_MS (5LL * 60 * 1000)
/* The wait after keys could not be fetched: doubled up to the second. */
#define PLM_LIMIT_AWS_FETCH_FIRST_MS 1000LL
#define PLM_LIMIT_AWS_FETCH_LAST_MS (60LL * 1000)
/* At a start the region must be known after so long; else the daemon ends and says that it must be set. */
#define PLM_LIMIT_PLACE_MS (60LL * 1000)
/* AWS. Bytes of an answer, nesting and nodes of its tree, and memory for it; more cannot be read. */
#define PLM_LIMIT_AWS_BODY_BYTES (64UL * 1024 * 1024)
#define PLM_LIMIT_AWS_DEPTH 64
#define PLM_LIMIT_AWS_NODES (2U * 1024 * 1024)
#define PLM_LIMIT_AWS_TREE_BYTES (512UL * 1024 * 1024)
/* Pages of one read; more is an answer that cannot be used. */
#define PLM_LIMIT_AWS_PAGES 1000U
/* Times that a read is sent; then its owner is told. The waits between, doubled up to the second. */
#define PLM_LIMIT_AWS_READ_TRIES 4
#define PLM_LIMIT_AWS_AGAIN_FIRST_MS 250
#define PLM_LIMIT_AWS_AGAIN_MS 10000
/* Bytes of an answer's message; the rest is cut off. */
#define PLM_LIMIT_AWS_MESSAGE 512
/* A file of certificates for AWS' endpoints; longer is refused. */
#define PLM_LIMIT_CA_BYTES (4 * 1024 * 1024)
/* A connection to AWS takes this long at most. */
#define PLM_LIMIT_AWS_CONNECT_MS 5000
/* Connections to one endpoint of AWS; more calls wait. */
#define PLM_LIMIT_AWS_CONNECTIONS 16
/*
 * Calls a second (in thousandths), and at once after a pause, of each family: at most what AWS gives an
 * account by default, less where others in the account read too. More wait. An answer that throttles halves
 * the rate, down to a sixteenth; each second without one gives back an eighth. Launches, ends and other
 * changes may come to so many times the rate while somebody waits and AWS does not throttle: an eighth more each
 * second.
 */
#define PLM_LIMIT_AWS_FASTER 8
#define PLM_LIMIT_AWS_READ_MILLI 10000
#define PLM_LIMIT_AWS_READ_BURST 50
#define PLM_LIMIT_AWS_LIST_MILLI 5000
#define PLM_LIMIT_AWS_LIST_BURST 25
#define PLM_LIMIT_AWS_MUTATE_MILLI 5000
#define PLM_LIMIT_AWS_MUTATE_BURST 50
#define PLM_LIMIT_AWS_LAUNCH_MILLI 5000
#define PLM_LIMIT_AWS_LAUNCH_BURST 50
#define PLM_LIMIT_AWS_TERMINATE_MILLI 5000
#define PLM_LIMIT_AWS_TERMINATE_BURST 50
#define PLM_LIMIT_AWS_OTHER_MILLI 5000
#define PLM_LIMIT_AWS_OTHER_BURST 20
#define PLM_LIMIT_AWS_SQS_MILLI 100000
#define PLM_LIMIT_AWS_SQS_BURST 100
/* Things that one selector of a node class may select; more fail it, with its name. */
#define PLM_LIMIT_CLASS_ROWS 10000
/* How old what AWS said for node classes may get before it is asked again. */
#define PLM_LIMIT_CLASS_SUBNETS_MS (60LL * 1000)
#define PLM_LIMIT_CLASS_GROUPS_MS (5LL * 60 * 1000)
#define PLM_LIMIT_CLASS_IMAGES_MS (5LL * 60 * 1000)
#define PLM_LIMIT_CLASS_RESERVATIONS_MS (60LL * 1000)
#define PLM_LIMIT_CLASS_PARAMETER_MS (24LL * 3600 * 1000)
#define PLM_LIMIT_CLASS_PROFILE_MS (15LL * 60 * 1000)
#define PLM_LIMIT_CLASS_CLUSTER_MS (5LL * 60 * 1000)
/* The same for an answer without anything in it. */
#define PLM_LIMIT_CLASS_NOTHING_MS (60LL * 1000)
/* For the parameter of an image that is gone or deprecated; and for all of a class that has changed. */
#define PLM_LIMIT_CLASS_DOUBT_MS (30LL * 60 * 1000)
#define PLM_LIMIT_CLASS_FRESH_MS (5LL * 1000)
/* The wait before a question that failed is asked again doubles from the first to the second. */
#define PLM_LIMIT_CLASS_AGAIN_MS (10LL * 1000)
#define PLM_LIMIT_CLASS_AGAIN_MOST_MS (5LL * 60 * 1000)
/* A question that fails for so long is said aloud; what was never known is told as unknown then. */
#define PLM_LIMIT_CLASS_PATIENCE_MS (2LL * 60 * 1000)
/* A condition by an answer that could not be had anew for so long says so. */
#define PLM_LIMIT_CLASS_STALE_MS (15LL * 60 * 1000)
/* Questions of node classes that are under way at once; more wait. */
#define PLM_LIMIT_CLASS_UNDER_WAY 8U
/* Addresses that a subnet without any must have again before it is used. */
#define PLM_LIMIT_CLASS_SUBNET_BACK 8
/* What became of a change of an instance profile holds so long without another look. */
#define PLM_LIMIT_PROFILE_AGAIN_MS (30LL * 1000)
#define PLM_LIMIT_PROFILE_AGAIN_MOST_MS (10LL * 60 * 1000)
/* A profile whose class is gone waits so long between looks for instances that still have it. */
#define PLM_LIMIT_PROFILE_BURY_MS (60LL * 1000)

/* EC2. Overrides of one CreateFleet: what EC2 takes; dearer offers are left out. */
#define PLM_LIMIT_EC2_OVERRIDES 300
/* Launches whose calls are under way at once; more wait their turn in the order in which they came. */
#define PLM_LIMIT_EC2_LAUNCHES 64
/* The wait before a launch, terminate or tag that was not carried out, or is not known to be, goes out again. */
#define PLM_LIMIT_EC2_WAIT_FIRST_MS 1000
#define PLM_LIMIT_EC2_WAIT_MS (2LL * 60 * 1000)
/*
 * For so long after a call whose outcome is unknown its instance is looked for by tag, before a refusal of its repetition is
 * believed. EC2 shows an instance within seconds; one that is later still is ended as an orphan.
 */
#define PLM_LIMIT_EC2_SETTLE_MS (60LL * 1000)
/* An instance that EC2 does not know is believed to be gone when it has said so for this long, or is older. */
#define PLM_LIMIT_EC2_GONE_MS (60LL * 1000)
/* Ends of instances that are asked for together: so long after the newest, so long in all, so many. */
#define PLM_LIMIT_EC2_TERMINATE_IDLE_MS 100
#define PLM_LIMIT_EC2_TERMINATE_MAX_MS 1000
#define PLM_LIMIT_EC2_TERMINATE_IDS 500
/* Tags of instances are written one call in this time: EC2 allows few of them. */
#define PLM_LIMIT_EC2_TAG_EVERY_MS 1000
/*
 * Whole lists of instances: how long after the one before the next begins, with nothing there, in rest, and while launches
 * are fresh or an outcome was unknown lately. One that failed is begun again after the last.
 */
#define PLM_LIMIT_EC2_ROUND_IDLE_MS (60LL * 1000)
#define PLM_LIMIT_EC2_ROUND_MS (30LL * 1000)
#define PLM_LIMIT_EC2_ROUND_FRESH_MS (10LL * 1000)
#define PLM_LIMIT_EC2_FRESH_MS (2LL * 60 * 1000)
/* How often old launch templates are looked for, and how old one is that no launch has needed for as long. */
#define PLM_LIMIT_EC2_TEMPLATE_LOOK_MS (24LL * 60 * 60 * 1000)
#define PLM_LIMIT_EC2_TEMPLATE_AGE_MS (7LL * 24 * 60 * 60 * 1000)
/* Instances that begin, end or are missing are looked at by id between the lists: after these waits, so many a call. */
#define PLM_LIMIT_EC2_LOOK_FIRST_MS 1000
#define PLM_LIMIT_EC2_LOOK_MS (15LL * 1000)
#define PLM_LIMIT_EC2_LOOK_IDS 200
/* Without an answer to a list for so long the cloud counts as away: nothing is said of what is not seen. */
#define PLM_LIMIT_EC2_AWAY_MS (30LL * 1000)
/* An instance that ended is remembered for so long, so that an older view does not bring it back. */
#define PLM_LIMIT_EC2_ENDED_MS (10LL * 60 * 1000)
/* EC2. Instance types of a region, rows of any other answer, bytes of their texts; the rest is left out, and said. */
#define PLM_LIMIT_EC2_TYPES 2000
#define PLM_LIMIT_EC2_ROWS (256 * 1024)
#define PLM_LIMIT_EC2_TEXT_BYTES (32L * 1024 * 1024)
/* Memory to read one product of the price list; a larger one is unreadable. */
#define PLM_LIMIT_EC2_PRODUCT_ARENA (4L * 1024 * 1024)
/* No instance is begun in a capacity block that ends sooner than this: it would be given up at once. */
#define PLM_LIMIT_EC2_BLOCK_LEAD_MS (40LL * 60 * 1000)

/* Instances that are known by their id; at it all are forgotten but those of the last half as many facts. */
#define PLM_LIMIT_EC2_KNOWN (128 * 1024)
/* A message of the interruption queue, and memory to read one; SQS itself takes 1 MiB. A larger one is unreadable. */
#define PLM_LIMIT_EC2_MESSAGE_BYTES (1024L * 1024)
#define PLM_LIMIT_EC2_MESSAGE_ARENA (32L * 1024 * 1024)

/* The queue: how long a poll waits, and its answer may take besides; how long a message is hidden from others. */
#define PLM_LIMIT_EC2_POLL_S 20
#define PLM_LIMIT_EC2_POLL_SLACK_MS 10000
#define PLM_LIMIT_EC2_VISIBILITY_S 60
/* Messages that wait to be durable; then no more are received. Tries to delete one; then it may come again. */
#define PLM_LIMIT_EC2_RECEIPTS 1000
#define PLM_LIMIT_EC2_DELETE_TRIES 3
/* The wait after a queue that failed, doubled up to the second; and how often it is seen what is durable. */
#define PLM_LIMIT_EC2_QUEUE_FIRST_MS 1000
#define PLM_LIMIT_EC2_QUEUE_LAST_MS (60LL * 1000)
#define PLM_LIMIT_EC2_QUEUE_LOOK_MS 500
/* How often instance status and reservations are asked for; types, offerings and prices; and after a failure. */
#define PLM_LIMIT_EC2_STATUS_MS (60LL * 1000)
#define PLM_LIMIT_EC2_RESERVATIONS_MS (60LL * 1000)
#define PLM_LIMIT_EC2_CATALOG_MS (12LL * 60 * 60 * 1000)
#define PLM_LIMIT_EC2_CATALOG_FIRST_MS 30000
#define PLM_LIMIT_EC2_CATALOG_LAST_MS (30LL * 60 * 1000)

/* Memory in which the catalogue is made and compared, and in which one request is written. */
#define PLM_LIMIT_EC2_CATALOG_ARENA (256LL * 1024 * 1024)
#define PLM_LIMIT_EC2_FORM_ARENA (256L * 1024)

/* How old an answer about reservations may be when the catalogue is told. */
#define PLM_LIMIT_EC2_LEFT_MS 10000

/* Credentials are asked for this often, so that readyz says whether there are any. */
#define PLM_LIMIT_AWS_KEYS_AGAIN_MS 10000U

/* Bytes of a cluster's name where there is a cloud: it is part of a tag's key. */
#define PLM_LIMIT_CLUSTER_NAME 100

/* Effects on the API server that failed for good: as many are remembered, and the next of their sort waits so long at most. */
#define PLM_LIMIT_REFUSALS 256U
#define PLM_LIMIT_REFUSED_MS (30LL * 1000)

#endif
