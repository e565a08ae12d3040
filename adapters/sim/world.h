/*
 * world.h - inside the embedded cluster: objects, pods, nodes, instances, the queue
 *
 * Owns: the structs that the files of this folder share. Nobody outside includes it but its tests.
 * All pointers are into the world's arena and live as long as the world, so that an event on its way
 * may keep one; 'gone' says that the thing no longer exists. Lists are in order of creation.
 */
#ifndef PLM_SIM_WORLD_H
#define PLM_SIM_WORLD_H

#include "adapters/sim/sim.h"
#include "core/arena.h"
#include "core/integration.h"
#include "core/timefmt.h"
#include "core/wire_copy.h"

#define PLM_SIM_RESOURCES 24	  /* different resource names in one world */
#define PLM_SIM_BUCKETS 16384U	  /* hash chains of the object store */
#define PLM_SIM_KIND_COUNT 64	  /* more than values in PLM_KIND_LIST */
#define PLM_SIM_NAME_SUFFIX 5	  /* characters that make a pod's name unique */
#define PLM_SIM_WARNING_MS 120000 /* from a spot warning to the end of the instance */

struct plm_sim_object;
struct plm_sim_instance;

/* A node that had room for a template when it was looked at: scheduler.c. */
struct plm_sim_choice {
	struct plm_sim_object *node;
	int64_t points;
	size_t order; /* among all nodes */
};

/* What a pod is made from: shared by all pods of one start. */
struct plm_sim_template {
	struct plm_w_shape shape;
	struct plm_vec labels; /* struct plm_w_kv */
	struct plm_slice pod_set;
	struct plm_slice gate;		    /* scheduling gate that its pods are made with */
	int64_t request[PLM_SIM_RESOURCES]; /* with 'pods' = 1 */
	uint64_t failed_pass;		    /* scheduler pass in which it found no node */
	bool simple;			    /* no affinity to pods, spread or host ports */
	/* Only simple ones: a heap of nodes, best first, true of pass 'choice_pass'. */
	struct plm_sim_choice *choices;
	size_t choice_count;
	uint64_t choice_pass;
};

enum plm_sim_index_state {
	PLM_SIM_INDEX_OPEN,
	PLM_SIM_INDEX_ACTIVE,
	PLM_SIM_INDEX_DONE,
};

/* The pods of one pod set of a job. */
struct plm_sim_set {
	struct plm_slice name;
	struct plm_sim_template *original;
	struct plm_sim_template *template; /* as told by the last start */
	int64_t count;			   /* pods wanted, as told by the last start */
	int64_t succeeded, serial;
	bool leads; /* the job is complete when its leading pod sets are */
};

/* Beside a job of any kind. */
struct plm_sim_job {
	const struct plm_integration *row;
	struct plm_vec specs;	  /* struct plm_w_pod_set_spec */
	struct plm_sim_set *sets; /* at least one */
	size_t set_count;
	int64_t parallelism, completions; /* of a Job, as submitted */
	uint8_t *indexes;		  /* enum plm_sim_index_state; Indexed Jobs */
	size_t index_count;
	uint64_t serial;       /* pods made so far */
	uint64_t start_intent; /* of the last job.start carried out */
	uint64_t starts;
	int64_t first_running_ms, finished_ms;
	int64_t partial_since_ms; /* some but not all pods of the gang exist; PLM_UNSET = no */
	bool stopping;		  /* a PodSet whose pods are being removed */
	bool inactive;		  /* spec.active of its Workload is false */
};

/* Beside a Pod. */
struct plm_sim_pod {
	struct plm_sim_template *template;
	struct plm_sim_object *node;
	struct plm_sim_object *node_prev, *node_next; /* pods of the node */
	struct plm_sim_object *wait_prev, *wait_next; /* unbound pods */
	struct plm_sim_set *set; /* of the job that owns it; NULL = no job does */
	bool waiting;
	bool daemon; /* of a DaemonSet */
	bool held;   /* it is gone but for its finalizer */
	int64_t runtime_ms, fail_percent;
	int64_t stop_ms;    /* it takes this long to stop when told; 0 = a moment */
	int64_t protect_ms; /* do-not-disrupt for this long since its start; 0 = not by time */
	uint64_t intent;    /* of the pod.create that made it */
	uint64_t life;	    /* +1 whenever what was planned for it no longer holds */
};

/* Beside a Node. */
struct plm_sim_node_state {
	struct plm_sim_instance *instance; /* NULL: the scenario's own */
	struct plm_sim_object *pods;	   /* first, in order of binding */
	struct plm_sim_object *last_pod;
	int64_t allocatable[PLM_SIM_RESOURCES], used[PLM_SIM_RESOURCES];
	int64_t idle_since_ms; /* plain worlds */
	int64_t joined_ms;
};

struct plm_sim_object {
	const struct plm_event_info *info;
	enum plm_kind kind;
	union { /* the wire struct that a fact carries */
		void *payload;
		struct plm_w_meta *meta; /* its first member, whatever the kind */
		struct plm_w_job *job;
		struct plm_w_pod *pod;
		struct plm_w_workload *workload;
		struct plm_w_node *node;
		struct plm_w_daemon_set *daemon_set;
		struct plm_w_replicator *replicator;
		struct plm_w_node_claim *claim;
		struct plm_w_node_pool *pool;
		struct plm_w_node_class *class;
		struct plm_w_volume_claim *volume_claim;
		struct plm_w_volume *volume;
		struct plm_w_pdb *pdb;
	} of;
	union { /* ours, by kind */
		struct plm_sim_job *job;
		struct plm_sim_pod *pod;
		struct plm_sim_node_state *node;
		struct plm_sim_template *template; /* factories */
	} my;
	struct plm_sim_object *prev, *next; /* of its kind */
	struct plm_sim_object *hash_next;
	struct plm_sim_object *owner;
	struct plm_sim_object *child, *last_child, *sibling_prev, *sibling_next;
	struct plm_sim_extra extra;
	uint64_t number; /* of creation */
	uint64_t version;
	uint64_t delivered; /* version that the watch told last; 0 = never */
	/* The last write of ours (publish.c), and the version that it made. */
	struct plm_slice wrote;
	uint64_t wrote_intent, wrote_version;
	bool gone;
	bool queued;  /* in the watch's queue */
	bool syncing; /* its controller has been called for */
};

enum plm_sim_instance_state {
	PLM_SIM_PENDING,
	PLM_SIM_RUNNING,
	PLM_SIM_SHUTTING_DOWN,
	PLM_SIM_TERMINATED,
};

struct plm_sim_instance {
	struct plm_sim_instance *next;
	struct plm_slice provider_id;
	const struct plm_w_instance_type *type;
	struct plm_slice zone, capacity_type;
	int64_t price_micro; /* per hour */
	enum plm_sim_instance_state state;
	int64_t launched_ms, ended_ms;
	uint64_t number, intent;
	const struct plm_w_req_launch *request;
	struct plm_sim_object *node;
	int64_t node_gone_ms; /* its Node was deleted while it lives; PLM_UNSET = not so */
	struct plm_slice reservation;
	bool fails;   /* dies before it becomes a node */
	bool foreign; /* of another cluster, by its tags */
	bool warned;
	struct plm_vec capacity, allocatable; /* what its class makes of the type */
};

/* What a token was answered: the same token has the same answer for ever. */
struct plm_sim_token {
	struct plm_sim_token *hash_next;
	char key[PLM_INTENT_KEY_SIZE];
	uint64_t intent;
	struct plm_slice frozen;
	struct plm_sim_instance *instance; /* NULL: it launched nothing */
	struct plm_vec refused;		   /* struct plm_w_refusal */
	struct plm_slice code;
};

/* An observation that waits for room in the inbox; its bytes follow it in memory. */
struct plm_sim_backlog {
	struct plm_sim_backlog *next;
	struct plm_observation observation;
};

/* An effect on its way. */
struct plm_sim_effect {
	struct plm_effect effect; /* request and frozen bytes are ours */
	uint32_t attempts;
	bool told_unknown;
	bool executed; /* once at least */
	bool orphan;   /* its engine died: nobody waits for the answer */
	struct plm_w_result result;
};

enum plm_sim_due {
	PLM_SIM_DUE_WATCH,
	PLM_SIM_DUE_SCHEDULER,
	PLM_SIM_DUE_CONTROLLER,
	PLM_SIM_DUE_POD_START,
	PLM_SIM_DUE_POD_FINISH,
	PLM_SIM_DUE_POD_GONE,
	PLM_SIM_DUE_CALL,
	PLM_SIM_DUE_REPLY,
	PLM_SIM_DUE_NODE_JOIN,
	PLM_SIM_DUE_NODE_READY,
	PLM_SIM_DUE_INSTANCE_DIES,
	PLM_SIM_DUE_INSTANCE_KILLED,
	PLM_SIM_DUE_INSTANCE_GONE,
	PLM_SIM_DUE_DESCRIBE,
	PLM_SIM_DUE_RECLAIM,
	PLM_SIM_DUE_INTERRUPT,
	PLM_SIM_DUE_FAULT,
	PLM_SIM_DUE_FAULT_END,
	PLM_SIM_DUE_PLAIN,
	PLM_SIM_DUE_STARTUP_DONE,
	PLM_SIM_DUE_LISTED,
	PLM_SIM_DUE_VOLUMES,
	PLM_SIM_DUE_PDBS,
};

struct plm_sim_event {
	int64_t due_ms;
	uint64_t number;
	enum plm_sim_due kind;
	void *subject;
	uint64_t token;
};

struct plm_world {
	struct plm_sim_options options;
	struct plm_arena arena;	  /* the world's life */
	struct plm_arena scratch; /* one event's */
	int64_t now_ms;
	int64_t clock_offset_ms;
	uint64_t random;

	struct plm_sim_event *heap; /* owned */
	size_t heap_count, heap_capacity;
	uint64_t event_number;

	struct plm_sim_object *buckets[PLM_SIM_BUCKETS];
	struct plm_sim_object *first[PLM_SIM_KIND_COUNT], *last[PLM_SIM_KIND_COUNT];
	uint64_t object_number, version;
	struct plm_slice resources[PLM_SIM_RESOURCES];
	size_t resource_count;

	struct plm_sim_backlog *backlog, *last_backlog; /* owned: what the inbox had no room for */
	struct plm_sim_object **watch; /* owned: changed objects, in order of change */
	size_t watch_count, watch_capacity;
	bool watch_planned;

	struct plm_sim_object *waiting, *last_waiting; /* unbound pods */
	struct plm_sim_object *strays; /* pods bound to a node that is not known, by wait_next */
	bool node_came;		       /* since the strays were last looked at */
	bool pass_planned;
	bool pdbs_planned;
	uint64_t pass;

	struct plm_sim_object **work; /* owned: Jobs and PodSets in order of creation */
	size_t work_count, work_capacity;

	struct plm_sim_instance *instances, *last_instance;
	uint64_t most_intent; /* of those launched; 0 = not known */
	uint64_t instance_number;
	struct plm_sim_token *tokens[1024];
	uint32_t *types; /* catalogue indexes by name; arena */

	struct plm_sim_effect **flying; /* owned */
	size_t flying_count, flying_capacity;
	uint64_t durable;
	bool connected;
	uint32_t active[PLM_SIM_LEADER_CHANGE + 1]; /* faults in force, by kind */

	struct plm_sim_plain plain;
	struct plm_sim_stats stats;
	int64_t stats_ms;
	int64_t used_now[PLM_SIM_RESOURCES], ready_now[PLM_SIM_RESOURCES];
	plm_i128 used_sum[PLM_SIM_RESOURCES], ready_sum[PLM_SIM_RESOURCES];

	int64_t disturbed_ms; /* last thing that came from outside: people, faults, ends of pods */
	int64_t last_effect_ms;
	uint64_t calm_effects;
	uint64_t violations;
	char violation[512];
};

/* ---- world.c: queue, chance ---- */
void plm_sim_plan(struct plm_world *w, int64_t after_ms, enum plm_sim_due kind, void *subject,
		  uint64_t token);
int64_t plm_sim_draw(struct plm_world *w, struct plm_sim_range range);
bool plm_sim_chance(struct plm_world *w, int64_t percent);
/* Percent of the strongest fault of 'kind' in force. */
int64_t plm_sim_fault_percent(const struct plm_world *w, enum plm_sim_fault_kind kind);
static inline bool plm_sim_is_down(const struct plm_world *w, enum plm_sim_fault_kind kind)
{
	return w->active[kind] > 0;
}
/* Something from outside happened: effects that follow are no livelock. */
void plm_sim_disturb(struct plm_world *w);

/* ---- amounts.c ---- */
size_t plm_sim_resource(struct plm_world *w, struct plm_slice name);
void plm_sim_amounts(struct plm_world *w, struct plm_vec amounts, int64_t out[PLM_SIM_RESOURCES]);
/* 'base' with the amounts of 'over' in the place of its own; sorted by resource. */
struct plm_vec plm_sim_amounts_over(struct plm_world *w, struct plm_vec base, struct plm_vec over);
struct plm_slice plm_sim_label(struct plm_vec labels, const char *key);
bool plm_sim_has_label(struct plm_vec labels, struct plm_slice key, struct plm_slice *out);
/* 'base' with 'more' laid over it, sorted by key. */
struct plm_vec plm_sim_merge(struct plm_world *w, struct plm_vec base, struct plm_vec more);
struct plm_vec plm_sim_concat(struct plm_world *w, size_t size, struct plm_vec a, struct plm_vec b);
struct plm_sim_template *plm_sim_template_new(struct plm_world *w,
					      const struct plm_w_pod_set_spec *spec);
struct plm_sim_template *plm_sim_template_with(struct plm_world *w,
					       const struct plm_sim_template *base,
					       struct plm_vec node_selector,
					       struct plm_vec tolerations, struct plm_vec labels);
/* A template's request with the 'pods' that each pod takes. */
void plm_sim_template_init(struct plm_world *w, struct plm_sim_template *template);

/* ---- objects.c ---- */
struct plm_sim_object *plm_sim_find(const struct plm_world *w, enum plm_kind kind,
				    struct plm_slice ns, struct plm_slice name);
/* Create from a payload that is already in the arena; uid and times are filled in when absent. */
struct plm_sim_object *plm_sim_create(struct plm_world *w, enum plm_kind kind,
				      enum plm_event_type type, void *payload);
/* What a controller of the world needs beside a new object. */
/* A pod whose node is not known, yet or any more; it is bound when the node comes. */
void plm_sim_stray_add(struct plm_world *w, struct plm_sim_object *pod);
void plm_sim_born(struct plm_world *w, struct plm_sim_object *object);
void plm_sim_adopt(struct plm_sim_object *owner, struct plm_sim_object *child);
/* Take the object away at once; what it owns goes too. */
void plm_sim_remove(struct plm_world *w, struct plm_sim_object *object);
/* Delete as a person would: pods get their grace. */
void plm_sim_delete(struct plm_world *w, struct plm_sim_object *object);

/* ---- watch.c ---- */
/* The object has changed: the watch will tell. */
void plm_sim_touch(struct plm_world *w, struct plm_sim_object *object);
void plm_sim_watch_flush(struct plm_world *w);
void plm_sim_backlog_drain(struct plm_world *w);
void plm_sim_backlog_drop(struct plm_world *w);
void plm_sim_observe(struct plm_world *w, const struct plm_observation *observation);
/* Encode and send one event that is not an object of the API. */
void plm_sim_tell(struct plm_world *w, enum plm_source source, enum plm_event_type type,
		  const void *payload, uint64_t intent);
void plm_sim_gone(struct plm_world *w, const struct plm_w_gone *gone);
/* A source is away, or there again. */
void plm_sim_reach(struct plm_world *w, enum plm_source source, bool away);
/* All instances, and that these were all; later, while the cloud is down. */
void plm_sim_list_instances(struct plm_world *w);

/* ---- jobs.c, factories.c: controllers ---- */
void plm_sim_sync_later(struct plm_world *w, struct plm_sim_object *object);
void plm_sim_sync(struct plm_world *w, struct plm_sim_object *object);
void plm_sim_job_sync(struct plm_world *w, struct plm_sim_object *object);
void plm_sim_pod_set_sync(struct plm_world *w, struct plm_sim_object *object);
struct plm_sim_tally {
	int64_t active, ready;
};
/* Of its pods that have neither ended nor been deleted; 'set' NULL = of all pod sets. */
struct plm_sim_tally plm_sim_tally(const struct plm_sim_object *object,
				   const struct plm_sim_set *set);
int64_t plm_sim_job_wanted(const struct plm_w_job *job);
/* Delete its newest pods until no more than 'keep' are left. */
void plm_sim_job_shrink(struct plm_world *w, struct plm_sim_object *object, int64_t keep);
void plm_sim_job_status(struct plm_world *w, struct plm_sim_object *object,
			const struct plm_w_job *next);
/* gates.c: what the admission policy adds to a new pod of 'owner'. */
void plm_sim_gate(struct plm_world *w, struct plm_sim_object *owner, struct plm_w_pod *pod);
/* Of all kinds but Job and PodSet, by the table of core/integration.h. */
void plm_sim_work_sync(struct plm_world *w, struct plm_sim_object *object);
/* The templates of a job anew: what was told by 'starts' (struct plm_w_start_set) is added. */
void plm_sim_job_templates(struct plm_world *w, struct plm_sim_object *object,
			   struct plm_vec starts);
struct plm_sim_set *plm_sim_set_named(const struct plm_sim_object *object, struct plm_slice name);
void plm_sim_factory_sync(struct plm_world *w, struct plm_sim_object *object);
void plm_sim_daemon_set_sync(struct plm_world *w, struct plm_sim_object *object);
void plm_sim_job_born(struct plm_world *w, struct plm_sim_object *object);
struct plm_sim_object *plm_sim_pod_new(struct plm_world *w, struct plm_sim_object *owner,
				       struct plm_sim_template *template, struct plm_slice name,
				       int64_t index);
/* "<name>-xxxxx" with random characters. */
/* A name for a pod of 'owner'. */
struct plm_slice plm_sim_pod_name(struct plm_world *w, const struct plm_sim_object *owner);
/* "<name>-<5 characters>", 63 at most, that no object of 'kind' in 'ns' has. */
struct plm_slice plm_sim_new_name(struct plm_world *w, enum plm_kind kind, struct plm_slice ns,
				  struct plm_slice name);

/* ---- match.c, scheduler.c ---- */
bool plm_sim_tolerates(struct plm_vec tolerations, struct plm_vec taints);
bool plm_sim_selector_matches(const struct plm_w_selector *selector, struct plm_vec labels);
bool plm_sim_node_matches(const struct plm_w_shape *shape, const struct plm_w_node *node);
bool plm_sim_node_holds(const struct plm_sim_object *node, const struct plm_sim_template *t,
			size_t resource_count);
bool plm_sim_placeable(struct plm_world *w, const struct plm_sim_object *pod,
		       const struct plm_sim_object *node);
bool plm_sim_peers_allow(struct plm_world *w, const struct plm_sim_object *pod,
			 const struct plm_sim_object *node);
void plm_sim_schedule_later(struct plm_world *w);
void plm_sim_schedule(struct plm_world *w);
void plm_sim_wait_add(struct plm_world *w, struct plm_sim_object *pod);
void plm_sim_wait_drop(struct plm_world *w, struct plm_sim_object *pod);

/* ---- volumes.c ---- */
/* Bind a claim if it can be now. */
void plm_sim_claim_sync(struct plm_world *w, struct plm_sim_object *claim);
/* The claims of a new pod's ephemeral volumes. */
void plm_sim_pod_claims(struct plm_world *w, struct plm_sim_object *pod);
/* The claims that StatefulSet 'set' has for 'pod', which uses them. */
void plm_sim_set_claims(struct plm_world *w, const struct plm_sim_object *set,
			struct plm_sim_object *pod);
bool plm_sim_volumes_allow(struct plm_world *w, const struct plm_sim_object *pod,
			   const struct plm_sim_object *node);
/* The scheduler chose 'node': claims that waited for it get their volumes there. */
void plm_sim_volumes_bind(struct plm_world *w, struct plm_sim_object *pod,
			  const struct plm_sim_object *node);
/* False: not all volumes are attached yet, and the pod's start was put off. */
bool plm_sim_volumes_attached(struct plm_world *w, struct plm_sim_object *pod);
/* The pod left its node: what nobody uses there is detached in a while. */
void plm_sim_volumes_left(struct plm_world *w, const struct plm_sim_object *pod);
void plm_sim_volumes_sweep(struct plm_world *w);
void plm_sim_claim_deleted_by_hand(struct plm_world *w, struct plm_sim_object *claim);
void plm_sim_volume_removed(struct plm_world *w, const struct plm_sim_object *volume);
/* The CSINode of a ready node. */
void plm_sim_csi_sync(struct plm_world *w, struct plm_sim_object *node);
/* It goes with its node. */
void plm_sim_csi_gone(struct plm_world *w, const struct plm_sim_object *node);
void plm_sim_node_drivers(struct plm_world *w, struct plm_sim_object *node);
void plm_sim_volume_born(struct plm_world *w, struct plm_sim_object *object);

/* ---- kubelet.c ---- */
void plm_sim_bind(struct plm_world *w, struct plm_sim_object *pod, struct plm_sim_object *node);
void plm_sim_pod_start(struct plm_world *w, struct plm_sim_object *pod, uint64_t life);
void plm_sim_pod_finish(struct plm_world *w, struct plm_sim_object *pod, uint64_t life);
void plm_sim_pod_end(struct plm_world *w, struct plm_sim_object *pod, bool failed);
void plm_sim_pod_delete(struct plm_world *w, struct plm_sim_object *pod);
/* With a grace period of its own; PLM_UNSET = the pod's. A second one can only be sooner. */
void plm_sim_pod_delete_in(struct plm_world *w, struct plm_sim_object *pod, int64_t grace_ms);
void plm_sim_pod_leave(struct plm_world *w, struct plm_sim_object *pod);
/* A pod with upstream's finalizer stays, marked as being deleted, until that is taken off it. */
void plm_sim_pod_hold(struct plm_world *w, struct plm_sim_object *pod);
void plm_sim_pod_finalize(struct plm_world *w, struct plm_sim_object *pod);
bool plm_sim_pod_over(const struct plm_sim_object *pod);
struct plm_sim_object *plm_sim_node_new(struct plm_world *w, struct plm_w_node *node,
					struct plm_sim_instance *instance);
void plm_sim_node_ready(struct plm_world *w, struct plm_sim_object *node);
void plm_sim_node_delete(struct plm_world *w, struct plm_sim_object *node);
/* Our finalizer is taken off it. */
void plm_sim_node_finalize(struct plm_world *w, struct plm_sim_object *node);
void plm_sim_node_lost(struct plm_world *w, struct plm_sim_object *node);
void plm_sim_node_evict_untolerated(struct plm_world *w, struct plm_sim_object *node);

/* ---- pdb.c ---- */
void plm_sim_pdb_sync(struct plm_world *w);
/* The controller looks soon. */
void plm_sim_pdbs_plan(struct plm_world *w);
/* 'changed' may be a pod or an owner of pods that budgets count. */
void plm_sim_pdb_later(struct plm_world *w, const struct plm_sim_object *changed);
/* The eviction subresource of 'pod', which is there and not being deleted. */
void plm_sim_evict(struct plm_world *w, const struct plm_effect *effect, struct plm_sim_object *pod,
		   struct plm_w_result *out);
void plm_sim_check_evict(struct plm_world *w, const struct plm_sim_object *pod,
			 const struct plm_sim_object *pdb, const struct plm_effect *effect);

/* ---- cloud.c ---- */
const struct plm_w_instance_type *plm_sim_type(const struct plm_world *w, struct plm_slice name);
void plm_sim_cloud_init(struct plm_world *w);
/* Carry out a launch by its token; fills 'out' as the cloud would answer. */
void plm_sim_launch(struct plm_world *w, const struct plm_effect *effect, struct plm_w_result *out);
void plm_sim_terminate(struct plm_world *w, const struct plm_w_req_terminate *request,
		       struct plm_w_result *out);
/* 'launch' is answered with 'instance' for ever. */
void plm_sim_token_add(struct plm_world *w, const struct plm_effect *launch,
		       struct plm_sim_instance *instance);
void plm_sim_instance_end(struct plm_world *w, struct plm_sim_instance *instance);
void plm_sim_instance_gone(struct plm_world *w, struct plm_sim_instance *instance);
void plm_sim_instance_joins(struct plm_world *w, struct plm_sim_instance *instance);
void plm_sim_instance_ready(struct plm_world *w, struct plm_sim_instance *instance);
void plm_sim_describe(struct plm_world *w, struct plm_sim_instance *instance);
void plm_sim_reclaim(struct plm_world *w, size_t index);
/* interrupt.c */
void plm_sim_interrupt(struct plm_world *w, size_t index);
/* What 'fact' announces comes true. */
void plm_sim_warned(struct plm_world *w, struct plm_sim_instance *instance,
		    const struct plm_w_interruption *fact);
struct plm_sim_instance *plm_sim_start_instance(struct plm_world *w,
						const struct plm_w_req_launch *request,
						const struct plm_w_offer *offer, uint64_t intent);
/* The cloud's word when there is none, else empty. */
struct plm_slice plm_sim_out_of_stock(const struct plm_world *w, const struct plm_w_offer *offer);
struct plm_sim_instance *plm_sim_instance_of(const struct plm_world *w,
					     struct plm_slice provider_id);
/* Pending, of a type that the catalogue has; what 'offer' and 'request' point to must last. */
struct plm_sim_instance *plm_sim_instance_new(struct plm_world *w, const struct plm_w_offer *offer,
					      const struct plm_w_req_launch *request);
void plm_sim_instance_boots(struct plm_world *w, struct plm_sim_instance *instance);
void plm_sim_startup_done(struct plm_world *w, const struct plm_sim_instance *instance);
/* Its Node may be there already; and the other way round. */
void plm_sim_instance_find_node(struct plm_world *w, struct plm_sim_instance *instance);

/* ---- fleet.c ---- */
/* Is every launch refused as a whole just now? */
bool plm_sim_launch_error(const struct plm_world *w, struct plm_w_result *out);
/* The offer that the fleet gets, or NULL; '*refused' are those that it tried in vain. */
const struct plm_w_offer *plm_sim_fleet_pick(struct plm_world *w,
					     const struct plm_w_req_launch *request,
					     struct plm_vec *refused);
void plm_sim_claim_given(struct plm_world *w, const struct plm_w_node_claim *claim);
/* What its launch asked for, as far as the claim says it. */
const struct plm_w_req_launch *plm_sim_claim_request(struct plm_world *w,
						     const struct plm_w_node_claim *claim);
/* What a launch would ask for to get that offering of 'type'. */
static inline struct plm_w_offer plm_sim_offer(struct plm_slice type,
					       const struct plm_w_offering *offering)
{
	return (struct plm_w_offer){.instance_type = type,
				    .zone = offering->zone,
				    .capacity_type = offering->capacity_type,
				    .reservation = offering->reservation,
				    .image = PLM_UNSET,
				    .pods = PLM_UNSET};
}
const struct plm_w_offering *plm_sim_offering(const struct plm_world *w,
					      const struct plm_w_offer *offer);

/* ---- workloads.c ---- */
/* Of 'list' (struct plm_w_check_status); NULL: it is not there. */
const struct plm_w_check_status *plm_sim_check_called(struct plm_vec list, struct plm_slice name);
/* The Job or PodSet whose Workload is called 'name', NULL when there is none. */
struct plm_sim_object *plm_sim_job_of_workload(const struct plm_world *w, struct plm_slice ns,
					       struct plm_slice name);

/* Write spec.active of a Workload object. */
void plm_sim_workload_active(struct plm_world *w, struct plm_sim_object *object, bool active);

/* ---- publish.c ---- */
void plm_sim_workload_create(struct plm_world *w, const struct plm_effect *effect,
			     struct plm_w_result *out);
void plm_sim_workload_status(struct plm_world *w, const struct plm_effect *effect,
			     struct plm_w_result *out);
/* Of a queue, pool or class. */
void plm_sim_status_unread(struct plm_world *w, const struct plm_effect *effect,
			   struct plm_w_result *out);
void plm_sim_claim_create(struct plm_world *w, const struct plm_effect *effect,
			  struct plm_w_result *out);
void plm_sim_claim_status(struct plm_world *w, const struct plm_effect *effect,
			  struct plm_w_result *out);
/* P2: one write at a time to the status of an object. */
void plm_sim_check_alone(struct plm_world *w, const struct plm_effect *effect);

/* ---- calls.c, effects.c ---- */
void plm_sim_call(struct plm_world *w, struct plm_sim_effect *effect);
void plm_sim_reply(struct plm_world *w, struct plm_sim_effect *effect);
void plm_sim_execute(struct plm_world *w, struct plm_sim_effect *effect);
bool plm_sim_call_is_cloud(enum plm_call call);

/* ---- check.c ---- */
void plm_sim_broken(struct plm_world *w, const char *format, ...) PLM_PRINTF(2, 3);
void plm_sim_check_submit(struct plm_world *w, const struct plm_effect *effect);
void plm_sim_check_launch(struct plm_world *w, const struct plm_effect *effect);
void plm_sim_check_terminate(struct plm_world *w, const struct plm_sim_instance *instance);
void plm_sim_check_start(struct plm_world *w, const struct plm_sim_object *job,
			 const struct plm_effect *effect);
void plm_sim_check_pod(struct plm_world *w, const struct plm_sim_object *owner,
		       const struct plm_effect *effect);
void plm_sim_check_time(struct plm_world *w);

/* ---- claims.c: calls about nodes and claims ---- */
void plm_sim_node_sync(struct plm_world *w, const struct plm_effect *effect,
		       struct plm_w_result *out);
void plm_sim_annotate(struct plm_world *w, const struct plm_effect *effect,
		      struct plm_w_result *out);
void plm_sim_claim_delete(struct plm_world *w, const struct plm_effect *effect,
			  struct plm_w_result *out);
void plm_sim_claim_finalize(struct plm_world *w, const struct plm_effect *effect,
			    struct plm_w_result *out);
/* As `kubectl delete`: at once, or when its finalizer is gone. */
void plm_sim_claim_deleted(struct plm_world *w, struct plm_sim_object *object);

/* ---- stats.c ---- */
void plm_sim_account(struct plm_world *w);

/* ---- plain.c ---- */
void plm_sim_plain_scan(struct plm_world *w);

#define PLM_SIM_EACH(w, kind, object)                                                              \
	for (struct plm_sim_object *object = (w)->first[kind], *object##_next = NULL;              \
	     object != NULL && (object##_next = object->next, true); object = object##_next)

#endif
