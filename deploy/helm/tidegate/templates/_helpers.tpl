{{/* Names the release's objects: "tidegate" for a release of that name. */}}
{{- define "tidegate.fullname" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "tidegate.selector" -}}
app.kubernetes.io/name: tidegate
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tidegate.labels" -}}
app.kubernetes.io/name: tidegate
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: tidegate
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "tidegate.lease" -}}
{{- .Values.leaderElection.lease | default (include "tidegate.fullname" .) -}}
{{- end -}}

{{- define "tidegate.confNamespace" -}}
{{- .Values.conf.namespace | default .Release.Namespace -}}
{{- end -}}

{{/* The rules of a role in files/rbac, which hold for every way of installing. */}}
{{- define "tidegate.rules" -}}
{{- $role := .root.Files.Get (printf "files/rbac/%s.yaml" .role) | fromYaml -}}
{{- toYaml $role.rules -}}
{{- end -}}
