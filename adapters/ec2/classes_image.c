/* The images of a node class: karpenter.md 4.6. */
#include "adapters/ec2/classes_form.h"
#include "adapters/ec2/classes_status.h"
#include "core/limits.h"
#include "ec2/image.h"

#define READY "AMIsReady"
#define ARCH "kubernetes.io/arch"
#define GPUS "karpenter.k8s.aws/instance-gpu-count"
#define ACCELERATORS "karpenter.k8s.aws/instance-accelerator-count"
#define VARIANTS 3
#define RESOLVED_MAX 64 /* more than a class may name */

/* What one parameter came to. */
struct resolved {
	struct plm_slice id; /* empty: there is no such parameter */
	uint32_t variants;
	const struct plm_ec2_answer *answer;
};

struct images {
	struct plm_ec2_look *look;
	struct resolved resolved[RESOLVED_MAX];
	size_t resolved_count;
	struct plm_ec2_image *list;
	size_t count;
};

/* ---- requirements -------------------------------------------------------------------------------- */

static struct plm_w_expr expr(const char *key, enum plm_op op, const char *value,
			      struct plm_arena *arena)
{
	struct plm_slice *values = PLM_NEW(arena, struct plm_slice);

	*values = plm_slice_str(value);
	return (struct plm_w_expr){.key = plm_slice_str(key),
				   .op = op,
				   .values = {values, value == NULL ? 0 : 1},
				   .min_values = PLM_UNSET};
}

/* In upstream's order: by length of the key, then by key. */
static struct plm_vec requirements_of(const struct plm_ec2_image *image, struct plm_arena *arena)
{
	struct plm_w_expr *list = PLM_NEW_ARRAY(arena, VARIANTS, struct plm_w_expr);
	size_t count = 0;

	list[count++] = expr(ARCH, PLM_OP_IN, image->arch, arena);
	switch (image->variant) {
	case PLM_EC2_STANDARD:
		list[count++] = expr(GPUS, PLM_OP_DOES_NOT_EXIST, NULL, arena);
		list[count++] = expr(ACCELERATORS, PLM_OP_DOES_NOT_EXIST, NULL, arena);
		break;
	case PLM_EC2_NVIDIA:
		list[count++] = expr(GPUS, PLM_OP_EXISTS, NULL, arena);
		break;
	case PLM_EC2_NEURON:
		list[count++] = expr(ACCELERATORS, PLM_OP_EXISTS, NULL, arena);
		break;
	case PLM_EC2_ANY:
		break;
	}
	return (struct plm_vec){list, count};
}

/* ---- parameters ---------------------------------------------------------------------------------- */

static bool is_image_id(struct plm_slice text)
{
	return text.size > 4 && memcmp(text.ptr, "ami-", 4) == 0;
}

static void resolve(struct images *images, struct plm_slice path, uint32_t variants)
{
	struct plm_ec2_look *look = images->look;
	const struct plm_ec2_answer *answer = plm_ec2_look_ask(
		look, PLM_EC2_PARAMETER, plm_ec2_form_parameter(path, look->env->arena));
	const struct plm_slice *value = answer == NULL ? NULL : answer->rows.list;

	if (value != NULL && answer->rows.count == 1 && is_image_id(*value) &&
	    images->resolved_count < RESOLVED_MAX) {
		images->resolved[images->resolved_count++] =
			(struct resolved){*value, variants, answer};
	}
}

/* An image that is gone or deprecated: its parameter may name another by now. */
static void doubt(struct images *images, struct plm_slice id)
{
	for (size_t i = 0; i < images->resolved_count; i++) {
		if (plm_slice_equal(images->resolved[i].id, id)) {
			plm_ec2_ask_again(images->look->env->asks, images->resolved[i].answer,
					  PLM_LIMIT_CLASS_DOUBT_MS);
		}
	}
}

static struct plm_vec ids_of(struct images *images)
{
	struct plm_slice *ids = PLM_NEW_ARRAY(images->look->env->arena, images->resolved_count + 1,
					      struct plm_slice);

	for (size_t i = 0; i < images->resolved_count; i++) {
		ids[i] = images->resolved[i].id;
	}
	return (struct plm_vec){ids, images->resolved_count};
}

/* ---- what was found ------------------------------------------------------------------------------ */

static uint32_t variants_of(const struct images *images, struct plm_slice id)
{
	uint32_t variants = 0;

	for (size_t i = 0; i < images->resolved_count; i++) {
		if (plm_slice_equal(images->resolved[i].id, id)) {
			variants |= images->resolved[i].variants;
		}
	}
	return variants;
}

static void put(struct images *images, const struct plm_ec2_found_image *row,
		enum plm_ec2_variant variant)
{
	const struct plm_ec2_class_env *env = images->look->env;
	bool deprecated = row->deprecated_ms != PLM_UNSET && row->deprecated_ms <= env->wall_ms;

	images->list[images->count++] = (struct plm_ec2_image){.id = row->id,
							       .name = row->name,
							       .created_ms = row->created_ms,
							       .arch = row->arch,
							       .variant = variant,
							       .deprecated = deprecated};
	if (deprecated) {
		doubt(images, row->id);
	}
}

/* An image of an alias is for the hardware that its parameter says; any other for all of its architecture. */
static void put_all(struct images *images, struct plm_vec rows)
{
	const struct plm_ec2_found_image *const *list = rows.ptr;

	images->list = PLM_NEW_ARRAY(images->look->env->arena, VARIANTS * rows.count + 1,
				     struct plm_ec2_image);
	for (size_t i = 0; i < rows.count; i++) {
		uint32_t variants = variants_of(images, list[i]->id);

		if (variants == PLM_EC2_ANY) {
			put(images, list[i], PLM_EC2_ANY);
		}
		for (uint32_t bit = 1; bit <= PLM_EC2_NEURON; bit *= 2) {
			if ((variants & bit) != 0) {
				put(images, list[i], (enum plm_ec2_variant)bit);
			}
		}
	}
}

static void doubt_missing(struct images *images, struct plm_vec rows)
{
	const struct plm_ec2_found_image *const *list = rows.ptr;

	for (size_t i = 0; i < images->resolved_count; i++) {
		size_t at = 0;

		while (at < rows.count && !plm_slice_equal(list[at]->id, images->resolved[i].id)) {
			at++;
		}
		if (at == rows.count) {
			doubt(images, images->resolved[i].id);
		}
	}
}

/* Bottlerocket binds the usual folders by itself from 1.46.0 on: "v1.46.0", "1.46.0", "latest". */
static bool binds_by_itself(struct plm_slice version)
{
	int64_t numbers[2] = {0};
	size_t at = 0;

	if (plm_slice_is(version, "latest")) {
		return true;
	}
	for (size_t i = 0; i < version.size && at < 2; i++) {
		uint8_t c = version.ptr[i];

		if (c == '.') {
			at++;
		} else if (c >= '0' && c <= '9' && numbers[at] < 1000000) {
			numbers[at] = 10 * numbers[at] + (c - '0');
		} else if (c != 'v' || i > 0) {
			return false;
		}
	}
	return at == 2 && (numbers[0] > 1 || (numbers[0] == 1 && numbers[1] >= 46));
}

/* "bottlerocket-aws-k8s-1.33-x86_64-v1.46.0-431fe75a": the part that begins with v and has a dot. */
static struct plm_slice version_in(struct plm_slice name)
{
	size_t from = 0;

	for (size_t i = 0; i <= name.size; i++) {
		if (i < name.size && name.ptr[i] != '-') {
			continue;
		}
		if (i - from > 1 && name.ptr[from] == 'v' &&
		    memchr(name.ptr + from, '.', i - from) != NULL) {
			return plm_slice_of(name.ptr + from, i - from);
		}
		from = i + 1;
	}
	return (struct plm_slice){0};
}

static void tell_images(struct images *images)
{
	struct plm_ec2_look *look = images->look;
	struct plm_arena *arena = look->env->arena;
	size_t count = plm_ec2_images_choose(images->list, images->count);
	struct plm_w_class_image *out = PLM_NEW_ARRAY(arena, count + 1, struct plm_w_class_image);

	for (size_t i = 0; i < count; i++) {
		const struct plm_ec2_image *image = &images->list[i];

		out[i] = (struct plm_w_class_image){.id = image->id,
						    .name = image->name,
						    .requirements = requirements_of(image, arena),
						    .deprecated = image->deprecated ? 1 : 0};
	}
	look->out->status.images = (struct plm_vec){out, count};
}

/* ---- ways to name images ------------------------------------------------------------------------- */

/* "1.33" as 33; -1 when it is no such number. */
static int64_t minor_of(struct plm_slice version)
{
	int64_t minor = 0;

	if (version.size < 3 || version.size > 6 || memcmp(version.ptr, "1.", 2) != 0) {
		return -1;
	}
	for (size_t i = 2; i < version.size; i++) {
		if (version.ptr[i] < '0' || version.ptr[i] > '9') {
			return -1;
		}
		minor = 10 * minor + (version.ptr[i] - '0');
	}
	return minor;
}

/* Does EKS have no images of that family for that version? */
static bool is_unsupported(struct plm_ec2_look *look, enum plm_ec2_family family,
			   struct plm_slice version)
{
	int64_t minor = minor_of(version);

	if (family == PLM_EC2_AL2 && minor >= 33) {
		plm_ec2_look_unmet(look, READY, "UnsupportedAlias",
				   "AL2 aliases are no longer supported on EKS 1.33+ (see "
				   "https://docs.aws.amazon.com/eks/latest/userguide/"
				   "kubernetes-versions-standard.html#kubernetes-1-33)");
		return true;
	}
	if (family == PLM_EC2_WINDOWS_2025 && minor >= 0 && minor < 35) {
		struct plm_slice text =
			plm_arena_format(look->env->arena,
					 "Windows Server 2025 requires EKS version 1.35 or "
					 "higher, current version: %.*s",
					 (int)version.size, (const char *)version.ptr);

		plm_ec2_look_unmet(look, READY, "UnsupportedAlias", (const char *)text.ptr);
		return true;
	}
	return false;
}

static struct plm_slice kubernetes_of(const struct plm_ec2_look *look)
{
	const char *said = look->env->options->kubernetes_version;

	if (said != NULL && said[0] != '\0') {
		return plm_slice_str(said);
	}
	return look->cluster == NULL ? (struct plm_slice){0} : look->cluster->version;
}

/* False: the condition has ended. */
static bool resolve_alias(struct images *images, enum plm_ec2_family family,
			  struct plm_slice version)
{
	struct plm_ec2_look *look = images->look;
	struct plm_slice kubernetes = kubernetes_of(look);
	struct plm_ec2_parameter parameters[PLM_EC2_PARAMETERS];
	size_t count = 0;

	if (kubernetes.size == 0) {
		plm_ec2_look_unknown(look, READY, "the version of Kubernetes is not known");
		return false;
	}
	if (is_unsupported(look, family, kubernetes)) {
		return false;
	}
	count = family == PLM_EC2_UBUNTU
			? plm_ec2_ubuntu_parameters(look->class->ami_family, kubernetes,
						    look->env->arena, parameters)
			: plm_ec2_parameters(family, kubernetes, version, look->env->arena,
					     parameters);
	for (size_t i = 0; i < count; i++) {
		resolve(images, parameters[i].path, parameters[i].variants);
	}
	return true;
}

/*
 * The alias of a class; a NodeTemplate that names no images takes the newest of its family. False: neither.
 */
static bool alias_of(const struct plm_w_node_class *class, enum plm_ec2_family *family,
		     struct plm_slice *version)
{
	const struct plm_w_image_term *terms = class->setup.images.ptr;

	if (class->setup.images.count > 0) {
		return plm_ec2_alias_find(terms[0].alias, family, version);
	}
	*version = plm_slice_str("latest");
	*family = plm_ec2_family_of(class);
	return class->kind == PLM_KIND_NODE_TEMPLATE;
}

static void resolve_terms(struct images *images, struct plm_vec terms)
{
	const struct plm_w_image_term *list = terms.ptr;

	for (size_t i = 0; i < terms.count; i++) {
		if (list[i].ssm_parameter.size > 0) {
			resolve(images, list[i].ssm_parameter, PLM_EC2_ANY);
		}
	}
}

void plm_ec2_look_images(struct plm_ec2_look *look)
{
	struct images images = {.look = look};
	struct plm_vec terms = look->class->setup.images;
	enum plm_ec2_family family = PLM_EC2_CUSTOM;
	struct plm_slice version = {0};
	struct plm_ec2_forms forms = {0};
	struct plm_vec rows = {0};

	plm_ec2_look_begin(look);
	if (alias_of(look->class, &family, &version)) {
		if (!resolve_alias(&images, family, version)) {
			return;
		}
		terms = (struct plm_vec){0};
	} else {
		resolve_terms(&images, terms);
	}
	forms = plm_ec2_forms_images(terms, ids_of(&images), look->env->arena);
	rows = plm_ec2_look_rows(look, PLM_EC2_IMAGES, &forms, sizeof(struct plm_ec2_found_image));
	if (!look->waits) {
		doubt_missing(&images, rows);
	}
	put_all(&images, rows);
	tell_images(&images);
	if (look->out->status.images.count == 0 && !look->waits) {
		plm_ec2_look_unmet(look, READY, "AMINotFound",
				   "AMISelector did not match any AMIs");
		return;
	}
	if (look->out->status.images.count > 0 &&
	    plm_ec2_family_of(look->class) == PLM_EC2_BOTTLEROCKET) {
		const struct plm_w_class_image *first = look->out->status.images.ptr;

		look->default_mounts =
			binds_by_itself(version.size > 0 ? version : version_in(first->name));
	}
	plm_ec2_look_met(look, READY);
}
