{{- define "fairlead.deployment" -}}
{{- $values := mergeOverwrite (deepCopy .root.Values.defaults) (index .root.Values .name) -}}
{{- $context := dict "root" .root "name" .name "values" $values -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "fairlead.metadata" $context | nindent 2 }}
spec:
  {{- if not (or $values.autoscaling.enabled $values.autoscaling.keda) }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: {{ $values.revisionHistoryLimit }}
  minReadySeconds: {{ $values.minReadySeconds }}
  strategy:
    {{- if include "fairlead.keepsFiles" $context }}
    type: Recreate
    {{- else }}
    {{- toYaml $values.strategy | nindent 4 }}
    {{- end }}
  selector:
    matchLabels:
      {{- include "fairlead.selector" $context | nindent 6 }}
  template:
    {{- include "fairlead.pod" $context | nindent 4 }}
{{- end -}}

{{- define "fairlead.serviceAccount" -}}
{{- $values := mergeOverwrite (deepCopy .root.Values.defaults) (index .root.Values .name) -}}
{{- if $values.serviceAccount.create -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- $name := include "fairlead.serviceAccountName" (dict "root" .root "name" .name "values" $values) }}
  {{- include "fairlead.metadata" (dict "root" .root "name" .name "objectName" $name "annotations" $values.serviceAccount.annotations) | nindent 2 }}
automountServiceAccountToken: false
{{- end -}}
{{- end -}}

{{/* Headless: callers see each pod, and balance their calls themselves. Only ready pods are listed. */}}
{{- define "fairlead.grpcService" -}}
{{- $values := mergeOverwrite (deepCopy .root.Values.defaults) (index .root.Values .name) -}}
apiVersion: v1
kind: Service
metadata:
  {{- include "fairlead.metadata" (dict "root" .root "name" .name "annotations" $values.service.annotations) | nindent 2 }}
spec:
  type: ClusterIP
  clusterIP: None
  publishNotReadyAddresses: false
  {{- with $values.service.extraSpec }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  selector:
    {{- include "fairlead.selector" . | nindent 4 }}
  ports:
    - name: grpc
      port: {{ include "fairlead.grpcPort" . }}
      targetPort: grpc
      appProtocol: {{ ternary "https" "kubernetes.io/h2c" (eq .root.Values.serviceAuth.mode "mtls") }}
    - name: admin
      port: {{ include "fairlead.adminPort" . }}
      targetPort: admin
      appProtocol: http
{{- end -}}

{{- define "fairlead.claim" -}}
{{- $values := mergeOverwrite (deepCopy .root.Values.defaults) (index .root.Values .name) -}}
{{- if and (include "fairlead.keepsFiles" .) $values.persistence.enabled (not $values.persistence.existingClaim) -}}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  {{- include "fairlead.metadata" (dict "root" .root "name" .name "annotations" (dict "helm.sh/resource-policy" "keep")) | nindent 2 }}
spec:
  accessModes: [ReadWriteOnce]
  {{- with $values.persistence.storageClassName }}
  storageClassName: {{ . }}
  {{- end }}
  resources:
    requests:
      storage: {{ $values.persistence.size }}
{{- end -}}
{{- end -}}
