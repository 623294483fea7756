import {
  fromCredentialJson,
  fromCredentialOwner,
  toSummaryMessage,
} from "#adapters/grpc/messages/credential-messages.ts";
import { fromDeleteMessage } from "#adapters/grpc/messages/data-messages.ts";
import { toJsonBytes } from "#adapters/grpc/messages/messages.ts";
import { fromTenantMember } from "#adapters/grpc/messages/tenant-messages.ts";
import type { CredentialService } from "#kit/credentials/credential-service.ts";
import type { CredentialDirectory } from "#ports/credentials/credential-directory.ts";
import { deletableDataOf } from "#ports/tenants/tenant-data-of.ts";
import type { CredentialServiceHandlers } from "#proto/fairlead/credential/v1/CredentialService.ts";
import type { GrpcHandlers } from "#shared/grpc/grpc-handlers.ts";

/** The gRPC handlers of a `CredentialService`. */
export function credentialHandlers(
  credentials: CredentialService & CredentialDirectory,
  handlers: GrpcHandlers,
): CredentialServiceHandlers {
  const data = deletableDataOf(credentials);
  return {
    DeleteData: handlers.unary((request) => data.deleteData(fromDeleteMessage(request))),
    LoadCredential: handlers.unary(async ({ owner, credentialKey }) => {
      const stored = await credentials.loadCredential(fromCredentialOwner(owner), credentialKey);
      return stored === undefined ? {} : { credentialJson: toJsonBytes(stored.credential), version: stored.version };
    }),
    SaveCredential: handlers.unary(async ({ owner, credentialKey, credentialJson, ifVersion }) => {
      const version = await credentials.saveCredential(
        fromCredentialOwner(owner),
        credentialKey,
        fromCredentialJson(credentialJson),
        ifVersion,
      );
      return version === undefined ? {} : { version };
    }),
    DeleteCredential: handlers.unary(async ({ owner, credentialKey, ifVersion }) => {
      await credentials.deleteCredential(fromCredentialOwner(owner), credentialKey, ifVersion);
      return {};
    }),
    ListCredentials: handlers.unary(async ({ userId, appName, ...tenant }) => {
      const user = { ...fromTenantMember(tenant), userId, ...(appName !== undefined && { appName }) };
      return { credentials: (await credentials.listCredentials(user)).map(toSummaryMessage) };
    }),
  };
}
