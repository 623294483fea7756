import type { Caches, ContentListUnion, GenerateContentParameters, Tool } from "@google/genai";
import type { CacheMetadata } from "#kit/events/cache-metadata.ts";
import type { Content } from "#kit/events/content.ts";
import type { ContextCacheRequest } from "#kit/models/context-cache-config.ts";
import { getTtlString } from "#kit/models/context-cache-config.ts";
import { fingerprint } from "#kit/models/fingerprint.ts";
import type { Clock } from "#kit/platform/clock.ts";
import { fromIsoTime } from "#kit/platform/iso-time.ts";

/** The API refuses smaller caches. */
const LEAST_TOKENS = 1024;
/** A cache that is about to expire could be deleted when the request arrives. */
const EXPIRY_MARGIN_MS = 5_000;
/** After a failure nothing is cached for this time, since the API would probably refuse it again. */
const PAUSE_MS = 60_000;
/** The API's format of cache names; no other value becomes part of a request. */
const CACHE_NAME = /^(projects\/[\w.:-]+\/locations\/[\w-]+\/)?cachedContents\/[\w-]+$/;

/** A request in the form that is sent, and the cache metadata to remember. */
export interface CachedPrompt {
  readonly parameters: GenerateContentParameters;
  readonly metadata: CacheMetadata;
}

/**
 * Caches the constant prefix of prompts at the provider: instruction, tools and the contents before the newest turn.
 * The first prompt only leaves a fingerprint; a prefix that occurs a second time becomes a cache; a cache is used until
 * it expires, has served its invocations, or the prefix has changed. A failure of the cache never fails a request.
 */
export class GeminiCache {
  readonly #clock: Clock;
  #pausedUntil = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async apply(
    parameters: GenerateContentParameters,
    request: ContextCacheRequest,
    caches: Caches,
  ): Promise<CachedPrompt> {
    const { previous } = request;
    if (previous === undefined) return plain(parameters);
    const isSameStart = previous.contentsCount <= prefixLength(parameters) && isSame(parameters, previous);
    if (isSameStart && this.#isUsable(previous, request)) return cached(parameters, previous);
    this.#remove(previous, request, caches);
    if (!isSameStart || !this.#isWorthwhile(request)) return plain(parameters);
    try {
      return cached(parameters, await this.#create(parameters, request, caches));
    } catch (error) {
      return this.withoutCache(parameters, request, error);
    }
  }

  /** The request without a cache, instead of one whose cache has failed. */
  withoutCache(parameters: GenerateContentParameters, request: ContextCacheRequest, error: unknown): CachedPrompt {
    this.#pausedUntil = this.#clock.now() + PAUSE_MS;
    request.onFailure(error);
    return plain(parameters);
  }

  #isUsable(
    { cacheName, expireTime = 0, invocationsUsed = 0 }: CacheMetadata,
    { config }: ContextCacheRequest,
  ): boolean {
    return (
      cacheName !== undefined &&
      CACHE_NAME.test(cacheName) &&
      expireTime > this.#clock.now() + EXPIRY_MARGIN_MS &&
      invocationsUsed <= config.maxInvocations
    );
  }

  #isWorthwhile({ config, promptTokenCount = 0 }: ContextCacheRequest): boolean {
    return promptTokenCount >= Math.max(config.minTokens, LEAST_TOKENS) && this.#clock.now() >= this.#pausedUntil;
  }

  async #create(
    parameters: GenerateContentParameters,
    { config }: ContextCacheRequest,
    caches: Caches,
  ): Promise<CacheMetadata> {
    const { abortSignal, systemInstruction, tools, toolConfig } = parameters.config ?? {};
    const start = startOf(parameters);
    const contents = contentsOf(parameters).slice(0, start.contentsCount);
    const createdAt = this.#clock.now();
    const { name, expireTime } = await caches.create({
      model: parameters.model,
      config: {
        ttl: getTtlString(config),
        displayName: `fairlead-${start.fingerprint}`,
        // Contents have the JSON of the API, for which the SDK's types use enums of their own. The API refuses an empty
        // list.
        contents: contents.length > 0 ? (contents as ContentListUnion) : undefined,
        systemInstruction,
        // `toGeminiRequest` creates declarations only, never the SDK's callable tools.
        tools: tools as Tool[] | undefined,
        toolConfig,
        abortSignal,
      },
    });
    if (name === undefined) throw new Error("Gemini made a cache without a name.");
    return {
      cacheName: name,
      expireTime: fromIsoTime(expireTime ?? "") ?? createdAt + config.ttlSeconds * 1000,
      createdAt,
      invocationsUsed: 1,
      ...start,
    };
  }

  /** Not awaited: a cache that is not removed expires. */
  #remove({ cacheName, expireTime = 0 }: CacheMetadata, { onFailure }: ContextCacheRequest, caches: Caches): void {
    if (cacheName === undefined || !CACHE_NAME.test(cacheName) || expireTime <= this.#clock.now()) return;
    caches.delete({ name: cacheName }).catch(onFailure);
  }
}

function plain(parameters: GenerateContentParameters): CachedPrompt {
  return { parameters, metadata: startOf(parameters) };
}

/** The request without what the cache holds. */
function cached(parameters: GenerateContentParameters, metadata: CacheMetadata): CachedPrompt {
  const { systemInstruction: _, tools: __, toolConfig: ___, ...config } = parameters.config ?? {};
  const { cacheName = "" } = metadata;
  const contents = contentsOf(parameters).slice(metadata.contentsCount);
  return {
    // A subset of the original contents.
    parameters: {
      ...parameters,
      contents: contents as ContentListUnion,
      config: { ...config, cachedContent: cacheName },
    },
    metadata,
  };
}

function isSame(parameters: GenerateContentParameters, { contentsCount, fingerprint: known }: CacheMetadata): boolean {
  return fingerprintOf(parameters, contentsCount) === known;
}

function startOf(parameters: GenerateContentParameters): Pick<CacheMetadata, "fingerprint" | "contentsCount"> {
  const contentsCount = prefixLength(parameters);
  return { fingerprint: fingerprintOf(parameters, contentsCount), contentsCount };
}

/** All contents but the newest turn of the user, so that a request is never empty. */
function prefixLength(parameters: GenerateContentParameters): number {
  const contents = contentsOf(parameters);
  let length = contents.length;
  while (length > 0 && contents[length - 1]?.role === "user") length -= 1;
  return length;
}

function fingerprintOf(parameters: GenerateContentParameters, contentsCount: number): string {
  const { systemInstruction, tools, toolConfig } = parameters.config ?? {};
  return fingerprint({
    model: parameters.model,
    systemInstruction,
    // Toolsets may list their tools in any order.
    tools: (tools ?? []).map((tool) => JSON.stringify(sorted(tool))).sort(),
    toolConfig,
    contents: contentsOf(parameters).slice(0, contentsCount),
  });
}

function sorted(tool: object): object {
  if (!("functionDeclarations" in tool) || !Array.isArray(tool.functionDeclarations)) return tool;
  const declarations = tool.functionDeclarations.map((declaration: unknown) => JSON.stringify(declaration));
  return { ...tool, functionDeclarations: declarations.sort() };
}

function contentsOf({ contents }: GenerateContentParameters): readonly Content[] {
  // `toGeminiRequest` created them, as a list of the kit's contents.
  return contents as readonly Content[];
}
