import type { CacheMetadata } from "#kit/events/cache-metadata.ts";
import type { Event } from "#kit/events/event.ts";
import type { RequestStep } from "#kit/llm-agent/base/step-context.ts";
import type { ContextCacheConfig } from "#kit/models/context-cache-config.ts";

/** How far back the agent's newest call is searched; a cache of an older call has probably expired. */
const MOST_EVENTS = 200;

/** Requests that the prefix of the prompt is cached, if the app configures it. */
export function contextCache(step: RequestStep): void {
  const { contextCache: config } = step.context;
  if (config !== undefined) addCacheRequest(step, config);
}

function addCacheRequest({ agent, context, request }: RequestStep, config: ContextCacheConfig): void {
  const newest = newestCall(context.session.events, agent.name);
  const previous = newest?.cacheMetadata;
  const promptTokenCount = newest?.usageMetadata?.promptTokenCount;
  const { logger } = context.services;
  request.contextCache = {
    config,
    previous: previous && countUse(previous, newest?.invocationId !== context.invocationId),
    promptTokenCount,
    onFailure: (error) =>
      logger.warn({ error, agentName: agent.name, sessionId: context.session.id }, "prompt not cached; sent whole"),
  };
}

function newestCall(events: readonly Event[], agentName: string): Event | undefined {
  const oldest = Math.max(events.length - MOST_EVENTS, 0);
  for (let index = events.length - 1; index >= oldest; index -= 1) {
    const event = events[index];
    if (event?.author === agentName && (event.cacheMetadata !== undefined || event.usageMetadata !== undefined))
      return event;
  }
  return undefined;
}

function countUse(metadata: CacheMetadata, isAnotherInvocation: boolean): CacheMetadata {
  const { cacheName, invocationsUsed = 0 } = metadata;
  return cacheName === undefined || !isAnotherInvocation
    ? metadata
    : { ...metadata, invocationsUsed: invocationsUsed + 1 };
}
