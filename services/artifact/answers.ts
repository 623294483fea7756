import { CONTENT_RANGE_BYTES } from "#kit/artifacts/artifact-service.ts";
import { MAX_IDENTIFIER_BYTES } from "#kit/names/identifiers.ts";
import { NAMES_OF_PAGE } from "#kit/names/name-pages.ts";
import { MAX_DATA_PAGE_CHARACTERS } from "#ports/tenants/data-pages.ts";
import { MAX_OLD_PAGE } from "#ports/tenants/old-data.ts";
import type { ArtifactServiceDefinition } from "#proto/fairlead/artifact/v1/ArtifactService.ts";
import type { AnswerBounds } from "#shared/grpc/answer-bounds.ts";

/** Data as values and as bytes. */
const COPIES = 2;
const NUMBER_BYTES = 8;
/** Names and the time of a version. */
const ITEM_BYTES = 2048;
/** What clients may give as the metadata of a version, its address and times. */
const VERSION_BYTES = 80 * 1024;

/** How the answers about artifacts are bounded: content by its ranges, lists by their pages. */
export const ARTIFACT_ANSWERS: AnswerBounds<ArtifactServiceDefinition> = {
  ListData: COPIES * MAX_DATA_PAGE_CHARACTERS,
  DeleteData: "small",
  ListOldData: COPIES * ITEM_BYTES * MAX_OLD_PAGE,
  DeleteOldData: "small",
  SaveArtifact: COPIES * VERSION_BYTES,
  // One range is sent while the next one is read.
  LoadArtifact: 2 * COPIES * CONTENT_RANGE_BYTES,
  DescribeArtifact: "small",
  ReadArtifact: ({ bytes }) => COPIES * bytes,
  ListArtifactKeys: COPIES * NAMES_OF_PAGE * MAX_IDENTIFIER_BYTES,
  ListVersions: COPIES * NAMES_OF_PAGE * NUMBER_BYTES,
  ListArtifactVersions: 2 * COPIES * VERSION_BYTES,
  GetArtifactVersion: COPIES * VERSION_BYTES,
  DeleteArtifact: "small",
  DeleteSessionArtifacts: "small",
  ReadStored: "small",
};
