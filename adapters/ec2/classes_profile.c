#include "adapters/ec2/classes_profile.h"

#include "adapters/ec2/classes_form.h"
#include "adapters/ec2/page.h"
#include "adapters/ec2/query.h"
#include "adapters/ec2/text.h"
#include "core/limits.h"
#include "hash/hash.h"

#include <stdio.h>
#include <stdlib.h>

#define ARENA_BYTES ((size_t)1 << 20)

enum step {
	RESTS,	 /* nothing to do, or not yet */
	MAKES,	 /* CreateInstanceProfile */
	TAKES,	 /* RemoveRoleFromInstanceProfile: it has another one */
	GIVES,	 /* AddRoleToInstanceProfile */
	LOOKS,	 /* DescribeInstances: does any instance of its class live? */
	EMPTIES, /* RemoveRoleFromInstanceProfile, for good */
	ENDS,	 /* DeleteInstanceProfile */
	GONE,
};

struct profile {
	struct profile *next;
	struct plm_ec2_profiles *profiles;
	char *name, *role, *other_role, *class_name; /* owned */
	uint8_t *make;				     /* owned: the form that makes it */
	size_t make_size;
	enum step step;
	uint64_t pass;
	bool has_other;	 /* 'other_role' is in it */
	bool is_there;	 /* it was seen, with or without a role */
	int64_t done_ms; /* boot; PLM_UNSET = not made here */
	bool is_left;	 /* no class has it any more */
	int64_t due_ms;	 /* boot: not before */
	uint32_t failures;
	bool used; /* LOOKS has found an instance */
	char why[256];
	struct plm_aws_sent *sent;
	struct plm_aws_pages *pages;
};

struct plm_ec2_profiles {
	struct plm_ec2_profiles_options options;
	struct profile *first;
	struct plm_arena arena; /* of one request */
	uint64_t pass;
};

static int64_t now_ms(const struct plm_ec2_profiles *profiles)
{
	return profiles->options.clock.boot_ms(profiles->options.clock.self);
}

/* ---- names --------------------------------------------------------------------------------------- */

/* Without its path: IAM takes none here. */
static struct plm_slice role_of(const struct plm_w_node_class *class)
{
	struct plm_slice role = class->setup.role;

	for (size_t i = role.size; i > 0; i--) {
		if (role.ptr[i - 1] == '/') {
			return plm_slice_of(role.ptr + i, role.size - i);
		}
	}
	return role;
}

struct plm_slice plm_ec2_profile_name(const char *cluster, const char *region,
				      const struct plm_w_node_class *class, struct plm_arena *arena)
{
	struct plm_text text = {.arena = arena};
	struct plm_slice role = role_of(class);
	struct plm_sha256 hash = {0};
	uint64_t number = 0;
	uint8_t bytes[8];

	plm_text_quote(&text, plm_slice_str(region));
	plm_text_quote(&text, class->meta.name);
	plm_text_quote(&text, class->meta.uid);
	plm_text_quote(&text, role);
	hash = plm_sha256(plm_text_slice(&text));
	memcpy(bytes, &hash, sizeof(bytes));
	for (size_t i = 0; i < sizeof(bytes); i++) {
		number = number << 8 | bytes[i];
	}
	return plm_arena_format(arena, "%s_%llu", cluster, (unsigned long long)number);
}

static void put_tag(struct plm_w_kv *list, size_t *count, const char *key, struct plm_slice value)
{
	size_t at = 0;

	while (at < *count && plm_slice_compare(list[at].key, plm_slice_str(key)) < 0) {
		at++;
	}
	if (at == *count || !plm_slice_is(list[at].key, key)) {
		memmove(&list[at + 1], &list[at], (*count - at) * sizeof(*list));
		(*count)++;
	}
	list[at] = (struct plm_w_kv){plm_slice_str(key), value};
}

/* Tags and path are upstream's: its IAM policy lets nothing else be made. */
static struct plm_slice make_form(const struct plm_ec2_look *look, struct plm_slice name,
				  const char *cluster)
{
	const struct plm_w_node_class *class = look->class;
	struct plm_arena *arena = look->env->arena;
	struct plm_w_kv *tags = PLM_NEW_ARRAY(arena, class->tags.count + 4, struct plm_w_kv);
	size_t count = class->tags.count;
	struct plm_query query = {0};
	struct plm_slice owned = plm_arena_format(arena, "kubernetes.io/cluster/%s", cluster);

	if (count > 0) {
		memcpy(tags, class->tags.ptr, count * sizeof(*tags));
	}
	put_tag(tags, &count, (const char *)owned.ptr, plm_slice_str("owned"));
	put_tag(tags, &count, "eks:eks-cluster-name", plm_slice_str(cluster));
	put_tag(tags, &count, "karpenter.k8s.aws/ec2nodeclass", class->meta.name);
	put_tag(tags, &count, "topology.kubernetes.io/region", plm_slice_str(look->env->region));
	plm_query_init(&query, arena);
	plm_query_put(&query, name, "InstanceProfileName");
	plm_query_put(&query,
		      plm_arena_format(arena, "/karpenter/%s/%s/%.*s/", look->env->region, cluster,
				       (int)class->meta.uid.size,
				       (const char *)class->meta.uid.ptr),
		      "Path");
	for (size_t i = 0; i < count; i++) {
		plm_query_put(&query, tags[i].key, "Tags.member.%zu.Key", i + 1);
		plm_query_put(&query, tags[i].value, "Tags.member.%zu.Value", i + 1);
	}
	return plm_query_form(&query);
}

/* ---- the table ----------------------------------------------------------------------------------- */

static char *own(struct plm_slice text)
{
	char *copy = malloc(text.size + 1);

	PLM_ASSERT(copy != NULL);
	if (text.size > 0) {
		memcpy(copy, text.ptr, text.size);
	}
	copy[text.size] = '\0';
	return copy;
}

static void set(char **text, struct plm_slice value)
{
	char *copy = own(value);

	free(*text);
	*text = copy;
}

static struct profile *find(struct plm_ec2_profiles *profiles, struct plm_slice name)
{
	struct profile *profile = profiles->first;

	while (profile != NULL && !plm_slice_is(name, profile->name)) {
		profile = profile->next;
	}
	return profile;
}

static struct profile *find_or_add(const struct plm_ec2_look *look, struct plm_slice name)
{
	struct plm_ec2_profiles *profiles = look->env->profiles;
	struct profile *profile = find(profiles, name);
	struct plm_slice make = {0};

	if (profile != NULL) {
		return profile;
	}
	make = make_form(look, name, profiles->options.cluster_name);
	profile = calloc(1, sizeof(*profile));
	PLM_ASSERT(profile != NULL);
	profile->profiles = profiles;
	profile->name = own(name);
	profile->role = own(role_of(look->class));
	profile->other_role = own((struct plm_slice){0});
	profile->class_name = own(look->class->meta.name);
	profile->make = (uint8_t *)own(make);
	profile->make_size = make.size;
	profile->done_ms = PLM_UNSET;
	profile->next = profiles->first;
	profiles->first = profile;
	return profile;
}

static void drop(struct profile *profile)
{
	if (profile->sent != NULL) {
		plm_aws_cancel(profile->sent);
	}
	if (profile->pages != NULL) {
		plm_aws_pages_cancel(profile->pages);
	}
	free(profile->name);
	free(profile->role);
	free(profile->other_role);
	free(profile->class_name);
	free(profile->make);
	free(profile);
}

struct plm_ec2_profiles *plm_ec2_profiles_new(const struct plm_ec2_profiles_options *options)
{
	struct plm_ec2_profiles *profiles = calloc(1, sizeof(*profiles));
	struct plm_error err = {0};

	PLM_ASSERT(profiles != NULL);
	PLM_ASSERT(plm_arena_init(&profiles->arena, ARENA_BYTES, &err) == PLM_OK);
	profiles->options = *options;
	return profiles;
}

void plm_ec2_profiles_free(struct plm_ec2_profiles *profiles)
{
	if (profiles == NULL) {
		return;
	}
	while (profiles->first != NULL) {
		struct profile *next = profiles->first->next;

		drop(profiles->first);
		profiles->first = next;
	}
	plm_arena_fini(&profiles->arena);
	free(profiles);
}

/* ---- steps --------------------------------------------------------------------------------------- */

static void rest(struct profile *profile, int64_t wait_ms)
{
	profile->step = RESTS;
	profile->due_ms = now_ms(profile->profiles) + wait_ms;
}

static void note(const struct profile *profile, const char *what)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "instance profile %s of class %s: %s", profile->name,
		       profile->class_name, what);
	profile->profiles->options.note(profile->profiles->options.note_self, text);
}

static void failed(struct profile *profile, const char *action, const struct plm_aws_answer *answer)
{
	int64_t wait = PLM_LIMIT_PROFILE_AGAIN_MS;

	(void)snprintf(profile->why, sizeof(profile->why), "%s: %s: %s", action, answer->code,
		       answer->message);
	for (uint32_t i = 0; i < profile->failures && wait < PLM_LIMIT_PROFILE_AGAIN_MOST_MS; i++) {
		wait *= 2;
	}
	if (profile->failures == 0) {
		note(profile, profile->why);
	}
	profile->failures++;
	rest(profile, plm_min(wait, PLM_LIMIT_PROFILE_AGAIN_MOST_MS));
}

static void done(struct profile *profile)
{
	profile->failures = 0;
	profile->why[0] = '\0';
	profile->is_there = true;
	profile->has_other = false;
	profile->done_ms = now_ms(profile->profiles);
	note(profile, "made, with its role");
	rest(profile, 0);
}

static bool is_absent(const struct plm_aws_answer *answer)
{
	return answer->class == PLM_AWS_NOT_FOUND;
}

/* What comes after a step that was done. */
static void go_on(struct profile *profile)
{
	switch (profile->step) {
	case MAKES:
	case TAKES:
		profile->step = GIVES;
		break;
	case GIVES:
		done(profile);
		break;
	case EMPTIES:
		profile->step = ENDS;
		break;
	case ENDS:
		profile->step = GONE;
		note(profile, "deleted, as its class is gone");
		break;
	case RESTS:
	case LOOKS:
	case GONE:
		PLM_UNREACHABLE();
	}
}

static const char *action_of(enum step step)
{
	static const char *const names[] = {
		[MAKES] = "CreateInstanceProfile",
		[TAKES] = "RemoveRoleFromInstanceProfile",
		[GIVES] = "AddRoleToInstanceProfile",
		[LOOKS] = "DescribeInstances",
		[EMPTIES] = "RemoveRoleFromInstanceProfile",
		[ENDS] = "DeleteInstanceProfile",
	};

	return names[step];
}

static void on_done(void *self, const struct plm_aws_answer *answer)
{
	struct profile *profile = self;
	struct plm_ec2_profiles *profiles = profile->profiles;
	bool ends = profile->step == EMPTIES || profile->step == ENDS;

	profile->sent = NULL;
	if (answer->class == PLM_AWS_DONE || answer->class == PLM_AWS_EXISTS ||
	    (is_absent(answer) && (ends || profile->step == TAKES))) {
		go_on(profile);
	} else {
		failed(profile, action_of(profile->step), answer);
	}
	profiles->options.changed(profiles->options.self);
}

static bool on_page(void *self, const struct plm_aws_node *root)
{
	struct profile *profile = self;

	const struct plm_aws_node *set = plm_aws_get(root, "reservationSet");

	profile->used = profile->used || set == NULL || set->count > 0;
	return true;
}

static void on_end(void *self, const struct plm_aws_answer *answer)
{
	struct profile *profile = self;
	struct plm_ec2_profiles *profiles = profile->profiles;

	profile->pages = NULL;
	if (answer->class != PLM_AWS_DONE) {
		failed(profile, action_of(LOOKS), answer);
	} else if (profile->used || profile->pass == profiles->pass) {
		rest(profile, PLM_LIMIT_PROFILE_BURY_MS);
	} else {
		profile->step = EMPTIES;
	}
	profiles->options.changed(profiles->options.self);
}

static void send_it(struct profile *profile, enum plm_aws_call call, struct plm_slice body)
{
	const struct plm_aws_request request = {
		.call = call, .body = body, .on_done = on_done, .self = profile};

	profile->sent = plm_aws_send(profile->profiles->options.client, &request);
}

static struct plm_slice role_form(const struct profile *profile, const char *role)
{
	struct plm_query query = {0};

	plm_query_init(&query, &profile->profiles->arena);
	plm_query_text(&query, "InstanceProfileName", profile->name);
	plm_query_text(&query, "RoleName", role);
	return plm_query_form(&query);
}

static void look_for_instances(struct profile *profile)
{
	static const char *const alive[] = {"pending", "running", "shutting-down", "stopping",
					    "stopped"};
	struct plm_slice states[PLM_COUNTOF(alive)];
	struct plm_query query = {0};
	struct plm_aws_paging paging = {.call = PLM_AWS_CALL_DESCRIBE_INSTANCES,
					.on_page = on_page,
					.on_end = on_end,
					.self = profile};

	for (size_t i = 0; i < PLM_COUNTOF(alive); i++) {
		states[i] = plm_slice_str(alive[i]);
	}
	plm_query_init(&query, &profile->profiles->arena);
	plm_query_filter(&query, "instance-state-name",
			 (struct plm_vec){states, PLM_COUNTOF(states)});
	plm_query_filter_one(&query, "tag:karpenter.k8s.aws/ec2nodeclass",
			     plm_slice_str(profile->class_name));
	plm_query_filter_one(&query, "tag:eks:eks-cluster-name",
			     plm_slice_str(profile->profiles->options.cluster_name));
	plm_query_number(&query, 1000, "MaxResults");
	paging.body = plm_query_form(&query);
	profile->used = false;
	profile->pages = plm_aws_pages_start(profile->profiles->options.client, &paging);
}

static void take_step(struct profile *profile)
{
	plm_arena_reset(&profile->profiles->arena);
	switch (profile->step) {
	case MAKES:
		send_it(profile, PLM_AWS_CALL_CREATE_INSTANCE_PROFILE,
			plm_slice_of(profile->make, profile->make_size));
		break;
	case TAKES:
		send_it(profile, PLM_AWS_CALL_REMOVE_ROLE, role_form(profile, profile->other_role));
		break;
	case GIVES:
		send_it(profile, PLM_AWS_CALL_ADD_ROLE, role_form(profile, profile->role));
		break;
	case LOOKS:
		look_for_instances(profile);
		break;
	case EMPTIES:
		send_it(profile, PLM_AWS_CALL_REMOVE_ROLE, role_form(profile, profile->role));
		break;
	case ENDS:
		send_it(profile, PLM_AWS_CALL_DELETE_INSTANCE_PROFILE,
			plm_ec2_form_profile(plm_slice_str(profile->name),
					     &profile->profiles->arena));
		break;
	case RESTS:
	case GONE:
		break;
	}
}

/* ---- passes -------------------------------------------------------------------------------------- */

void plm_ec2_profiles_begin(struct plm_ec2_profiles *profiles)
{
	profiles->pass++;
}

static bool is_under_way(const struct profile *profile)
{
	return profile->sent != NULL || profile->pages != NULL;
}

/* A class that is there again before its profile is: it is made again when it has gone. */
static void begin_to_make(struct profile *profile, const struct plm_ec2_found_profile *found)
{
	if (profile->step == LOOKS && !is_under_way(profile)) {
		profile->step = RESTS;
	}
	if (profile->step != RESTS || profile->due_ms > now_ms(profile->profiles)) {
		return;
	}
	profile->has_other = found != NULL && found->role.size > 0;
	if (profile->has_other) {
		set(&profile->other_role, found->role);
	}
	if (found == NULL) {
		profile->step = MAKES;
	} else {
		profile->step = profile->has_other ? TAKES : GIVES;
	}
}

/* Made here a while ago: IAM may not show it everywhere yet. */
static bool was_made(const struct profile *profile)
{
	return profile->done_ms != PLM_UNSET &&
	       now_ms(profile->profiles) - profile->done_ms < PLM_LIMIT_CLASS_PROFILE_MS;
}

void plm_ec2_profiles_look(struct plm_ec2_look *look, struct plm_ec2_profile_state *out)
{
	struct plm_ec2_profiles *profiles = look->env->profiles;
	const struct plm_ec2_found_profile *found = NULL;
	const struct plm_ec2_answer *answer = NULL;
	struct profile *profile = NULL;

	*out = (struct plm_ec2_profile_state){.why = ""};
	if (look->env->region[0] == '\0') {
		look->waits = true;
		look->out->untried = true;
		return;
	}
	out->name = plm_ec2_profile_name(profiles->options.cluster_name, look->env->region,
					 look->class, look->env->arena);
	profile = find_or_add(look, out->name);
	profile->pass = profiles->pass;
	profile->is_left = false;
	answer = plm_ec2_look_ask(look, PLM_EC2_PROFILE,
				  plm_ec2_form_profile(out->name, look->env->arena));
	if (answer == NULL) {
		return;
	}
	found = answer->rows.count > 0 ? answer->rows.list : NULL;
	profile->is_there = profile->is_there || found != NULL;
	out->ready = !profiles->options.act || was_made(profile) ||
		     (found != NULL && plm_slice_is(found->role, profile->role));
	if (!out->ready) {
		out->why = profile->why[0] != '\0' ? profile->why
						   : "object is awaiting reconciliation";
		begin_to_make(profile, found);
	}
}

/* Behind its class: once no instance of the class is left. One that never was is only forgotten. */
static void begin_to_end(struct profile *profile)
{
	int64_t now = now_ms(profile->profiles);

	if (!profile->is_left) { /* launches that were under way come to their end */
		profile->is_left = true;
		profile->due_ms = now + PLM_LIMIT_PROFILE_BURY_MS;
	}
	if (!profile->is_there || !profile->profiles->options.act) {
		profile->step = is_under_way(profile) ? profile->step : GONE;
	} else if (profile->step == RESTS && profile->due_ms <= now) {
		profile->step = LOOKS;
	}
}

void plm_ec2_profiles_end(struct plm_ec2_profiles *profiles)
{
	struct profile **at = &profiles->first;

	while (*at != NULL) {
		struct profile *profile = *at;

		if (profile->pass != profiles->pass) {
			begin_to_end(profile);
		}
		if (profile->step == GONE) {
			*at = profile->next;
			drop(profile);
			continue;
		}
		at = &profile->next;
	}
}

int64_t plm_ec2_profiles_tick(struct plm_ec2_profiles *profiles)
{
	int64_t next = INT64_MAX;

	for (struct profile *profile = profiles->first; profile != NULL; profile = profile->next) {
		if (is_under_way(profile)) {
			continue;
		}
		if (profile->step != RESTS) {
			take_step(profile);
		} else if (profile->due_ms > now_ms(profiles)) {
			next = plm_min(next, profile->due_ms);
		}
	}
	return next;
}
