{{/* What the schema cannot express: values that contradict each other. All problems are reported together, each with its fix. */}}
{{- define "fairlead.validate" -}}
{{- $problems := list -}}
{{- range list "stores" "services" "database" "objectStorage" "redis" "auth" "identity" "agents" "edge" "a2a" "platform" -}}
{{- $found := include (printf "fairlead.validate.%s" .) $ -}}
{{- range splitList "\n" $found }}{{ with trim . }}{{ $problems = append $problems . }}{{ end }}{{ end -}}
{{- end -}}
{{- if $problems }}{{ fail (printf "\n\nThe values contradict each other:\n- %s\n" (join "\n- " $problems)) }}{{ end -}}
{{- end -}}

{{- define "fairlead.validate.stores" -}}
{{- $values := .Values -}}
{{- $isProduction := eq $values.environment "production" -}}
{{- $usesFirestore := false -}}
{{- range $service, $store := $values.stores -}}
{{- $merged := mergeOverwrite (deepCopy $values.defaults) (index $values $service) -}}
{{- $keepsFiles := include "fairlead.keepsFiles" (dict "root" $ "name" $service) -}}
{{- if eq $store "firestore" }}{{ $usesFirestore = true }}{{ end -}}
{{- if and (eq $store "memory") $isProduction }}
stores.{{ $service }} is memory, whose data is lost with its pod: choose a durable store, or set environment: development.
{{- end }}
{{- if and (or $keepsFiles (eq $store "memory")) (gt (int $merged.replicas) 1) }}
stores.{{ $service }} is {{ $store }}, which belongs to one process, and {{ $service }}.replicas is {{ $merged.replicas }}: set it to 1, or use {{ ternary "gcs, s3 or azure" "postgres or firestore" (eq $service "artifact") }}.
{{- end }}
{{- if and (or $keepsFiles (eq $store "memory")) (or $merged.autoscaling.enabled $merged.autoscaling.keda) }}
stores.{{ $service }} is {{ $store }}, which belongs to one process, and {{ $service }} is scaled: set {{ $service }}.autoscaling.enabled and .keda to false, or use {{ ternary "gcs, s3 or azure" "postgres or firestore" (eq $service "artifact") }}.
{{- end }}
{{- if and $keepsFiles $isProduction (not $merged.persistence.enabled) }}
stores.{{ $service }} is {{ $store }} without a volume, and would be lost with its pod: set {{ $service }}.persistence.enabled, or environment: development.
{{- end }}
{{- end }}
{{- if and $usesFirestore (not $values.firestore.projectId) (not $values.dev.firestore.enabled) }}
firestore.projectId is empty, and the stores use Firestore: name the Google Cloud project; or start from scenarios/kind.yaml, which brings an emulator.
{{- end }}
{{- if or $values.vertex.sessions (eq $values.stores.memory "vertex") -}}
{{- range $key := list "projectId" "location" "agentEngineId" -}}
{{- if not (get $values.vertex $key) }}
vertex.{{ $key }} is empty, and {{ ternary "vertex.sessions" "stores.memory" $values.vertex.sessions }} uses Google's Agent Platform: set it.
{{- end }}
{{- end }}
{{- if or $values.contentEncryption.keysSecret.name $values.contentEncryption.kmsKey }}
{{ ternary "vertex.sessions" "stores.memory" $values.vertex.sessions }} gives content to Google in plain text, and contentEncryption demands that it is encrypted: choose one.
{{- end }}
{{- end }}
{{- if and (eq $values.stores.artifact "gcs") (not $values.gcs.bucket) (not $values.dev.gcs.enabled) }}
gcs.bucket is empty, and stores.artifact is gcs: name a bucket of this release's own, or set stores.artifact to files.
{{- end }}
{{- if and (include "fairlead.gatewayUses" (dict "root" . "stores" (list "firestore"))) (not $usesFirestore) (not $values.firestore.projectId) (not $values.dev.firestore.enabled) }}
firestore.projectId is empty, and the gateway keeps API keys, push notifications or its audit log in Firestore: name the Google Cloud project, or choose another gateway.auth.apiKeys.store, gateway.a2a.push or gateway.audit.
{{- end }}
{{- if $isProduction -}}
{{- range $name, $backend := $values.dev -}}
{{- if $backend.enabled }}
dev.{{ $name }}.enabled is for trials, because its data is lost with its pod: use the real one, or set environment: development.
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "fairlead.validate.services" -}}
{{- $values := .Values -}}
{{- range $name, $service := (include "fairlead.graph" . | fromYaml) -}}
{{- $merged := mergeOverwrite (deepCopy $values.defaults) (index $values $name) -}}
{{- $scaling := $merged.autoscaling -}}
{{- if and $scaling.enabled $scaling.keda }}
{{ $name }}.autoscaling.enabled and {{ $name }}.autoscaling.keda would both scale the same pods: choose one.
{{- end }}
{{- if or $scaling.enabled $scaling.keda -}}
{{- if lt (int $scaling.minReplicas) 1 }}
{{ $name }}.autoscaling.minReplicas is 0, and nothing would start the first pod again: callers ask the service itself and do not wait in a queue, {{ ternary "the gateways are not ready without a runner, and queued runs are counted by runners" "and its load is counted by its own pods" (eq $name "runner") }}. Set it to 1.
{{- end }}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) }}
{{ $name }}.autoscaling.minReplicas is {{ $scaling.minReplicas }}, more than maxReplicas, {{ $scaling.maxReplicas }}: lower it.
{{- end }}
{{- if and (not $scaling.targetLoad) (not $scaling.targetQueueAgeSeconds) (not $scaling.targetCPUUtilizationPercentage) }}
{{ $name }}.autoscaling has nothing to scale by: set targetLoad or targetCPUUtilizationPercentage.
{{- end }}
{{- if and $scaling.targetLoad (not $service.loadMetric) }}
{{ $name }}.autoscaling.targetLoad is set, but only gateway and runner have a load of their own: set targetCPUUtilizationPercentage.
{{- end }}
{{- if and $scaling.targetQueueAgeSeconds (not $service.queueMetric) }}
{{ $name }}.autoscaling.targetQueueAgeSeconds is set, but only runs are queued: set it under runner.
{{- end }}
{{- if and $scaling.targetCPUUtilizationPercentage (not (dig "requests" "cpu" "" $merged.resources)) }}
{{ $name }}.autoscaling.targetCPUUtilizationPercentage is a share of {{ $name }}.resources.requests.cpu, which is not set: set it, or the target to 0.
{{- end }}
{{- end }}
{{- if and $scaling.keda (not $scaling.prometheusAddress) (or $scaling.targetLoad $scaling.targetQueueAgeSeconds) }}
{{ $name }}.autoscaling.keda asks Prometheus for the load: set {{ $name }}.autoscaling.prometheusAddress, such as http://prometheus.monitoring:9090.
{{- end }}
{{- $needed := add $merged.preStopSeconds $merged.drainSeconds -}}
{{- if and $merged.terminationGracePeriodSeconds (lt (int $merged.terminationGracePeriodSeconds) (int $needed)) }}
{{ $name }}.terminationGracePeriodSeconds is {{ $merged.terminationGracePeriodSeconds }}, and a pod needs {{ $needed }} (preStopSeconds and drainSeconds) for an orderly end: leave it out, or raise it.
{{- end }}
{{- range $value, $own := include "fairlead.ownMembers" . | fromYaml -}}
{{- $given := ternary (get $merged.service "extraSpec") (get $merged $value) (eq $value "service.extraSpec") -}}
{{- range $member, $_ := $given -}}
{{- if has $member $own }}
{{ $name }}.{{ $value }}.{{ $member }} is set by the chart: use the value that exists for it.
{{- end }}
{{- end }}
{{- end }}
{{- if and (not $merged.serviceAccount.create) (not $merged.serviceAccount.name) $merged.serviceAccount.annotations }}
{{ $name }}.serviceAccount.annotations belong to an account that the chart does not create: set {{ $name }}.serviceAccount.create, or annotate the account itself.
{{- end }}
{{- end }}
{{- end -}}

{{/* Members of a spec that the chart itself sets, and that further ones would repeat. */}}
{{- define "fairlead.ownMembers" -}}
extraPodSpec: [serviceAccountName, automountServiceAccountToken, enableServiceLinks, terminationGracePeriodSeconds, securityContext, imagePullSecrets, priorityClassName, runtimeClassName, nodeSelector, tolerations, hostAliases, dnsConfig, affinity, topologySpreadConstraints, initContainers, containers, volumes, hostNetwork, hostPID, hostIPC]
extraContainerSpec: [name, image, imagePullPolicy, args, env, envFrom, ports, startupProbe, readinessProbe, livenessProbe, resources, securityContext, volumeMounts]
service.extraSpec: [type, clusterIP, publishNotReadyAddresses, selector, ports]
{{- end -}}

{{- define "fairlead.validate.redis" -}}
{{- $redis := .Values.redis -}}
{{- $ways := list -}}
{{- if .Values.dev.redis.enabled }}{{ $ways = append $ways "dev.redis.enabled" }}{{ end -}}
{{- if $redis.url }}{{ $ways = append $ways "redis.url" }}{{ end -}}
{{- if $redis.sentinels }}{{ $ways = append $ways "redis.sentinels" }}{{ end -}}
{{- if $redis.clusterNodes }}{{ $ways = append $ways "redis.clusterNodes" }}{{ end -}}
{{- if and $redis.existingSecret.name $redis.existingSecret.urlKey }}{{ $ways = append $ways "redis.existingSecret.urlKey" }}{{ end -}}
{{- if and (not $ways) (eq .Values.transport "redis") }}
Redis is missing, which carries the streams of runs: set redis.url, redis.existingSecret with urlKey, redis.sentinels or redis.clusterNodes; dev.redis.enabled with environment: development; or transport: postgres.
{{- end }}
{{- if gt (len $ways) 1 }}
Redis is given more than once, by {{ join " and " $ways }}: keep one.
{{- end }}
{{- if regexMatch "^[a-z]+://[^/]*@" $redis.url }}
redis.url carries a password, which everybody who may read pods would see: put the URL into a Secret and name it under redis.existingSecret.
{{- end }}
{{- range $name, $user := $redis.users }}
{{- if and $user.username (not $user.passwordSecret.name) }}
redis.users.{{ $name }}.username is set without a password: name its Secret by redis.users.{{ $name }}.passwordSecret.name.
{{- end }}
{{- if and $user.passwordSecret.name (not $user.username) }}
redis.users.{{ $name }}.passwordSecret is set without a user: set redis.users.{{ $name }}.username.
{{- end }}
{{- end }}
{{- with $redis.existingSecret }}
{{- if and .name (not (or .urlKey .passwordKey .caKey)) }}
redis.existingSecret.name is set without a key: name what it holds by urlKey, passwordKey or caKey.
{{- end }}
{{- if and (not .name) (or .urlKey .passwordKey .caKey) }}
redis.existingSecret has keys but no name: name the Secret.
{{- end }}
{{- end }}
{{- end -}}

{{- define "fairlead.validate.auth" -}}
{{- $auth := .Values.serviceAuth -}}
{{- $isProduction := eq .Values.environment "production" -}}
{{- if and $isProduction (eq $auth.mode "none") (not .Values.networkPolicy.enabled) }}
serviceAuth.mode is none and networkPolicy.enabled is false, so any pod of the cluster could read and write sessions: switch one of them on.
{{- end }}
{{- if and (eq $auth.mode "mtls") (eq $auth.mtls.source "existing") -}}
{{- range keys (include "fairlead.graph" . | fromYaml) | sortAlpha -}}
{{- if not (get $auth.mtls.existingSecrets .) }}
serviceAuth.mtls.existingSecrets.{{ . }} is missing: name the Secret with its tls.crt, tls.key and ca.crt.
{{- end }}
{{- end }}
{{- end }}
{{- if and (not .Values.generateSecrets) (eq $auth.mode "mtls") (eq $auth.mtls.source "chart") }}
serviceAuth.mtls.source is chart, and generateSecrets is false: use cert-manager or existing certificates.
{{- end }}
{{- if and $auth.acceptedSecret (not $auth.existingSecret) }}
serviceAuth.acceptedSecret is set, but the tokens would be made by the chart: name their Secret under serviceAuth.existingSecret too.
{{- end }}
{{- $signing := $auth.signingKeys -}}
{{- if or (ne (empty $signing.principalSecret) (empty $signing.publicSecret)) (ne (empty $signing.grantSecret) (empty $signing.publicSecret)) }}
serviceAuth.signingKeys names some of principalSecret, grantSecret and publicSecret: name all three, because a public key belongs to its private one, or none.
{{- end }}
{{- if and .Values.externalSecrets.enabled (not .Values.externalSecrets.secretStoreRef.name) }}
externalSecrets.enabled needs a store: set externalSecrets.secretStoreRef.name.
{{- end }}
{{- if and $isProduction .Values.models.keys }}
models.keys would put keys into the release's values, where they stay: name existing Secrets under models.secrets, or set environment: development.
{{- end }}
{{- $seen := dict -}}
{{- range $variable, $_key := .Values.models.keys }}{{ $_ := set $seen $variable true }}{{ end -}}
{{- range .Values.models.secrets -}}
{{- if hasKey $seen .variable }}
models gives {{ .variable }} twice: keep one.
{{- end }}
{{- $_ := set $seen .variable true -}}
{{- end }}
{{- end -}}

{{- define "fairlead.validate.agents" -}}
{{- $agents := .Values.agents -}}
{{- if not (or $agents.imageFolder $agents.definitions $agents.configMaps) }}
There are no agents: set agents.imageFolder, agents.definitions or agents.configMaps.
{{- end }}
{{- $seen := dict -}}
{{- range $app, $files := $agents.definitions -}}
{{- $_ := set $seen $app true -}}
{{- if not (or (hasKey $files "root_agent.yaml") (hasKey $files "root_agent.yml") (hasKey $files "root_agent.json")) }}
agents.definitions.{{ $app }} has no root_agent.yaml, so it would not be an app: add it.
{{- end }}
{{- end }}
{{- range $agents.configMaps -}}
{{- if hasKey $seen .app }}
agents gives the app {{ .app }} twice: keep one.
{{- end }}
{{- $_ := set $seen .app true -}}
{{- end }}
{{- end -}}

{{- define "fairlead.validate.edge" -}}
{{- $ingress := .Values.ingress -}}
{{- $route := .Values.gatewayApi -}}
{{- $gateway := .Values.gateway -}}
{{- $public := list -}}
{{- if $ingress.enabled }}{{ range $ingress.hosts }}{{ if include "fairlead.isPublic" . }}{{ $public = append $public (printf "ingress.hosts has %q" .) }}{{ end }}{{ end }}{{ end -}}
{{- if $route.enabled }}{{ range $route.hostnames | default (list "") }}{{ if include "fairlead.isPublic" . }}{{ $public = append $public (printf "gatewayApi.hostnames has %q" .) }}{{ end }}{{ end }}{{ end -}}
{{- if ne $gateway.service.type "ClusterIP" }}{{ $public = append $public (printf "gateway.service.type is %s" $gateway.service.type) }}{{ end -}}
{{- if not (or $gateway.auth.kinds $gateway.allowUnauthenticated) -}}
{{- if eq .Values.environment "production" }}
gateway.auth.kinds is empty, so everybody who can connect to the gateway could read and change everything: set it (scenarios/oidc.yaml, scenarios/api-keys.yaml), or gateway.allowUnauthenticated: true where something in front authenticates callers.
{{- else -}}
{{- range $public }}
{{ . }}, where everybody could read and change everything: set gateway.auth.kinds, or gateway.allowUnauthenticated: true where something in front authenticates callers, or use a host that ends with .localhost, .local, .internal or .test.
{{- end }}
{{- end }}
{{- end }}
{{- if and $ingress.enabled (not $ingress.hosts) }}
ingress.enabled needs a host: set ingress.hosts.
{{- end }}
{{- if $ingress.enabled -}}
{{- $tls := $ingress.tls -}}
{{- if and $tls.enabled (not (or $tls.secretName $tls.issuer $tls.clusterIssuer)) }}
ingress.tls.enabled has no certificate: set ingress.tls.secretName, or ingress.tls.issuer or .clusterIssuer for cert-manager.
{{- end }}
{{- if and $tls.issuer $tls.clusterIssuer }}
ingress.tls.issuer and ingress.tls.clusterIssuer both make the certificate: keep one.
{{- end }}
{{- if and (not $tls.enabled) (or $tls.secretName $tls.issuer $tls.clusterIssuer) }}
ingress.tls names a certificate but is off: set ingress.tls.enabled.
{{- end }}
{{- if and (ne $ingress.path "/") (ne (dig "PATH_PREFIX" "" (default dict $gateway.settings)) (trimSuffix "/" $ingress.path)) }}
ingress.path is {{ $ingress.path }}, and gateway.settings.PATH_PREFIX differs: set gateway.settings.PATH_PREFIX to {{ trimSuffix "/" $ingress.path }}.
{{- end }}
{{- end }}
{{- if $route.enabled -}}
{{- if not (or $route.parentRefs $route.gateway.create) }}
gatewayApi.enabled needs a Gateway: set gatewayApi.parentRefs, or gatewayApi.gateway.create.
{{- end }}
{{- if and $route.gateway.create (not $route.gateway.className) }}
gatewayApi.gateway.create needs a class: set gatewayApi.gateway.className.
{{- end }}
{{- end }}
{{- end -}}

{{/* Whether the host can be reached from outside this machine and its network. "true" or nothing. */}}
{{- define "fairlead.isPublic" -}}
{{- if not (regexMatch "(^|\\.)(localhost|local|internal|test)$" .) }}true{{ end -}}
{{- end -}}

{{- define "fairlead.validate.platform" -}}
{{- if and .Values.contentEncryption.keysSecret.name .Values.contentEncryption.kmsKey }}
contentEncryption.keysSecret.name and contentEncryption.kmsKey are both set: keep one.
{{- end }}
{{- $credentials := .Values.credentials }}
{{- if and (eq $credentials.store "sessions") (not $credentials.keysSecret.name) }}
credentials.keysSecret.name is empty, and credentials.store is sessions: name a Secret with the file of keys that seal users' credentials (docs/operate/credentials.md).
{{- end }}
{{- if and (eq $credentials.store "sessions") (eq .Values.stores.session "memory") }}
credentials.store is sessions, and stores.session is memory: choose a durable store of sessions, or set credentials.store to memory.
{{- end }}
{{- if and (eq $credentials.store "memory") $credentials.keysSecret.name (not (include "fairlead.callsReceivers" .)) }}
credentials.keysSecret is set, and credentials.store is memory, which needs no keys: set credentials.store to sessions.
{{- end }}
{{- if and .Values.quotas.rules .Values.quotas.configMap.name }}
quotas.rules and quotas.configMap.name are both set: keep one.
{{- end }}
{{- if and .Values.image.digest (not (hasPrefix "sha256:" .Values.image.digest)) }}
image.digest is {{ .Values.image.digest }}: a digest begins with sha256:.
{{- end }}
{{- if and .Values.telemetry.headersSecret.name (not .Values.telemetry.otlpEndpoint) }}
telemetry.headersSecret is set, but no traces are exported: set telemetry.otlpEndpoint.
{{- end }}
{{- end -}}
