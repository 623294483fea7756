import type { SessionKey } from "#kit/sessions/session.ts";
import type { GatewayDeps } from "../deps.ts";

/**
 * Deletes what belongs to a session and is stored outside its store: its files, and the push notifications of its tasks.
 * Repeating it does nothing.
 */
export async function deleteSessionParts(
  { artifactService, pushStore }: Pick<GatewayDeps, "artifactService" | "pushStore">,
  key: SessionKey,
): Promise<void> {
  await artifactService.deleteSessionArtifacts(key);
  await pushStore?.deleteSession(key);
}
