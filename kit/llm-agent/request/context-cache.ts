import type { CacheMetadata } from "#kit/events/cache-metadata.ts";
import type { Event } from "#kit/events/event.ts";
import type { StepContext } from "#kit/llm-agent/base/step-context.ts";
import type { ContextCacheConfig } from "#kit/models/context-cache-config.ts";

/** How far back the agent's newest call is looked for; beyond it a cache has hardly lived on. */
const MOST_EVENTS = 200;

/** Asks for the start of the prompt to be cached, where the app has switched that on. */
export function contextCache(step: StepContext): void {
  const { contextCache: config } = step.context;
  if (config !== undefined) addCacheRequest(step, config);
}

function addCacheRequest({ agent, context, request }: StepContext, config: ContextCacheConfig): void {
  const newest = newestCall(context.session.events, agent.name);
  const previous = newest?.cacheMetadata;
  const promptTokenCount = newest?.usageMetadata?.promptTokenCount;
  const { logger } = context.services;
  request.contextCache = {
    config,
    ...(previous !== undefined && { previous: countUse(previous, newest?.invocationId !== context.invocationId) }),
    ...(promptTokenCount !== undefined && { promptTokenCount }),
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
