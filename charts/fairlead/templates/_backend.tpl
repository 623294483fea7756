{{/*
A backend for trials, from (dict "root" $ "name" "redis" "port" 6379 "settings" … "args" … "mounts" … "clients" (list …)).
One pod that keeps everything in memory.
*/}}
{{- define "fairlead.backend" -}}
{{- $root := .root -}}
{{- $port := .port -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  {{- include "fairlead.metadata" . | nindent 2 }}
spec:
  replicas: 1
  strategy:
    type: Recreate
  selector:
    matchLabels:
      {{- include "fairlead.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "fairlead.podLabels" . | nindent 8 }}
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      terminationGracePeriodSeconds: 10
      securityContext:
        {{- include "fairlead.podSecurity" $root | nindent 8 }}
      {{- include "fairlead.pullSecrets" $root | nindent 6 }}
      containers:
        - name: {{ .name }}
          image: {{ include "fairlead.externalImage" (dict "root" $root "image" .settings.image) }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          {{- with .settings.command }}
          command: {{ toJson . }}
          {{- end }}
          args: {{ toJson .args }}
          env:
            # The image's own home is read-only.
            - {name: HOME, value: /tmp}
          ports:
            - {name: main, containerPort: {{ $port }}, protocol: TCP}
          startupProbe:
            tcpSocket: {port: main}
            periodSeconds: 1
            failureThreshold: 120
          readinessProbe:
            tcpSocket: {port: main}
            periodSeconds: 5
          resources:
            {{- toYaml .settings.resources | nindent 12 }}
          securityContext:
            {{- include "fairlead.containerSecurity" $root | nindent 12 }}
          volumeMounts:
            - {name: tmp, mountPath: /tmp}
            - {name: data, mountPath: /data}
            {{- with .mount }}
            - {name: more, mountPath: {{ . }}}
            {{- end }}
      volumes:
        - {name: tmp, emptyDir: {}}
        - {name: data, emptyDir: {}}
        {{- if .mount }}
        - {name: more, emptyDir: {}}
        {{- end }}
---
apiVersion: v1
kind: Service
metadata:
  {{- include "fairlead.metadata" . | nindent 2 }}
spec:
  selector:
    {{- include "fairlead.selector" . | nindent 4 }}
  ports:
    - {name: main, port: {{ $port }}, targetPort: main, protocol: TCP}
{{- if $root.Values.networkPolicy.enabled }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  {{- include "fairlead.metadata" . | nindent 2 }}
spec:
  podSelector:
    matchLabels:
      {{- include "fairlead.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    - ports: [{protocol: TCP, port: {{ $port }}}]
      from:
        {{- range .clients }}
        - podSelector:
            matchLabels:
              {{- include "fairlead.selector" (dict "root" $root "name" .) | nindent 14 }}
        {{- end }}
{{- end }}
{{- end -}}
