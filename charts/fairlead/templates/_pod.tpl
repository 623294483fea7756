{{/* Pod template of a service, from (dict "root" $ "name" … "values" …). */}}
{{- define "fairlead.pod" -}}
{{- $values := .values -}}
{{- $root := .root -}}
{{- $secrets := include "fairlead.secretSources" . -}}
{{- $keepsFiles := include "fairlead.keepsFiles" . -}}
metadata:
  labels:
    {{- include "fairlead.podLabels" . | nindent 4 }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    kubectl.kubernetes.io/default-container: {{ .name }}
    {{- if and (include "fairlead.asksModels" .) $root.Values.models.keys }}
    checksum/model-keys: {{ toJson $root.Values.models.keys | sha256sum }}
    {{- end }}
    {{- if and (eq .name "gateway") $root.Values.gateway.auth.oidc.issuers }}
    # Gateways read them at their start.
    checksum/issuers: {{ include "fairlead.issuersFile" $root | sha256sum }}
    {{- end }}
    {{- with $values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "fairlead.serviceAccountName" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ default (add $values.preStopSeconds $values.drainSeconds 10) $values.terminationGracePeriodSeconds }}
  securityContext:
    runAsNonRoot: true
    {{- toYaml $values.podSecurityContext | nindent 4 }}
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- include "fairlead.pullSecrets" $root | nindent 2 }}
  {{- include "fairlead.scheduling" . | nindent 2 }}
  {{- with $values.extraPodSpec }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with $values.extraInitContainers }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .name }}
      image: {{ include "fairlead.image" $root }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: [{{ .name }}]
      env:
        {{- include "fairlead.environment" . | nindent 8 }}
        {{- with $values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $values.extraEnvFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        {{- if eq .name "gateway" }}
        - {name: http, containerPort: {{ $values.port }}, protocol: TCP}
        {{- with include "fairlead.a2aGrpcPort" $root }}
        - {name: grpc, containerPort: {{ . }}, protocol: TCP}
        {{- end }}
        {{- else }}
        - {name: grpc, containerPort: {{ include "fairlead.grpcPort" . }}, protocol: TCP}
        - {name: admin, containerPort: {{ include "fairlead.adminPort" . }}, protocol: TCP}
        {{- end }}
      {{- include "fairlead.probes" . | nindent 6 }}
      {{- with $values.extraContainerSpec }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
      {{- if and (gt (int $values.preStopSeconds) 0) (not $values.extraContainerSpec.lifecycle) }}
      lifecycle:
        preStop:
          sleep:
            seconds: {{ $values.preStopSeconds }}
      {{- end }}
      resources:
        {{- toYaml $values.resources | nindent 8 }}
      securityContext:
        {{- include "fairlead.containerSecurity" . | nindent 8 }}
      volumeMounts:
        - {name: tmp, mountPath: /tmp}
        {{- if $secrets }}
        - {name: secrets, mountPath: /run/fairlead, readOnly: true}
        {{- end }}
        {{- if $keepsFiles }}
        - {name: data, mountPath: /data}
        {{- end }}
        {{- if eq .name "runner" }}
        {{- include "fairlead.agentMounts" $root | nindent 8 }}
        {{- end }}
        {{- with $values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- with $values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    - name: tmp
      emptyDir:
        sizeLimit: {{ $values.tmpSizeLimit }}
    {{- with $secrets }}
    - name: secrets
      projected:
        # 0440, as a number that all parsers read in the same way
        defaultMode: 288
        sources:
          {{- . | nindent 10 }}
    {{- end }}
    {{- if $keepsFiles }}
    - name: data
      {{- if $values.persistence.enabled }}
      persistentVolumeClaim:
        claimName: {{ default (include "fairlead.componentName" .) $values.persistence.existingClaim }}
      {{- else }}
      emptyDir: {}
      {{- end }}
    {{- end }}
    {{- if eq .name "runner" }}
    {{- include "fairlead.agentVolumes" $root | nindent 4 }}
    {{- end }}
    {{- with $values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- define "fairlead.pullSecrets" -}}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "fairlead.scheduling" -}}
{{- $values := .values -}}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.hostAliases }}
hostAliases:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
affinity:
{{- with $values.affinity }}
  {{- toYaml . | nindent 2 }}
{{- else }}
  podAntiAffinity:
    preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 50
        podAffinityTerm:
          topologyKey: kubernetes.io/hostname
          labelSelector:
            matchLabels:
              {{- include "fairlead.selector" . | nindent 14 }}
{{- end }}
{{- if kindIs "invalid" $values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels:
        {{- include "fairlead.selector" $ | nindent 8 }}
  {{- end }}
{{- else if $values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- toYaml $values.topologySpreadConstraints | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
Probes of gRPC services use the health protocol: "" is the process, `ready` whether it accepts traffic. The kubelet does not
support TLS for it, so with certificates between services the probes use the HTTP listener beside it.
*/}}
{{- define "fairlead.probes" -}}
{{- $probes := .values.probes -}}
{{- $byGrpc := and (ne .name "gateway") (ne .root.Values.serviceAuth.mode "mtls") -}}
{{- $port := ternary "http" "admin" (eq .name "gateway") -}}
{{- range $kind, $path := dict "startup" "/health" "readiness" "/ready" "liveness" "/health" }}
{{ $kind }}Probe:
  {{- if $byGrpc }}
  grpc:
    port: {{ include "fairlead.grpcPort" $ }}
    {{- if eq $kind "readiness" }}
    service: ready
    {{- end }}
  {{- else }}
  httpGet:
    port: {{ $port }}
    path: {{ $path }}
  {{- end }}
  {{- toYaml (get $probes $kind) | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Each app is mounted as a folder of its own: a mount of single files would never change. */}}
{{- define "fairlead.agentMounts" -}}
{{- $folder := include "fairlead.agentsFolder" . -}}
{{- range $app, $_files := .Values.agents.definitions }}
- {name: {{ include "fairlead.agentVolume" $app }}, mountPath: {{ $folder }}/{{ $app }}, readOnly: true}
{{- end }}
{{- range .Values.agents.configMaps }}
- {name: {{ include "fairlead.agentVolume" .app }}, mountPath: {{ $folder }}/{{ .app }}, readOnly: true}
{{- end }}
{{- end -}}

{{- define "fairlead.agentVolumes" -}}
{{- $root := . -}}
{{- range $app, $_files := .Values.agents.definitions }}
- name: {{ include "fairlead.agentVolume" $app }}
  configMap:
    name: {{ include "fairlead.fullname" $root }}-{{ include "fairlead.agentVolume" $app }}
{{- end }}
{{- range .Values.agents.configMaps }}
- name: {{ include "fairlead.agentVolume" .app }}
  configMap:
    name: {{ .configMap }}
{{- end }}
{{- end -}}

{{/* App names may have capitals and underscores, which object names may not; the digest separates names that would become equal. */}}
{{- define "fairlead.agentVolume" -}}
{{- printf "agent-%s-%s" (. | lower | replace "_" "-" | trunc 40 | trimSuffix "-") (. | sha256sum | trunc 8) -}}
{{- end -}}
