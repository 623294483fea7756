import type { Requirement } from "#test/requirements/requirement.ts";

/** What the platform itself promises, beside the specification of the server and the kit. */
export const platform: readonly Requirement[] = [
  { id: "platform:services", status: "gated", text: "Gateway, runner, session, artifact, memory and eval services run as processes of their own and answer a conversation together." },
  { id: "platform:services:replaced", status: "gated", text: "The conversation continues after any of the six was killed and started again." },
  { id: "platform:grpc", status: "verified", text: "The services talk gRPC: a session of many megabytes goes through the session service and back." },
  { id: "platform:grpc:contract", status: "verified", text: "The calls are defined in proto files, from which the types in the code are generated." },
  { id: "platform:firestore:sessions", status: "gated", text: "Sessions, events and runs are kept in Firestore." },
  { id: "platform:firestore:memory", status: "gated", text: "Memory is kept in Firestore." },
  { id: "platform:firestore:evaluation", status: "gated", text: "Evaluation sets and results are kept in Firestore." },
  { id: "platform:cloud-storage", status: "gated", text: "Artifacts are kept in Cloud Storage." },
  { id: "platform:redis:pub-sub", status: "gated", text: "Events of a run reach readers in other processes by Redis pub/sub." },
  { id: "platform:resume-on-any-replica", status: "gated", text: "Any gateway continues the stream of a run that another gateway has begun." },
  { id: "platform:run-survives-runner", status: "gated", text: "A run survives the loss of its runner: another one recovers it." },
  { id: "platform:helm:renders", status: "gated", text: "The Helm chart renders workloads for the six services that pass Helm's own checks." },
  { id: "platform:helm:ingress", status: "gated", text: "The chart publishes the gateway by an Ingress that does not cut long streams." },
  { id: "platform:helm:install", status: "gated", text: "`helm install` gives a release whose pods run and whose own test passes." },
  { id: "platform:kind", status: "pending", text: "Integration tests run against a kind cluster on a developer's machine." },
  { id: "platform:one-process", status: "verified", text: "One process with embedded stores serves the same HTTP surface without any other service." },
];
