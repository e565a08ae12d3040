/* Volumes, their claims and classes, and what attaches them: karpenter.md 2.10. */
#include "reducers/cluster/fold.h"

/* A gang that could not have its volumes may have them now. */
static void freed(const struct plm_folding *in)
{
	plm_root_change(in->f.st)->room_freed = 1;
}

void plm_fold_volume_claim(const struct plm_folding *in, const struct plm_w_volume_claim *w)
{
	plm_id id = plm_fold_object(in, PLM_KIND_VOLUME_CLAIM, &w->meta, NULL);
	struct plm_volume_claim *claim = plm_volume_claim_edit(in->f.st, id);

	claim->class_name = plm_fold_text(&in->f, w->class);
	claim->class_said = w->class_said == 1;
	claim->volume = plm_fold_text(&in->f, w->volume);
	claim->bound = w->bound == 1;
	claim->lost = w->lost == 1;
	freed(in);
}

void plm_fold_volume(const struct plm_folding *in, const struct plm_w_volume *w)
{
	plm_id id = plm_fold_object(in, PLM_KIND_VOLUME, &w->meta, NULL);
	struct plm_volume *volume = plm_volume_edit(in->f.st, id);

	volume->class_name = plm_fold_text(&in->f, w->class);
	volume->driver = plm_fold_text(&in->f, w->driver);
	volume->handle = plm_fold_text(&in->f, w->handle);
	volume->local = w->local == 1;
	volume->terms = plm_fold_terms(&in->f, w->terms);
	volume->claim_ns = plm_fold_text(&in->f, w->claim_ns);
	volume->claim = plm_fold_text(&in->f, w->claim);
	freed(in);
}

void plm_fold_storage_class(const struct plm_folding *in, const struct plm_w_storage_class *w)
{
	plm_id id = plm_fold_object(in, PLM_KIND_STORAGE_CLASS, &w->meta, NULL);
	struct plm_storage_class *class = plm_storage_class_edit(in->f.st, id);

	class->provisioner = plm_fold_text(&in->f, w->provisioner);
	class->immediate = w->immediate == 1;
	class->terms = plm_fold_terms(&in->f, w->terms);
	class->is_default = w->is_default == 1;
	freed(in);
}

void plm_fold_csi_node(const struct plm_folding *in, const struct plm_w_csi_node *w)
{
	plm_id id = plm_fold_object(in, PLM_KIND_CSI_NODE, &w->meta, NULL);

	plm_csi_node_edit(in->f.st, id)->drivers = plm_fold_csi_drivers(&in->f, w->drivers);
}

void plm_fold_volume_attachment(const struct plm_folding *in,
				const struct plm_w_volume_attachment *w)
{
	plm_id id = plm_fold_object(in, PLM_KIND_VOLUME_ATTACHMENT, &w->meta, NULL);
	struct plm_volume_attachment *attachment = plm_volume_attachment_edit(in->f.st, id);

	attachment->driver = plm_fold_text(&in->f, w->driver);
	attachment->node = plm_fold_text(&in->f, w->node);
	attachment->volume = plm_fold_text(&in->f, w->volume);
	attachment->attached = w->attached == 1;
}
