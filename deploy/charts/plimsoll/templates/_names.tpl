{{- define "plimsoll.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "plimsoll.fullname" -}}
{{- $name := include "plimsoll.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "plimsoll.account" -}}
{{- default (ternary (include "plimsoll.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name -}}
{{- end -}}

{{- define "plimsoll.selector" -}}
app.kubernetes.io/name: {{ include "plimsoll.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* What the chart says of an object wins over what a user says of all objects. */}}
{{- define "plimsoll.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "plimsoll.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- with .Values.additionalLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* metadata of an object. root; name; space: true where the kind is namespaced; labels, annotations: more of them. */}}
{{- define "plimsoll.metadata" -}}
{{- $labels := mergeOverwrite (include "plimsoll.labels" .root | fromYaml) (.labels | default dict) -}}
{{- $annotations := mergeOverwrite (deepCopy .root.Values.additionalAnnotations) (.annotations | default dict) -}}
metadata:
  name: {{ .name }}
  {{- if .space }}
  namespace: {{ .root.Release.Namespace }}
  {{- end }}
  labels:
    {{- toYaml $labels | nindent 4 }}
  {{- with $annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* An object of a file: its metadata as ours, the rest as it is. root, object, name, space, labels. */}}
{{- define "plimsoll.object" -}}
{{- $head := include "plimsoll.metadata" (dict "root" .root "name" .name "space" .space "labels" (.object.metadata.labels | default dict | mustDeepCopy)) | fromYaml -}}
{{- $head = mergeOverwrite $head (dict "metadata" (dict "labels" (include "plimsoll.selector" .root | fromYaml))) -}}
{{- toYaml (mergeOverwrite (omit .object "metadata") $head) -}}
{{- end -}}

{{- define "plimsoll.subjects" -}}
subjects:
- kind: ServiceAccount
  name: {{ include "plimsoll.account" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}

{{/* "true" or nothing. */}}
{{- define "plimsoll.queues" -}}
{{- if and (eq .Values.mode "enforce") .Values.enforce.queues }}true{{ end -}}
{{- end -}}
{{- define "plimsoll.nodes" -}}
{{- if and (eq .Values.mode "enforce") .Values.enforce.nodes }}true{{ end -}}
{{- end -}}
