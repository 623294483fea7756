import { describe, expect, it } from "vitest";
import { PromptHistory } from "#kit/history/prompt-history.ts";
import { fc } from "#test/helpers/random/seeded-check.ts";
import { Conversation, marksOf, steps } from "#test/helpers/worlds/compacted-conversation.ts";
import type { Content } from "../events/content.ts";

const idsOf = (content: Content | undefined, kind: "functionCall" | "functionResponse"): readonly string[] =>
  (content?.parts ?? []).flatMap((part) => part[kind]?.id ?? []).sort();

const viewer = { agentName: "helper", branch: undefined };

describe("any conversation, compacted anywhere", () => {
  it("gives prompts in which each call has its response right behind it, and no response is without its call", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const conversation = new Conversation();
        for (const step of all) {
          await conversation.take(step);
          const contents = new PromptHistory(conversation.events).contents(viewer);
          for (const [index, content] of contents.entries()) {
            expect(idsOf(contents[index + 1], "functionResponse")).toEqual(idsOf(content, "functionCall"));
          }
          expect(idsOf(contents[0], "functionResponse")).toEqual([]);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("keeps the order of what the prompt still has word for word, and keeps everything once, there or in the summary", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const conversation = new Conversation();
        for (const step of all) await conversation.take(step);
        // An answer that comes late ends the prompt at its call; what follows must be there as well.
        await conversation.take({ kind: "say" });
        const contents = new PromptHistory(conversation.events).contents(viewer);
        const isSummary = (content: Content): boolean => content.parts?.[0]?.text?.startsWith("Summary") === true;
        const raw = contents.filter((content) => !isSummary(content)).flatMap(marksOf);
        expect(raw).toEqual(raw.toSorted());
        expect(contents.slice(1).filter(isSummary)).toEqual([]);
        expect(contents.flatMap(marksOf).toSorted()).toEqual(
          conversation.events.flatMap(({ content }) => marksOf(content)).toSorted(),
        );
      }),
      { numRuns: 150 },
    );
  });

  it("gives the same prompt whether the history was read event by event or as a whole", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const conversation = new Conversation();
        const followed = new PromptHistory(conversation.events);
        for (const step of all) {
          await conversation.take(step);
          expect(followed.contents(viewer)).toEqual(new PromptHistory(conversation.events).contents(viewer));
        }
      }),
      { numRuns: 100 },
    );
  });
});
