{{/* What does not go together, or is not in this version: all of it in one message. */}}
{{- define "plimsoll.check" -}}
{{- $wrong := list -}}
{{- range $row := .Files.Get "files/unsupported.json" | fromJsonArray -}}
  {{- $at := $.Values -}}
  {{- range $part := splitList "." $row.key -}}
    {{- $at = ternary (get $at $part) nil (kindIs "map" $at) -}}
  {{- end -}}
  {{- /* null takes a default away; what is not said is not asked for. */ -}}
  {{- if and (not (has (toJson $at) (list "null" "\"\""))) (ne (toJson $at) (toJson $row.only)) -}}
    {{- $wrong = append $wrong (printf "%s: %s is not supported: %s (only %s)" $row.key (toJson $at) $row.why (toJson $row.only)) -}}
  {{- end -}}
{{- end -}}
{{- with .Values -}}
  {{- if and (eq .mode "enforce") (not .enforce.queues) (not .enforce.nodes) -}}
    {{- $wrong = append $wrong "mode: enforce carries out nothing, since enforce.queues and enforce.nodes are false" -}}
  {{- end -}}
  {{- if and (eq .mode "enforce") .enforce.nodes (eq .cloud "none") -}}
    {{- $wrong = append $wrong "enforce.nodes: nodes cannot be bought with cloud none; say cloud: ec2" -}}
  {{- end -}}
  {{- if and (eq .cloud "ec2") (not .settings.clusterName) -}}
    {{- $wrong = append $wrong "settings.clusterName: must be set with cloud ec2; it is in the tags by which instances are known to be this cluster's" -}}
  {{- end -}}
  {{- if and (eq .mode "enforce") (not .persistence.enabled) -}}
    {{- $wrong = append $wrong "persistence.enabled: a log that goes with its pod is for mode observe only; what was begun could not be settled" -}}
  {{- end -}}
  {{- $drain := mul (regexFind "^[0-9]+" .drainTimeout | int) (ternary 60 1 (hasSuffix "m" .drainTimeout)) -}}
  {{- if gt (add $drain 10) (int .terminationGracePeriodSeconds) -}}
    {{- $wrong = append $wrong (printf "drainTimeout: %s leaves no ten seconds of terminationGracePeriodSeconds (%d) to end in" .drainTimeout (int .terminationGracePeriodSeconds)) -}}
  {{- end -}}
  {{- if regexMatch "karpenter|kueue" .controller.image.repository -}}
    {{- $wrong = append $wrong (printf "controller.image.repository: %s is another program's image" .controller.image.repository) -}}
  {{- end -}}
  {{- if eq (int .controller.metrics.port) (int .controller.healthProbe.port) -}}
    {{- $wrong = append $wrong "controller.healthProbe.port: is also controller.metrics.port" -}}
  {{- end -}}
{{- end -}}
{{- if $wrong -}}
{{- fail (printf "\n\nvalues:\n  %s\n" (join "\n  " $wrong)) -}}
{{- end -}}
{{- end -}}
