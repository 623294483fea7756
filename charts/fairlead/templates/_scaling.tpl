{{- define "fairlead.pdb" -}}
{{- $values := mergeOverwrite (deepCopy .root.Values.defaults) (index .root.Values .name) -}}
{{- $scaled := or $values.autoscaling.enabled $values.autoscaling.keda -}}
{{- $pods := ternary $values.autoscaling.minReplicas $values.replicas $scaled -}}
{{- if and $values.pdb.enabled (gt (int $pods) 1) -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "fairlead.metadata" . | nindent 2 }}
spec:
  maxUnavailable: {{ $values.pdb.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "fairlead.selector" . | nindent 6 }}
{{- end -}}
{{- end -}}

{{- define "fairlead.autoscaler" -}}
{{- $values := mergeOverwrite (deepCopy .root.Values.defaults) (index .root.Values .name) -}}
{{- $context := dict "root" .root "name" .name "scaling" $values.autoscaling -}}
{{- if $values.autoscaling.enabled }}{{ include "fairlead.hpa" $context }}{{ end -}}
{{- if $values.autoscaling.keda }}{{ include "fairlead.scaledObject" $context }}{{ end -}}
{{- end -}}

{{- define "fairlead.hpa" -}}
{{- $service := index (include "fairlead.graph" . | fromYaml) .name -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "fairlead.metadata" . | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "fairlead.componentName" . }}
  minReplicas: {{ .scaling.minReplicas }}
  maxReplicas: {{ .scaling.maxReplicas }}
  metrics:
    {{- if .scaling.targetLoad }}
    - type: Pods
      pods:
        metric:
          name: {{ $service.loadMetric }}
        target:
          type: AverageValue
          averageValue: {{ .scaling.targetLoad | quote }}
    {{- end }}
    {{- if .scaling.targetQueueAgeSeconds }}
    - type: Pods
      pods:
        metric:
          name: {{ $service.queueMetric }}
        target:
          type: AverageValue
          averageValue: {{ .scaling.targetQueueAgeSeconds | quote }}
    {{- end }}
    {{- if .scaling.targetCPUUtilizationPercentage }}
    - type: Resource
      resource:
        name: cpu
        target:
          type: Utilization
          averageUtilization: {{ .scaling.targetCPUUtilizationPercentage }}
    {{- end }}
  behavior:
    {{- toYaml .scaling.behavior | nindent 4 }}
{{- end -}}

{{- define "fairlead.scaledObject" -}}
{{- $service := index (include "fairlead.graph" . | fromYaml) .name -}}
{{- $pods := printf "namespace=%q,pod=~\"%s-.*\"" .root.Release.Namespace (include "fairlead.componentName" .) -}}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata:
  {{- include "fairlead.metadata" . | nindent 2 }}
spec:
  scaleTargetRef:
    name: {{ include "fairlead.componentName" . }}
  minReplicaCount: {{ .scaling.minReplicas }}
  maxReplicaCount: {{ .scaling.maxReplicas }}
  advanced:
    horizontalPodAutoscalerConfig:
      behavior:
        {{- toYaml .scaling.behavior | nindent 8 }}
  triggers:
    {{- if .scaling.targetLoad }}
    - type: prometheus
      metadata:
        serverAddress: {{ .scaling.prometheusAddress | quote }}
        query: {{ printf "sum(%s{%s})" $service.loadMetric $pods | quote }}
        threshold: {{ .scaling.targetLoad | quote }}
    {{- end }}
    {{- if .scaling.targetQueueAgeSeconds }}
    - type: prometheus
      metricType: Value
      metadata:
        serverAddress: {{ .scaling.prometheusAddress | quote }}
        query: {{ printf "max(%s{%s})" $service.queueMetric $pods | quote }}
        threshold: {{ .scaling.targetQueueAgeSeconds | quote }}
    {{- end }}
    {{- if .scaling.targetCPUUtilizationPercentage }}
    - type: cpu
      metricType: Utilization
      metadata:
        value: {{ .scaling.targetCPUUtilizationPercentage | quote }}
    {{- end }}
{{- end -}}
