{{/* How a service authenticates itself and its callers. All secrets are files of one volume, /run/agentplane, and are read again when they change. */}}

{{- define "agentplane.securitySettings" -}}
{{- $service := index (include "agentplane.graph" . | fromYaml) .name -}}
{{- $mode := .root.Values.serviceAuth.mode -}}
{{- if eq $mode "none" }}
ALLOW_INSECURE_SERVICES: "true"
{{- else }}
PRINCIPAL_KEY_FILE: /run/agentplane/principal/key
{{- end }}
{{- if eq $mode "tokens" }}
{{- if $service.calls }}
SERVICE_TOKEN_FILE: /run/agentplane/own/token
{{- end }}
{{- if $service.callers }}
SERVICE_TOKENS_DIR: /run/agentplane/callers
{{- end }}
{{- end }}
{{- if eq $mode "mtls" }}
TLS_CERT_FILE: /run/agentplane/tls/tls.crt
TLS_KEY_FILE: /run/agentplane/tls/tls.key
TLS_CA_FILE: /run/agentplane/tls/ca.crt
{{- end }}
{{- end -}}

{{- define "agentplane.authSecret" -}}
{{- default (printf "%s-service-auth" (include "agentplane.fullname" .)) .Values.serviceAuth.existingSecret -}}
{{- end -}}

{{- define "agentplane.acceptedSecret" -}}
{{- $own := ternary .Values.serviceAuth.existingSecret (printf "%s-accepted-callers" (include "agentplane.fullname" .)) (ne .Values.serviceAuth.existingSecret "") -}}
{{- default $own .Values.serviceAuth.acceptedSecret -}}
{{- end -}}

{{- define "agentplane.tlsSecret" -}}
{{- $mtls := .root.Values.serviceAuth.mtls -}}
{{- if eq $mtls.source "existing" }}{{ get $mtls.existingSecrets .name }}{{ else }}{{ include "agentplane.componentName" . }}-tls{{ end -}}
{{- end -}}

{{/* Sources of the projected volume: a list, empty if the service has no secrets. */}}
{{- define "agentplane.secretSources" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
{{- $service := index (include "agentplane.graph" . | fromYaml) .name -}}
{{- $mode := $values.serviceAuth.mode -}}
{{- if ne $mode "none" }}
- secret:
    name: {{ include "agentplane.authSecret" .root }}
    items:
      - {key: principal-key, path: principal/key}
      {{- if and (eq $mode "tokens") $service.calls }}
      - {key: {{ .name }}, path: own/token}
      {{- end }}
{{- end }}
{{- if and (eq $mode "tokens") $service.callers }}
- secret:
    name: {{ include "agentplane.acceptedSecret" .root }}
    items:
      {{- range $service.callers }}
      - {key: {{ . }}, path: callers/{{ . }}}
      {{- end }}
{{- end }}
{{- if eq $mode "mtls" }}
- secret:
    name: {{ include "agentplane.tlsSecret" . }}
    items:
      - {key: tls.crt, path: tls/tls.crt}
      - {key: tls.key, path: tls/tls.key}
      - {key: ca.crt, path: tls/ca.crt}
{{- end }}
{{- if and $service.redis $values.redis.existingSecret.name (not $values.dev.redis.enabled) }}
- secret:
    name: {{ $values.redis.existingSecret.name }}
    items:
      {{- range $key, $setting := (include "agentplane.redisKeys" .root | fromYaml) }}
      - {key: {{ $key | quote }}, path: redis/{{ $setting }}}
      {{- end }}
{{- end }}
{{- if eq .name "runner" }}
{{- range $values.models.secrets }}
- secret:
    name: {{ .secret }}
    items:
      - {key: {{ .key | quote }}, path: models/{{ .variable }}}
{{- end }}
{{- if $values.models.keys }}
- secret:
    name: {{ include "agentplane.fullname" .root }}-model-keys
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
{{- define "agentplane.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "agentplane.podSecurity" -}}
runAsNonRoot: true
{{ toYaml .Values.defaults.podSecurityContext }}
seccompProfile:
  type: RuntimeDefault
{{- end -}}
