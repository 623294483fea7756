import { UuidV7Generator } from "#kit/platform/id-generator.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import type { EndedSessions } from "#ports/api-keys/ended-sessions.ts";
import { TabularKeyStore } from "#ports/api-keys/tabular-key-store.ts";
import type { AuditDecision } from "#ports/audit/audit-event.ts";
import { InMemoryRowTable } from "#ports/rows/in-memory-row-table.ts";
import { type GatewayConfig, gatewayConfigSchema } from "#services/gateway/config.ts";
import { createKey, type KeyRequest } from "#services/gateway/identity/keys/create-key.ts";
import { openIdentity } from "#services/gateway/identity/open-identity.ts";
import { defaultsOf } from "#shared/config/config-schema.ts";
import { TestIssuer } from "#tooling/identity/test-issuer.ts";
import { RecordingLogger } from "./agents-folder.ts";
import { type GatewayWorld, startGateway } from "./gateway-world.ts";

/** A gateway with API keys and an identity provider, and what a browser would send to it. */
export class SignInWorld implements AsyncDisposable {
  readonly clock: FixedClock;
  readonly issuer: TestIssuer;
  /** What the audit log has of this gateway. */
  readonly decisions: readonly AuditDecision[];
  readonly #keys: TabularKeyStore;
  readonly #gateway: GatewayWorld;
  readonly #stack: AsyncDisposableStack;
  #cookies = new Map<string, string>();
  /** Those with `SameSite=Lax`. */
  readonly #laxNames = new Set<string>();

  /**
   * Its clock starts now, because the library of the flow reads the system's clock. The given issuer stays open at the
   * end of the world.
   */
  static async start(
    config: Partial<GatewayConfig> = {},
    given?: TestIssuer,
    endedSessions?: EndedSessions,
  ): Promise<SignInWorld> {
    await using stack = new AsyncDisposableStack();
    const clock = new FixedClock(Date.now());
    const issuer =
      given ?? stack.use(await TestIssuer.start({ claimsOf: (user) => ({ groups: [`group-of-${user}`] }) }));
    const keys = new TabularKeyStore({ table: new InMemoryRowTable() });
    const all = {
      ...defaultsOf(gatewayConfigSchema),
      ...{ DEV_UI: false, CONSOLE: true, AUTH: ["api-key", "oidc"] as const, OIDC_AUDIENCE: ["agents"] },
      ...{ OIDC_ISSUER: issuer.url, OIDC_CLIENT_ID: "pages", OIDC_SCOPE_MAP: ["*=sessions:read", "*=sessions:write"] },
      ...config,
    };
    const logger = new RecordingLogger();
    const identity = await openIdentity({ config: all, clock, logger, stack, openKeyStore: async () => keys });
    const decisions: AuditDecision[] = [];
    const keep = (decision: AuditDecision) => void decisions.push(decision);
    const auditor = { note: keep, require: async (decision: AuditDecision) => keep(decision) };
    const gateway = stack.use(
      await startGateway({ config: all, clock, deps: { ...identity, auditor, endedSessions } }),
    );
    return new SignInWorld({ clock, issuer, keys, gateway, decisions, stack: stack.move() });
  }

  constructor(parts: {
    readonly clock: FixedClock;
    readonly issuer: TestIssuer;
    readonly keys: TabularKeyStore;
    readonly gateway: GatewayWorld;
    readonly decisions: readonly AuditDecision[];
    readonly stack: AsyncDisposableStack;
  }) {
    this.clock = parts.clock;
    this.issuer = parts.issuer;
    this.decisions = parts.decisions;
    this.#keys = parts.keys;
    this.#gateway = parts.gateway;
    this.#stack = parts.stack;
  }

  /** The cookies that the browser keeps. */
  get cookies(): ReadonlyMap<string, string> {
    return this.#cookies;
  }

  /** A browser that has these cookies. */
  setCookies(cookies: ReadonlyMap<string, string>): void {
    this.#cookies = new Map(cookies);
  }

  async createKey(request: Partial<KeyRequest> = {}): Promise<{ readonly id: string; readonly text: string }> {
    const { record, text } = createKey(
      { name: "test", scopes: ["sessions:read"], userId: "ada", ...request },
      { clock: this.clock, ids: new UuidV7Generator() },
    );
    await this.#keys.create(record);
    return { id: record.id, text };
  }

  async revoke(keyId: string): Promise<void> {
    await this.#keys.revoke(keyId, this.clock.now());
  }

  /** Deletes all keys, as the deletion of a tenant's data does. */
  async deleteKeys(): Promise<void> {
    await this.#keys.deleteOf({ tenantId: "default" }, 100);
  }

  /** Sends a request as one of the server's own pages does, and keeps the cookies of the answer. */
  async send(method: "GET" | "POST", url: string, { headers = {}, body, remoteAddress, isLed }: SendOptions = {}) {
    const sent = [...this.#cookies].filter(([name]) => isLed !== true || this.#laxNames.has(name));
    const cookie = sent.map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await this.#gateway.gateway.inject({
      method,
      url,
      headers: {
        host: "localhost:8000",
        "sec-fetch-site": "same-origin",
        ...(cookie !== "" && { cookie }),
        ...headers,
      },
      ...(body !== undefined && { payload: body }),
      ...(remoteAddress !== undefined && { remoteAddress }),
    });
    for (const { name, value, maxAge, sameSite } of answer.cookies) {
      if (sameSite === "Lax") this.#laxNames.add(name);
      if (maxAge === 0) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return answer;
  }

  /** Signs in with the key. */
  async signInWithKey(key: string) {
    return this.send("POST", "/auth/login", { body: { key } });
  }

  /** The address with which the identity provider sends the browser back, for this user. */
  async approvedAddress(user: string, next = "/console"): Promise<URL> {
    const started = await this.send("GET", `/auth/start?provider=0&next=${encodeURIComponent(next)}`);
    const url = new URL(String(started.headers.location));
    url.pathname = "/approve";
    url.searchParams.set("user", user);
    const { headers } = await fetch(url, { redirect: "manual" });
    return new URL(headers.get("location") ?? "");
  }

  /** Signs in with the identity provider. */
  async signInWithProvider(user: string, next?: string) {
    const { pathname, search } = await this.approvedAddress(user, next);
    return this.send("GET", pathname + search, { headers: { "sec-fetch-site": "cross-site" }, isLed: true });
  }

  /** The subject of the browser's requests, or the reason why there is none. */
  async whoami(options?: SendOptions): Promise<string> {
    const { subject, reason } = (await this.send("GET", "/auth/me", options)).json();
    return subject ?? reason;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack[Symbol.asyncDispose]();
  }
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** The address of the client, that of the loopback by default. */
  readonly remoteAddress?: string;
  /** Whether a page of another site leads here: then browsers send only cookies with `SameSite=Lax`. */
  readonly isLed?: boolean;
}
