import { USER_FILE_PREFIX } from "#kit/artifacts/artifact-service.ts";
import type { ArtifactKey__Output } from "#proto/fairlead/artifact/v1/ArtifactKey.ts";
import type { ArtifactServiceDefinition } from "#proto/fairlead/artifact/v1/ArtifactService.ts";
import { ownerOfCounts } from "#shared/quota/owner-of-counts.ts";
import type { OwnerRules } from "#shared/security/owner-rules.ts";
import type { Owner } from "#shared/security/principal.ts";

/** The owners of the artifacts that calls name. */
export const ARTIFACT_OWNERS: OwnerRules<ArtifactServiceDefinition> = {
  ListData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  DeleteData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  ListOldData: "no-user",
  DeleteOldData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  SaveArtifact: ({ header }) => ownerOf(header?.key),
  LoadArtifact: ({ key }) => key?.session ?? undefined,
  DescribeArtifact: ({ key }) => key?.session ?? undefined,
  ReadArtifact: ({ key }) => key?.session ?? undefined,
  ListArtifactKeys: ({ session }) => session ?? undefined,
  ListVersions: ({ key }) => key?.session ?? undefined,
  ListArtifactVersions: ({ key }) => key?.session ?? undefined,
  GetArtifactVersion: ({ key }) => key?.session ?? undefined,
  DeleteArtifact: ({ key }) => key?.session ?? undefined,
  DeleteSessionArtifacts: ({ session }) => session ?? undefined,
  ReadStored: ({ names }) => ownerOfCounts("names", names),
};

/** Later messages have no key. */
function ownerOf(key: ArtifactKey__Output | null | undefined): Owner | undefined {
  const session = key?.session;
  if (session === undefined || session === null) return undefined;
  return key?.filename.startsWith(USER_FILE_PREFIX) === true ? { ...session, ofUser: true } : session;
}
