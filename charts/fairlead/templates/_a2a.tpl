{{/* Agents by the Agent2Agent protocol: gateway.a2a. All of it is off without apps. */}}

{{/* Path of all gRPC calls of the protocol. */}}
{{- define "fairlead.a2aGrpcPath" -}}/lf.a2a.v1.A2AService{{- end -}}

{{/* Port of gRPC, or nothing. */}}
{{- define "fairlead.a2aGrpcPort" -}}
{{- with .Values.gateway.a2a -}}{{- if and .apps .grpcPort }}{{ int .grpcPort }}{{ end -}}{{- end -}}
{{- end -}}

{{- define "fairlead.a2aSettings" -}}
{{- with .Values.gateway.a2a -}}
{{- if .apps }}
A2A_APPS: {{ join "," .apps | quote }}
{{- if .cards }}
A2A_CARDS_FILE: /run/fairlead/a2a/cards.yaml
{{- end }}
{{- if .signingKeysSecret.name }}
A2A_SIGNING_KEYS_FILE: /run/fairlead/a2a/signing-keys
{{- end }}
{{- with .push }}
A2A_PUSH: {{ . }}
{{- if $.Values.credentials.keysSecret.name }}
CREDENTIAL_KEYS_FILE: /run/fairlead/credentials/keys.yaml
{{- end }}
{{- end }}
{{- with .grpcPort }}
A2A_GRPC_PORT: {{ int . }}
{{- end }}
{{- with .grpcAddress }}
A2A_GRPC_ADDRESS: {{ . | quote }}
{{- end }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* Whether the gateway calls receivers of push notifications. "true" or nothing. */}}
{{- define "fairlead.sendsPushes" -}}
{{- with .Values.gateway.a2a -}}{{- if and .apps .push }}true{{ end -}}{{- end -}}
{{- end -}}

{{/* Whether the gateway calls addresses that clients name: of push notifications, or of webhooks. "true" or nothing. */}}
{{- define "fairlead.callsReceivers" -}}
{{- $settings := mergeOverwrite (deepCopy .Values.defaults) .Values.gateway | dig "settings" dict -}}
{{- if or (include "fairlead.sendsPushes" .) (ne (dig "WEBHOOKS" "off" $settings) "off") }}true{{ end -}}
{{- end -}}

{{- define "fairlead.a2aName" -}}
{{- include "fairlead.fullname" . }}-a2a
{{- end -}}

{{/* Sources of the gateway's projected volume. */}}
{{- define "fairlead.a2aSources" -}}
{{- $a2a := .Values.gateway.a2a -}}
{{- if and $a2a.apps $a2a.cards }}
- configMap:
    name: {{ include "fairlead.a2aName" . }}
    items:
      - {key: cards.yaml, path: a2a/cards.yaml}
{{- end }}
{{- if and $a2a.apps $a2a.signingKeysSecret.name }}
- secret:
    name: {{ $a2a.signingKeysSecret.name }}
    items:
      - {key: {{ $a2a.signingKeysSecret.key | quote }}, path: a2a/signing-keys}
{{- end }}
{{- end -}}

{{/* Values that contradict each other, as in _validate.tpl. */}}
{{- define "fairlead.validate.a2a" -}}
{{- $gateway := .Values.gateway -}}
{{- $a2a := $gateway.a2a -}}
{{- $given := dict "cards" $a2a.cards "grpcPort" $a2a.grpcPort "push" $a2a.push "signingKeysSecret.name" $a2a.signingKeysSecret.name -}}
{{- range $name, $value := $given }}
{{- if and $value (not $a2a.apps) }}
gateway.a2a.{{ $name }} is set, and gateway.a2a.apps offers no app: name the apps, or "*" for all.
{{- end }}
{{- end }}
{{- if and (has $a2a.push (list "firestore" "postgres")) (not .Values.credentials.keysSecret.name) }}
gateway.a2a.push is {{ $a2a.push }}, and credentials.keysSecret.name is empty: name a Secret with the file of keys that seal tokens of push notifications.
{{- end }}
{{- if and $a2a.grpcAddress (not $a2a.grpcPort) }}
gateway.a2a.grpcAddress is set, and gateway.a2a.grpcPort is 0: set the port.
{{- end }}
{{- if eq (int $a2a.grpcPort) (int $gateway.port) }}
gateway.a2a.grpcPort and gateway.port are both {{ $gateway.port }}: choose another port.
{{- end }}
{{- end -}}
