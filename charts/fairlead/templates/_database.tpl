{{/* Whether a service has a store in Postgres, from (dict "root" $ "name" …). "true" or nothing. */}}
{{- define "fairlead.usesDatabase" -}}
{{- if eq .name "gateway" -}}
{{- include "fairlead.gatewayUses" (dict "root" .root "stores" (list "postgres")) -}}
{{- else if eq (get .root.Values.stores .name) "postgres" -}}
true
{{- end -}}
{{- end -}}

{{/* Whether any service has one. "true" or nothing. */}}
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
- ports: [{protocol: TCP, port: {{ int .Values.database.port }}}]
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
The stores use Postgres, and its address is missing: set database.url, or database.existingSecret with urlKey.
{{- end }}
{{- if and $database.url $secret.urlKey }}
database.url and database.existingSecret.urlKey are both set: keep one.
{{- end }}
{{- if regexMatch "^[a-z]+://[^/@]*:[^/]*@" $database.url }}
database.url carries a password, which everybody who may read pods would see: put it into a Secret and name it under database.existingSecret.
{{- end }}
{{- if and $secret.name (not (or $secret.urlKey $secret.passwordKey $secret.caKey)) }}
database.existingSecret.name is set without a key: name what it holds by urlKey, passwordKey or caKey.
{{- end }}
{{- if and (not $secret.name) (or $secret.urlKey $secret.passwordKey $secret.caKey) }}
database.existingSecret has keys but no name: name the Secret.
{{- end }}
{{- if and $database.migrationJob (not $isUsed) }}
database.migrationJob is set, and no store is postgres: remove it.
{{- end }}
{{- end -}}
