{{/* How the gateway identifies its callers. A deployment without `gateway.auth.kinds` accepts everybody, see _validate-identity.tpl. */}}

{{/* Kinds of credentials, as (dict "oidc" true …). */}}
{{- define "fairlead.authKinds" -}}
{{- range .Values.gateway.auth.kinds }}
{{ . }}: true
{{- end }}
{{- end -}}

{{/* Whether pages can sign in, so that cookies are encrypted. "true" or nothing. */}}
{{- define "fairlead.hasSignIn" -}}
{{- $kinds := include "fairlead.authKinds" . | fromYaml -}}
{{- if or (hasKey $kinds "oidc") (hasKey $kinds "api-key") }}true{{ end -}}
{{- end -}}

{{/* Whether the gateway keeps keys, push notifications, times of the inbox, schedules, webhooks or its audit log in the named store. "true" or nothing. */}}
{{- define "fairlead.gatewayUses" -}}
{{- $gateway := .root.Values.gateway -}}
{{- $keys := and (has "api-key" $gateway.auth.kinds) (has $gateway.auth.apiKeys.store .stores) -}}
{{- $push := and $gateway.a2a.apps (has $gateway.a2a.push .stores) -}}
{{- $settings := mergeOverwrite (deepCopy .root.Values.defaults) $gateway | dig "settings" dict -}}
{{- $inbox := has (dig "INBOX" "" $settings) .stores -}}
{{- $schedules := has (dig "SCHEDULES" "" $settings) .stores -}}
{{- $webhooks := has (dig "WEBHOOKS" "" $settings) .stores -}}
{{- if or $keys $push $inbox $schedules $webhooks (has $gateway.audit .stores) }}true{{ end -}}
{{- end -}}

{{- define "fairlead.identitySettings" -}}
{{- $gateway := .Values.gateway -}}
{{- $auth := $gateway.auth -}}
{{- $kinds := include "fairlead.authKinds" . | fromYaml -}}
{{- if $kinds }}
AUTH: {{ join "," $auth.kinds | quote }}
{{- else }}
ALLOW_UNAUTHENTICATED: "true"
{{- end }}
{{- if hasKey $kinds "api-key" }}
KEY_STORE: {{ $auth.apiKeys.store }}
{{- end }}
{{- if hasKey $kinds "oidc" }}
{{- include "fairlead.oidcSettings" . }}
{{- end }}
{{- if hasKey $kinds "proxy" }}
TRUSTED_PROXIES: {{ join "," $auth.proxy.trustedProxies | quote }}
{{- with $auth.proxy.scopeMap }}
PROXY_SCOPE_MAP: {{ include "fairlead.scopePairs" . | quote }}
{{- end }}
{{- with $auth.proxy.tenantHeader }}
PROXY_TENANT_HEADER: {{ . | quote }}
{{- end }}
{{- with $auth.proxy.signOutUrl }}
PROXY_SIGN_OUT_URL: {{ . | quote }}
{{- end }}
{{- end }}
{{- if include "fairlead.hasSignIn" . }}
SESSION_COOKIE_KEY_FILE: /run/fairlead/identity/cookie-keys
{{- end }}
{{- if $auth.appRules }}
APP_RULES_FILE: /run/fairlead/identity/app-rules.yaml
{{- end }}
{{- with $gateway.audit }}
AUDIT: {{ . }}
{{- if eq . "file" }}
AUDIT_FILE: /data/audit/audit.jsonl
{{- end }}
{{- end }}
{{- if include "fairlead.keepsFiles" (dict "root" . "name" "gateway") }}
DATA_DIR: /data
{{- end }}
{{- if include "fairlead.gatewayUses" (dict "root" . "stores" (list "firestore")) }}
{{ include "fairlead.firestoreSettings" . }}
{{- end }}
{{- if include "fairlead.usesDatabase" (dict "root" . "name" "gateway") }}
{{ include "fairlead.databaseSettings" . }}
{{- end }}
{{- end -}}

{{- define "fairlead.oidcSettings" -}}
{{- $oidc := .Values.gateway.auth.oidc -}}
{{- if $oidc.caSecret.name }}
NODE_EXTRA_CA_CERTS: /run/fairlead/identity/oidc-ca.crt
{{- end }}
{{- if $oidc.issuers }}
OIDC_ISSUERS_FILE: /run/fairlead/identity/issuers.yaml
{{- else }}
OIDC_ISSUER: {{ $oidc.issuer | quote }}
OIDC_AUDIENCE: {{ join "," $oidc.audience | quote }}
OIDC_USER_CLAIM: {{ $oidc.userClaim | quote }}
OIDC_GROUPS_CLAIM: {{ $oidc.groupsClaim | quote }}
{{- with $oidc.scopeMap }}
OIDC_SCOPE_MAP: {{ include "fairlead.scopePairs" . | quote }}
{{- end }}
{{- with $oidc.tenant }}
OIDC_TENANT: {{ . | quote }}
{{- end }}
{{- with $oidc.tenantClaim }}
OIDC_TENANT_CLAIM: {{ . | quote }}
{{- end }}
{{- with $oidc.tenants }}
OIDC_TENANTS: {{ join "," . | quote }}
{{- end }}
{{- with $oidc.clientId }}
OIDC_CLIENT_ID: {{ . | quote }}
{{- end }}
{{- if $oidc.clientSecret.name }}
OIDC_CLIENT_SECRET_FILE: /run/fairlead/identity/client-secret
{{- end }}
{{- end }}
{{- end -}}

{{/* `{admins: [ops]}` as `admins=ops`. */}}
{{- define "fairlead.scopePairs" -}}
{{- $pairs := list -}}
{{- range $group, $scopes := . }}{{ range $scopes }}{{ $pairs = append $pairs (printf "%s=%s" $group .) }}{{ end }}{{ end -}}
{{- join "," $pairs -}}
{{- end -}}

{{- define "fairlead.identityName" -}}
{{- include "fairlead.fullname" . }}-identity
{{- end -}}

{{/* Content of OIDC_ISSUERS_FILE: the value, with the places of mounted secrets in place of their names. */}}
{{- define "fairlead.issuersFile" -}}
{{- $issuers := list -}}
{{- range $index, $given := .Values.gateway.auth.oidc.issuers -}}
{{- $issuer := deepCopy $given -}}
{{- if dig "client" "secret" "name" "" $issuer -}}
{{- $client := set (unset $issuer.client "secret") "secretFile" (printf "/run/fairlead/identity/client-secret-%d" $index) -}}
{{- $_ := set $issuer "client" $client -}}
{{- end -}}
{{- $issuers = append $issuers $issuer -}}
{{- end -}}
{{- toYaml (dict "issuers" $issuers) -}}
{{- end -}}

{{/* Sources of the gateway's projected volume. */}}
{{- define "fairlead.identitySources" -}}
{{- $auth := .Values.gateway.auth -}}
{{- $kinds := include "fairlead.authKinds" . | fromYaml -}}
{{- if include "fairlead.hasSignIn" . }}
- secret:
    name: {{ default (include "fairlead.identityName" .) $auth.cookies.existingSecret }}
    items:
      - {key: {{ $auth.cookies.key | quote }}, path: identity/cookie-keys}
{{- end }}
{{- if hasKey $kinds "oidc" }}
{{- if $auth.oidc.issuers }}
- configMap:
    name: {{ include "fairlead.identityName" . }}
    items:
      - {key: issuers.yaml, path: identity/issuers.yaml}
{{- range $index, $issuer := $auth.oidc.issuers }}
{{- with dig "client" "secret" "name" "" $issuer }}
- secret:
    name: {{ . }}
    items:
      - {key: {{ dig "client" "secret" "key" "client-secret" $issuer | quote }}, path: identity/client-secret-{{ $index }}}
{{- end }}
{{- end }}
{{- end }}
{{- with $auth.oidc.clientSecret }}
{{- if .name }}
- secret:
    name: {{ .name }}
    items:
      - {key: {{ .key | quote }}, path: identity/client-secret}
{{- end }}
{{- end }}
{{- with $auth.oidc.caSecret }}
{{- if .name }}
- secret:
    name: {{ .name }}
    items:
      - {key: {{ .key | quote }}, path: identity/oidc-ca.crt}
{{- end }}
{{- end }}
{{- end }}
{{- if $auth.appRules }}
- configMap:
    name: {{ include "fairlead.identityName" . }}
    items:
      - {key: app-rules.yaml, path: identity/app-rules.yaml}
{{- end }}
{{- end -}}
