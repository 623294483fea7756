import { BaseTool } from "#kit/core/base-tool.ts";
import type { ToolContext } from "#kit/core/context/tool-context.ts";
import { type AppliedCredential, applyCredential } from "#kit/credentials/apply-credential.ts";
import type { AuthCredential } from "#kit/credentials/auth-credential.ts";
import type { AuthScheme } from "#kit/credentials/auth-scheme.ts";
import { CredentialManager } from "#kit/credentials/manager/credential-manager.ts";
import { CallSecrets } from "#kit/errors/call-secrets.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import type { FunctionDeclaration } from "#kit/models/llm-request.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "#kit/platform/json.ts";
import { isLongInteger } from "#kit/schema/arguments/exact-json.ts";
import { lenientSchema } from "#kit/schema/arguments/lenient-schema.ts";
import { checkArguments } from "#kit/schema/arguments/repaired-arguments.ts";
import { type Schema, toSchema } from "#kit/schema/schema.ts";
import { buildRequest, type RestRequest } from "./build-request.ts";
import { SchemaExpansion } from "./expand-schema.ts";
import { isXmlType, mediaTypeOf } from "./media-types.ts";
import type { RestBody } from "./rest-body.ts";
import type { RestOperation } from "./rest-operation.ts";
import { restResult } from "./rest-result.ts";
import { UnusableArgument } from "./unusable-operation.ts";

/** Headers for one call, such as a token of the user. */
type HeaderProvider = (
  context: ToolContext,
) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;

/** The options that all tools of one description share. */
export interface RestApiToolOptions {
  /** How the server authenticates calls. Users are asked to sign in, or for a key, unless `authCredential` suffices. */
  readonly authScheme?: AuthScheme;
  /** The author's key or token, the client with which users sign in, or a service account. */
  readonly authCredential?: AuthCredential;
  /** The name under which the user's credential is kept; tools with the same name share it. */
  readonly credentialKey?: string;
  readonly headerProvider?: HeaderProvider;
  /** Called when the server refuses the provided headers by 401: the call is sent again, with what is provided then. */
  readonly forgetHeaders?: () => void;
  /** The origin that credentials and provided headers are sent to; others get none. */
  readonly trustedOrigin: string;
  /** The time limit of one call. Default: 60,000, and not more than the limit of the runner's `outbound`. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;
/** Shorter values are not redacted, because they can be ordinary words. */
const MIN_CREDENTIAL_CHARACTERS = 6;
const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "QUERY", "PUT", "DELETE"]);

interface Sending {
  readonly context: ToolContext;
  readonly secrets: CallSecrets;
  readonly credential?: AppliedCredential;
}

/** One operation of an HTTP API as a tool. A failed call is never repeated by the tool itself. */
export class RestApiTool extends BaseTool {
  readonly #operation: RestOperation;
  readonly #options: RestApiToolOptions;
  readonly #manager: CredentialManager | undefined;
  #declared: JsonObject | undefined;
  #checked: Schema | undefined;

  constructor(operation: RestOperation, options: RestApiToolOptions) {
    const { name, description, method } = operation;
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
    super({ name, description, timeoutMs, idempotent: IDEMPOTENT.has(method) });
    this.#operation = operation;
    this.#options = options;
    const { authScheme, authCredential, credentialKey } = options;
    if (authScheme === undefined || operation.isPublic) return;
    this.#manager = new CredentialManager({
      authScheme,
      rawAuthCredential: authCredential,
      credentialKey,
    });
  }

  override getDeclaration(): FunctionDeclaration {
    return { name: this.name, description: this.description, parameters: this.#parameters };
  }

  /**
   * The model gets an `error` for wrong arguments and for refusals of the server, so that it can correct the call.
   * Returns null if the run now waits for the user's credential. If the server refuses the credential (401), the call
   * has had no effect and is sent again with a new one.
   */
  override async runAsync(args: JsonObject, context: ToolContext): Promise<unknown> {
    // The server decides what its description leaves open.
    this.#checked ??= toSchema(lenientSchema(this.#parameters));
    const checked = await checkArguments(this.#checked, withNumbers(args));
    if (!checked.ok) return wrongArguments(this.name, checked.problems.join("; "));
    // Accepted by the schema of an object.
    const accepted = withDigits(checked.value as JsonObject, args) as JsonObject;
    try {
      const request = buildRequest(this.#operation, accepted);
      const manager = request.url.origin === this.#options.trustedOrigin ? this.#manager : undefined;
      if (manager === undefined) return await this.#sendAsOwn(request, accepted, context);
      let credential = await manager.getAuthCredential(context);
      for (let isLast = false; credential !== undefined; isLast = true) {
        const applied = this.#apply(credential);
        const secrets = secretsOf(applied);
        const response = await this.#send(buildRequest(this.#operation, accepted), {
          context,
          secrets,
          credential: applied,
        });
        const replaced = response.status !== 401 || isLast ? undefined : await manager.replaceRefused(context);
        if (replaced === undefined && (response.status !== 401 || !manager.canAsk(context)))
          return await restResult(response, secrets);
        await response.body?.cancel();
        credential = replaced;
      }
      await manager.requestCredential(context);
      return null;
    } catch (error) {
      if (error instanceof UnusableArgument) return wrongArguments(this.name, error.message);
      throw error;
    }
  }

  /** With nothing but the headers of the author. */
  async #sendAsOwn(request: RestRequest, args: JsonObject, context: ToolContext): Promise<unknown> {
    const { forgetHeaders, trustedOrigin } = this.#options;
    const secrets = new CallSecrets();
    const response = await this.#send(request, { context, secrets });
    if (response.status !== 401 || forgetHeaders === undefined || request.url.origin !== trustedOrigin)
      return restResult(response, secrets);
    await response.body?.cancel();
    forgetHeaders();
    return restResult(await this.#send(buildRequest(this.#operation, args), { context, secrets }), secrets);
  }

  /**
   * Sends the credential as the scheme says. A service account's token is sent as a bearer token, whatever the scheme
   * is.
   */
  #apply(credential: AuthCredential): AppliedCredential {
    const { authScheme = { type: "http", scheme: "bearer" } } = this.#options;
    return applyCredential(authScheme, credential);
  }

  /** Adds what the call sends as credentials to `secrets`. */
  async #send(request: RestRequest, { context, secrets, credential }: Sending): Promise<Response> {
    const { headerProvider, trustedOrigin } = this.#options;
    const { outbound } = context.invocationContext;
    if (outbound === undefined)
      throw new PlatformError("CONFIGURATION", "The runner has no `outbound`: it makes no requests to other servers.");
    const { url, headers, query, cookies, body = null } = request;
    if (url.origin === trustedOrigin) {
      const provided = (await headerProvider?.(context)) ?? {};
      secrets.addNamed(provided);
      for (const [name, value] of Object.entries(provided)) setProvided(headers, name, value);
    }
    if (credential !== undefined) addCredential(request, credential);
    if (cookies.length > 0) headers.set("cookie", cookies.join("; "));
    url.search = [url.search.slice(1), ...query].filter((part) => part !== "").join("&");
    const { timeoutMs } = this.#options;
    const limit = timeoutMs === undefined ? {} : { timeoutMs };
    return outbound.fetch(url, { method: this.#operation.method, headers, body, signal: context.signal, ...limit });
  }

  /** Made at the first use: a description may have many operations that no agent uses. */
  get #parameters(): JsonObject {
    this.#declared ??= parametersSchema(this.#operation);
    return this.#declared;
  }
}

function addCredential(request: RestRequest, { headers, query, cookies }: AppliedCredential): void {
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  for (const [name, value] of Object.entries(query))
    request.query.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  for (const [name, value] of Object.entries(cookies)) request.cookies.push(`${name}=${value}`);
}

/** Sets a provided header. An error of `Headers` would quote the value, so it is replaced. */
function setProvided(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    throw new PlatformError("INVALID_FIELD", `headerProvider: the value of "${name}" cannot be a header.`, {
      details: { field: "headerProvider" },
    });
  }
}

/** Values that no result may contain: a server's refusal may quote them. */
function secretsOf({ headers, query, cookies }: AppliedCredential): CallSecrets {
  const secrets = new CallSecrets(MIN_CREDENTIAL_CHARACTERS);
  const values = [headers, query, cookies].flatMap((place) => Object.values(place));
  for (const value of values) secrets.add(value, value.replace(/^\S+ /, ""));
  return secrets;
}

function parametersSchema({ parameters, body, document }: RestOperation): JsonObject {
  const expansion = new SchemaExpansion(document);
  const properties: (readonly [string, JsonObject])[] = parameters.map(({ argument, schema, description }) => [
    argument,
    { ...expansion.expand(schema), ...expansion.describe(description) },
  ]);
  if (body !== undefined) properties.push([body.argument, bodySchema(expansion, body)]);
  const all = body === undefined ? parameters : [...parameters, body];
  const required = all.flatMap(({ argument, required: isRequired }) => (isRequired ? [argument] : []));
  return { type: "object", properties: Object.fromEntries(properties), required, additionalProperties: false };
}

/** The schema of the body; it marks the texts that are base64, so that models know it. */
function bodySchema(expansion: SchemaExpansion, { kind, mediaType, schema, files }: RestBody): JsonObject {
  if (kind === "bytes") return { type: "string", description: IN_BASE64 };
  const expanded = expansion.expand(schema);
  if (kind === "text" && expanded["type"] !== "string") return documentSchema(mediaTypeOf(mediaType), expanded);
  const { properties } = expanded;
  if (files.size === 0 || !isJsonObject(properties)) return expanded;
  const described = Object.entries(properties).map(([name, field]): readonly [string, JsonValue] =>
    files.has(name) && isJsonObject(field) ? [name, withBase64(field)] : [name, field],
  );
  return { ...expanded, properties: Object.fromEntries(described) };
}

const IN_BASE64 = "bytes in base64";
const MAX_QUOTED_CHARACTERS = 4000;

/** The model writes the whole document; the description says what the document has. */
function documentSchema(type: string, schema: JsonObject): JsonObject {
  const quoted = JSON.stringify(schema);
  const form = isXmlType(type) ? "a document in XML" : `a text of the type ${type}`;
  const known = quoted === "{}" || quoted.length > MAX_QUOTED_CHARACTERS ? "" : `, whose contents are ${quoted}`;
  return { type: "string", description: `${form}${known}` };
}

function withBase64(field: JsonObject): JsonObject {
  const { description } = field;
  return { ...field, description: typeof description === "string" ? `${description} (${IN_BASE64})` : IN_BASE64 };
}

function wrongArguments(name: string, problems: string): { readonly error: string } {
  return { error: `Wrong arguments for ${name}: ${problems}. Call it again with corrected arguments.` };
}

/** Integers that no number holds are texts of their digits, which the schema of an integer does not know. */
function withNumbers(value: JsonValue): JsonValue {
  if (isLongInteger(value)) return Number(value);
  return mapMembers(value, withNumbers);
}

/** The checked value with the digits of `given`. */
function withDigits(value: JsonValue, given: JsonValue | undefined): JsonValue {
  if (typeof value === "number") return isLongInteger(given) ? given : value;
  return mapMembers(value, (member, key) => withDigits(member, memberOf(given, key)));
}

function mapMembers(value: JsonValue, change: (member: JsonValue, key: string) => JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((member, index) => change(member, String(index)));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, change(member, key)]));
}

function memberOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(key)];
  return isJsonObject(value) ? value[key] : undefined;
}
