import { join } from "node:path";
import { loadPackageDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { ProtoGrpcType as A2aTypes } from "#proto/a2a.ts";
import type { ProtoGrpcType as ArtifactTypes } from "#proto/artifact_service.ts";
import type { ProtoGrpcType as CredentialTypes } from "#proto/credential_service.ts";
import type { ProtoGrpcType as ErrorDetailsTypes } from "#proto/error_details.ts";
import type { ProtoGrpcType as EvalTypes } from "#proto/eval_service.ts";
import type { ProtoGrpcType as HealthTypes } from "#proto/health.ts";
import type { ProtoGrpcType as MemoryTypes } from "#proto/memory_service.ts";
import type { ProtoGrpcType as ReflectionTypes } from "#proto/reflection.ts";
import type { ProtoGrpcType as RunJournalTypes } from "#proto/run_journal_service.ts";
import type { ProtoGrpcType as RunnerTypes } from "#proto/runner_service.ts";
import type { ProtoGrpcType as SessionTypes } from "#proto/session_service.ts";
import type { ProtoGrpcType as StatusTypes } from "#proto/status.ts";

/** The form of messages in JavaScript. The types are generated with this same object: see proto/generate.ts. */
export const LOADER_OPTIONS = { longs: Number, enums: String, defaults: true, oneofs: true } as const;

export const PROTO_FOLDER: string = join(import.meta.dirname, "../../../proto");

/** The files that types are generated for, each with its imports. */
export const PROTO_FILES = {
  a2a: "lf/a2a/v1/a2a.proto",
  artifact: "fairlead/artifact/v1/artifact_service.proto",
  credential: "fairlead/credential/v1/credential_service.proto",
  errorDetails: "google/rpc/error_details.proto",
  eval: "fairlead/eval/v1/eval_service.proto",
  health: "grpc/health/v1/health.proto",
  memory: "fairlead/memory/v1/memory_service.proto",
  reflection: "grpc/reflection/v1/reflection.proto",
  runJournal: "fairlead/session/v1/run_journal_service.proto",
  runner: "fairlead/runner/v1/runner_service.proto",
  session: "fairlead/session/v1/session_service.proto",
  status: "google/rpc/status.proto",
} as const;

export interface ProtoTypes {
  readonly a2a: A2aTypes;
  readonly artifact: ArtifactTypes;
  readonly credential: CredentialTypes;
  readonly errorDetails: ErrorDetailsTypes;
  readonly eval: EvalTypes;
  readonly health: HealthTypes;
  readonly memory: MemoryTypes;
  readonly reflection: ReflectionTypes;
  readonly runJournal: RunJournalTypes;
  readonly runner: RunnerTypes;
  readonly session: SessionTypes;
  readonly status: StatusTypes;
}

/** Cached, because the files never change while the process runs. */
const LOADED = new Map<keyof ProtoTypes, unknown>();

/** The services and messages of one file. Read on first use, because reading all of them costs start time. */
export function loadProto<Name extends keyof ProtoTypes>(name: Name): ProtoTypes[Name] {
  let loaded = LOADED.get(name);
  if (loaded === undefined) {
    const definition = loadSync(PROTO_FILES[name], { ...LOADER_OPTIONS, includeDirs: [PROTO_FOLDER] });
    loaded = loadPackageDefinition(definition);
    LOADED.set(name, loaded);
  }
  // The types were generated from the same file with the same options; a test compares them.
  return loaded as ProtoTypes[Name];
}
