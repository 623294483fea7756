import { packArtifact, unpackArtifact } from "#kit/artifacts/artifact-content.ts";
import { assertReadArtifact } from "#kit/artifacts/artifact-key.ts";
import type {
  ArtifactDescription,
  ArtifactKey,
  ArtifactService,
  ArtifactVersion,
  ListArtifactsResponse,
  ListArtifactVersionsResponse,
  ReadArtifactRequest,
  SaveArtifactRequest,
} from "#kit/artifacts/artifact-service.ts";
import type { Part } from "#kit/events/content.ts";
import { assertIdentifier, assertSessionKey } from "#kit/names/identifiers.ts";
import { inTenant } from "#kit/names/tenant.ts";
import type { SessionKey } from "#kit/sessions/session.ts";
import type { MeteredAmounts, MeteredStore } from "#ports/storage-limits/metered-amounts.ts";
import type { StorageCount } from "#ports/storage-limits/storage-limits.ts";
import { assertDataOwner } from "#ports/tenants/data-owner.ts";
import {
  assertOldItems,
  type DeleteOldRequest,
  type ListOldRequest,
  type OldData,
  type OldPage,
} from "#ports/tenants/old-data.ts";
import type {
  DataPage,
  DeleteDataRequest,
  DeleteDataResponse,
  ListDataRequest,
  TenantData,
} from "#ports/tenants/tenant-data.ts";
import type { SaveArtifactRequest as SaveMessage } from "#proto/fairlead/artifact/v1/SaveArtifactRequest.ts";
import { GrpcPeer, type PeerOptions } from "./channel/grpc-peer.ts";
import { loadProto } from "./channel/proto.ts";
import {
  fromDescription,
  fromVersionMessage,
  IncomingArtifact,
  toArtifactHeader,
} from "./messages/artifact-messages.ts";
import { fromDeletedMessage, fromOldItem, fromPageMessage, toListOldMessage } from "./messages/data-messages.ts";
import { chunks, required, toJsonBytes, toSessionKeyMessage, toTimestamp } from "./messages/messages.ts";
import { fromAmountsMessages, toStorageCounts } from "./messages/storage-messages.ts";

/**
 * The artifact service over gRPC. Identifiers are checked before they are sent, because the encoding would repair text
 * that is not well-formed.
 */
export class RemoteArtifactService implements ArtifactService, MeteredStore, TenantData, OldData, AsyncDisposable {
  readonly #methods = loadProto("artifact").fairlead.artifact.v1.ArtifactService.service;
  readonly #peer: GrpcPeer;

  constructor(options: PeerOptions) {
    this.#peer = new GrpcPeer({ ...options, name: "artifact", methods: this.#methods });
  }

  async saveArtifact(request: SaveArtifactRequest): Promise<ArtifactVersion> {
    const key = checkedKey(request);
    const content = packArtifact(request.artifact);
    const header: SaveMessage = {
      header: {
        key,
        artifact: toArtifactHeader(content),
        ...(request.customMetadata !== undefined && { customMetadataJson: toJsonBytes(request.customMetadata) }),
      },
    };
    const messages = function* (): Generator<SaveMessage> {
      yield header;
      if (content.bytes !== undefined) for (const chunk of chunks(content.bytes)) yield { chunk };
    };
    const { version } = await this.#peer.clientStream(this.#methods.SaveArtifact, messages());
    return fromVersionMessage(required(version));
  }

  async loadArtifact(artifact: ArtifactKey, version?: number): Promise<Part | undefined> {
    const key = checkedKey(artifact);
    if (!isVersion(version)) return undefined;
    let incoming: IncomingArtifact | undefined;
    const request = { key, ...(version !== undefined && { version }) };
    for await (const message of this.#peer.serverStream(this.#methods.LoadArtifact, request)) {
      if (message.header) incoming = new IncomingArtifact(message.header);
      else if (message.chunk !== undefined) incoming?.add(message.chunk);
    }
    return incoming === undefined ? undefined : unpackArtifact(incoming.content());
  }

  async describeArtifact(artifact: ArtifactKey, version?: number): Promise<ArtifactDescription | undefined> {
    const key = checkedKey(artifact);
    if (!isVersion(version)) return undefined;
    const request = { key, ...(version !== undefined && { version }) };
    const found = await this.#peer.unary(this.#methods.DescribeArtifact, request);
    return found.header ? fromDescription(found.version, found.header) : undefined;
  }

  async readArtifact(request: ReadArtifactRequest): Promise<Uint8Array | undefined> {
    assertReadArtifact(request);
    const { version, from, bytes } = request;
    if (!isVersion(version)) return undefined;
    const range = { key: checkedKey(request), version, from, bytes };
    return (await this.#peer.unary(this.#methods.ReadArtifact, range)).content;
  }

  async listArtifactKeys(session: SessionKey, after?: string): Promise<ListArtifactsResponse> {
    assertSessionKey(session);
    const { filenames } = await this.#peer.unary(this.#methods.ListArtifactKeys, {
      session: toSessionKeyMessage(session),
      ...(after !== undefined && { after }),
    });
    return { filenames };
  }

  async listVersions(artifact: ArtifactKey, after?: number): Promise<ListArtifactVersionsResponse> {
    const request = { key: checkedKey(artifact), ...(after !== undefined && { after }) };
    const { versions } = await this.#peer.unary(this.#methods.ListVersions, request);
    return { versions: versions.map(Number) };
  }

  async listArtifactVersions(artifact: ArtifactKey): Promise<readonly ArtifactVersion[]> {
    const found: ArtifactVersion[] = [];
    const request = { key: checkedKey(artifact) };
    for await (const { versions } of this.#peer.serverStream(this.#methods.ListArtifactVersions, request))
      found.push(...versions.map(fromVersionMessage));
    return found;
  }

  async getArtifactVersion(artifact: ArtifactKey, version?: number): Promise<ArtifactVersion | undefined> {
    const key = checkedKey(artifact);
    if (!isVersion(version)) return undefined;
    const request = { key, ...(version !== undefined && { version }) };
    const { version: found } = await this.#peer.unary(this.#methods.GetArtifactVersion, request);
    return found ? fromVersionMessage(found) : undefined;
  }

  async deleteArtifact(artifact: ArtifactKey): Promise<void> {
    await this.#peer.unary(this.#methods.DeleteArtifact, { key: checkedKey(artifact) });
  }

  async deleteSessionArtifacts(session: SessionKey): Promise<void> {
    assertSessionKey(session);
    await this.#peer.unary(this.#methods.DeleteSessionArtifacts, { session: toSessionKeyMessage(session) });
  }

  async readStored(counts: readonly StorageCount[]): Promise<readonly MeteredAmounts[]> {
    const { amounts } = await this.#peer.unary(this.#methods.ReadStored, { names: toStorageCounts(counts) });
    return fromAmountsMessages(amounts);
  }

  async listData(request: ListDataRequest): Promise<DataPage> {
    assertDataOwner(request);
    return fromPageMessage(await this.#peer.unary(this.#methods.ListData, request));
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    return fromDeletedMessage(await this.#peer.unary(this.#methods.DeleteData, request));
  }

  async listOldData(request: ListOldRequest): Promise<OldPage> {
    const answer = await this.#peer.unary(this.#methods.ListOldData, toListOldMessage(request));
    const items = answer.items.map(({ userId, sessionId, ...item }) => ({ ...fromOldItem(item), userId, sessionId }));
    return { items, nextPageToken: answer.nextPageToken };
  }

  async deleteOldData(request: DeleteOldRequest): Promise<number> {
    assertOldItems(request);
    const { appName, userId = "", before } = request;
    const { id: _, ...owner } = toSessionKeyMessage({ ...inTenant(request.tenantId), appName, userId, id: "any" });
    const items = request.items.map(({ sessionId, id }) => ({ sessionId, id }));
    const message = { ...owner, items, before: toTimestamp(before) };
    return (await this.#peer.unary(this.#methods.DeleteOldData, message)).deleted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
  }
}

function checkedKey({ session, filename }: ArtifactKey): ArtifactKey {
  assertSessionKey(session);
  assertIdentifier("filename", filename);
  return { session: toSessionKeyMessage(session), filename };
}

/** A value that is not a version number names no version; the encoding would convert it to one. */
function isVersion(version: number | undefined): boolean {
  return version === undefined || (Number.isSafeInteger(version) && version >= 0);
}
