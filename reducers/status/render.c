#include "reducers/status/render.h"

#include "core/quantity.h"
#include "core/timefmt.h"

/*
 * {name} is an operand. What stands in [] is left out when an operand in it is empty. The templates in
 * upstream's words: kueue.md 3.2, karpenter.md 5.
 */
#define POD_SET "[couldn't assign flavors to pod set {detail}: ]"

struct words {
	const char *message;
	const char *unblock;
};

static const struct words words[] = {
	[PLM_RULE_NONE] = {"[{detail}]", ""},
	[PLM_RULE_FITS] = {"fits[ in flavor {flavor}][ in {object}]", ""},
	[PLM_RULE_QUOTA] = {POD_SET "insufficient unused quota for {resource}[ in flavor {flavor}]"
				    "[, {short} more needed]",
			    "[{short} {resource} free[ in flavor {flavor}]]"},
	[PLM_RULE_MAX_QUOTA] = {POD_SET
				"insufficient quota for {resource}[ in flavor {flavor}]"
				"[, previously considered podsets requests + current podset "
				"request ({need}) > maximum capacity ({limit})]",
				"[a maximum of {need} {resource}[ in flavor {flavor}]; it is "
				"{limit}]"},
	[PLM_RULE_BORROWING_LIMIT] =
		{POD_SET "insufficient unused quota for {resource}[ in flavor {flavor}][, {short} "
			 "more needed][; the borrowing limit is {limit}]",
		 "[{short} {resource} free[ in flavor {flavor}]][, or a higher borrowing limit "
		 "than {limit}]"},
	[PLM_RULE_UNDECLARED_RESOURCE] = {POD_SET "resource {resource} unavailable in "
						  "ClusterQueue[ {object}]",
					  "[a flavor for {resource} in ClusterQueue {object}]"},
	[PLM_RULE_FLAVOR_MISSING] = {POD_SET "flavor {flavor} not found",
				     "[the ResourceFlavor {flavor}]"},
	[PLM_RULE_FLAVOR_TAINT] = {"untolerated taint[ {detail}][ in flavor {flavor}]",
				   "a toleration of[ taint {detail}][ of flavor {flavor}]"},
	[PLM_RULE_FLAVOR_AFFINITY] =
		{"flavor[ {flavor}] doesn't match node affinity[ ({detail})]",
		 "[a selector that matches the node labels of flavor {flavor}]"},
	[PLM_RULE_PREEMPTION] = {"[" POD_SET "insufficient unused quota for {resource}[ in flavor "
				 "{flavor}][, {short} more needed]. ]Pending the preemption of "
				 "workloads",
				 "the end of the preempted workloads"},
	[PLM_RULE_NO_PREEMPTION_CANDIDATES] =
		{POD_SET "insufficient unused quota for {resource}[ in flavor "
			 "{flavor}][, {short} more needed]; no workload may "
			 "be preempted for it",
		 "[{short} {resource} free[ in flavor {flavor}]]"},
	[PLM_RULE_TAKEN_THIS_CYCLE] = {"Workload no longer fits after processing another workload",
				       "[{short} {resource} free[ in flavor {flavor}]]"},
	[PLM_RULE_NAMESPACE_SELECTOR] = {"Workload namespace doesn't match ClusterQueue selector",
					 "labels of the namespace that match the queue's selector"},
	[PLM_RULE_LOCAL_QUEUE_MISSING] = {"LocalQueue {object} doesn't exist",
					  "the LocalQueue {object}"},
	[PLM_RULE_CLUSTER_QUEUE_MISSING] = {"ClusterQueue {object} doesn't exist",
					    "the ClusterQueue {object}"},
	[PLM_RULE_WORK_QUEUE_MISSING] = {"WorkQueue {object} doesn't exist",
					 "the WorkQueue {object}"},
	[PLM_RULE_QUEUE_INACTIVE] = {"ClusterQueue[ {object}] is inactive[: {detail}]",
				     "[an active ClusterQueue {object}]"},
	[PLM_RULE_QUEUE_STOPPED] = {"queue[ {object}] is stopped", "[the queue {object} resumed]"},
	[PLM_RULE_QUEUE_AMBIGUOUS] = {"no queue is named, and the namespace has not exactly one"
				      "[: {detail}]",
				      "the label kueue.x-k8s.io/queue-name"},
	[PLM_RULE_LIMITS] = {"resources validation failed: [{detail}: ]requests must not exceed "
			     "its limits[: {need} {resource}, limit {limit}]",
			     "[a limit of at least {need} {resource}, or a request of at most "
			     "{limit}]"},
	[PLM_RULE_LIMIT_RANGE_MAX] =
		{"resources didn't satisfy LimitRange constraints: [{detail}: ]requests must not "
		 "be above the limitRange max[: {need} {resource}, {limit} in LimitRange {object}]",
		 "[at most {limit} {resource}, or a max of {need} in LimitRange {object}]"},
	[PLM_RULE_DELETING] = {"it is being deleted", ""},
	[PLM_RULE_CLAIMS_NOT_COUNTED] =
		{"resourceClaims are not counted yet, and deviceClassMappings ask for it",
		 "a pod template without resourceClaims, or a Configuration without "
		 "deviceClassMappings"},
	[PLM_RULE_DISPATCH] = {"waiting for admission check[ {object}]: MultiKueue is not there "
			       "yet, nothing sends it to another cluster",
			       "[admission check {object} set Ready by somebody else, or a "
			       "ClusterQueue without it]"},
	[PLM_RULE_MULTIKUEUE_TWICE] = {"ClusterQueue[ {object}] is inactive: Cannot use multiple "
				       "MultiKueue AdmissionChecks on the same ClusterQueue",
				       "[one MultiKueue check in ClusterQueue {object}]"},
	[PLM_RULE_MULTIKUEUE_PER_FLAVOR] =
		{"ClusterQueue[ {object}] is inactive: Cannot specify MultiKueue AdmissionCheck "
		 "per flavor",
		 "[no onFlavors at the MultiKueue check of ClusterQueue {object}]"},
	[PLM_RULE_MULTIKUEUE_AND_PROVISIONING] =
		{"ClusterQueue[ {object}] is inactive: Cannot use MultiKueue AdmissionCheck "
		 "together with ProvisioningRequest AdmissionCheck",
		 "[one of both checks in ClusterQueue {object}]"},
	[PLM_RULE_LIMIT_RANGE_MIN] =
		{"resources didn't satisfy LimitRange constraints: [{detail}: ]requests must not "
		 "be below the limitRange min[: {need} {resource}, {limit} in LimitRange {object}]",
		 "[at least {limit} {resource}, or a min of {need} in LimitRange {object}]"},
	[PLM_RULE_NAMESPACE_MISSING] = {"namespace[ {object}] doesn't exist",
					"[the namespace {object}]"},
	[PLM_RULE_CHECK_FAILED] = {"admission check[ {object}] failed[: {detail}]", ""},
	[PLM_RULE_CHECK_PENDING] = {"waiting for admission check[ {object}]",
				    "[admission check {object} ready]"},
	[PLM_RULE_GATED] = {"admission is gated[ by {detail}]", "the gate removed"},
	[PLM_RULE_GROUP] = {"waits for the other pods of its group",
			    "as many pods as the group's total count says"},
	[PLM_RULE_INACTIVE] = {"The workload is deactivated", "spec.active: true"},
	[PLM_RULE_BACKOFF] = {"waits after an eviction[ until {until}]", "[the time {until}]"},
	[PLM_RULE_BEHIND] = {"waits behind {object}", "[{object} admitted or gone]"},
	[PLM_RULE_MAX_PARALLEL] = {"{have} of {limit} jobs of work queue {object} are running",
				   "[one of them finished, or a maxParallelJobs above {limit} in "
				   "work queue {object}]"},
	[PLM_RULE_NO_POOL] = {"no node pool[ can be used][: {detail}]", "a NodePool"},
	[PLM_RULE_POOL_NOT_READY] = {"node pool {object} is not ready[: {detail}]",
				     "[node pool {object} ready]"},
	[PLM_RULE_POOL_TAINT] = {"untolerated taint[ {detail}][ of node pool {object}]",
				 "[a toleration of {detail}]"},
	[PLM_RULE_REQUIREMENTS] = {"no instance type[ of node pool {object}] meets the requirements"
				   "[: {detail}]",
				   "[requirements without {detail}]"},
	[PLM_RULE_POOL_REQUIREMENTS] = {"node pool {object} does not allow it[: {detail}]", ""},
	[PLM_RULE_SUBNETS] = {"the class of node pool {object} has no subnet there[: {detail}]",
			      "[a subnet where {detail}]"},
	[PLM_RULE_IMAGES] = {"the class of node pool {object} has no image for it[: {detail}]",
			     "[an image of {detail} for it]"},
	[PLM_RULE_CATALOGUE] = {"there are no instance types", "a catalogue"},
	[PLM_RULE_NODES] = {"nodes that are there", ""},
	[PLM_RULE_RESERVATION] = {"every instance of the capacity reservations is taken[ in node "
				  "pool {object}]",
				  "an instance of a capacity reservation free"},
	[PLM_RULE_RESOURCES] = {"no instance type[ of node pool {object}] has enough {resource}"
				"[: {need} in one pod, the largest has {have}][ ({detail})]",
				"[an instance type with at least {need} {resource}]"},
	[PLM_RULE_OFFERING] =
		{"no instance type[ of node pool {object}] has an offering[: {detail}]", ""},
	[PLM_RULE_STOCK_OUT] = {"the cloud is out of stock[ of {detail}][ for node pool {object}]",
				"the stock-out over"},
	[PLM_RULE_POOL_LIMIT] =
		{"limit of node pool {object}[: {have} {resource} left, {need} needed]",
		 "[a higher limit of {resource} in node pool {object}]"},
	[PLM_RULE_POOL_SIZE] = {"node pool {object} has its maximum of[ {limit}] nodes",
				"[a maxSize above {limit} in node pool {object}]"},
	[PLM_RULE_MIN_VALUES] = {"minValues[ of {detail}] cannot be met[ in node pool {object}]",
				 ""},
	[PLM_RULE_TOPOLOGY] = {"topology constraints cannot be met[: {detail}]", ""},
	[PLM_RULE_DEVICES] = {"devices of resourceClaims are not counted, so no node is made for "
			      "it",
			      "a pod without resourceClaims"},
	[PLM_RULE_HOST_PORT] = {"host port in use[: {detail}]", ""},
	[PLM_RULE_NODE_TAINT] = {"untolerated taint[ {detail}][ of node {object}]",
				 "[a toleration of {detail}]"},
	[PLM_RULE_NODE_RESOURCES] = {"node[ {object}] has not enough {resource}[: {need} needed, "
				     "{have} free]",
				     "[{short} {resource} free on node {object}]"},
	[PLM_RULE_NODE_REQUIREMENTS] = {"node[ {object}] does not match[: {detail}]", ""},
	[PLM_RULE_VOLUME] = {"no node[ of node pool {object}] reaches all volumes of the pod[: "
			     "{detail}]",
			     ""},
	[PLM_RULE_CLAIM_MISSING] = {"persistentvolumeclaim {object} not found",
				    "[the PersistentVolumeClaim {object}]"},
	[PLM_RULE_CLAIM_DELETING] = {"persistentvolumeclaim {object} is being deleted",
				     "[a new PersistentVolumeClaim {object}]"},
	[PLM_RULE_CLAIM_LOST] = {"persistentvolumeclaim {object} bound to non-existent "
				 "persistentvolume[ {detail}]",
				 "[a new PersistentVolumeClaim {object}]"},
	[PLM_RULE_CLAIM_UNBOUND] =
		{"persistentvolumeclaim {object} is not bound[, and storage class {detail} does "
		 "not wait for a node]",
		 "[PersistentVolumeClaim {object} bound][, or volumeBindingMode: "
		 "WaitForFirstConsumer in StorageClass {detail}]"},
	[PLM_RULE_STORAGE_CLASS] = {"persistentvolumeclaim {object} has no volume and no storage "
				    "class[ {detail}] to make one",
				    "[the StorageClass {detail}]"},
	[PLM_RULE_VOLUME_MISSING] = {"persistentvolume {detail} of persistentvolumeclaim {object} "
				     "not found",
				     "[the PersistentVolume {detail}]"},
	[PLM_RULE_VOLUME_DELETING] = {"persistentvolume {detail} of persistentvolumeclaim "
				      "{object} is being deleted",
				      "[another volume for PersistentVolumeClaim {object}]"},
	[PLM_RULE_VOLUME_DRIVER] = {"volumes of {detail} cannot be attached to nodes of node "
				    "pools[: persistentvolumeclaim {object}]",
				    "[another StorageClass for {object}]"},
	[PLM_RULE_VOLUME_LIMIT] = {"no node can attach so many volumes[ of {detail}][: {need} "
				   "needed, {have} free]",
				   ""},
	[PLM_RULE_GANG] = {"not all pods have a place[: {have} of {need}][; {detail}]", ""},
	[PLM_RULE_CHEAPEST] =
		{"[{detail} is the cheapest ][for {need} pods][ in node pool {object}]", ""},
	[PLM_RULE_EXISTING_NODE] = {"fits node {object}", ""},
	[PLM_RULE_EMPTY_NODE] = {"node {object} was empty for {have}[; node pool {detail} keeps "
				 "empty nodes for {need}]",
				 ""},
	[PLM_RULE_MIN_SIZE] =
		{"node pool {object} keeps a minimum of nodes[; {detail} is the cheapest]", ""},
	[PLM_RULE_BUDGET] = {"disruption budget[ of node pool {object}] is used up[: {have} of "
			     "{limit}]",
			     "[a node of pool {object} ready or gone, or a budget above {limit}]"},
	[PLM_RULE_TIMEOUT] = {"it took longer than {wait}", ""},
	[PLM_RULE_CLOUD_REFUSED] = {"the cloud refused or took it back[: {detail}]", ""},
	[PLM_RULE_EVICTED] = {"the eviction is complete[; {detail}]", ""},
	[PLM_RULE_COHORT_RING] = {"ClusterQueue[ {object}] is inactive: the parents of cohort "
				  "{detail} form a ring",
				  "a parent of one of the cohorts that leads out of the ring"},
	[PLM_RULE_TOPOLOGY_MISSING] = {"ClusterQueue[ {object}] is inactive: the Topology[ of "
				       "flavor {flavor}] doesn't exist",
				       "[the Topology that flavor {flavor} names]"},
	[PLM_RULE_FLAVOR_NO_TOPOLOGY] = {"flavor[ {flavor}] does not support "
					 "TopologyAwareScheduling",
					 "[a topologyName in flavor {flavor}]"},
	[PLM_RULE_FLAVOR_TOPOLOGY_ONLY] = {"flavor[ {flavor}] supports only "
					   "TopologyAwareScheduling",
					   "a topology request of the pods"},
	[PLM_RULE_TOPOLOGY_LEVEL] = {"flavor[ {flavor}] has no topology level[ {detail}]",
				     "[the level {detail} in the topology of flavor {flavor}]"},
	[PLM_RULE_TOPOLOGY_PLACEMENT] =
		{"topology[ of flavor {flavor}] allows to fit only {have} out of {need} pods[ "
		 "within one domain of {detail}]",
		 "[room for {short} more pods][ within one domain of {detail}][ in flavor "
		 "{flavor}]"},
	[PLM_RULE_TOPOLOGY_SLICES] = {"slices of pods cannot be laid out in the topology[ of "
				      "flavor {flavor}][: {detail}][, {need} pods are no "
				      "multiple of {have}]",
				      "slices that the topology can hold"},
	[PLM_RULE_TOPOLOGY_PENDING] =
		{"quota is reserved[ in ClusterQueue {object}]; its domains are "
		 "chosen once its checks are ready and there is room",
		 "[admission checks of {object} ready][, and room for its pods]"},
	[PLM_RULE_NODE_FAILED] = {"node[ {detail}] failed[, and {have} of {need} pods find another "
				  "place]",
				  "[node {detail} ready]"},
	[PLM_RULE_NODES_TAINT] = {"untolerated taint[ {detail}] of {have} nodes",
				  "[a toleration of {detail}]"},
	[PLM_RULE_NODES_SELECTOR] = {"{have} nodes do not match the node selector", ""},
	[PLM_RULE_NODES_AFFINITY] = {"{have} nodes do not match the node affinity", ""},
	[PLM_RULE_NODES_DOMAIN] = {"{have} nodes lie outside the domain of the other pods", ""},
	[PLM_RULE_NODES_RESOURCES] = {"{have} nodes have no room for one more pod[ for want of "
				      "{detail}]",
				      ""},
	[PLM_RULE_PODS_READY] = {"its pods were not ready within {wait}[; {detail}]", ""},
	[PLM_RULE_BLOCKED] = {"waits until the pods of {object} are ready",
			      "the pods of {object} ready"},
	[PLM_RULE_NODES_STARTING] = {"its pods are still waiting for nodes[: {object} is not "
				     "ready]",
				     ""},
	[PLM_RULE_MAX_EXECUTION] = {"it ran for its maximum execution time of {wait}", ""},
	[PLM_RULE_RESTARTED] = {"queue[ {object}] goes on", ""},
	[PLM_RULE_REACTIVATED] = {"the workload is active again", ""},
	[PLM_RULE_PDB] = {"evicting pod {detail} violates PodDisruptionBudget {object}[; it is "
			  "deleted in any case by {until}]",
			  "PodDisruptionBudget {object} allowing a disruption"},
	[PLM_RULE_PDBS] = {"pod {detail} has more than one PodDisruptionBudget, which eviction "
			   "does not support; {object} is one of them[; it is deleted in any case "
			   "by {until}]",
			   "one PodDisruptionBudget for pod {detail}"},
	[PLM_RULE_DO_NOT_DISRUPT] = {"pod {object} must not be disrupted[; it is deleted in any "
				     "case by {until}]",
				     "the end of pod {object}, or of its annotation "
				     "karpenter.sh/do-not-disrupt"},
	[PLM_RULE_PODS_LEAVING] = {"{have} pods are leaving", ""},
	[PLM_RULE_EVICTION_REFUSED] = {"the API server refused to evict pod {object}; it is asked "
				       "again",
				       ""},
	[PLM_RULE_GRACE_ENDING] = {"{have} pods are deleted, whatever protects them, since the "
				   "grace period of the node ends[ at {until}]",
				   ""},
	[PLM_RULE_MIN_DRAIN] = {"its pods are gone; a drain takes 5s at least", ""},
	[PLM_RULE_VOLUMES_ATTACHED] = {"volumes are still attached: {object}[; it is not waited "
				       "for after {until}]",
				       "the volumes detached"},
	[PLM_RULE_INSTANCE_ENDING] = {"its instance is being terminated", ""},
	[PLM_RULE_OWNER_MISSING] = {"its owner is gone[: uid {detail}]", ""},
	[PLM_RULE_NO_CLAIM] = {"no node claim stands for node {detail}", ""},
	[PLM_RULE_NOT_INITIALIZED] = {"node[ {detail}] is not initialized", "its initialization"},
	[PLM_RULE_LEAVES] = {"node[ {detail}] is on its way out already", ""},
	[PLM_RULE_IN_COMMAND] = {"node[ {detail}] is in a command that is looked at again soon",
				 ""},
	[PLM_RULE_EXPECTED] = {"pods are expected on node {detail}", "these pods bound, or gone"},
	[PLM_RULE_RESERVED] = {"places on node {detail} are reserved for a gang",
			       "the places used or given back"},
	[PLM_RULE_NODE_PROTECTED] = {"node {detail} has the annotation "
				     "karpenter.sh/do-not-disrupt",
				     "the annotation removed from node and claim"},
	[PLM_RULE_LABEL_MISSING] = {"node {detail} lacks the label {object}",
				    "[the label {object}]"},
	[PLM_RULE_POOL_MISSING] = {"node pool {object}[ of node {detail}] is not there, or its "
				   "class is not",
				   "[node pool {object} with its class]"},
	[PLM_RULE_NEVER] = {"node pool {object} has consolidateAfter Never",
			    "[a consolidateAfter in node pool {object}]"},
	[PLM_RULE_TOO_SOON] = {"node pool {object} waits {wait} after the last pod event",
			       "[{wait} without a pod that comes or goes]"},
	[PLM_RULE_NOT_EMPTY] = {"node[ {object}] is not empty[: {have} pods need another place]",
				"these pods gone"},
	[PLM_RULE_EXPIRED] = {"node[ {object}] has lived for its expireAfter of {wait}", ""},
	[PLM_RULE_INTERRUPTED] = {"the cloud says: {detail}[, node {object}]", ""},
	[PLM_RULE_REPLACEMENT] = {"{have} pods wait for their new places[, the first on {object}]",
				  ""},
	[PLM_RULE_KEPT] = {"node pool {object} keeps at least {limit} nodes",
			   "[a minSize below {limit} in node pool {object}]"},
	[PLM_RULE_START_CONFLICT] = {"admission check {object} adds another value of {detail}",
				     "[podSetUpdates of {object} without {detail}]"},
	[PLM_RULE_ORPHAN] = {"no NodeClaim knows this instance of the cluster[ ({detail})]", ""},
	[PLM_RULE_CONSISTENCY] = {"its node has {have} {resource}, {need} were promised", ""},
	[PLM_RULE_UNREGISTERED_TAINT] = {"its node[ {object}] came without the taint "
					 "karpenter.sh/unregistered",
					 ""},
	[PLM_RULE_DELETED_OUTSIDE] = {"it is being deleted", ""},
};

/* What a template is filled with. */
struct operands {
	struct plm_slice object, resource, flavor, detail;
	int64_t need, have, limit;
	enum plm_kind kind; /* of 'object' */
};

struct text {
	char bytes[1024];
	size_t size;
};

static void add(struct text *text, struct plm_slice part)
{
	size_t room = sizeof(text->bytes) - text->size;
	size_t size = part.size < room ? part.size : room;

	if (size > 0) {
		memcpy(text->bytes + text->size, part.ptr, size);
		text->size += size;
	}
}

/* At least 'digits' of them. */
static void add_number(struct text *text, int64_t value, size_t digits)
{
	char buffer[24];
	size_t at = sizeof(buffer);
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

	while (rest > 0 || sizeof(buffer) - at < digits) {
		buffer[--at] = (char)('0' + rest % 10);
		rest /= 10;
	}
	if (value < 0) {
		buffer[--at] = '-';
	}
	add(text, plm_slice_of(buffer + at, sizeof(buffer) - at));
}

/* Micro-dollars per hour. */
static void add_price(struct text *text, int64_t micro)
{
	add(text, plm_slice_str("$"));
	add_number(text, micro / 1000000, 1);
	add(text, plm_slice_str("."));
	add_number(text, micro % 1000000 / 1000, 3);
	add(text, plm_slice_str("/h"));
}

/* True when the operand has a value; appended to 'text'. */
static bool add_amount(struct text *text, struct plm_slice resource, int64_t amount)
{
	char buffer[PLM_QUANTITY_SIZE];
	char time[PLM_TIME_SIZE];

	if (amount == PLM_UNSET) {
		return false;
	}
	if (amount == PLM_UNLIMITED) {
		add(text, plm_slice_str("unlimited"));
	} else if (plm_slice_is(resource, "emptyMs")) {
		add(text, plm_slice_str(plm_duration_format(amount, time)));
	} else if (plm_slice_is(resource, "priceMicroUSDPerHour")) {
		add_price(text, amount);
	} else if (resource.size > 0) {
		add(text, plm_slice_str(plm_quantity_format(resource, amount, buffer)));
	} else {
		add_number(text, amount, 1);
	}
	return true;
}

static bool add_time(struct text *text, int64_t ms)
{
	char time[PLM_TIME_SIZE];

	if (ms == PLM_UNSET) {
		return false;
	}
	add(text, plm_slice_str(plm_time_format(ms, time)));
	return true;
}

static bool add_text(struct text *text, struct plm_slice value)
{
	add(text, value);
	return value.size > 0;
}

static bool add_operand(struct text *text, const struct operands *from, struct plm_slice name)
{
	if (plm_slice_is(name, "object")) {
		return add_text(text, from->object);
	}
	if (plm_slice_is(name, "resource")) {
		return add_text(text, from->resource);
	}
	if (plm_slice_is(name, "flavor")) {
		return add_text(text, from->flavor);
	}
	if (plm_slice_is(name, "detail")) {
		return add_text(text, from->detail);
	}
	if (plm_slice_is(name, "need")) {
		return add_amount(text, from->resource, from->need);
	}
	if (plm_slice_is(name, "have")) {
		return add_amount(text, from->resource, from->have);
	}
	if (plm_slice_is(name, "limit")) {
		return add_amount(text, from->resource, from->limit);
	}
	if (plm_slice_is(name, "kind")) {
		return add_text(text, plm_slice_str(plm_names_text(&plm_names_kind, from->kind)));
	}
	if (plm_slice_is(name, "until")) {
		return add_time(text, from->limit);
	}
	if (plm_slice_is(name, "wait")) {
		return add_amount(text, plm_slice_str("emptyMs"), from->limit);
	}
	PLM_ASSERT(plm_slice_is(name, "short"));
	if (from->need == PLM_UNSET || from->have == PLM_UNSET) {
		return false;
	}
	return add_amount(text, from->resource, plm_sub_sat(from->need, from->have));
}

#define MAX_NESTING 4

/* Where the groups that are open began, and whether all operands in them had a value. */
struct groups {
	size_t begin[MAX_NESTING];
	bool whole[MAX_NESTING];
	int depth;
};

/* "{name}" at 'at': append it; returns the size of the placeholder. */
static size_t fill_one(struct text *text, const struct operands *from, const char *at,
		       struct groups *groups)
{
	size_t size = 0;

	while (at[size] != '}') {
		PLM_ASSERT(at[size] != '\0');
		size++;
	}
	if (!add_operand(text, from, plm_slice_of(at + 1, size - 1)) && groups->depth > 0) {
		groups->whole[groups->depth - 1] = false;
	}
	return size + 1;
}

static void fill(struct text *text, const char *template, const struct operands *from)
{
	struct groups groups = {.depth = 0};

	for (const char *at = template; *at != '\0';) {
		if (*at == '{') {
			at += fill_one(text, from, at, &groups);
			continue;
		}
		if (*at == '[') {
			PLM_ASSERT(groups.depth < MAX_NESTING);
			groups.begin[groups.depth] = text->size;
			groups.whole[groups.depth] = true;
			groups.depth++;
		} else if (*at == ']') {
			PLM_ASSERT(groups.depth > 0);
			groups.depth--;
			text->size = groups.whole[groups.depth] ? text->size
								: groups.begin[groups.depth];
		} else {
			add(text, plm_slice_of(at, 1));
		}
		at++;
	}
	PLM_ASSERT(groups.depth == 0);
}

/* A rule that says something else where another thing came of it. */
static const struct variant {
	enum plm_rule rule;
	enum plm_reason reason;
	const char *message;
} variants[] = {
	{PLM_RULE_FITS, PLM_REASON_QUOTA_RESERVED, "Quota reserved in ClusterQueue {object}"},
	{PLM_RULE_FITS, PLM_REASON_ADMITTED, "The workload is admitted[ by ClusterQueue {object}]"},
	{PLM_RULE_BACKOFF, PLM_REASON_BACKOFF_FINISHED, "the wait after an eviction is over"},
	{PLM_RULE_FITS, PLM_REASON_PENDING_EVALUATION,
	 "it fits, and is looked at in the next cycle"},
	{PLM_RULE_TOPOLOGY_PLACEMENT, PLM_REASON_WAITING_FOR_PREEMPTED,
	 "topology[ of flavor {flavor}] allows to fit only {have} out of {need} pods[ within one "
	 "domain of {detail}]. Pending the preemption of workloads"},
	{PLM_RULE_GANG, PLM_REASON_PROVISIONED,
	 "bought for a gang, {need} of its pods come here; {detail} is the cheapest that holds "
	 "them"},
	{PLM_RULE_CHEAPEST, PLM_REASON_WAITING_FOR_CAPACITY,
	 "every pod has a place ({need}); nodes bought for them: {limit}"},
	{PLM_RULE_EXISTING_NODE, PLM_REASON_WAITING_FOR_CAPACITY,
	 "every pod has a place ({need}) on nodes that are there or on their way"},
};

/* What a candidate among instance types is: the plan's own, or one that costs more. */
static const char *type_words(const struct plm_w_candidate *candidate)
{
	if (!plm_slice_is(candidate->resource, "priceMicroUSDPerHour")) {
		return NULL;
	}
	return candidate->rule == PLM_RULE_FITS ? "chosen, at {have}" : "would do, at {have}";
}

static const struct words *words_of(int64_t rule)
{
	PLM_ASSERT(rule >= 0 && (size_t)rule < PLM_COUNTOF(words));
	PLM_ASSERT(words[rule].message != NULL);
	return &words[rule];
}

static const char *message_of(const struct plm_w_explain *why)
{
	for (size_t i = 0; i < PLM_COUNTOF(variants); i++) {
		if (variants[i].rule == why->rule && variants[i].reason == why->reason) {
			return variants[i].message;
		}
	}
	return words_of(why->rule)->message;
}

static struct operands of_record(const struct plm_w_explain *why)
{
	return (struct operands){
		.object = why->object,
		.resource = why->resource,
		.flavor = why->flavor,
		.detail = why->detail,
		.need = why->need,
		.have = why->have,
		.limit = why->limit,
	};
}

/* Is the detail of a record of this rule a pod set's name, and that of a candidate what binds? */
static bool is_about_quota(int64_t rule)
{
	static const enum plm_rule rules[] = {
		PLM_RULE_QUOTA,
		PLM_RULE_MAX_QUOTA,
		PLM_RULE_BORROWING_LIMIT,
		PLM_RULE_UNDECLARED_RESOURCE,
		PLM_RULE_FLAVOR_MISSING,
		PLM_RULE_PREEMPTION,
		PLM_RULE_NO_PREEMPTION_CANDIDATES,
	};

	for (size_t i = 0; i < PLM_COUNTOF(rules); i++) {
		if ((int64_t)rules[i] == rule) {
			return true;
		}
	}
	return false;
}

static struct operands of_candidate(const struct plm_w_candidate *candidate)
{
	return (struct operands){
		.flavor = candidate->candidate,
		.object = candidate->candidate,
		.resource = candidate->resource,
		.detail =
			is_about_quota(candidate->rule) ? (struct plm_slice){0} : candidate->detail,
		.need = candidate->need,
		.have = candidate->have,
		.limit = PLM_UNSET,
	};
}

struct plm_w_explain plm_render_in_set(const struct plm_state *st,
				       const struct plm_workload *workload,
				       const struct plm_w_explain *why)
{
	struct plm_w_explain out = *why;
	uint32_t count = 0;
	const struct plm_pod_set *sets =
		PLM_SPAN(st, workload->pod_sets, struct plm_pod_set, &count);

	if (is_about_quota(why->rule) && why->detail.size == 0 && count == 1) {
		out.detail = plm_str(st, sets[0].name);
	}
	return out;
}

struct plm_slice plm_render_message(struct plm_arena *arena, const struct plm_w_explain *why)
{
	struct operands from = of_record(why);
	struct text text = {.size = 0};

	fill(&text, message_of(why), &from);
	return plm_arena_copy(arena, plm_slice_of(text.bytes, text.size));
}

struct plm_slice plm_render_candidate(struct plm_arena *arena,
				      const struct plm_w_candidate *candidate)
{
	struct operands from = of_candidate(candidate);
	struct text text = {.size = 0};

	const char *of_type = type_words(candidate);

	fill(&text, of_type != NULL ? of_type : words_of(candidate->rule)->message, &from);
	return plm_arena_copy(arena, plm_slice_of(text.bytes, text.size));
}

struct plm_slice plm_render_unblock(struct plm_arena *arena, const struct plm_w_explain *why)
{
	struct operands from = of_record(why);
	struct text text = {.size = 0};

	fill(&text, words_of(why->rule)->unblock, &from);
	return plm_arena_copy(arena, plm_slice_of(text.bytes, text.size));
}

struct plm_slice plm_render_candidate_unblock(struct plm_arena *arena,
					      const struct plm_w_candidate *candidate)
{
	struct operands from = of_candidate(candidate);
	struct text text = {.size = 0};

	fill(&text, words_of(candidate->rule)->unblock, &from);
	return plm_arena_copy(arena, plm_slice_of(text.bytes, text.size));
}

/* The templates of lifts. */
static const char *lift_words(enum plm_lift_action action)
{
	switch (action) {
#define PLM_LIFT_WORDS(name, text, words)                                                          \
	case PLM_LIFT_##name:                                                                      \
		return words;
		PLM_LIFT_LIST(PLM_LIFT_WORDS)
#undef PLM_LIFT_WORDS
	case PLM_LIFT_COUNT:
		break;
	}
	PLM_UNREACHABLE();
}

/* "a", "a=b", "a=b:c", "ns/a" */
static void join(struct text *text, struct plm_slice left, const char *mark, struct plm_slice right)
{
	add(text, left);
	if (right.size > 0) {
		add(text, plm_slice_str(mark));
		add(text, right);
	}
}

struct plm_slice plm_render_lift(struct plm_arena *arena, const struct plm_lift *lift)
{
	struct text text = {.size = 0};
	struct text detail = {.size = 0};
	struct text object = {.size = 0};
	struct operands from = {
		.resource = lift->resource,
		.flavor = lift->flavor,
		.need = lift->amount,
		.have = PLM_UNSET,
		.limit = lift->amount,
		.kind = lift->kind,
	};

	join(&detail, lift->key, "=", lift->value);
	join(&detail, (struct plm_slice){0}, ":", lift->effect);
	if (lift->ns.size > 0) {
		join(&object, lift->ns, "/", lift->name);
	} else {
		add(&object, lift->name);
	}
	from.detail = plm_slice_of(detail.bytes, detail.size);
	from.object = plm_slice_of(object.bytes, object.size);
	fill(&text, lift_words(lift->action), &from);
	return plm_arena_copy(arena, plm_slice_of(text.bytes, text.size));
}

const char *plm_render_outcome(enum plm_rule rule)
{
	static const enum plm_rule fits[] = {PLM_RULE_NONE, PLM_RULE_FITS, PLM_RULE_CHEAPEST,
					     PLM_RULE_EXISTING_NODE};
	static const enum plm_rule skipped[] = {PLM_RULE_FLAVOR_TAINT,	 PLM_RULE_FLAVOR_AFFINITY,
						PLM_RULE_FLAVOR_MISSING, PLM_RULE_POOL_NOT_READY,
						PLM_RULE_POOL_TAINT,	 PLM_RULE_GANG};

	for (size_t i = 0; i < PLM_COUNTOF(fits); i++) {
		if (fits[i] == rule) {
			return "fits";
		}
	}
	for (size_t i = 0; i < PLM_COUNTOF(skipped); i++) {
		if (skipped[i] == rule) {
			return "skipped";
		}
	}
	return rule == PLM_RULE_PREEMPTION ? "preempt" : "no fit";
}
