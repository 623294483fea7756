import type { AuthConfig } from "../auth-config.ts";
import type { AuthCredential } from "../auth-credential.ts";
import { credentialKeyOf } from "../credential-key.ts";
import type { CredentialScope } from "../credential-scope.ts";
import { clientTokens, exchangeCode } from "../oauth/tokens.ts";
import { refreshOnce } from "./refresh-once.ts";
import { ServiceAccountTokens } from "./service-account-tokens.ts";
import { dropStored, isExpired, keepStored, loadStored } from "./stored-credential.ts";
import { takeAnswer } from "./taken-answer.ts";

/** The context of a tool call that needs a credential. */
export interface CredentialContext {
  readonly credentialScope: CredentialScope;
  /** Asks the user for the credential; the run ends with the question. */
  requestCredential(authConfig: AuthConfig): Promise<void>;
}

/**
 * Gets one credential for the calls of tools: the author's own, the user's stored one, refreshed if it has expired, or
 * tokens of the client itself. One instance serves all users.
 */
export class CredentialManager {
  readonly #config: AuthConfig;
  readonly #credentialKey: string;
  readonly #serviceAccount: ServiceAccountTokens;

  constructor(authConfig: AuthConfig) {
    this.#config = authConfig;
    this.#credentialKey = credentialKeyOf(authConfig);
    this.#serviceAccount = new ServiceAccountTokens(authConfig.rawAuthCredential);
  }

  /**
   * The credential, ready for `applyCredential`; undefined if the user has to be asked. Throws `CREDENTIAL_UNUSABLE`,
   * `CREDENTIAL_DENIED` if the user has just refused, and `CREDENTIAL_EXCHANGE_FAILED`.
   */
  async getAuthCredential({
    credentialScope: scope,
  }: Pick<CredentialContext, "credentialScope">): Promise<AuthCredential | undefined> {
    const { rawAuthCredential: raw } = this.#config;
    if (raw !== undefined && isReady(raw)) return raw;
    if (raw?.authType === "serviceAccount") return this.#serviceAccount.token(scope);
    const answered = await takeAnswer(scope, this.#credentialKey, (given) => this.#keepAnswer(given, scope));
    if (answered !== undefined) return answered;
    const stored = await loadStored(scope, this.#credentialKey);
    if (stored !== undefined && !isExpired(stored.credential, scope.clock.now())) return stored.credential;
    if (this.#isOwnClient) {
      const credential = await clientTokens(this.#config, scope);
      await keepStored(scope, this.#credentialKey, credential, stored?.version ?? 0);
      return credential;
    }
    return stored === undefined ? undefined : refreshOnce(this.#config, this.#credentialKey, stored, scope);
  }

  /**
   * Gets another credential in place of one that the server has refused: a refreshed one, or none, in which case the user
   * has to be asked. The refused one is not used again.
   */
  async replaceRefused({
    credentialScope: scope,
  }: Pick<CredentialContext, "credentialScope">): Promise<AuthCredential | undefined> {
    const { rawAuthCredential: raw } = this.#config;
    if (raw?.authType === "serviceAccount") {
      this.#serviceAccount.forget();
      return this.#serviceAccount.token(scope);
    }
    const stored = raw !== undefined && isReady(raw) ? undefined : await loadStored(scope, this.#credentialKey);
    if (stored === undefined) return undefined;
    if (!this.#isOwnClient) return refreshOnce(this.#config, this.#credentialKey, stored, scope);
    await dropStored(scope, this.#credentialKey, stored.version);
    return this.getAuthCredential({ credentialScope: scope });
  }

  /** Whether the user can be asked for the credential in this call: it is theirs, and they have not just given it. */
  canAsk({ credentialScope: { answer } }: CredentialContext): boolean {
    const { rawAuthCredential: raw } = this.#config;
    const isTheirs = !this.#isOwnClient && raw?.authType !== "serviceAccount" && (raw === undefined || !isReady(raw));
    return isTheirs && answer?.credentialKey !== this.#credentialKey;
  }

  /** Asks the user for the credential; the run ends with the question. Throws as `ToolContext.requestCredential`. */
  async requestCredential(context: CredentialContext): Promise<void> {
    await context.requestCredential(this.#config);
  }

  /** Exchanges and stores the credential of the user's answer. */
  async #keepAnswer(given: AuthCredential, scope: CredentialScope): Promise<AuthCredential | undefined> {
    const credential = await this.#exchange(given, scope);
    if (credential !== undefined) await keepStored(scope, this.#credentialKey, credential);
    return credential;
  }

  async #exchange(given: AuthCredential, scope: CredentialScope): Promise<AuthCredential | undefined> {
    if (!("oauth2" in given) || given.oauth2 === undefined || given.oauth2.accessToken !== undefined) return given;
    // The state was checked when the answer arrived. It is checked again here, because the answer was stored in
    // between.
    return given.oauth2.state === scope.answer?.state ? exchangeCode(this.#config, given.oauth2, scope) : undefined;
  }

  /** Whether the tokens belong to the OAuth client itself, without the consent of a user. */
  get #isOwnClient(): boolean {
    const { authScheme } = this.#config;
    if (authScheme.type === "oauth2")
      return authScheme.flows.clientCredentials !== undefined && authScheme.flows.authorizationCode === undefined;
    return (
      authScheme.type === "openIdConnect" &&
      authScheme.grant_types_supported?.includes("client_credentials") === true &&
      !authScheme.grant_types_supported.includes("authorization_code")
    );
  }
}

/** Whether the tool's author has configured a complete credential, so that no user has to be asked. */
function isReady(raw: AuthCredential): boolean {
  switch (raw.authType) {
    case "apiKey":
      return raw.apiKey !== undefined && raw.apiKey !== "";
    case "http":
      return raw.http?.credentials.token !== undefined || raw.http?.credentials.password !== undefined;
    case "oauth2":
    case "openIdConnect":
      return raw.oauth2?.accessToken !== undefined;
    case "serviceAccount":
      return false;
    default:
      return raw satisfies never;
  }
}
