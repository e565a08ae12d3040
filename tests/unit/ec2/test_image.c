#include "plm_test.h"

#include "ec2/image.h"

static struct plm_arena arena;

static const struct path_case {
	const char *why;
	enum plm_ec2_family family;
	const char *version;
	size_t count, at;
	const char *path, *arch;
	uint32_t variants;
} path_table[] = {
	{"AL2023, newest", PLM_EC2_AL2023, "latest", 5, 0,
	 "/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/x86_64/standard/recommended/"
	 "image_id",
	 "amd64", PLM_EC2_STANDARD},
	{"AL2023, a release", PLM_EC2_AL2023, "v20250123", 5, 4,
	 "/aws/service/eks/optimized-ami/1.33/amazon-linux-2023/arm64/nvidia/"
	 "amazon-eks-node-al2023-arm64-nvidia-1.33-v20250123/image_id",
	 "arm64", PLM_EC2_NVIDIA},
	{"AL2 for arm64", PLM_EC2_AL2, "latest", 3, 1,
	 "/aws/service/eks/optimized-ami/1.33/amazon-linux-2-arm64/recommended/image_id", "arm64",
	 PLM_EC2_STANDARD},
	{"AL2 with GPUs, a release", PLM_EC2_AL2, "v20240625", 3, 2,
	 "/aws/service/eks/optimized-ami/1.33/amazon-linux-2-gpu/"
	 "amazon-eks-gpu-node-1.33-v20240625/image_id",
	 "amd64", PLM_EC2_NVIDIA | PLM_EC2_NEURON},
	{"Bottlerocket, newest", PLM_EC2_BOTTLEROCKET, "latest", 4, 0,
	 "/aws/service/bottlerocket/aws-k8s-1.33/x86_64/latest/image_id", "amd64",
	 PLM_EC2_STANDARD | PLM_EC2_NEURON},
	{"Bottlerocket, a release without its v", PLM_EC2_BOTTLEROCKET, "v1.20.3", 4, 3,
	 "/aws/service/bottlerocket/aws-k8s-1.33-nvidia/arm64/1.20.3/image_id", "arm64",
	 PLM_EC2_NVIDIA},
	{"Windows", PLM_EC2_WINDOWS_2022, "latest", 1, 0,
	 "/aws/service/ami-windows-latest/Windows_Server-2022-English-Core-EKS_Optimized-1.33/"
	 "image_id",
	 "amd64", PLM_EC2_ANY},
};

static void path_row(const struct path_case *row)
{
	struct plm_ec2_parameter out[PLM_EC2_PARAMETERS];

	plm_arena_reset(&arena);
	assert_int_equal(plm_ec2_parameters(row->family, plm_slice_str("1.33"),
					    plm_slice_str(row->version), &arena, out),
			 row->count);
	plm_assert_text(out[row->at].path, row->path);
	assert_string_equal(out[row->at].arch, row->arch);
	assert_int_equal(out[row->at].variants, row->variants);
}
PLM_TEST_ROWS(path_row, struct path_case)

static const struct alias_case {
	const char *why;
	const char *alias;
	bool known;
	enum plm_ec2_family family;
	const char *version;
} alias_table[] = {
	{"newest", "al2023@latest", true, PLM_EC2_AL2023, "latest"},
	{"a release", "bottlerocket@v1.20.3", true, PLM_EC2_BOTTLEROCKET, "v1.20.3"},
	{"two signs", "al2@a@b", true, PLM_EC2_AL2, "a@b"},
	{"no version", "al2023@", false, PLM_EC2_CUSTOM, ""},
	{"no sign", "al2023", false, PLM_EC2_CUSTOM, ""},
	{"no family", "@latest", false, PLM_EC2_CUSTOM, ""},
	{"as amiFamily spells it", "AL2023@latest", false, PLM_EC2_CUSTOM, ""},
	{"another family", "gentoo@latest", false, PLM_EC2_CUSTOM, ""},
};

static void alias_row(const struct alias_case *row)
{
	enum plm_ec2_family family = PLM_EC2_CUSTOM;
	struct plm_slice version = {0};

	assert_int_equal(plm_ec2_alias_find(plm_slice_str(row->alias), &family, &version),
			 row->known);
	assert_int_equal(family, row->family);
	plm_assert_text(version, row->version);
}
PLM_TEST_ROWS(alias_row, struct alias_case)

static struct plm_ec2_image image(const char *id, int64_t created_ms, const char *arch,
				  enum plm_ec2_variant variant)
{
	return (struct plm_ec2_image){.id = plm_slice_str(id),
				      .created_ms = created_ms,
				      .arch = arch,
				      .variant = variant};
}

static void of_each_kind_the_newest(void **state)
{
	struct plm_ec2_image images[] = {
		image("ami-1", 100, "amd64", PLM_EC2_STANDARD),
		image("ami-2", 300, "amd64", PLM_EC2_STANDARD),
		image("ami-3", 200, "amd64", PLM_EC2_STANDARD),
		image("ami-4", 400, "amd64", PLM_EC2_NVIDIA),
		image("ami-5", PLM_UNSET, "arm64", PLM_EC2_STANDARD),
	};

	(void)state;
	assert_int_equal(plm_ec2_images_choose(images, PLM_COUNTOF(images)), 3);
	plm_assert_text(images[0].id, "ami-4");
	plm_assert_text(images[1].id, "ami-2");
	plm_assert_text(images[2].id, "ami-5");
	assert_int_equal(plm_ec2_image_for(images, 3, "amd64", false, false), 1);
	assert_int_equal(plm_ec2_image_for(images, 3, "amd64", true, false), 0);
	assert_int_equal(plm_ec2_image_for(images, 3, "amd64", false, true), 3);
	assert_int_equal(plm_ec2_image_for(images, 3, "arm64", false, false), 2);
	assert_int_equal(plm_ec2_image_for(images, 3, "arm64", true, false), 3);
}

static void deprecated_only_where_nothing_else_is(void **state)
{
	struct plm_ec2_image images[] = {
		image("ami-1", 500, "amd64", PLM_EC2_STANDARD),
		image("ami-2", 100, "amd64", PLM_EC2_STANDARD),
		image("ami-3", 200, "arm64", PLM_EC2_STANDARD),
	};

	(void)state;
	images[0].deprecated = true;
	images[2].deprecated = true;
	assert_int_equal(plm_ec2_images_choose(images, PLM_COUNTOF(images)), 2);
	plm_assert_text(images[0].id, "ami-3");
	plm_assert_text(images[1].id, "ami-2");
}

static void equal_times_go_by_id(void **state)
{
	struct plm_ec2_image images[] = {
		image("ami-2", 100, "amd64", PLM_EC2_STANDARD),
		image("ami-1", 100, "amd64", PLM_EC2_STANDARD),
		image("ami-0", 100, "amd64", PLM_EC2_ANY),
	};

	(void)state;
	assert_int_equal(plm_ec2_images_choose(images, PLM_COUNTOF(images)), 2);
	plm_assert_text(images[0].id, "ami-0");
	plm_assert_text(images[1].id, "ami-1");
	assert_int_equal(plm_ec2_image_for(images, 2, "amd64", true, true), 0);
}

int main(void)
{
	static struct plm_tests tests;
	struct plm_error err = {0};

	plm_assert_ok(plm_arena_init(&arena, (size_t)1 << 20, &err), &err);
	PLM_TEST_TABLE(&tests, path_row, path_table);
	PLM_TEST_TABLE(&tests, alias_row, alias_table);
	PLM_TEST_ADD(&tests, of_each_kind_the_newest);
	PLM_TEST_ADD(&tests, deprecated_only_where_nothing_else_is);
	PLM_TEST_ADD(&tests, equal_times_go_by_id);
	return plm_tests_run(&tests, "image");
}
