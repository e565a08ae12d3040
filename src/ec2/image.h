/*
 * image.h - machine images: where an alias is looked up, which types an image is for
 *
 * Owns: the SSM parameters of "family@version" and the choice among images (karpenter.md 4.6).
 * Does not: ask SSM or EC2.
 */
#ifndef PLM_EC2_IMAGE_H
#define PLM_EC2_IMAGE_H

#include "core/arena.h"
#include "ec2/family.h"

/* Hardware that an image is made for, as bits; ANY says nothing about it. */
enum plm_ec2_variant {
	PLM_EC2_ANY = 0,
	PLM_EC2_STANDARD = 1, /* no GPU, no accelerator */
	PLM_EC2_NVIDIA = 2,   /* a GPU */
	PLM_EC2_NEURON = 4,   /* an accelerator */
};

/* One parameter of SSM whose value is an image id. 'arch' as Kubernetes spells it. */
struct plm_ec2_parameter {
	struct plm_slice path;
	const char *arch;
	uint32_t variants;
};
#define PLM_EC2_PARAMETERS 5

/*
 * The parameters to ask for, in 'out' (texts in the arena); how many. 'kubernetes' is "1.33"; 'version'
 * "latest" or a release. 0: the family has no aliases.
 */
size_t plm_ec2_parameters(enum plm_ec2_family family, struct plm_slice kubernetes,
			  struct plm_slice version, struct plm_arena *arena,
			  struct plm_ec2_parameter out[PLM_EC2_PARAMETERS]);

/* Canonical's, of "Ubuntu22.04" or "Ubuntu24.04"; for any hardware. */
size_t plm_ec2_ubuntu_parameters(struct plm_slice release, struct plm_slice kubernetes,
				 struct plm_arena *arena,
				 struct plm_ec2_parameter out[PLM_EC2_PARAMETERS]);

/* An image and one kind of hardware that it is for: an image for two kinds stands there twice. */
struct plm_ec2_image {
	struct plm_slice id, name;
	int64_t created_ms; /* PLM_UNSET = not known: older than all others */
	const char *arch;
	enum plm_ec2_variant variant;
	bool deprecated;
};

/*
 * Of each (architecture, variant) the newest image, a deprecated one only where there is no other; newest
 * first, then by id, at the start of 'images'. How many are left.
 */
size_t plm_ec2_images_choose(struct plm_ec2_image *images, size_t count);

/* The first of 'images' that is for such a type; 'count' when none is. */
size_t plm_ec2_image_for(const struct plm_ec2_image *images, size_t count, const char *arch,
			 bool has_gpu, bool has_accelerator);

#endif
