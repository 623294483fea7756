import type { ArtifactServiceDefinition } from "#proto/fairlead/artifact/v1/ArtifactService.ts";
import { ownerOfCounts } from "#shared/quota/owner-of-counts.ts";
import type { OwnerRules } from "#shared/security/owner-rules.ts";

/** The owners of the artifacts that calls name. */
export const ARTIFACT_OWNERS: OwnerRules<ArtifactServiceDefinition> = {
  ListData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  DeleteData: ({ tenantId }) => ({ tenantId, everyUser: true }),
  SaveArtifact: ({ header }) => header?.key?.session ?? undefined,
  LoadArtifact: ({ key }) => key?.session ?? undefined,
  ListArtifactKeys: ({ session }) => session ?? undefined,
  ListVersions: ({ key }) => key?.session ?? undefined,
  ListArtifactVersions: ({ key }) => key?.session ?? undefined,
  GetArtifactVersion: ({ key }) => key?.session ?? undefined,
  DeleteArtifact: ({ key }) => key?.session ?? undefined,
  DeleteSessionArtifacts: ({ session }) => session ?? undefined,
  ReadStored: ({ names }) => ownerOfCounts("names", names),
};
