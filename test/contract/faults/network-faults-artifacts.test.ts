import { describe, it } from "vitest";
import { RemoteArtifactService } from "#adapters/grpc/remote-artifact-service.ts";
import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";
import { silentLogger } from "#kit/platform/logger.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { InMemoryArtifactService } from "#ports/artifacts/in-memory-artifact-service.ts";
import { createArtifactServer } from "#services/artifact/server.ts";
import { GRPC_FAULTS, GRPC_REASONS, openGrpcWorld } from "./grpc-world.ts";
import { expectRecovery, type NetworkOperation } from "./network-faults.ts";

const SESSION = { appName: "app", userId: "ada", id: "talk" };
const NOTES = { session: SESSION, filename: "notes.txt" };
const FIRST = { inlineData: { mimeType: "text/plain", data: "YQ==" } };
/** More than one HTTP/2 frame. */
const LARGE = { inlineData: { mimeType: "image/png", data: Buffer.alloc(40_000, 7).toString("base64") } };

const OPERATIONS: readonly NetworkOperation<ArtifactService, void>[] = [
  { name: "save", run: (store) => store.saveArtifact({ ...NOTES, artifact: LARGE }), isRepeatable: false },
  { name: "load", run: (store) => store.loadArtifact(NOTES) },
  { name: "list names", run: (store) => store.listArtifactKeys(SESSION) },
  { name: "list numbers", run: (store) => store.listVersions(NOTES) },
  { name: "list versions", run: (store) => store.listArtifactVersions(NOTES) },
  { name: "version", run: (store) => store.getArtifactVersion(NOTES) },
  { name: "delete", run: (store) => store.deleteArtifact(NOTES) },
  { name: "delete all of a session", run: (store) => store.deleteSessionArtifacts(SESSION) },
];

async function open() {
  const artifacts = new InMemoryArtifactService({ clock: new FixedClock() });
  const server = createArtifactServer({ artifacts, logger: silentLogger });
  const stored = async () => [
    await artifacts.listArtifactKeys(SESSION),
    await artifacts.listArtifactVersions(NOTES),
    await artifacts.loadArtifact(NOTES),
  ];
  return openGrpcWorld(server, (options) => new RemoteArtifactService(options), stored);
}

async function prepare(store: ArtifactService): Promise<void> {
  await store.saveArtifact({ ...NOTES, artifact: FIRST });
}

describe.each(GRPC_FAULTS)("a message to the artifact service that meets $name", ({ fault }) => {
  it.each(OPERATIONS)("leaves everything or nothing of $name, and the next call works", (operation) =>
    expectRecovery({ open, prepare, reasons: GRPC_REASONS }, operation, fault),
  );
});
