{{/* The call graph, and the properties of each service. A test compares it with the services' own call graph. */}}
{{- define "fairlead.graph" -}}
gateway: {callers: [], calls: [runner, session, artifact, memory, eval], transport: true, loadMetric: fairlead_http_requests_in_flight}
runner: {callers: [gateway, eval], calls: [session, artifact, memory], transport: true, loadMetric: fairlead_run_slots_busy, queueMetric: fairlead_runs_queued_oldest_seconds}
session: {callers: [gateway, runner, eval], calls: [], store: SESSION_STORE}
artifact: {callers: [gateway, runner, eval], calls: [], store: ARTIFACT_STORE}
memory: {callers: [gateway, runner], calls: [], store: MEMORY_STORE}
eval: {callers: [gateway], calls: [runner, session, artifact], store: EVAL_STORE}
{{- end -}}

{{/* Whether a service calls models: runners, evaluations with judges, and memory that keeps facts. "true" or nothing. */}}
{{- define "fairlead.asksModels" -}}
{{- $judges := and (eq .name "eval") (dig "settings" "EVAL_JUDGE_MODELS" "" .root.Values.eval) -}}
{{- $facts := and (eq .name "memory") (dig "settings" "MEMORY_FACTS_MODEL" "" .root.Values.memory) -}}
{{- if or (eq .name "runner") $judges $facts -}}true{{- end -}}
{{- end -}}

{{/* Whether a service uses what carries streams and counts: those of the graph, and evaluations whose judges count against quotas. "true" or nothing. */}}
{{- define "fairlead.usesTransport" -}}
{{- $service := get (include "fairlead.graph" .root | fromYaml) .name -}}
{{- if or $service.transport (and (eq .name "eval") (include "fairlead.asksModels" .) (include "fairlead.hasQuotas" .root)) -}}true{{- end -}}
{{- end -}}

{{/* Whether that is Redis for the service. "true" or nothing. */}}
{{- define "fairlead.usesRedis" -}}
{{- if eq .root.Values.transport "redis" }}{{ include "fairlead.usesTransport" . }}{{ end -}}
{{- end -}}

{{/* Whether it is Postgres. "true" or nothing. */}}
{{- define "fairlead.streamsInDatabase" -}}
{{- if eq .root.Values.transport "postgres" }}{{ include "fairlead.usesTransport" . }}{{ end -}}
{{- end -}}

{{- define "fairlead.grpcPort" -}}50051{{- end -}}
{{- define "fairlead.adminPort" -}}9090{{- end -}}

{{/* Whether a service keeps its data in files, which only one process can use. "true" or nothing. */}}
{{- define "fairlead.keepsFiles" -}}
{{- if eq .name "gateway" -}}
{{- include "fairlead.gatewayUses" (dict "root" .root "stores" (list "sqlite" "file")) -}}
{{- else if has (get .root.Values.stores .name) (list "sqlite" "files") -}}
true
{{- end -}}
{{- end -}}
