import { createHash } from "node:crypto";
import type { ReadonlyContext } from "#kit/core/context/readonly-context.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { CredentialScope } from "#kit/credentials/credential-scope.ts";
import { takeAnswer } from "#kit/credentials/manager/taken-answer.ts";
import { McpSessionInitializationError } from "#kit/errors/mcp-errors.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { type McpConnectionParams, serverName } from "../connection-params.ts";
import type { McpServer } from "../mcp-server.ts";
import { SIGN_IN_FIRST } from "../open-connection.ts";
import type { Fetch } from "../transport/server-fetch.ts";
import { isCall, ownerOf, type ServerAccess, type ServerTable, scopeOf } from "./server-access.ts";
import type { McpSignInOptions } from "./sign-in-options.ts";
import { SignInProvider } from "./sign-in-provider.ts";

interface SignInAccessOptions {
  readonly signIn: McpSignInOptions;
  readonly params: McpConnectionParams;
  readonly fetchOf: (context: ReadonlyContext) => Fetch;
}

const MAX_USERS = 1000;
/** How long a refusal to list tools is not tested again: the server may have been at fault. */
const REFUSED_MS = 300_000;

/**
 * The sign-in that the protocol describes: the server names the authorization server, and each user is asked for
 * consent when it is needed.
 */
export class SignInAccess implements ServerAccess {
  readonly #serverOf: ServerTable;
  readonly #options: SignInAccessOptions;
  readonly #credentialKey: string;
  readonly #name: string;
  /** The providers of users to whom the server lists nothing before they have signed in. */
  readonly #refused = new WeakMap<SignInProvider, number>();
  readonly #providers = new Map<string, SignInProvider>();

  constructor(serverOf: ServerTable, options: SignInAccessOptions) {
    const { params, signIn } = options;
    this.#serverOf = serverOf;
    this.#options = options;
    this.#name = serverName(params);
    const client = signIn.clientId ?? signIn.clientMetadataUrl ?? "";
    const digest = createHash("sha256")
      .update(JSON.stringify([this.#name, client]))
      .digest("hex");
    this.#credentialKey = `adk_mcp_${digest.slice(0, 16)}`;
  }

  async serverFor(context: ReadonlyContext): Promise<McpServer | undefined> {
    const scope = scopeOf(context);
    const provider = this.#providerFor(context, scope);
    const server = await this.#serverOf(context, { owner: ownerOf(context), authProvider: () => provider });
    await takeAnswer(scope, this.#credentialKey, async (given) => {
      await this.#finish(given, { context, scope, server });
      provider.forget();
      server.tools.forget();
      return given;
    });
    // A known refusal saves a request in each step.
    const until = this.#refused.get(provider) ?? 0;
    const isRefused = scope.clock.now() < until && !isCall(context);
    if (isRefused && !(await provider.isSignedIn())) return undefined;
    return server;
  }

  async replaceRefused(): Promise<boolean> {
    // The SDK has already tried to refresh the token.
    return false;
  }

  listRefused(context: ReadonlyContext): void {
    const scope = scopeOf(context);
    this.#refused.set(this.#providerFor(context, scope), scope.clock.now() + REFUSED_MS);
  }

  canAsk(): boolean {
    return true;
  }

  async ask(context: ToolContext): Promise<void> {
    const { page } = this.#providerFor(context, scopeOf(context));
    if (page === undefined) throw new McpSessionInitializationError(this.#name, SIGN_IN_FIRST);
    const { url, state, issuer } = page;
    const scopes = url.searchParams.get("scope")?.split(" ").filter(Boolean) ?? [];
    await context.requestCredential({
      authScheme: {
        type: "oauth2",
        issuer_url: issuer,
        flows: {
          authorizationCode: {
            authorizationUrl: url.origin + url.pathname,
            scopes: Object.fromEntries(scopes.map((name) => [name, ""])),
          },
        },
      },
      exchangedAuthCredential: {
        authType: "oauth2",
        oauth2: {
          ...{ authUri: url.href, state, redirectUri: this.#options.signIn.redirectUri },
          clientId: url.searchParams.get("client_id") ?? "",
        },
      },
      credentialKey: this.#credentialKey,
    });
  }

  async #finish(
    given: AuthCredential,
    { context, scope, server }: { context: ReadonlyContext; scope: CredentialScope; server: McpServer },
  ): Promise<void> {
    const { answer, owner, service } = scope;
    const oauth2 = "oauth2" in given ? given.oauth2 : undefined;
    if (oauth2?.accessToken !== undefined) {
      await service.saveCredential(owner, this.#credentialKey, given);
      return;
    }
    const { signIn, fetchOf } = this.#options;
    const { authResponseUri, authCode = "", state = "" } = oauth2 ?? {};
    if (state !== answer?.state) return;
    const address = new URL(authResponseUri ?? oauth2?.redirectUri ?? signIn.redirectUri);
    const parameters =
      authResponseUri === undefined ? new URLSearchParams({ code: authCode, state }) : address.searchParams;
    const refusal = parameters.get("error");
    if (refusal !== null)
      throw new PlatformError(
        "CREDENTIAL_DENIED",
        `The sign-in at ${this.#name} ended without consent: ${codeOf(refusal)}.`,
      );
    const redirectUri = address.origin + address.pathname;
    const callback = { state, redirectUri, issuer: answer.issuer };
    const provider = new SignInProvider(signIn, scope, { key: this.#credentialKey, callback });
    try {
      await server.finishSignIn(new URLSearchParams(parameters), fetchOf(context), provider);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Without texts and causes, which may quote codes and tokens. */
  #failure(error: unknown): PlatformError {
    const root = error instanceof McpSessionInitializationError ? error.cause : error;
    if (root instanceof PlatformError) return root;
    const name = root instanceof Error ? root.name : "unknown error";
    const problem = `the sign-in at ${this.#name} could not be completed (${name})`;
    return new PlatformError("CREDENTIAL_EXCHANGE_FAILED", `No token was obtained: ${problem}.`);
  }

  #providerFor(context: ReadonlyContext, scope: CredentialScope): SignInProvider {
    const name = JSON.stringify(ownerOf(context));
    const provider =
      this.#providers.get(name) ?? new SignInProvider(this.#options.signIn, scope, { key: this.#credentialKey });
    provider.useFor(scope);
    // The order of the table is that of the last use.
    this.#providers.delete(name);
    this.#providers.set(name, provider);
    for (const oldest of this.#providers.keys()) {
      if (this.#providers.size <= MAX_USERS) break;
      this.#providers.delete(oldest);
    }
    return provider;
  }
}

function codeOf(text: string): string {
  return /^[\w.-]{1,60}$/.test(text) ? text : "unknown error";
}
