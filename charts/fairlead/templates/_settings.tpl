{{/* Variables of a service's container, from (dict "root" $ "name" … "values" …). */}}
{{- define "fairlead.environment" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
{{- $service := index (include "fairlead.graph" . | fromYaml) .name -}}
{{- $env := dict
  "LOG_LEVEL" $values.logging.level
  "LOG_FORMAT" $values.logging.format
  "LOOP_STALL_MS" (mul 1000 (int $values.loopStallSeconds))
  "SHUTDOWN_GRACE_MS" 0
  "SHUTDOWN_DRAIN_MS" (mul 1000 (int .values.drainSeconds))
  "OTEL_SERVICE_NAME" (include "fairlead.componentName" .)
-}}
{{- if eq .name "gateway" -}}
{{- $_ := set $env "HOST" $values.bindAddress -}}
{{- $_ := set $env "PORT" (int .values.port) -}}
{{- $_ := set $env "DEV_UI" .values.devUi -}}
{{- $_ := set $env "ALLOWED_HOSTS" (include "fairlead.allowedHosts" . | fromJsonArray) -}}
{{- /* The gateway answers no gRPC, but the image sets an address for it. */ -}}
{{- $_ := set $env "GRPC_HOST" "127.0.0.1" -}}
{{- $_ := merge $env (include "fairlead.identitySettings" $root | fromYaml) -}}
{{- $_ := merge $env (include "fairlead.a2aSettings" $root | fromYaml) -}}
{{- else -}}
{{- $_ := set $env "GRPC_HOST" $values.bindAddress -}}
{{- $_ := set $env "GRPC_PORT" (include "fairlead.grpcPort" .) -}}
{{- $_ := set $env "ADMIN_HOST" $values.bindAddress -}}
{{- $_ := set $env "ADMIN_PORT" (include "fairlead.adminPort" .) -}}
{{- end -}}
{{- range $callee := $service.calls -}}
{{- $address := include "fairlead.dnsName" (dict "root" $root "name" $callee) -}}
{{- /* The dot at the end: without it each search domain of the pod would be tried first. */ -}}
{{- $_ := set $env (printf "%s_SERVICE_ADDRESS" (upper $callee)) (printf "dns:///%s.:%s" $address (include "fairlead.grpcPort" $root)) -}}
{{- end -}}
{{- if include "fairlead.usesRedis" . }}{{ $_ := merge $env (include "fairlead.redisSettings" . | fromYaml) }}{{ end -}}
{{- if include "fairlead.streamsInDatabase" . -}}
{{- $database := include "fairlead.databaseSettings" $root | fromYaml -}}
{{- if and (eq .name "runner") $values.database.runnerSecret.name }}{{ $database = omit $database "DATABASE_URL" "DATABASE_PASSWORD_FILE" }}{{ end -}}
{{- $_ := merge $env (include "fairlead.streamSettings" . | fromYaml) $database -}}
{{- end -}}
{{- if $service.store }}{{ $_ := merge $env (include "fairlead.storeSettings" . | fromYaml) }}{{ end -}}
{{- if include "fairlead.encryptsContent" . }}{{ $_ := merge $env (include "fairlead.contentSettings" $root | fromYaml) }}{{ end -}}
{{- if eq .name "session" }}{{ $_ := merge $env (include "fairlead.credentialSettings" $root | fromYaml) }}{{ end -}}
{{- $_ := merge $env (include "fairlead.securitySettings" . | fromYaml) -}}
{{- if include "fairlead.hasQuotas" $root }}{{ $_ := set $env "QUOTAS_FILE" "/run/fairlead/quotas.yaml" }}{{ end -}}
{{- if and (eq .name "gateway") $values.retention.rules }}{{ $_ := set $env "RETENTION_FILE" "/run/fairlead/retention.yaml" }}{{ end -}}
{{- if eq .name "runner" -}}
{{- $_ := set $env "AGENTS_DIR" (include "fairlead.agentsFolder" $root) -}}
{{- end -}}
{{- if include "fairlead.asksModels" . -}}
{{- range $values.models.secrets }}{{ $_ := set $env (printf "%s_FILE" .variable) (printf "/run/fairlead/models/%s" .variable) }}{{ end -}}
{{- range $variable, $_key := $values.models.keys }}{{ $_ := set $env (printf "%s_FILE" $variable) (printf "/run/fairlead/models/%s" $variable) }}{{ end -}}
{{- $_ := merge $env $values.models.settings -}}
{{- end -}}
{{- with $values.telemetry.otlpEndpoint -}}
{{- $_ := set $env "OTEL_EXPORTER_OTLP_ENDPOINT" . -}}
{{- $attributes := merge (dict "k8s.namespace.name" $root.Release.Namespace) $values.telemetry.resourceAttributes -}}
{{- $pairs := list -}}
{{- range $name, $value := $attributes }}{{ $pairs = append $pairs (printf "%s=%s" $name (urlquery $value)) }}{{ end -}}
{{- $_ := set $env "OTEL_RESOURCE_ATTRIBUTES" (join "," $pairs) -}}
{{- if $values.telemetry.headersSecret.name }}{{ $_ := set $env "OTEL_EXPORTER_OTLP_HEADERS_FILE" "/run/fairlead/otlp/headers" }}{{ end -}}
{{- end -}}
{{- range $name, $value := merge $env .values.settings }}
- name: {{ $name }}
  value: {{ include "fairlead.text" $value | quote }}
{{- end -}}
{{- end -}}

{{/* Names under which the gateway can be reached: those of its Service, those that the edge publishes, and further ones of its settings. */}}
{{- define "fairlead.allowedHosts" -}}
{{- $values := .root.Values -}}
{{- $service := printf "%s.%s" (include "fairlead.componentName" .) .root.Release.Namespace -}}
{{- $hosts := list $service (printf "%s.svc" $service) (include "fairlead.dnsName" .) -}}
{{- /* An edge without names publishes the gateway under every name. */ -}}
{{- if $values.ingress.enabled }}{{ range $values.ingress.hosts }}{{ $hosts = append $hosts (default "*" .) }}{{ end }}{{ end -}}
{{- if $values.gatewayApi.enabled }}{{ range $values.gatewayApi.hostnames | default (list "*") }}{{ $hosts = append $hosts . }}{{ end }}{{ end -}}
{{- concat $hosts (dig "ALLOWED_HOSTS" list (default dict .values.settings)) | uniq | toJson -}}
{{- end -}}

{{/* A setting in the form that services read: lists with commas, whole numbers without an exponent. */}}
{{- define "fairlead.text" -}}
{{- if kindIs "slice" . }}{{ join "," . }}{{ else if kindIs "float64" . }}{{ if eq (floor .) . }}{{ int64 . }}{{ else }}{{ . }}{{ end }}{{ else }}{{ . }}{{ end -}}
{{- end -}}

{{- define "fairlead.redisSettings" -}}
{{- $redis := .root.Values.redis -}}
REDIS_KEY_PREFIX: {{ default (printf "%s:%s" .root.Release.Namespace (include "fairlead.fullname" .root)) $redis.keyPrefix | quote }}
{{- if .root.Values.dev.redis.enabled }}
REDIS_URL: redis://{{ include "fairlead.dnsName" (dict "root" .root "name" "redis") }}:6379
{{- else }}
{{- with $redis.url }}
REDIS_URL: {{ . | quote }}
{{- end }}
{{- with $redis.sentinels }}
REDIS_SENTINELS: {{ join "," . | quote }}
REDIS_SENTINEL_NAME: {{ $redis.sentinelName | quote }}
{{- end }}
{{- with $redis.clusterNodes }}
REDIS_CLUSTER_NODES: {{ join "," . | quote }}
{{- end }}
{{- $user := get $redis.users .name }}
{{- with $user.username | default $redis.username }}
REDIS_USERNAME: {{ . | quote }}
{{- end }}
{{- range $key, $setting := (include "fairlead.redisKeys" . | fromYaml) }}
{{ $setting }}_FILE: /run/fairlead/redis/{{ $setting }}
{{- end }}
{{- if $user.username }}
REDIS_PASSWORD_FILE: /run/fairlead/redis/REDIS_PASSWORD
{{- end }}
{{- end }}
{{- end -}}

{{/* Keys of the common Redis Secret that a service uses, with their settings. A user of its own has its own password. */}}
{{- define "fairlead.redisKeys" -}}
{{- $secret := .root.Values.redis.existingSecret -}}
{{- $settings := dict "urlKey" "REDIS_URL" "passwordKey" "REDIS_PASSWORD" "caKey" "REDIS_TLS_CA" -}}
{{- if (get .root.Values.redis.users .name).username }}{{ $settings = omit $settings "passwordKey" }}{{ end -}}
{{- range $field, $setting := ternary $settings dict (ne $secret.name "") }}
{{- with get $secret $field }}
{{ . | quote }}: {{ $setting }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Whether a service encrypts what it stores: not those in which agents execute, nor the evaluations. "true" or nothing. */}}
{{- define "fairlead.encryptsContent" -}}
{{- $encryption := .root.Values.contentEncryption -}}
{{- if and (or $encryption.keysSecret.name $encryption.kmsKey) (has .name (list "session" "artifact" "memory")) }}true{{ end -}}
{{- end -}}

{{- define "fairlead.contentSettings" -}}
{{- with .Values.contentEncryption.kmsKey -}}
CONTENT_ENCRYPTION: kms
CONTENT_KMS_KEY: {{ . | quote }}
{{- else -}}
CONTENT_ENCRYPTION: file
CONTENT_KEYS_FILE: /run/fairlead/content/keys.yaml
{{- end -}}
{{- end -}}

{{- define "fairlead.credentialSettings" -}}
{{- if eq .Values.credentials.store "sessions" -}}
CREDENTIAL_STORE: {{ .Values.stores.session }}
CREDENTIAL_KEYS_FILE: /run/fairlead/credentials/keys.yaml
{{- else -}}
CREDENTIAL_STORE: memory
{{- end -}}
{{- end -}}

{{- define "fairlead.storeSettings" -}}
{{- $values := .root.Values -}}
{{- $store := get $values.stores .name -}}
{{ upper .name }}_STORE: {{ $store }}
{{- if include "fairlead.keepsFiles" . }}
DATA_DIR: /data
{{- else if eq $store "firestore" }}
{{ include "fairlead.firestoreSettings" .root }}
{{- else if eq $store "postgres" }}
{{ include "fairlead.databaseSettings" .root }}
{{- else if has $store (list "s3" "azure") }}
{{ include "fairlead.objectStorageSettings" .root }}
{{- else if eq $store "gcs" }}
GCS_BUCKET: {{ default (ternary "fairlead" "" $values.dev.gcs.enabled) $values.gcs.bucket | quote }}
ARTIFACT_LAYOUT: {{ $values.gcs.layout }}
{{- if $values.dev.gcs.enabled }}
STORAGE_EMULATOR_HOST: http://{{ include "fairlead.dnsName" (dict "root" .root "name" "gcs") }}:4443
{{- end }}
{{- end }}
{{- if include "fairlead.usesVertex" . }}
{{- if eq .name "session" }}
MANAGED_SESSIONS: vertex
{{- end }}
VERTEX_PROJECT_ID: {{ $values.vertex.projectId | quote }}
VERTEX_LOCATION: {{ $values.vertex.location | quote }}
VERTEX_AGENT_ENGINE_ID: {{ $values.vertex.agentEngineId | quote }}
VERTEX_API_ENDPOINT: {{ $values.vertex.apiEndpoint | quote }}
{{- end }}
{{- end -}}

{{/* Whether a service keeps its data in Google's Agent Platform, or a copy. "true" or nothing. */}}
{{- define "fairlead.usesVertex" -}}
{{- if or (and (eq .name "session") .root.Values.vertex.sessions) (eq (get .root.Values.stores .name) "vertex") }}true{{ end -}}
{{- end -}}

{{- define "fairlead.firestoreSettings" -}}
{{- $values := .Values -}}
FIRESTORE_ROOT: {{ default (include "fairlead.fullname" .) $values.firestore.root | quote }}
FIRESTORE_DATABASE_ID: {{ $values.firestore.databaseId | quote }}
FIRESTORE_PROJECT_ID: {{ default (ternary "fairlead" "" $values.dev.firestore.enabled) $values.firestore.projectId | quote }}
{{- if $values.dev.firestore.enabled }}
FIRESTORE_EMULATOR_HOST: {{ include "fairlead.dnsName" (dict "root" . "name" "firestore") }}:8080
{{- end }}
{{- end -}}

{{/* "true" or nothing. */}}
{{- define "fairlead.hasQuotas" -}}
{{- if or .Values.quotas.rules .Values.quotas.configMap.name }}true{{ end -}}
{{- end -}}

{{- define "fairlead.agentsFolder" -}}
{{- default "/agents" .Values.agents.imageFolder -}}
{{- end -}}
