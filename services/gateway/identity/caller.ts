import { DEFAULT_TENANT } from "#kit/names/tenant.ts";
import { SCOPES, type Scope } from "./scopes.ts";

/** Who sends a request. */
export interface Caller {
  /** What identified the caller; `session` is the sealed cookie of a page. */
  readonly source: "oidc" | "api-key" | "proxy" | "none" | "session";
  /** A stable name for records: `oidc:<issuer>|<sub>`, `key:<id>`, `proxy:<user>` or `anonymous`. */
  readonly subject: string;
  /** The only tenant whose data the caller reaches, whatever its scopes. */
  readonly tenantId: string;
  /** The only user whose data the caller reaches, unless it has the scope `users:all`. */
  readonly userId: string | undefined;
  /** The only apps that the caller may use; all if undefined. */
  readonly apps: readonly string[] | undefined;
  readonly groups: readonly string[];
  readonly scopes: ReadonlySet<Scope>;
  /** The id of the API key. */
  readonly keyId?: string;
  /** When the credentials expire, as a Unix time in ms. Long answers end then. */
  readonly expiresAtMs?: number;
}

/** The one caller of a server without authentication: it may do everything. */
export const EVERYBODY: Caller = {
  source: "none",
  subject: "anonymous",
  tenantId: DEFAULT_TENANT,
  userId: undefined,
  apps: undefined,
  groups: [],
  scopes: new Set(SCOPES),
};

/** The caller of a public route, which needs no credentials: it may do nothing else. */
export const NO_CALLER: Caller = { ...EVERYBODY, apps: [], scopes: new Set() };
