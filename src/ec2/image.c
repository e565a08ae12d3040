#include "ec2/image.h"

/* How many versions look: "recommended", or the name that the release has there. */
struct naming {
	struct plm_slice kubernetes, version;
	bool latest;
	struct plm_arena *arena;
};

static struct plm_slice al2_path(const struct naming *n, const char *kind, const char *part)
{
	int k = (int)n->kubernetes.size;
	const char *kubernetes = (const char *)n->kubernetes.ptr;

	if (n->latest) {
		return plm_arena_format(n->arena,
					"/aws/service/eks/optimized-ami/%.*s/amazon-linux-2%s/"
					"recommended/image_id",
					k, kubernetes, kind);
	}
	return plm_arena_format(n->arena,
				"/aws/service/eks/optimized-ami/%.*s/amazon-linux-2%s/"
				"amazon-eks-%snode-%.*s-%.*s/image_id",
				k, kubernetes, kind, part, k, kubernetes, (int)n->version.size,
				(const char *)n->version.ptr);
}

static size_t al2(const struct naming *n, struct plm_ec2_parameter *out)
{
	out[0] = (struct plm_ec2_parameter){al2_path(n, "", ""), "amd64", PLM_EC2_STANDARD};
	out[1] = (struct plm_ec2_parameter){al2_path(n, "-arm64", "arm64-"), "arm64",
					    PLM_EC2_STANDARD};
	out[2] = (struct plm_ec2_parameter){al2_path(n, "-gpu", "gpu-"), "amd64",
					    PLM_EC2_NVIDIA | PLM_EC2_NEURON};
	return 3;
}

static struct plm_slice al2023_path(const struct naming *n, const char *arch, const char *variant)
{
	int k = (int)n->kubernetes.size;
	const char *kubernetes = (const char *)n->kubernetes.ptr;

	if (n->latest) {
		return plm_arena_format(n->arena,
					"/aws/service/eks/optimized-ami/%.*s/amazon-linux-2023/%s/"
					"%s/recommended/image_id",
					k, kubernetes, arch, variant);
	}
	return plm_arena_format(n->arena,
				"/aws/service/eks/optimized-ami/%.*s/amazon-linux-2023/%s/%s/"
				"amazon-eks-node-al2023-%s-%s-%.*s-%.*s/image_id",
				k, kubernetes, arch, variant, arch, variant, k, kubernetes,
				(int)n->version.size, (const char *)n->version.ptr);
}

static size_t al2023(const struct naming *n, struct plm_ec2_parameter *out)
{
	static const struct {
		const char *machine, *arch, *name;
		enum plm_ec2_variant variant;
	} all[] = {
		{"x86_64", "amd64", "standard", PLM_EC2_STANDARD},
		{"x86_64", "amd64", "nvidia", PLM_EC2_NVIDIA},
		{"x86_64", "amd64", "neuron", PLM_EC2_NEURON},
		{"arm64", "arm64", "standard", PLM_EC2_STANDARD},
		{"arm64", "arm64", "nvidia", PLM_EC2_NVIDIA},
	};

	_Static_assert(PLM_COUNTOF(all) == PLM_EC2_PARAMETERS, "one row per parameter");
	for (size_t i = 0; i < PLM_COUNTOF(all); i++) {
		out[i] = (struct plm_ec2_parameter){al2023_path(n, all[i].machine, all[i].name),
						    all[i].arch, all[i].variant};
	}
	return PLM_COUNTOF(all);
}

static size_t bottlerocket(const struct naming *n, struct plm_ec2_parameter *out)
{
	static const struct {
		const char *kind, *machine, *arch;
		uint32_t variants;
	} all[] = {
		{"", "x86_64", "amd64", PLM_EC2_STANDARD | PLM_EC2_NEURON},
		{"", "arm64", "arm64", PLM_EC2_STANDARD},
		{"-nvidia", "x86_64", "amd64", PLM_EC2_NVIDIA},
		{"-nvidia", "arm64", "arm64", PLM_EC2_NVIDIA},
	};
	const char *version = (const char *)n->version.ptr;
	size_t size = n->version.size;

	/* Releases are called v1.20.3, the parameters 1.20.3. */
	while (size > 0 && *version == 'v') {
		version++;
		size--;
	}
	for (size_t i = 0; i < PLM_COUNTOF(all); i++) {
		out[i] = (struct plm_ec2_parameter){
			plm_arena_format(
				n->arena,
				"/aws/service/bottlerocket/aws-k8s-%.*s%s/%s/%.*s/image_id",
				(int)n->kubernetes.size, (const char *)n->kubernetes.ptr,
				all[i].kind, all[i].machine, (int)size, version),
			all[i].arch, all[i].variants};
	}
	return PLM_COUNTOF(all);
}

static size_t windows(const struct naming *n, const char *year, struct plm_ec2_parameter *out)
{
	out[0] = (struct plm_ec2_parameter){
		plm_arena_format(n->arena,
				 "/aws/service/ami-windows-latest/Windows_Server-%s-English-Core-"
				 "EKS_Optimized-%.*s/image_id",
				 year, (int)n->kubernetes.size, (const char *)n->kubernetes.ptr),
		"amd64", PLM_EC2_ANY};
	return 1;
}

size_t plm_ec2_parameters(enum plm_ec2_family family, struct plm_slice kubernetes,
			  struct plm_slice version, struct plm_arena *arena,
			  struct plm_ec2_parameter out[PLM_EC2_PARAMETERS])
{
	const struct naming n = {kubernetes, version, plm_slice_is(version, "latest"), arena};

	switch (family) {
	case PLM_EC2_AL2:
		return al2(&n, out);
	case PLM_EC2_AL2023:
		return al2023(&n, out);
	case PLM_EC2_BOTTLEROCKET:
		return bottlerocket(&n, out);
	case PLM_EC2_WINDOWS_2019:
	case PLM_EC2_WINDOWS_2022:
	case PLM_EC2_WINDOWS_2025:
		return windows(&n, plm_ec2_family_row(family)->windows_year, out);
	case PLM_EC2_CUSTOM:
	case PLM_EC2_UBUNTU:
	case PLM_EC2_FAMILY_COUNT:
		return 0;
	}
	return 0;
}

size_t plm_ec2_ubuntu_parameters(struct plm_slice release, struct plm_slice kubernetes,
				 struct plm_arena *arena,
				 struct plm_ec2_parameter out[PLM_EC2_PARAMETERS])
{
	static const char *const archs[] = {"amd64", "arm64"};
	bool old = plm_slice_is(release, "Ubuntu22.04");

	if (!old && !plm_slice_is(release, "Ubuntu24.04")) {
		return 0;
	}
	for (size_t i = 0; i < PLM_COUNTOF(archs); i++) {
		out[i] = (struct plm_ec2_parameter){
			plm_arena_format(arena,
					 "/aws/service/canonical/ubuntu/eks/%s/%.*s/stable/current/"
					 "%s/hvm/ebs-%s/ami-id",
					 old ? "22.04" : "24.04", (int)kubernetes.size,
					 (const char *)kubernetes.ptr, archs[i],
					 old ? "gp2" : "gp3"),
			archs[i], PLM_EC2_ANY};
	}
	return PLM_COUNTOF(archs);
}

/* ---- choice -------------------------------------------------------------------------------------- */

static bool before(const struct plm_ec2_image *a, const struct plm_ec2_image *b)
{
	if (a->created_ms != b->created_ms) {
		return a->created_ms > b->created_ms;
	}
	return plm_slice_compare(a->id, b->id) < 0;
}

static bool same_hardware(const struct plm_ec2_image *a, const struct plm_ec2_image *b)
{
	return plm_slice_is(plm_slice_str(a->arch), b->arch) && a->variant == b->variant;
}

/* Is 'a' to be taken in place of 'b', which is for the same hardware? */
static bool better(const struct plm_ec2_image *a, const struct plm_ec2_image *b)
{
	return a->deprecated != b->deprecated ? !a->deprecated : before(a, b);
}

size_t plm_ec2_images_choose(struct plm_ec2_image *images, size_t count)
{
	size_t left = 0;

	for (size_t i = 0; i < count; i++) {
		size_t at = 0;

		while (at < left && !same_hardware(&images[at], &images[i])) {
			at++;
		}
		if (at == left || better(&images[i], &images[at])) {
			images[at] = images[i];
		}
		left += at == left ? 1 : 0;
	}
	/* A handful at most: one of each kind of hardware. */
	for (size_t i = 1; i < left; i++) {
		struct plm_ec2_image image = images[i];
		size_t at = i;

		for (; at > 0 && before(&image, &images[at - 1]); at--) {
			images[at] = images[at - 1];
		}
		images[at] = image;
	}
	return left;
}

static bool is_for(enum plm_ec2_variant variant, bool has_gpu, bool has_accelerator)
{
	switch (variant) {
	case PLM_EC2_STANDARD:
		return !has_gpu && !has_accelerator;
	case PLM_EC2_NVIDIA:
		return has_gpu;
	case PLM_EC2_NEURON:
		return has_accelerator;
	case PLM_EC2_ANY:
		break;
	}
	return true;
}

size_t plm_ec2_image_for(const struct plm_ec2_image *images, size_t count, const char *arch,
			 bool has_gpu, bool has_accelerator)
{
	size_t at = 0;

	while (at < count && !(plm_slice_is(plm_slice_str(images[at].arch), arch) &&
			       is_for(images[at].variant, has_gpu, has_accelerator))) {
		at++;
	}
	return at;
}
