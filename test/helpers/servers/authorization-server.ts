import { createHash, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface Grant {
  readonly clientId: string;
  readonly scope: string;
  /** Absent for tokens of the client itself. */
  readonly redirectUri?: string;
  readonly challenge?: string;
}

export interface AuthorizationServerOptions {
  readonly client?: { readonly id: string; readonly secret?: string; readonly method?: string };
  /** Addresses that a sign-in may return to; all if absent. */
  readonly redirectUris?: readonly string[];
  /** Whether answers say who the issuer is, and metadata that they do. */
  readonly namesIssuer?: boolean;
  /** Whether a page asks the user for consent before the browser is led back. */
  readonly asksConsent?: boolean;
  /** How long access tokens are valid. */
  readonly lifetimeSeconds?: number;
  readonly now?: () => number;
}

/**
 * An authorization server on loopback, and an API behind its tokens at `/api`. It demands PKCE with S256 and the client's
 * authentication by one method, gives each code once, and a new refresh token each time: one that comes twice ends the
 * sign-in.
 */
export class AuthorizationServer implements AsyncDisposable {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  readonly #options: AuthorizationServerOptions;
  readonly #codes = new Map<string, Grant>();
  readonly #refreshTokens = new Map<string, { readonly grant: Grant; readonly family: string; used: boolean }>();
  readonly #ended = new Set<string>();
  readonly #tokens = new Map<string, { readonly scope: string; readonly expiresAt: number }>();
  /** All secrets that were given out: codes and tokens. */
  readonly secrets: string[] = [];
  /** The forms that the token endpoint got. */
  readonly tokenRequests: URLSearchParams[] = [];
  /** Why the token endpoint refused, oldest first. */
  readonly refusals: string[] = [];
  /** The `Authorization` headers of the API's callers. */
  readonly apiCalls: (string | undefined)[] = [];
  /** The scope that the API demands. */
  requiredScope = "";
  /** Replaces answers of the token endpoint. */
  onToken: (answer: object) => object | Promise<object> = (answer) => answer;
  /** Called after each answer with tokens. */
  afterTokens: () => void = () => undefined;
  /** What the sign-in page answers in place of a code. */
  signInError: string | undefined;

  constructor(options: AuthorizationServerOptions = {}) {
    this.#options = options;
  }

  static async start(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
    const server = new AuthorizationServer(options);
    await new Promise<void>((resolve) => server.#server.listen(0, "127.0.0.1", resolve));
    return server;
  }

  get url(): string {
    // A server that listens on TCP has such an address.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get host(): string {
    return new URL(this.url).host;
  }

  /** Follows the sign-in's address as a browser whose user consents, and returns the address that it is led to. */
  async consent(authUri: string, redirectUri = "http://localhost/dev-ui/"): Promise<string> {
    const url = new URL(authUri);
    url.searchParams.set("redirect_uri", redirectUri);
    const response = await fetch(url, { redirect: "manual" });
    const location = response.headers.get("location");
    if (location === null) throw new Error(`The sign-in was refused: ${await response.text()}`);
    return location;
  }

  /** Whether the header has a valid token, for other servers that take them. */
  accepts(authorization: string | undefined): boolean {
    return this.#tokenIn(authorization) !== undefined;
  }

  /** Ends the validity of all access tokens. */
  expireTokens(): void {
    this.#tokens.clear();
  }

  /** Ends all sign-ins: their refresh tokens are not accepted any more. */
  endSignIns(): void {
    this.#refreshTokens.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", this.url);
    const send = (status: number, body: object): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
      case "/.well-known/oauth-authorization-server":
        return send(200, this.#metadata());
      case "/authorize":
        return this.#options.asksConsent === true && !url.searchParams.has("consent")
          ? sendConsentPage(url, response)
          : this.#authorize(url.searchParams, response);
      case "/token":
        return this.#token(request, send);
      case "/api":
        return this.#api(request, send);
      default:
        return send(404, {});
    }
  }

  #metadata(): object {
    return {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: this.#options.namesIssuer === true,
    };
  }

  #authorize(query: URLSearchParams, response: ServerResponse): void {
    const redirectUri = query.get("redirect_uri") ?? "";
    const { redirectUris, client, namesIssuer } = this.#options;
    const refuse = (problem: string): void => void response.writeHead(400).end(problem);
    if (redirectUris?.includes(redirectUri) === false) return refuse("redirect_uri is not registered");
    if (query.get("client_id") !== (client?.id ?? "cid")) return refuse("client_id is unknown");
    if (query.get("code_challenge_method") !== "S256") return refuse("code_challenge_method is not S256");
    const location = new URL(redirectUri);
    if (this.signInError === undefined) {
      const code = this.#secret("code");
      const scope = query.get("scope") ?? "";
      const challenge = query.get("code_challenge") ?? "";
      this.#codes.set(code, { clientId: client?.id ?? "cid", scope, redirectUri, challenge });
      location.searchParams.set("code", code);
    } else location.searchParams.set("error", this.signInError);
    location.searchParams.set("state", query.get("state") ?? "");
    if (namesIssuer === true) location.searchParams.set("iss", this.url);
    response.writeHead(302, { location: location.href }).end();
  }

  async #token(request: IncomingMessage, send: (status: number, body: object) => void): Promise<void> {
    const form = new URLSearchParams(await text(request));
    this.tokenRequests.push(form);
    const problem = this.#clientProblem(request.headers.authorization, form);
    const granted = problem ?? this.#grantOf(form);
    if (typeof granted === "string") {
      this.refusals.push(granted);
      const error = problem === undefined ? "invalid_grant" : "invalid_client";
      send(problem === undefined ? 400 : 401, { error, error_description: `SECRET-DESCRIPTION ${granted}` });
      return;
    }
    send(200, await this.onToken(this.#issue(granted.grant, granted.family)));
    this.afterTokens();
  }

  #clientProblem(header: string | undefined, form: URLSearchParams): string | undefined {
    const { id = "cid", secret = "very-secret", method = "client_secret_basic" } = this.#options.client ?? {};
    if (method === "client_secret_basic") {
      const [givenId, givenSecret] = Buffer.from(header?.replace(/^Basic /, "") ?? "", "base64")
        .toString()
        .split(":")
        .map(decodeURIComponent);
      return givenId === id && givenSecret === secret ? undefined : "the client is not authenticated";
    }
    if (form.get("client_id") !== id) return "the client is unknown";
    if (method === "client_secret_post" && form.get("client_secret") !== secret) return "the client's secret is wrong";
    return undefined;
  }

  #grantOf(form: URLSearchParams): string | { readonly grant: Grant; readonly family: string } {
    const family = randomUUID();
    if (form.get("grant_type") === "client_credentials")
      return { grant: { clientId: this.#options.client?.id ?? "cid", scope: form.get("scope") ?? "" }, family };
    if (form.get("grant_type") === "refresh_token") {
      const known = this.#refreshTokens.get(form.get("refresh_token") ?? "");
      if (known === undefined || this.#ended.has(known.family)) return "the refresh token is unknown";
      if (known.used) this.#ended.add(known.family);
      if (known.used) return "the refresh token came twice";
      known.used = true;
      return known;
    }
    const code = form.get("code") ?? "";
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    if (grant === undefined) return "the code is unknown";
    if (grant.redirectUri !== form.get("redirect_uri")) return "redirect_uri differs";
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    return challenge === grant.challenge ? { grant, family } : "the code verifier is wrong";
  }

  #issue(grant: Grant, family: string): object {
    const { lifetimeSeconds = 3600, now = Date.now } = this.#options;
    const accessToken = this.#secret("access");
    this.#tokens.set(accessToken, { scope: grant.scope, expiresAt: now() + lifetimeSeconds * 1000 });
    const tokens = { access_token: accessToken, token_type: "Bearer", expires_in: lifetimeSeconds };
    if (grant.challenge === undefined) return tokens;
    const refreshToken = this.#secret("refresh");
    this.#refreshTokens.set(refreshToken, { grant, family, used: false });
    return { ...tokens, refresh_token: refreshToken };
  }

  #api(request: IncomingMessage, send: (status: number, body: object) => void): void {
    const { authorization } = request.headers;
    this.apiCalls.push(authorization);
    const token = this.#tokenIn(authorization);
    if (token === undefined) return send(401, { error: "sign in" });
    if (!token.scope.split(" ").includes(this.requiredScope) && this.requiredScope !== "")
      return send(403, { error: "scope" });
    send(200, { data: "the user's files" });
  }

  #tokenIn(authorization: string | undefined): { readonly scope: string } | undefined {
    const token = this.#tokens.get(authorization?.replace(/^Bearer /, "") ?? "");
    return token !== undefined && token.expiresAt > (this.#options.now ?? Date.now)() ? token : undefined;
  }

  #secret(kind: string): string {
    const secret = `SECRET-${kind}-${randomUUID()}`;
    this.secrets.push(secret);
    return secret;
  }
}

function sendConsentPage({ pathname, searchParams }: URL, response: ServerResponse): void {
  const fields = [...searchParams].map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`);
  const form = `<form action="${pathname}">${fields.join("")}<button name="consent" value="given">Allow</button></form>`;
  response.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html><title>Sign in</title>${form}`);
}
