import {
  fromArtifactKey,
  IncomingArtifact,
  toDescriptionHeader,
  toVersionMessage,
} from "#adapters/grpc/messages/artifact-messages.ts";
import {
  fromDeleteMessage,
  fromListMessage,
  fromListOldMessage,
  toOldPageMessage,
  toPageMessage,
} from "#adapters/grpc/messages/data-messages.ts";
import { fromJsonBytes, fromSessionKey, fromTimestamp } from "#adapters/grpc/messages/messages.ts";
import { fromStorageCounts, toAmountsMessages } from "#adapters/grpc/messages/storage-messages.ts";
import { unpackArtifact } from "#kit/artifacts/artifact-content.ts";
import { type ArtifactService, type ArtifactVersion, CONTENT_RANGE_BYTES } from "#kit/artifacts/artifact-service.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { allNames } from "#kit/names/name-pages.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import type { MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import { oldDataOf } from "#ports/tenants/old-data.ts";
import { tenantDataOf } from "#ports/tenants/tenant-data-of.ts";
import type { ArtifactServiceHandlers } from "#proto/fairlead/artifact/v1/ArtifactService.ts";
import type { LoadArtifactRequest__Output } from "#proto/fairlead/artifact/v1/LoadArtifactRequest.ts";
import type { LoadArtifactResponse } from "#proto/fairlead/artifact/v1/LoadArtifactResponse.ts";
import type { SaveArtifactHeader__Output } from "#proto/fairlead/artifact/v1/SaveArtifactHeader.ts";
import type { SaveArtifactRequest__Output } from "#proto/fairlead/artifact/v1/SaveArtifactRequest.ts";
import type { GrpcHandlers } from "#shared/grpc/grpc-handlers.ts";

/** The gRPC handlers of an `ArtifactService`. */
export function artifactHandlers(
  artifacts: ArtifactService & MeteredStore,
  handlers: GrpcHandlers,
): ArtifactServiceHandlers {
  const data = tenantDataOf(artifacts);
  const old = oldDataOf(artifacts);
  return {
    ListData: handlers.unary(async (request) => toPageMessage(await data.listData(fromListMessage(request)))),
    DeleteData: handlers.unary((request) => data.deleteData(fromDeleteMessage(request))),
    ListOldData: handlers.unary(async (request) =>
      toOldPageMessage(await old.listOldData(fromListOldMessage(request))),
    ),
    DeleteOldData: handlers.unary(async ({ before, ...names }) => ({
      deleted: await old.deleteOldData({ ...names, before: fromTimestamp(before) }),
    })),
    SaveArtifact: handlers.clientStream((messages) => saveArtifact(artifacts, messages)),
    LoadArtifact: handlers.serverStream((request) => loadArtifact(artifacts, request)),
    DescribeArtifact: handlers.unary(async ({ key, version }) => {
      const found = await artifacts.describeArtifact(fromArtifactKey(key), ...given(version));
      return found === undefined ? {} : { version: found.version, header: toDescriptionHeader(found) };
    }),
    ReadArtifact: handlers.unary(async ({ key, version, from, bytes }) => {
      const content = await artifacts.readArtifact({ ...fromArtifactKey(key), version, from, bytes });
      return content === undefined ? {} : { content: toBuffer(content) };
    }),
    ListArtifactKeys: handlers.unary(async ({ session, after }) => {
      const { filenames } = await artifacts.listArtifactKeys(fromSessionKey(session), after);
      return { filenames: [...filenames] };
    }),
    ListVersions: handlers.unary(async ({ key, after }) => {
      const { versions } = await artifacts.listVersions(fromArtifactKey(key), after);
      return { versions: [...versions] };
    }),
    ListArtifactVersions: handlers.serverStream(async function* ({ key: message }) {
      const key = fromArtifactKey(message);
      const versions = allNames(async (after?: number) => (await artifacts.listVersions(key, after)).versions);
      for await (const version of versions) {
        const found = await artifacts.getArtifactVersion(key, version);
        if (found !== undefined) yield { versions: [toVersionMessage(found)] };
      }
    }),
    GetArtifactVersion: handlers.unary(async ({ key, version }) => {
      const found = await artifacts.getArtifactVersion(fromArtifactKey(key), ...given(version));
      return found === undefined ? {} : { version: toVersionMessage(found) };
    }),
    DeleteArtifact: handlers.unary(async ({ key }) => {
      await artifacts.deleteArtifact(fromArtifactKey(key));
      return {};
    }),
    DeleteSessionArtifacts: handlers.unary(async ({ session }) => {
      await artifacts.deleteSessionArtifacts(fromSessionKey(session));
      return {};
    }),
    ReadStored: handlers.unary(async ({ names }) => ({
      amounts: toAmountsMessages(await artifacts.readStored(fromStorageCounts("names", names))),
    })),
  };
}

async function saveArtifact(artifacts: ArtifactService, messages: AsyncIterable<SaveArtifactRequest__Output>) {
  let header: SaveArtifactHeader__Output | undefined;
  let incoming: IncomingArtifact | undefined;
  for await (const message of messages) {
    if (message.header?.artifact) {
      header = message.header;
      incoming = new IncomingArtifact(message.header.artifact);
    } else if (message.chunk !== undefined) incoming?.add(message.chunk);
  }
  if (header === undefined || incoming === undefined) {
    throw new PlatformError("INVALID_FIELD", "The first message has no header.", { details: { field: "header" } });
  }
  const { key, customMetadataJson } = header;
  const saved: ArtifactVersion = await artifacts.saveArtifact({
    ...fromArtifactKey(key),
    artifact: unpackArtifact(incoming.content()),
    customMetadata: customMetadataJson && fromJsonBytes<JsonObject>(customMetadataJson, "The metadata"),
  });
  return { version: toVersionMessage(saved) };
}

/** Only one range of the content is in memory. */
async function* loadArtifact(
  artifacts: ArtifactService,
  { key: message, version: wanted }: LoadArtifactRequest__Output,
): AsyncGenerator<LoadArtifactResponse> {
  const key = fromArtifactKey(message);
  const found = await artifacts.describeArtifact(key, ...given(wanted));
  if (found === undefined) return;
  yield { header: toDescriptionHeader(found) };
  const { version, contentBytes = 0 } = found;
  for (let from = 0; from < contentBytes; from += CONTENT_RANGE_BYTES) {
    const bytes = Math.min(CONTENT_RANGE_BYTES, contentBytes - from);
    const chunk = await artifacts.readArtifact({ ...key, version, from, bytes });
    // The caller finds that the content is shorter than its header states.
    if (chunk === undefined) return;
    yield { chunk: toBuffer(chunk) };
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The arguments for an optional parameter: none if the field is absent. */
function given(version: number | undefined): [] | [number] {
  return version === undefined ? [] : [version];
}
