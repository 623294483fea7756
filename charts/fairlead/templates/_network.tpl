{{/* The peers that may reach a service, and those that it may reach. The policy of the whole release denies everything else. */}}
{{- define "fairlead.networkPolicy" -}}
{{- if .root.Values.networkPolicy.enabled -}}
{{- $root := .root -}}
{{- $policy := .root.Values.networkPolicy -}}
{{- $values := mergeOverwrite (deepCopy .root.Values.defaults) (index .root.Values .name) -}}
{{- $service := index (include "fairlead.graph" . | fromYaml) .name -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "fairlead.metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "fairlead.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    {{- if eq .name "gateway" }}
    - ports:
        - {protocol: TCP, port: {{ $values.port }}}
        {{- with include "fairlead.a2aGrpcPort" $root }}
        - {protocol: TCP, port: {{ . }}}
        {{- end }}
      {{- with $policy.gateway.from }}
      from:
        {{- toYaml . | nindent 8 }}
        - podSelector:
            matchLabels:
              {{- include "fairlead.selector" (dict "root" $root "name" "test") | nindent 14 }}
      {{- end }}
    {{- else }}
    - ports: [{protocol: TCP, port: {{ include "fairlead.grpcPort" . }}}]
      from:
        {{- range $service.callers }}
        - podSelector:
            matchLabels:
              {{- include "fairlead.selector" (dict "root" $root "name" .) | nindent 14 }}
        {{- end }}
    {{- with $policy.metrics.from }}
    - ports: [{protocol: TCP, port: {{ include "fairlead.adminPort" $root }}}]
      from:
        {{- toYaml . | nindent 8 }}
    {{- end }}
    {{- end }}
    {{- with $values.networkPolicy.extraIngress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  egress:
    {{- include "fairlead.dnsEgress" $root | nindent 4 }}
    {{- range $service.calls }}
    {{- include "fairlead.componentEgress" (dict "root" $root "name" . "port" (include "fairlead.grpcPort" $root)) | nindent 4 }}
    {{- end }}
    {{- if include "fairlead.usesRedis" . }}
    {{- include "fairlead.redisEgress" $root | nindent 4 }}
    {{- end }}
    {{- if $service.store }}
    {{- include "fairlead.storeEgress" . | nindent 4 }}
    {{- end }}
    {{- if and (include "fairlead.streamsInDatabase" .) (not (include "fairlead.storesInDatabase" .)) (ne .name "gateway") }}
    {{- include "fairlead.databaseEgress" $root | nindent 4 }}
    {{- end }}
    {{- if eq .name "gateway" }}
    {{- include "fairlead.identityEgress" $root | nindent 4 }}
    {{- end }}
    {{- if or (include "fairlead.asksModels" .) (and (eq .name "gateway") (include "fairlead.callsReceivers" $root)) }}
    - ports:
        {{- range $policy.models.ports }}
        - {protocol: TCP, port: {{ . }}}
        {{- end }}
      {{- with $policy.models.to }}
      to:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- end }}
    {{- if and (include "fairlead.asksModels" .) $root.Values.googleCloud.workloadIdentity }}
    {{- include "fairlead.metadataEgress" $root | nindent 4 }}
    {{- end }}
    {{- with $root.Values.telemetry.otlpEndpoint }}
    {{- $url := urlParse . }}
    {{- $port := regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) }}
    - ports: [{protocol: TCP, port: {{ default (ternary "443" "80" (eq $url.scheme "https")) $port }}}]
      {{- with $policy.otlp.to }}
      to:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    {{- end }}
    {{- with $values.networkPolicy.extraEgress }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
{{- end -}}

{{- define "fairlead.dnsEgress" -}}
- ports:
    {{- range .Values.networkPolicy.dns.ports }}
    - {protocol: UDP, port: {{ . }}}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
  {{- with .Values.networkPolicy.dns.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "fairlead.componentEgress" -}}
- ports: [{protocol: TCP, port: {{ .port }}}]
  to:
    - podSelector:
        matchLabels:
          {{- include "fairlead.selector" . | nindent 10 }}
{{- end -}}

{{- define "fairlead.redisEgress" -}}
{{- if .Values.dev.redis.enabled -}}
{{- include "fairlead.componentEgress" (dict "root" . "name" "redis" "port" 6379) -}}
{{- else -}}
{{- $ports := list (printf "%d" (int .Values.redis.port)) -}}
{{- range concat .Values.redis.sentinels .Values.redis.clusterNodes }}{{ $ports = append $ports (regexFind "[0-9]+$" .) }}{{ end -}}
- ports:
    {{- range uniq $ports }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
  {{- with .Values.networkPolicy.redis.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
{{- end -}}

{{- define "fairlead.storeEgress" -}}
{{- include "fairlead.backendEgress" . }}
{{- /* Stores outside the cluster are reached by the same rule. */ -}}
{{- $dev := .root.Values.dev -}}
{{- $outside := dict "firestore" (not $dev.firestore.enabled) "gcs" (not $dev.gcs.enabled) -}}
{{- $kms := and .root.Values.contentEncryption.kmsKey (include "fairlead.encryptsContent" .) -}}
{{- if and (or $kms (include "fairlead.usesVertex" .)) (not (get $outside (get .root.Values.stores .name))) }}
{{ include "fairlead.googleEgress" .root }}
{{- end -}}
{{- end -}}

{{- define "fairlead.backendEgress" -}}
{{- $store := get .root.Values.stores .name -}}
{{- if eq $store "firestore" -}}
{{- include "fairlead.firestoreEgress" .root -}}
{{- else if eq $store "postgres" -}}
{{- include "fairlead.databaseEgress" .root -}}
{{- else if has $store (list "s3" "azure") -}}
{{- include "fairlead.objectStorageEgress" .root -}}
{{- else if and (eq $store "gcs") .root.Values.dev.gcs.enabled -}}
{{- include "fairlead.componentEgress" (dict "root" .root "name" "gcs" "port" 4443) -}}
{{- else if eq $store "gcs" -}}
{{- include "fairlead.googleEgress" .root -}}
{{- end -}}
{{- end -}}

{{- define "fairlead.firestoreEgress" -}}
{{- if .Values.dev.firestore.enabled -}}
{{- include "fairlead.componentEgress" (dict "root" . "name" "firestore" "port" 8080) -}}
{{- else -}}
{{- include "fairlead.googleEgress" . -}}
{{- end -}}
{{- end -}}

{{- define "fairlead.googleEgress" -}}
- ports: [{protocol: TCP, port: 443}]
  {{- with .Values.networkPolicy.google.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- if .Values.googleCloud.workloadIdentity }}
{{ include "fairlead.metadataEgress" . }}
{{- end }}
{{- end -}}

{{/* Of a gateway: identity providers, and the store of keys, push notifications and the audit log. */}}
{{- define "fairlead.identityEgress" -}}
{{- if has "oidc" .Values.gateway.auth.kinds }}
- ports:
    {{- range .Values.networkPolicy.identity.ports }}
    - {protocol: TCP, port: {{ . }}}
    {{- end }}
  {{- with .Values.networkPolicy.identity.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- if include "fairlead.gatewayUses" (dict "root" . "stores" (list "firestore")) }}
{{ include "fairlead.firestoreEgress" . }}
{{- end }}
{{- if include "fairlead.usesDatabase" (dict "root" . "name" "gateway") }}
{{ include "fairlead.databaseEgress" . }}
{{- end }}
{{- end -}}

{{/* Where Google's pods get their credentials: the second address and port are those of GKE's Dataplane V2. */}}
{{- define "fairlead.metadataEgress" -}}
- ports: [{protocol: TCP, port: 80}, {protocol: TCP, port: 988}]
  to:
    - ipBlock: {cidr: 169.254.169.254/32}
    - ipBlock: {cidr: 169.254.169.252/32}
{{- end -}}
