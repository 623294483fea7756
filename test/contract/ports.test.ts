import { expect, it } from "vitest";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import type { AgentLoader } from "#kit/definitions/loaders/agent-loader.ts";
import { StaticAgentLoader } from "#kit/definitions/loaders/static-agent-loader.ts";
import { LlmAgent } from "#kit/llm-agent/llm-agent.ts";
import type { MemoryService } from "#kit/memory/memory-service.ts";
import type { RunJournal } from "#kit/sessions/run-journal.ts";
import type { SessionService } from "#kit/sessions/session-service.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import type { CredentialDirectory } from "#ports/credentials/credential-directory.ts";
import { InMemoryCredentialService } from "#ports/credentials/in-memory-credential-service.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { InMemoryRunStream } from "#ports/runs/in-memory-run-stream.ts";
import { InMemoryTraceStore } from "#ports/runs/in-memory-trace-store.ts";
import type { RunStream } from "#ports/runs/run-stream.ts";
import type { TraceStore } from "#ports/runs/trace-store.ts";
import { InMemorySessionStore } from "#ports/sessions/in-memory-session-store.ts";
import { verifies } from "#test/helpers/verifies.ts";

const sources = { clock: new FixedClock(), ids: new SequentialIds() };
const sessions = new InMemorySessionStore(sources);

/** All methods of a port: the type refuses a table that lacks one. */
type Methods<Port> = Readonly<Record<keyof Port, true>>;

const SESSION_SERVICE: Methods<SessionService> = {
  createSession: true,
  getSession: true,
  listSessions: true,
  deleteSession: true,
  listEvents: true,
  listEventRecords: true,
  appendEvent: true,
  closeSession: true,
  applyStateDelta: true,
};
const RUN_JOURNAL: Methods<RunJournal> = {
  begin: true,
  append: true,
  finish: true,
  renew: true,
  release: true,
  cancel: true,
  get: true,
  list: true,
  getHeads: true,
  listAbandoned: true,
};
const ARTIFACT_SERVICE: Methods<ArtifactService> = {
  saveArtifact: true,
  loadArtifact: true,
  describeArtifact: true,
  readArtifact: true,
  listArtifactKeys: true,
  listVersions: true,
  listArtifactVersions: true,
  getArtifactVersion: true,
  deleteArtifact: true,
  deleteSessionArtifacts: true,
};
const MEMORY_SERVICE: Methods<MemoryService> = {
  addSessionToMemory: true,
  addMemoryEntries: true,
  searchMemory: true,
  deleteSessionMemory: true,
};
const CREDENTIAL_SERVICE: Methods<CredentialService & CredentialDirectory> = {
  loadCredential: true,
  saveCredential: true,
  deleteCredential: true,
  listCredentials: true,
};
// Publishing, watching, announcing, expecting and rechecking have no answer. In memory, entries are written when `publish` returns. A new
// key needs no call.
const RUN_STREAM: Omit<Methods<RunStream>, "publish" | "watch" | "announce" | "expect" | "recheck" | "newKey"> = {
  subscribe: true,
};
const TRACE_STORE: Methods<TraceStore> = { record: true, byEvent: true, bySession: true };
// The others are optional.
const AGENT_LOADER: Omit<Methods<AgentLoader>, "findRevision" | "sharesOf" | "keeps" | "refresh"> = {
  listAgents: true,
  loadAgent: true,
  close: true,
};

it.each([
  ["SessionService", sessions, SESSION_SERVICE],
  ["RunJournal", sessions, RUN_JOURNAL],
  ["ArtifactService", new InMemoryArtifactService(sources), ARTIFACT_SERVICE],
  ["MemoryService", new InMemoryMemoryService(sources), MEMORY_SERVICE],
  ["CredentialService", new InMemoryCredentialService(), CREDENTIAL_SERVICE],
  ["RunStream", new InMemoryRunStream(sources), RUN_STREAM],
  ["TraceStore", new InMemoryTraceStore(), TRACE_STORE],
  ["AgentLoader", new StaticAgentLoader([new LlmAgent({ name: "helper" })]), AGENT_LOADER],
])("%s answers each call with a promise or a stream, also one that makes no sense", (_, port, methods) => {
  verifies("typescript:async");
  const synchronous = Object.keys(methods).filter((name) => {
    const answer: unknown = Reflect.apply(Reflect.get(port, name), port, [{}, [], {}]);
    if (answer instanceof Promise) answer.catch(() => {});
    return !(answer instanceof Promise) && !(answer instanceof Object && Symbol.asyncIterator in answer);
  });
  expect(synchronous).toEqual([]);
});

it.each([
  ["SessionService", sessions, SESSION_SERVICE],
  ["ArtifactService", new InMemoryArtifactService(sources), ARTIFACT_SERVICE],
  ["MemoryService", new InMemoryMemoryService(sources), MEMORY_SERVICE],
])("%s takes app, user and id as one object, never as three arguments", (_, port, methods) => {
  verifies("typescript:session-key-object");
  expect(Object.keys(methods).filter((name) => Reflect.get(port, name).length > 2)).toEqual([]);
});
