import { isUtf8 } from "node:buffer";
import { CallSecrets } from "#kit/errors/call-secrets.ts";
import { REDACTED, redactText } from "#kit/errors/redact.ts";
import type { WireChunk } from "./wire-record.ts";

/** Headers whose values are recorded; all others may identify or authorize somebody. */
const HEADERS =
  /^(accept|accept-encoding|cache-control|connection|content-length|content-type|date|retry-after(-ms)?|server|user-agent|via|x-should-retry|anthropic-(beta|version)|(anthropic-|x-)?ratelimit-[\w-]+|(openai-)?processing-ms|openai-(beta|version)|x-stainless-[\w-]+)$/;
/** Query parameters whose values are recorded. */
const QUERY: ReadonlySet<string> = new Set(["alt", "$alt", "api-version", "beta"]);
const BETWEEN_EVENTS = "\n\n";
/** The addresses of signed URLs are credentials. */
const URL_IN_TEXT = /https?:\/\/[^\s"'<>]+/g;

/**
 * Removes the credentials of one exchange: values of headers and of the query that are not known to be harmless, what
 * they sent wherever it is quoted, secrets of the environment, members with names such as `password`, keys of known
 * forms, and the queries of URLs.
 */
export class ExchangeRedaction {
  readonly #secrets = new CallSecrets();

  constructor(url: string, headers: Headers, environment: Readonly<Record<string, string | undefined>>) {
    const set = Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    this.#secrets.addNamed(Object.fromEntries(set));
    this.#secrets.addSent(headers);
    for (const [name, value] of headers) if (!HEADERS.test(name)) this.#secrets.add(value);
    for (const [name, value] of URL.parse(url)?.searchParams ?? []) if (!QUERY.has(name)) this.#secrets.add(value);
  }

  url(given: string): string {
    const url = URL.parse(given);
    if (url === null) return REDACTED;
    const query = url.search === "" ? "" : `?${withoutValues(url.search.slice(1))}`;
    return this.#text(`${url.origin}${url.pathname}${query}`);
  }

  headers(given: Headers): Readonly<Record<string, string>> {
    return Object.fromEntries(
      [...given].map(([name, value]) => [name, HEADERS.test(name) ? this.#text(value) : REDACTED]),
    );
  }

  error(error: unknown): string {
    return this.#text(String(error));
  }

  /** The chunks, or the events of a text from which something was removed. */
  chunks(chunks: readonly Uint8Array[]): readonly WireChunk[] {
    const whole = Buffer.concat(chunks);
    if (whole.length === 0) return [];
    if (!isUtf8(whole)) return chunks.map(chunkOf);
    const text = whole.toString();
    const clean = this.#json(text) ?? this.#lines(text);
    if (clean === text) return chunks.map(chunkOf);
    const events = clean.split(BETWEEN_EVENTS);
    return events.map((event, index) => (index === events.length - 1 ? event : event + BETWEEN_EVENTS)).filter(Boolean);
  }

  #lines(text: string): string {
    const lines = text.split("\n").map((line) => {
      const start = line.startsWith("data:") ? line.indexOf(line.startsWith("data: ") ? " " : ":") + 1 : 0;
      const end = line.trimEnd().length;
      const data = line.slice(start, end);
      return line.slice(0, start) + (this.#json(data) ?? this.#text(data)) + line.slice(Math.max(start, end));
    });
    return lines.join("\n");
  }

  /** The JSON without secrets, the same text if there are none; undefined if it is not JSON. */
  #json(text: string): string | undefined {
    if (!/^\s*[[{]/.test(text)) return undefined;
    let isChanged = false;
    const redacted = (name: string, value: unknown): unknown => {
      if (typeof value !== "string" || value === "") return value;
      const clean = isSecretName(name) ? REDACTED : this.#text(value);
      isChanged ||= clean !== value;
      return clean;
    };
    try {
      const clean = JSON.stringify(JSON.parse(text, redacted));
      return isChanged ? clean : text;
    } catch {
      return undefined;
    }
  }

  #text(text: string): string {
    const withoutQueries = text.replace(URL_IN_TEXT, (url) => {
      const query = url.indexOf("?") + 1;
      return query === 0 ? url : url.slice(0, query) + withoutValues(url.slice(query));
    });
    return redactText(this.#secrets.redact(withoutQueries));
  }
}

/** A query without the values of unknown parameters. */
function withoutValues(query: string): string {
  const parameters = query.split("&").map((parameter) => {
    const [name = ""] = parameter.split("=");
    return QUERY.has(name) || !parameter.includes("=") ? parameter : `${name}=${REDACTED}`;
  });
  return parameters.join("&");
}

function isSecretName(name: string): boolean {
  return redactText(`${name}="value"`) !== `${name}="value"`;
}

function chunkOf(bytes: Uint8Array): WireChunk {
  return isUtf8(bytes) ? Buffer.from(bytes).toString() : { base64: Buffer.from(bytes).toString("base64") };
}
