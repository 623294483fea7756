import {
  VertexAiSessionService,
  type VertexAiSessionServiceOptions,
} from "#adapters/vertex/vertex-ai-session-service.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { FakeAgentPlatform, type FakeAgentPlatformOptions } from "./fake-agent-platform.ts";

export const NOW = 1_800_000_000_000;
export const KEY = { appName: "4711", userId: "ada", id: "talk" };
export const ENGINE = "projects/acme/locations/us-central1/reasoningEngines/4711";
export const NAME = `${ENGINE}/sessions/talk`;

/** What differs from a service of project acme and a platform that answers at once. */
interface WorldOptions {
  readonly platform?: Partial<FakeAgentPlatformOptions>;
  readonly service?: Partial<VertexAiSessionServiceOptions>;
}

/** The service, and the platform that it calls. */
export async function startManagedSessions({ platform: options, service: given }: WorldOptions = {}) {
  const clock = new FixedClock(NOW);
  const platform = await FakeAgentPlatform.start({ clock, ...options });
  const waits: number[] = [];
  const sleep = async (milliseconds: number) => void waits.push(milliseconds);
  const common = { apiEndpoint: platform.url, clock, ids: new SequentialIds(), sleep };
  const place = given?.apiKey === undefined ? { project: "acme", location: "us-central1" } : {};
  const service = new VertexAiSessionService({ ...place, ...common, ...given });
  return {
    ...{ clock, platform, service, waits },
    [Symbol.asyncDispose]: async () => {
      await service[Symbol.asyncDispose]();
      await platform[Symbol.asyncDispose]();
    },
  };
}

export function said(id: string, overrides: Partial<Event> = {}): Event {
  const content = { role: "model", parts: [{ text: id }] };
  return createEvent({ id, invocationId: "i", author: "agent", timestamp: NOW, content, ...overrides });
}
