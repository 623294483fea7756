import type { ArtifactService } from "#kit/artifacts/artifact-service.ts";

const SESSION = { appName: "app", userId: "user", id: "session" };
const OPERATIONS = 8;

/** The file that the operations ask for. */
export const ASKED_FILE = { session: SESSION, filename: "secret-name" } as const;

/** The outcome of each operation of a store that is lost: its answer, or the reason and message of its error. */
export async function artifactOutcomes(service: ArtifactService): Promise<readonly unknown[]> {
  const settled = await Promise.allSettled([
    service.saveArtifact({ ...ASKED_FILE, artifact: { text: "x" } }),
    service.loadArtifact(ASKED_FILE),
    service.loadArtifact(ASKED_FILE, 0),
    service.getArtifactVersion(ASKED_FILE, 0),
    service.listArtifactKeys(SESSION),
    service.listVersions(ASKED_FILE),
    service.deleteArtifact(ASKED_FILE),
    service.deleteSessionArtifacts(SESSION),
  ]);
  return settled.map((result) => {
    if (result.status === "fulfilled") return result.value;
    const { reason, message } = result.reason;
    return { reason, message };
  });
}

export function unavailable(message: string): { readonly reason: string; readonly message: string } {
  return { reason: "STORE_UNAVAILABLE", message };
}

/** The outcomes if each operation fails with the message. */
export function unavailableEverywhere(message: string): readonly unknown[] {
  return Array.from({ length: OPERATIONS }, () => unavailable(message));
}
