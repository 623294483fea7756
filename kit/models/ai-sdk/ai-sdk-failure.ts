import { MessageConversionException } from "#kit/errors/kit-errors.ts";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { ModelError, type ProviderNames } from "#kit/models/error-mapper.ts";
import { isJsonObject } from "#kit/platform/json.ts";

/** Errors of the SDK about an answer that cannot be read. */
const UNREADABLE: ReadonlySet<unknown> = new Set([
  "AI_EmptyResponseBodyError",
  "AI_InvalidResponseDataError",
  "AI_JSONParseError",
  "AI_NoContentGeneratedError",
  "AI_TypeValidationError",
]);

/** Whether the provider's own code does not know how to send a part of the request. */
export function isUnsupported(thrown: unknown): boolean {
  return fieldsOf(thrown)["name"] === "AI_UnsupportedFunctionalityError";
}

/**
 * The failure in the form that the kit reads of all providers: status, headers and the provider's error object. The
 * SDK's own error is dropped, because it contains the whole request, and may quote a key that the kit does not know.
 */
export function toFailure(thrown: unknown, { provider, keySource }: ProviderNames): unknown {
  if (thrown instanceof PlatformError) return thrown;
  const { name, statusCode, responseHeaders, message, cause } = fieldsOf(thrown);
  const text = typeof message === "string" ? message : String(thrown);
  if (name === "AI_LoadAPIKeyError")
    return new PlatformError("MODEL_KEY_MISSING", `${provider} has no key: check ${keySource}.`);
  if (isUnsupported(thrown) || name === "AI_InvalidPromptError")
    return new MessageConversionException(`${provider} does not take this request: ${text}`);
  const isRefused = typeof statusCode === "number" && statusCode >= 400;
  if (!isRefused && (UNREADABLE.has(name) || UNREADABLE.has(fieldsOf(cause)["name"])))
    return new ModelError("SERVER_ERROR", `${provider} sent an answer that cannot be read.`, { logDetail: text });
  const isAuth = statusCode === 401 || statusCode === 403;
  return Object.assign(isAuth ? new Error("The credentials are refused.") : new Error(text, { cause }), {
    status: typeof statusCode === "number" ? statusCode : undefined,
    headers: isJsonObject(responseHeaders) ? headersOf(responseHeaders) : undefined,
    error: !isAuth ? bodyOf(thrown) : undefined,
  });
}

/** The provider's error object: of a stream it is the error itself, of a refused request it is in the answer's body. */
function bodyOf(thrown: unknown): unknown {
  const { data, responseBody, ...own } = fieldsOf(thrown);
  const body = data ?? parsed(responseBody);
  const inner = fieldsOf(body)["error"] ?? body;
  if (isJsonObject(inner)) return inner;
  return thrown instanceof Error ? undefined : own;
}

function parsed(body: unknown): unknown {
  try {
    return typeof body === "string" ? JSON.parse(body) : undefined;
  } catch {
    // Proxies answer in HTML.
    return undefined;
  }
}

function headersOf(headers: object): Headers {
  const strings = Object.entries(headers).filter(([, value]) => typeof value === "string");
  return new Headers(strings);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (value instanceof Error) return { ...value, name: value.name, message: value.message, cause: value.cause };
  return isJsonObject(value) ? value : {};
}
