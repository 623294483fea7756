export { type AppliedCredential, applyCredential } from "./apply-credential.ts";
export type { AuthConfig } from "./auth-config.ts";
export type { AuthCredential } from "./auth-credential.ts";
export type { AuthScheme } from "./auth-scheme.ts";
export { credentialKeyOf } from "./credential-key.ts";
export type { CredentialOwner, CredentialService, StoredCredential } from "./credential-service.ts";
export { InMemoryCredentialService } from "./in-memory-credential-service.ts";
export { CredentialManager } from "./manager/credential-manager.ts";
