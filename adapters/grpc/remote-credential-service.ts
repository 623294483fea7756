import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { CredentialOwner, CredentialService, StoredCredential } from "#kit/credentials/credential-service.ts";
import type {
  CredentialDirectory,
  CredentialSummary,
  CredentialUser,
} from "#ports/credentials/credential-directory.ts";
import { assertCredentialUser, credentialText } from "#ports/credentials/credential-rules.ts";
import { assertDataOwner } from "#ports/tenants/data-owner.ts";
import type { DeletableData, DeleteDataRequest, DeleteDataResponse } from "#ports/tenants/tenant-data.ts";
import { GrpcPeer, type PeerOptions } from "./channel/grpc-peer.ts";
import { loadProto } from "./channel/proto.ts";
import { fromCredentialJson, fromSummaryMessage, toCredentialName } from "./messages/credential-messages.ts";
import { fromDeletedMessage } from "./messages/data-messages.ts";
import { toTenantMember } from "./messages/tenant-messages.ts";

/** The credentials of users over gRPC, in the session service. */
export class RemoteCredentialService implements CredentialService, CredentialDirectory, DeletableData, AsyncDisposable {
  readonly #methods = loadProto("credential").fairlead.credential.v1.CredentialService.service;
  readonly #peer: GrpcPeer;

  constructor(options: PeerOptions) {
    this.#peer = new GrpcPeer({ ...options, name: "session", methods: this.#methods });
  }

  async loadCredential(owner: CredentialOwner, credentialKey: string): Promise<StoredCredential | undefined> {
    const request = toCredentialName(owner, credentialKey);
    const { credentialJson, version } = await this.#peer.unary(this.#methods.LoadCredential, request);
    if (credentialJson === undefined) return undefined;
    return { credential: fromCredentialJson(credentialJson), version };
  }

  async saveCredential(
    owner: CredentialOwner,
    credentialKey: string,
    credential: AuthCredential,
    ifVersion?: number,
  ): Promise<number | undefined> {
    const { version } = await this.#peer.unary(this.#methods.SaveCredential, {
      ...toCredentialName(owner, credentialKey),
      credentialJson: Buffer.from(credentialText(credential)),
      ...(ifVersion !== undefined && { ifVersion }),
    });
    return version;
  }

  async deleteCredential(owner: CredentialOwner, credentialKey: string, ifVersion?: number): Promise<void> {
    await this.#peer.unary(this.#methods.DeleteCredential, {
      ...toCredentialName(owner, credentialKey),
      ...(ifVersion !== undefined && { ifVersion }),
    });
  }

  async listCredentials(user: CredentialUser): Promise<readonly CredentialSummary[]> {
    assertCredentialUser(user);
    const { userId, appName } = user;
    const { credentials } = await this.#peer.unary(this.#methods.ListCredentials, {
      ...toTenantMember(user),
      userId,
      ...(appName !== undefined && { appName }),
    });
    return credentials.map(fromSummaryMessage);
  }

  async deleteData(request: DeleteDataRequest): Promise<DeleteDataResponse> {
    assertDataOwner(request);
    return fromDeletedMessage(await this.#peer.unary(this.#methods.DeleteData, request));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#peer[Symbol.asyncDispose]();
  }
}
