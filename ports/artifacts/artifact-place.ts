import { isUserArtifact } from "#kit/artifacts/artifact-key.ts";
import type { ArtifactKey } from "#kit/artifacts/artifact-service.ts";
import { tenantOf } from "#kit/names/tenant.ts";
import type { ContentPlace } from "../encryption/content-sealer.ts";

/**
 * The place where an artifact's content is stored, which its encryption authenticates. `part` is the number of a
 * version, or an id.
 */
export function artifactPlace(
  { session, filename }: ArtifactKey,
  kind: "artifact" | "artifact-data",
  part: string | number,
): ContentPlace {
  const { appName, userId, id } = session;
  const scope = isUserArtifact(filename) ? [] : [id];
  return { tenantId: tenantOf(session), parts: [kind, appName, userId, ...scope, filename, part] };
}
