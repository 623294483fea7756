{{/* Whether a service has its store on S3, from (dict "root" $ "name" …). "true" or nothing. */}}
{{- define "fairlead.usesObjectStorage" -}}
{{- if eq (default "" (get .root.Values.stores .name)) "s3" }}true{{ end -}}
{{- end -}}

{{- define "fairlead.objectStorageSettings" -}}
{{- $storage := .Values.objectStorage -}}
S3_BUCKET: {{ $storage.bucket | quote }}
S3_REGION: {{ $storage.region | quote }}
S3_PATH_STYLE: {{ $storage.pathStyle | quote }}
{{- with $storage.endpoint }}
S3_ENDPOINT: {{ . | quote }}
{{- end }}
{{- with $storage.kmsKeyId }}
S3_KMS_KEY_ID: {{ . | quote }}
{{- end }}
{{- if $storage.existingSecret.name }}
S3_ACCESS_KEY_ID_FILE: /run/fairlead/object-storage/access-key-id
S3_SECRET_ACCESS_KEY_FILE: /run/fairlead/object-storage/secret-access-key
{{- end }}
{{- end -}}

{{/* A source of the projected volume. */}}
{{- define "fairlead.objectStorageSource" -}}
{{- with .Values.objectStorage.existingSecret }}
{{- if .name }}
- secret:
    name: {{ .name }}
    items:
      - {key: {{ .accessKeyIdKey | quote }}, path: object-storage/access-key-id}
      - {key: {{ .secretAccessKeyKey | quote }}, path: object-storage/secret-access-key}
{{- end }}
{{- end }}
{{- end -}}

{{- define "fairlead.objectStorageEgress" -}}
- ports: [{protocol: TCP, port: {{ int .Values.objectStorage.port }}}]
  {{- with .Values.networkPolicy.objectStorage.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- if not .Values.objectStorage.existingSecret.name }}
{{- /* EKS Pod Identity gives pods their role at this address. */}}
- ports: [{protocol: TCP, port: 80}]
  to:
    - ipBlock: {cidr: 169.254.170.23/32}
{{- end }}
{{- end -}}

{{- define "fairlead.validate.objectStorage" -}}
{{- $storage := .Values.objectStorage -}}
{{- $isUsed := eq .Values.stores.artifact "s3" -}}
{{- if and $isUsed (not $storage.bucket) }}
objectStorage.bucket is empty, and stores.artifact is s3: name a bucket of this release's own, or set stores.artifact to files.
{{- end }}
{{- if and $storage.bucket (not $isUsed) }}
objectStorage.bucket is set, and stores.artifact is {{ .Values.stores.artifact }}: set stores.artifact to s3, or remove the bucket.
{{- end }}
{{- end -}}
