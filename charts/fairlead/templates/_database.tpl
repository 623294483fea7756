{{/* Whether a service uses Postgres, for a store or for streams and counts, from (dict "root" $ "name" …). "true" or nothing. */}}
{{- define "fairlead.usesDatabase" -}}
{{- if include "fairlead.streamsInDatabase" . -}}
true
{{- else -}}
{{- include "fairlead.storesInDatabase" . -}}
{{- end -}}
{{- end -}}

{{- define "fairlead.storesInDatabase" -}}
{{- if eq .name "gateway" -}}
{{- include "fairlead.gatewayUses" (dict "root" .root "stores" (list "postgres")) -}}
{{- else if eq (get .root.Values.stores .name) "postgres" -}}
true
{{- end -}}
{{- end -}}

{{/* Whether any service does. "true" or nothing. */}}
{{- define "fairlead.hasDatabase" -}}
{{- $root := . -}}
{{- $users := list -}}
{{- range $name, $_service := (include "fairlead.graph" $root | fromYaml) -}}
{{- if include "fairlead.usesDatabase" (dict "root" $root "name" $name) }}{{ $users = append $users $name }}{{ end -}}
{{- end -}}
{{- if $users }}true{{ end -}}
{{- end -}}

{{- define "fairlead.databaseSettings" -}}
{{- $database := .Values.database -}}
DATABASE_SCHEMA: {{ default (include "fairlead.fullname" . | replace "-" "_" | trunc 63) $database.schema | quote }}
DATABASE_POOL_SIZE: {{ int $database.poolSize }}
DATABASE_MIGRATIONS: {{ ternary "check" "start" $database.migrationJob }}
{{- with $database.url }}
DATABASE_URL: {{ . | quote }}
{{- end }}
{{- with $database.existingSecret }}
{{- if .urlKey }}
DATABASE_URL_FILE: /run/fairlead/database/url
{{- end }}
{{- if .passwordKey }}
DATABASE_PASSWORD_FILE: /run/fairlead/database/password
{{- end }}
{{- if .caKey }}
DATABASE_CA_FILE: /run/fairlead/database/ca.crt
{{- end }}
{{- end }}
{{- end -}}

{{/* For a service whose streams Postgres carries, from (dict "root" $ "name" …). Runners can have a role of their own. */}}
{{- define "fairlead.streamSettings" -}}
{{- $database := .root.Values.database -}}
TRANSPORT: postgres
{{- if and (eq .name "runner") $database.runnerSecret.name }}
DATABASE_URL_FILE: /run/fairlead/database/runner-url
DATABASE_MIGRATIONS: check
{{- if $database.runnerSecret.directUrlKey }}
DATABASE_DIRECT_URL_FILE: /run/fairlead/database/runner-direct-url
{{- end }}
{{- else if $database.directUrl }}
DATABASE_DIRECT_URL: {{ $database.directUrl | quote }}
{{- else if $database.existingSecret.directUrlKey }}
DATABASE_DIRECT_URL_FILE: /run/fairlead/database/direct-url
{{- end }}
{{- end -}}

{{/* Sources of the projected volume of a service, from (dict "root" $ "name" …). */}}
{{- define "fairlead.databaseSources" -}}
{{- $database := .root.Values.database -}}
{{- $secret := $database.existingSecret -}}
{{- if and (eq .name "runner") $database.runnerSecret.name }}
- secret:
    name: {{ $database.runnerSecret.name }}
    items:
      - {key: {{ $database.runnerSecret.urlKey | quote }}, path: database/runner-url}
      {{- with $database.runnerSecret.directUrlKey }}
      - {key: {{ . | quote }}, path: database/runner-direct-url}
      {{- end }}
{{- if $secret.caKey }}
- secret:
    name: {{ $secret.name }}
    items:
      - {key: {{ $secret.caKey | quote }}, path: database/ca.crt}
{{- end }}
{{- else }}
{{- include "fairlead.databaseSource" .root }}
{{- if and $secret.directUrlKey (include "fairlead.streamsInDatabase" .) }}
- secret:
    name: {{ $secret.name }}
    items:
      - {key: {{ $secret.directUrlKey | quote }}, path: database/direct-url}
{{- end }}
{{- end }}
{{- end -}}

{{/* A source of the projected volume. */}}
{{- define "fairlead.databaseSource" -}}
{{- with .Values.database.existingSecret }}
{{- if .name }}
- secret:
    name: {{ .name }}
    items:
      {{- with .urlKey }}
      - {key: {{ . | quote }}, path: database/url}
      {{- end }}
      {{- with .passwordKey }}
      - {key: {{ . | quote }}, path: database/password}
      {{- end }}
      {{- with .caKey }}
      - {key: {{ . | quote }}, path: database/ca.crt}
      {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "fairlead.databaseEgress" -}}
- ports:
    - {protocol: TCP, port: {{ int .Values.database.port }}}
    {{- if and (eq .Values.transport "postgres") (ne (int .Values.database.directPort) (int .Values.database.port)) }}
    - {protocol: TCP, port: {{ int .Values.database.directPort }}}
    {{- end }}
  {{- with .Values.networkPolicy.database.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "fairlead.validate.database" -}}
{{- $database := .Values.database -}}
{{- $secret := $database.existingSecret -}}
{{- $isUsed := include "fairlead.hasDatabase" . -}}
{{- $isNamed := or $database.url (and $secret.name $secret.urlKey) -}}
{{- if and $isUsed (not $isNamed) }}
Stores or streams are in Postgres, and its address is missing: set database.url, or database.existingSecret with urlKey.
{{- end }}
{{- if and $database.url $secret.urlKey }}
database.url and database.existingSecret.urlKey are both set: keep one.
{{- end }}
{{- if regexMatch "^[a-z]+://[^/@]*:[^/]*@" $database.url }}
database.url carries a password, which everybody who may read pods would see: put it into a Secret and name it under database.existingSecret.
{{- end }}
{{- if and $database.directUrl $secret.directUrlKey }}
database.directUrl and database.existingSecret.directUrlKey are both set: keep one.
{{- end }}
{{- if regexMatch "^[a-z]+://[^/@]*:[^/]*@" $database.directUrl }}
database.directUrl carries a password, which everybody who may read pods would see: put it into a Secret and name it under database.existingSecret.
{{- end }}
{{- if and (ne .Values.transport "postgres") (or $database.directUrl $secret.directUrlKey $database.runnerSecret.name) }}
database.directUrl, database.existingSecret.directUrlKey and database.runnerSecret are for transport: postgres: set it, or remove them.
{{- end }}
{{- if and $secret.name (not (or $secret.urlKey $secret.directUrlKey $secret.passwordKey $secret.caKey)) }}
database.existingSecret.name is set without a key: name what it holds by urlKey, directUrlKey, passwordKey or caKey.
{{- end }}
{{- if and (not $secret.name) (or $secret.urlKey $secret.directUrlKey $secret.passwordKey $secret.caKey) }}
database.existingSecret has keys but no name: name the Secret.
{{- end }}
{{- if and $database.migrationJob (not $isUsed) }}
database.migrationJob is set, and no store is postgres: remove it.
{{- end }}
{{- end -}}
