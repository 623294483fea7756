{{/* Whether a service has its store on S3 or Azure, from (dict "root" $ "name" …). "true" or nothing. */}}
{{- define "fairlead.usesObjectStorage" -}}
{{- if has (default "" (get .root.Values.stores .name)) (list "s3" "azure") }}true{{ end -}}
{{- end -}}

{{- define "fairlead.objectStorageSettings" -}}
{{- $storage := .Values.objectStorage -}}
{{- if eq .Values.stores.artifact "azure" -}}
AZURE_CONTAINER_URL: {{ $storage.containerUrl | quote }}
{{- if $storage.existingSecret.name }}
AZURE_ACCOUNT_KEY_FILE: /run/fairlead/object-storage/account-key
{{- end }}
{{- else -}}
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
{{- end }}
{{- end -}}

{{/* A source of the projected volume. */}}
{{- define "fairlead.objectStorageSource" -}}
{{- with .Values.objectStorage.existingSecret }}
{{- if .name }}
- secret:
    name: {{ .name }}
    items:
      {{- if eq $.Values.stores.artifact "azure" }}
      - {key: {{ .accountKeyKey | quote }}, path: object-storage/account-key}
      {{- else }}
      - {key: {{ .accessKeyIdKey | quote }}, path: object-storage/access-key-id}
      - {key: {{ .secretAccessKeyKey | quote }}, path: object-storage/secret-access-key}
      {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "fairlead.objectStorageEgress" -}}
- ports: [{protocol: TCP, port: {{ int .Values.objectStorage.port }}}]
  {{- with .Values.networkPolicy.objectStorage.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- if and (eq .Values.stores.artifact "s3") (not .Values.objectStorage.existingSecret.name) }}
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
{{- $isAzure := eq .Values.stores.artifact "azure" -}}
{{- if and $isAzure (not $storage.containerUrl) }}
objectStorage.containerUrl is empty, and stores.artifact is azure: name a container of this release's own, or set stores.artifact to files.
{{- end }}
{{- if and $storage.containerUrl (not $isAzure) }}
objectStorage.containerUrl is set, and stores.artifact is {{ .Values.stores.artifact }}: set stores.artifact to azure, or remove the URL.
{{- end }}
{{- end -}}
