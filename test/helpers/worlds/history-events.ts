import type { Part } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import { PromptHistory } from "#kit/history/prompt-history.ts";
import type { Viewer } from "#kit/history/prompt-view.ts";

export const viewer: Viewer = { agentName: "helper", branch: undefined };

export function event(author: string, parts: readonly Part[], extra: Partial<Event> = {}): Event {
  const role = author === "user" ? "user" : "model";
  return createEvent({ id: "e", invocationId: "i", author, timestamp: 0, content: { role, parts }, ...extra });
}

export const text = (words: string): Part => ({ text: words });

/** A history of one event, and a function that counts the reads of the event during an action. */
export function countedHistory() {
  let reads = 0;
  const events = new Proxy([event("user", [text("go")])], {
    get: (target, key, receiver) => {
      if (key === "0") reads += 1;
      return Reflect.get(target, key, receiver);
    },
  });
  const readsDuring = (action: () => void): number => {
    reads = 0;
    action();
    return reads;
  };
  return { history: new PromptHistory(events), readsDuring };
}
