import { createHash } from "node:crypto";
import type { AgentCard } from "@a2a-js/sdk";
import { credentialScopeOf } from "#kit/core/context/credential-scope.ts";
import type { InvocationContext } from "#kit/core/context/invocation-context.ts";
import { type AppliedCredential, applyCredential } from "#kit/credentials/apply-credential.ts";
import type { AuthConfig } from "#kit/credentials/auth-config.ts";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { AuthScheme } from "#kit/credentials/auth-scheme.ts";
import type { CredentialAnswer, CredentialScope } from "#kit/credentials/credential-scope.ts";
import { CredentialManager } from "#kit/credentials/manager/credential-manager.ts";
import { authorizationRequest } from "#kit/credentials/oauth/authorization-request.ts";
import { CallSecrets } from "#kit/errors/call-secrets.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { functionResponses, USER_AUTHOR } from "#kit/events/event.ts";
import { CREDENTIAL_QUESTION } from "#kit/llm-agent/questions/credential-question.ts";
import type { Fetch } from "#kit/outbound-http/bounded-fetch.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { type A2ASignInOptions, cardConfig } from "./card-scheme.ts";
import { ownRequests } from "./own-request.ts";

/** How a remote authenticates its callers. */
export interface RemoteAuthOptions {
  /** How the remote authenticates calls. Users are asked to sign in, or for a key, unless `authCredential` suffices. */
  readonly authScheme?: AuthScheme;
  /** The author's key or token, the client of users' sign-ins, or a service account. */
  readonly authCredential?: AuthCredential;
  /** The name of the user's credential in the store; agents with the same name share it. Default: one for this remote. */
  readonly credentialKey?: string;
  /** How each user signs in by a security scheme that the remote's card names. In place of `authScheme`. */
  readonly signIn?: A2ASignInOptions;
}

type Scheme = { readonly config: AuthConfig; readonly manager: CredentialManager };

/** The credentials for one remote. One instance serves all users. */
export class RemoteAuth {
  readonly #options: RemoteAuthOptions;
  readonly #credentialKey: string;
  #scheme: Scheme | undefined;

  /** `remote`: the name of this remote among others. */
  constructor(options: RemoteAuthOptions, remote: string) {
    this.#options = options;
    const digest = createHash("sha256").update(JSON.stringify([remote, options.authScheme?.type ?? ""]));
    this.#credentialKey = options.credentialKey ?? `adk_a2a_${digest.digest("hex").slice(0, 16)}`;
    const { authScheme, authCredential } = options;
    if (authScheme !== undefined) this.#use({ authScheme, rawAuthCredential: authCredential });
  }

  /** Throws `AgentCardResolutionError` if users should sign in by the card, and it has no scheme for that. */
  useCard(card: AgentCard): void {
    const { signIn } = this.#options;
    if (signIn !== undefined && this.#scheme === undefined) this.#use(cardConfig(card, signIn));
  }

  /** The access of one run. */
  accessFor(context: InvocationContext, base: Fetch): RemoteAccess {
    return new RemoteAccess(context, base, () => this.#scheme);
  }

  #use(config: AuthConfig): void {
    const named = { ...config, credentialKey: this.#credentialKey };
    this.#scheme = { config: named, manager: new CredentialManager(named) };
  }
}

/** Sends the requests of one run with the credential of its user, or finds that the user has to be asked for it. */
export class RemoteAccess {
  readonly #context: InvocationContext;
  readonly #base: Fetch;
  readonly #schemeOf: () => Scheme | undefined;
  readonly #secrets = new CallSecrets();
  #mustAsk = false;
  #isRefused = false;

  constructor(context: InvocationContext, base: Fetch, schemeOf: () => Scheme | undefined) {
    this.#context = context;
    this.#base = base;
    this.#schemeOf = schemeOf;
  }

  /** Whether the remote cannot be called before the user has given a credential. */
  get mustAsk(): boolean {
    return this.#mustAsk;
  }

  /** The text for a refusal of the remote; undefined if it has refused no call. */
  get refusal(): string | undefined {
    if (!this.#isRefused) return undefined;
    const hint = "give authScheme, signIn or a headerProvider.";
    const known = this.#schemeOf() !== undefined;
    return `the remote agent has refused the caller (401)${known ? ": the credential is not valid there." : `: ${hint}`}`;
  }

  readonly fetch: Fetch = async (input, init) => {
    const response = await this.#fetch(input, init);
    this.#isRefused = response.status === 401;
    return response;
  };

  async #fetch(input: string | URL, init: RequestInit | undefined): Promise<Response> {
    const scheme = this.#schemeOf();
    if (scheme === undefined) return this.#base(input, init);
    const scope = this.#scope;
    let credential = await scheme.manager.getAuthCredential({ credentialScope: scope });
    for (let isLast = false; credential !== undefined; isLast = true) {
      const response = await this.#send(input, init, applyCredential(scheme.config.authScheme, credential));
      if (response.status !== 401) return response;
      // A request that was refused for its credential has had no effect.
      const replaced = isLast ? undefined : await scheme.manager.replaceRefused({ credentialScope: scope });
      if (replaced === undefined && !this.#canAsk(scheme)) return response;
      await response.body?.cancel();
      credential = replaced;
    }
    if (this.#canAsk(scheme)) this.#mustAsk = true;
    throw new PlatformError("CREDENTIAL_UNUSABLE", "The remote agent needs a credential of the user.");
  }

  /** The request for the user's credential as clients see it; undefined if there is no scheme, or the user cannot be asked. */
  async request(): Promise<JsonObject | undefined> {
    const scheme = this.#schemeOf();
    return scheme !== undefined && this.#canAsk(scheme) ? authorizationRequest(scheme.config, this.#scope) : undefined;
  }

  /** Without the credentials that were sent: a remote may quote them. */
  redact(text: string): string {
    return this.#secrets.redact(text);
  }

  redactError(error: unknown): unknown {
    return this.#secrets.redactError(error);
  }

  addSecrets(headers: Readonly<Record<string, string>>): void {
    this.#secrets.addNamed(headers);
  }

  #canAsk({ manager }: Scheme): boolean {
    return manager.canAsk({ credentialScope: this.#scope, requestCredential: async () => undefined });
  }

  async #send(
    input: string | URL,
    init: RequestInit | undefined,
    { headers, query, cookies }: AppliedCredential,
  ): Promise<Response> {
    for (const values of [headers, query, cookies])
      for (const value of Object.values(values)) this.#secrets.add(value, value.replace(/^\S+ /, ""));
    const url = new URL(input);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const all = new Headers(init?.headers);
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    const pairs = Object.entries(cookies).map(([name, value]) => `${name}=${value}`);
    if (pairs.length > 0) all.set("cookie", pairs.join("; "));
    return this.#base(url, { ...init, headers: all });
  }

  get #scope(): CredentialScope {
    return credentialScopeOf(this.#context, { signal: this.#context.signal, answer: answerFor(this.#context) });
  }
}

/** The answer of the newest message to the agent's own request for a credential. */
function answerFor(context: InvocationContext): CredentialAnswer | undefined {
  const message = context.session.events.findLast(({ author, content }) => author === USER_AUTHOR && content);
  if (message === undefined) return undefined;
  const requests = ownRequests(context);
  for (const response of functionResponses(message)) {
    const request = requests.get(response.id ?? "");
    const answer = request && CREDENTIAL_QUESTION.readAnswer(response, request);
    if (answer?.kind === "credential") return answer.credential;
  }
  return undefined;
}
