{{/* The call graph, and the properties of each service. A test compares it with the services' own call graph. */}}
{{- define "agentplane.graph" -}}
gateway: {callers: [], calls: [runner, session, artifact, memory, eval], redis: true, loadMetric: agentplane_http_requests_in_flight}
runner: {callers: [gateway], calls: [session, artifact, memory], redis: true, loadMetric: agentplane_run_slots_busy, queueMetric: agentplane_runs_queued_oldest_seconds}
session: {callers: [gateway, runner], calls: [], store: SESSION_STORE}
artifact: {callers: [gateway, runner], calls: [], store: ARTIFACT_STORE}
memory: {callers: [gateway, runner], calls: [], store: MEMORY_STORE}
eval: {callers: [gateway], calls: [], store: EVAL_STORE}
{{- end -}}

{{- define "agentplane.grpcPort" -}}50051{{- end -}}
{{- define "agentplane.adminPort" -}}9090{{- end -}}

{{/* Whether a service keeps its data in files, which only one process can use. "true" or nothing. */}}
{{- define "agentplane.keepsFiles" -}}
{{- $store := get .root.Values.stores .name | default "" -}}
{{- if or (eq $store "sqlite") (eq $store "files") }}true{{ end -}}
{{- end -}}
