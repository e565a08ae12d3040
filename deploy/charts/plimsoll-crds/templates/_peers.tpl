{{/*
Ends the rendering where a peer is alive: its Lease was renewed within its duration and half a minute more. Of a cluster
that is not asked (`helm template`) no Lease is found, and nothing is known to be in the way.
Arguments: root, peer, namespace, lease, flag.
*/}}
{{- define "plimsoll-crds.peer" -}}
{{- $lease := lookup "coordination.k8s.io/v1" "Lease" .namespace .lease -}}
{{- if and $lease (not .root.Values.ignorePeers) -}}
{{- $spec := $lease.spec | default dict -}}
{{- $renewed := $spec.renewTime | default "" | trunc 19 -}}
{{- if and $renewed ($spec.holderIdentity | default "") -}}
{{- $until := add (toDate "2006-01-02T15:04:05" $renewed).Unix ($spec.leaseDurationSeconds | default 15 | int64) 30 -}}
{{- if gt $until now.Unix -}}
{{- fail (printf "\n\n%s is alive: %s renewed Lease %s/%s at %sZ. Its CustomResourceDefinitions are not replaced under it.\nEither keep them (--set %s=false installs the others), or stop %s first, or say --set ignorePeers=true.\n" .peer $spec.holderIdentity .namespace .lease $renewed .flag .peer) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
