{{/* Values of callers that contradict each other, as in _validate.tpl. */}}
{{- define "fairlead.validate.identity" -}}
{{- $gateway := .Values.gateway -}}
{{- $auth := $gateway.auth -}}
{{- $kinds := include "fairlead.authKinds" . | fromYaml -}}
{{- $isProduction := eq .Values.environment "production" -}}
{{- if and $kinds $gateway.allowUnauthenticated }}
gateway.allowUnauthenticated has no effect with gateway.auth.kinds: remove it.
{{- end }}
{{- range $kind, $values := dict "oidc" (list "issuer" "issuers") "proxy" (list "trustedProxies") -}}
{{- range $values }}
{{- if and (get (get $auth $kind) .) (not (hasKey $kinds $kind)) }}
gateway.auth.{{ $kind }}.{{ . }} is set, and gateway.auth.kinds has no {{ $kind }}: add it.
{{- end }}
{{- end }}
{{- end }}
{{- if hasKey $kinds "oidc" }}
{{- include "fairlead.validate.oidc" $auth.oidc }}
{{- end }}
{{- if hasKey $kinds "proxy" }}
{{- if not $auth.proxy.trustedProxies }}
gateway.auth.kinds has proxy, and gateway.auth.proxy.trustedProxies is empty: set it to the addresses of the proxy's pods.
{{- end }}
{{- if and $isProduction (or (not .Values.networkPolicy.enabled) (not .Values.networkPolicy.gateway.from)) }}
gateway.auth.kinds has proxy, and every pod may call the gateway: name the proxy in networkPolicy.gateway.from, because addresses of pods change.
{{- end }}
{{- end }}
{{- if and $kinds .Values.monitoring.serviceMonitor.enabled (not .Values.monitoring.serviceMonitor.tokenSecret.name) }}
monitoring.serviceMonitor.tokenSecret.name is empty, and the gateway shows metrics to callers with the scope ops only: name a Secret with such an API key or token; it may be created after the release.
{{- end }}
{{- if and (hasKey $kinds "api-key") (eq $auth.apiKeys.store "memory") $isProduction }}
gateway.auth.apiKeys.store is memory, so keys are lost with their pod: use postgres, firestore or sqlite, or set environment: development.
{{- end }}
{{- include "fairlead.validate.gatewayStores" . }}
{{- end -}}

{{- define "fairlead.validate.oidc" -}}
{{- if not (or .issuer .issuers) }}
gateway.auth.kinds has oidc, and there is no identity provider: set gateway.auth.oidc.issuer.
{{- end }}
{{- if and .issuer .issuers }}
gateway.auth.oidc.issuer and gateway.auth.oidc.issuers are both set: keep one.
{{- end }}
{{- if and .issuer (not .audience) }}
gateway.auth.oidc.audience is empty, and tokens for other servers would be accepted: set the name of this server in aud.
{{- end }}
{{- if and .tenant .tenantClaim }}
gateway.auth.oidc.tenant and gateway.auth.oidc.tenantClaim both name the tenant: keep one.
{{- end }}
{{- if and .tenants (not .tenantClaim) }}
gateway.auth.oidc.tenants is set, and no claim names a tenant: set gateway.auth.oidc.tenantClaim.
{{- end }}
{{- if and .clientSecret.name (not .clientId) }}
gateway.auth.oidc.clientSecret is set without a client: set gateway.auth.oidc.clientId.
{{- end }}
{{- end -}}

{{/* Where the gateway keeps API keys, push notifications, times of the inbox, schedules, webhooks and the audit log. */}}
{{- define "fairlead.validate.gatewayStores" -}}
{{- $merged := mergeOverwrite (deepCopy .Values.defaults) .Values.gateway -}}
{{- $isScaled := or (gt (int $merged.replicas) 1) $merged.autoscaling.enabled $merged.autoscaling.keda -}}
{{- $choices := dict -}}
{{- if has "api-key" .Values.gateway.auth.kinds }}{{ $_ := set $choices "auth.apiKeys.store" .Values.gateway.auth.apiKeys.store }}{{ end -}}
{{- if include "fairlead.sendsPushes" . }}{{ $_ := set $choices "a2a.push" .Values.gateway.a2a.push }}{{ end -}}
{{- with dig "settings" "WEBHOOKS" "" $merged }}{{ $_ := set $choices "settings.WEBHOOKS" . }}{{ end -}}
{{- with dig "settings" "INBOX" "" $merged }}{{ $_ := set $choices "settings.INBOX" . }}{{ end -}}
{{- with dig "settings" "SCHEDULES" "" $merged }}{{ $_ := set $choices "settings.SCHEDULES" . }}{{ end -}}
{{- with .Values.gateway.audit }}{{ $_ := set $choices "audit" . }}{{ end -}}
{{- range $value, $store := $choices -}}
{{- if and (has $store (list "sqlite" "file" "memory")) $isScaled }}
gateway.{{ $value }} is {{ $store }}, which belongs to one process, and there are several gateways: set gateway.replicas to 1 without autoscaling, or use postgres or firestore.
{{- end }}
{{- if and (has $store (list "sqlite" "file")) (eq $.Values.environment "production") (not $merged.persistence.enabled) }}
gateway.{{ $value }} is {{ $store }} without a volume, and would be lost with its pod: set gateway.persistence.enabled, or use postgres or firestore.
{{- end }}
{{- end }}
{{- end -}}
