{{/* Names, labels and images. All that take a component get (dict "root" $ "name" "gateway"). */}}

{{- define "fairlead.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Leaves room for the longest component, so that no two names are cut to the same text. */}}
{{- define "fairlead.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "fairlead.componentName" -}}
{{- printf "%s-%s" (include "fairlead.fullname" .root) .name -}}
{{- end -}}

{{- define "fairlead.dnsName" -}}
{{- printf "%s.%s.svc.%s" (include "fairlead.componentName" .) .root.Release.Namespace .root.Values.clusterDomain -}}
{{- end -}}

{{/* All pods of the release. Must not change, because selectors cannot be changed. */}}
{{- define "fairlead.releaseSelector" -}}
app.kubernetes.io/name: {{ include "fairlead.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "fairlead.selector" -}}
{{ include "fairlead.releaseSelector" .root }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "fairlead.labels" -}}
{{ include "fairlead.selector" . }}
app.kubernetes.io/part-of: fairlead
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Nothing that changes with the chart's version, so that pods are not replaced for a label. */}}
{{- define "fairlead.podLabels" -}}
{{ include "fairlead.selector" . }}
app.kubernetes.io/part-of: fairlead
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The `metadata:` of each object. `objectName` replaces the component's name; `labels` and `annotations` are added. */}}
{{- define "fairlead.metadata" -}}
name: {{ .objectName | default (include "fairlead.componentName" .) }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "fairlead.labels" . | nindent 2 }}
{{- with .labels }}
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with merge (dict) (.annotations | default dict) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* (dict "root" $ "image" "redis:7"): prefixed by the registry if one is set. */}}
{{- define "fairlead.externalImage" -}}
{{- with .root.Values.image.registry }}{{ trimSuffix "/" . }}/{{ end }}{{ .image -}}
{{- end -}}

{{- define "fairlead.image" -}}
{{- $image := .Values.image -}}
{{- $reference := printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) -}}
{{- if $image.digest }}{{ $reference = printf "%s@%s" $image.repository $image.digest }}{{ end -}}
{{- include "fairlead.externalImage" (dict "root" . "image" $reference) -}}
{{- end -}}

{{- define "fairlead.serviceAccountName" -}}
{{- if .values.serviceAccount.name -}}
{{- .values.serviceAccount.name -}}
{{- else -}}
{{- ternary (include "fairlead.componentName" .) "default" .values.serviceAccount.create -}}
{{- end -}}
{{- end -}}
