import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { FirestoreDatabase } from "./firestore-database.ts";

// The service's host is then `firestore.localhost`, where no server listens.
const UNIVERSE = "localhost";

afterEach(() => {
  vi.unstubAllEnvs();
});

function keyJson(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return JSON.stringify({
    type: "service_account",
    client_email: "a@p.iam.gserviceaccount.com",
    project_id: "p",
    universe_domain: UNIVERSE,
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
  });
}

it("looks for credentials again when there were none at the first call", { timeout: 30_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "credentials-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "key.json");
  vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", path);
  vi.stubEnv("GOOGLE_CLOUD_UNIVERSE_DOMAIN", UNIVERSE);
  await using database = new FirestoreDatabase({ projectId: "p", deadlineMs: 1000 });
  const failure = async (call: () => Promise<unknown>): Promise<string> => {
    const error = await call().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(PlatformError);
    expect(error).toMatchObject({ reason: "STORE_UNAVAILABLE" });
    return String((error as PlatformError).cause);
  };
  const calls = [
    () => database.read(["a/b"]),
    () => database.query({ parent: "a/b", collection: "c" }),
    () => database.commit([{ kind: "delete", path: "a/b" }]),
  ];
  for (const call of calls) expect(await failure(call)).toContain("key.json");
  writeFileSync(path, keyJson());
  for (const call of calls) expect(await failure(call)).not.toContain("key.json");
});
