{{/* How a service authenticates itself and its callers. All secrets are files of one volume, /run/fairlead, and are read again when they change. */}}

{{- define "fairlead.securitySettings" -}}
{{- $service := index (include "fairlead.graph" . | fromYaml) .name -}}
{{- $mode := .root.Values.serviceAuth.mode -}}
{{- if eq $mode "none" }}
ALLOW_INSECURE_SERVICES: "true"
{{- else }}
{{- range include "fairlead.signingKeys" . | fromYamlArray }}
{{ .setting }}: /run/fairlead/{{ .path }}
{{- end }}
{{- end }}
{{- if eq $mode "tokens" }}
{{- if $service.calls }}
SERVICE_TOKEN_FILE: /run/fairlead/own/token
{{- end }}
{{- if $service.callers }}
SERVICE_TOKENS_DIR: /run/fairlead/callers
{{- end }}
{{- end }}
{{- if eq $mode "mtls" }}
TLS_CERT_FILE: /run/fairlead/tls/tls.crt
TLS_KEY_FILE: /run/fairlead/tls/tls.key
TLS_CA_FILE: /run/fairlead/tls/ca.crt
{{- end }}
{{- end -}}

{{/*
The signing keys that a service has: gateways sign principals, the session service signs grants of runs, and those who check
them have public keys. A runner, in which agents execute, has no private key.
*/}}
{{- define "fairlead.signingKeys" -}}
{{- $public := include "fairlead.signingSecret" (dict "root" .root "kind" "public") -}}
{{- if eq .name "gateway" }}
- {setting: PRINCIPAL_PRIVATE_KEY_FILE, secret: {{ include "fairlead.signingSecret" (dict "root" .root "kind" "principal") }}, key: private-key, path: principal/private-key}
{{- else }}
- {setting: PRINCIPAL_PUBLIC_KEYS_FILE, secret: {{ $public }}, key: principal, path: principal/public-keys}
{{- end }}
{{- if eq .name "session" }}
- {setting: GRANT_PRIVATE_KEY_FILE, secret: {{ include "fairlead.signingSecret" (dict "root" .root "kind" "grant") }}, key: private-key, path: grant/private-key}
{{- end }}
{{- if has .name (list "runner" "artifact" "memory") }}
- {setting: GRANT_PUBLIC_KEYS_FILE, secret: {{ $public }}, key: grant, path: grant/public-keys}
{{- end }}
{{- end -}}

{{/* Name of a Secret of signing keys, from (dict "root" $ "kind" "principal|grant|public"). */}}
{{- define "fairlead.signingSecret" -}}
{{- $suffix := ternary "public-keys" (printf "%s-key" .kind) (eq .kind "public") -}}
{{- default (printf "%s-%s" (include "fairlead.fullname" .root) $suffix) (get .root.Values.serviceAuth.signingKeys (printf "%sSecret" .kind)) -}}
{{- end -}}

{{- define "fairlead.authSecret" -}}
{{- default (printf "%s-service-auth" (include "fairlead.fullname" .)) .Values.serviceAuth.existingSecret -}}
{{- end -}}

{{- define "fairlead.acceptedSecret" -}}
{{- $own := ternary .Values.serviceAuth.existingSecret (printf "%s-accepted-callers" (include "fairlead.fullname" .)) (ne .Values.serviceAuth.existingSecret "") -}}
{{- default $own .Values.serviceAuth.acceptedSecret -}}
{{- end -}}

{{- define "fairlead.tlsSecret" -}}
{{- $mtls := .root.Values.serviceAuth.mtls -}}
{{- if eq $mtls.source "existing" }}{{ get $mtls.existingSecrets .name }}{{ else }}{{ include "fairlead.componentName" . }}-tls{{ end -}}
{{- end -}}

{{/* Sources of the projected volume: a list, empty if the service has no secrets. */}}
{{- define "fairlead.secretSources" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
{{- $service := index (include "fairlead.graph" . | fromYaml) .name -}}
{{- $mode := $values.serviceAuth.mode -}}
{{- if ne $mode "none" }}
{{- range include "fairlead.signingKeys" . | fromYamlArray }}
- secret:
    name: {{ .secret }}
    items:
      - {key: {{ .key }}, path: {{ .path }}}
{{- end }}
{{- end }}
{{- if and (eq $mode "tokens") $service.calls }}
- secret:
    name: {{ include "fairlead.authSecret" .root }}
    items:
      - {key: {{ .name }}, path: own/token}
{{- end }}
{{- if and (eq $mode "tokens") $service.callers }}
- secret:
    name: {{ include "fairlead.acceptedSecret" .root }}
    items:
      {{- range $service.callers }}
      - {key: {{ . }}, path: callers/{{ . }}}
      {{- end }}
{{- end }}
{{- if eq $mode "mtls" }}
- secret:
    name: {{ include "fairlead.tlsSecret" . }}
    items:
      - {key: tls.crt, path: tls/tls.crt}
      - {key: tls.key, path: tls/tls.key}
      - {key: ca.crt, path: tls/ca.crt}
{{- end }}
{{- if and (include "fairlead.usesRedis" .) (not $values.dev.redis.enabled) }}
{{- with (include "fairlead.redisKeys" . | fromYaml) }}
- secret:
    name: {{ $values.redis.existingSecret.name }}
    items:
      {{- range $key, $setting := . }}
      - {key: {{ $key | quote }}, path: redis/{{ $setting }}}
      {{- end }}
{{- end }}
{{- with get $values.redis.users .name }}
{{- if .username }}
- secret:
    name: {{ .passwordSecret.name }}
    items:
      - {key: {{ .passwordSecret.key | quote }}, path: redis/REDIS_PASSWORD}
{{- end }}
{{- end }}
{{- end }}
{{- if include "fairlead.usesDatabase" . }}
{{- include "fairlead.databaseSources" . }}
{{- end }}
{{- if include "fairlead.usesObjectStorage" . }}
{{- include "fairlead.objectStorageSource" .root }}
{{- end }}
{{- if and $values.contentEncryption.keysSecret.name (include "fairlead.encryptsContent" .) }}
- secret:
    name: {{ $values.contentEncryption.keysSecret.name }}
    items:
      - {key: {{ $values.contentEncryption.keysSecret.key | quote }}, path: content/keys.yaml}
{{- end }}
{{- if and $values.credentials.keysSecret.name (or (eq .name "session") (and (eq .name "gateway") (include "fairlead.callsReceivers" .root))) }}
- secret:
    name: {{ $values.credentials.keysSecret.name }}
    items:
      - {key: {{ $values.credentials.keysSecret.key | quote }}, path: credentials/keys.yaml}
{{- end }}
{{- if eq .name "gateway" }}
{{- include "fairlead.identitySources" .root }}
{{- include "fairlead.a2aSources" .root }}
{{- end }}
{{- if include "fairlead.hasQuotas" .root }}
- configMap:
    name: {{ $values.quotas.configMap.name | default (printf "%s-quotas" (include "fairlead.fullname" .root)) }}
    items:
      - {key: {{ ternary $values.quotas.configMap.key "quotas.yaml" (ne $values.quotas.configMap.name "") | quote }}, path: quotas.yaml}
{{- end }}
{{- if and (eq .name "gateway") $values.retention.rules }}
- configMap:
    name: {{ include "fairlead.fullname" .root }}-retention
    items:
      - {key: retention.yaml, path: retention.yaml}
{{- end }}
{{- if include "fairlead.asksModels" . }}
{{- range $values.models.secrets }}
- secret:
    name: {{ .secret }}
    items:
      - {key: {{ .key | quote }}, path: models/{{ .variable }}}
{{- end }}
{{- if $values.models.keys }}
- secret:
    name: {{ include "fairlead.fullname" .root }}-model-keys
    items:
      {{- range $variable, $_key := $values.models.keys }}
      - {key: {{ $variable }}, path: models/{{ $variable }}}
      {{- end }}
{{- end }}
{{- end }}
{{- if and $values.telemetry.otlpEndpoint $values.telemetry.headersSecret.name }}
- secret:
    name: {{ $values.telemetry.headersSecret.name }}
    items:
      - {key: {{ $values.telemetry.headersSecret.key | quote }}, path: otlp/headers}
{{- end }}
{{- end -}}

{{/* For every container of the release, emulators and tests included. */}}
{{- define "fairlead.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "fairlead.podSecurity" -}}
runAsNonRoot: true
{{ toYaml .Values.defaults.podSecurityContext }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}
