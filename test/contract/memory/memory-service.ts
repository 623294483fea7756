import { describe, expect, it } from "vitest";
import type { Content } from "#kit/events/content.ts";
import { createEvent, type Event } from "#kit/events/event.ts";
import type { MemoryEntry, MemoryService } from "#kit/memory/memory-service.ts";
import type { Session } from "#kit/sessions/session.ts";
import { verifies } from "#test/helpers/verifies.ts";

export interface MemoryServiceContract {
  /** A service without entries whose clock is set to `CONTRACT_TIME_MS` and whose ids are `id-1`, `id-2` …. */
  readonly create: () => Promise<{ readonly service: MemoryService; readonly dispose: () => Promise<void> }>;
}

export const CONTRACT_TIME_MS = 1_767_225_600_000;

const SCOPE = { appName: "app", userId: "user" };

function says(id: string, text: string, overrides: Partial<Event> = {}): Event {
  const content: Content = { role: "user", parts: [{ text }] };
  return createEvent({ id, invocationId: "i", author: "user", timestamp: CONTRACT_TIME_MS, content, ...overrides });
}

function sessionOf(id: string, events: Event[], scope = SCOPE): Session {
  return { ...scope, id, state: {}, events, lastUpdateTime: CONTRACT_TIME_MS, revision: events.length };
}

function remembered(id: string, text: string): MemoryEntry {
  return { content: { role: "user", parts: [{ text }] }, author: "user", timestamp: "2026-01-01T00:00:00.000Z", id };
}

export function memoryServiceContract({ create }: MemoryServiceContract): void {
  const withService = (test: (service: MemoryService) => Promise<void>) => async () => {
    const { service, dispose } = await create();
    try {
      await test(service);
    } finally {
      await dispose();
    }
  };
  const found = async (service: MemoryService, query: string, scope = SCOPE) =>
    (await service.searchMemory(scope, query)).memories.map(({ id }) => id);

  describe("what is remembered", () => {
    it(
      "adds a session's events that carry text, with author and time",
      withService(async (service) => {
        verifies(
          "what-the-service-does:kit-memory-services",
          "operations:memory:add-session",
          "operations:memory:search",
          "memory:entry:author",
          "memory:entry:content",
          "memory:search-response:memories",
          "memory:search-response:further-fields",
        );
        const answer: Content = {
          role: "model",
          parts: [
            { text: "Sunny in Rome", thought: true },
            { text: "Rome is warm" },
            { inlineData: { mimeType: "image/png", data: "aGk=" } },
          ],
        };
        const call: Content = { role: "model", parts: [{ functionCall: { name: "rome", args: { city: "Rome" } } }] };
        const events = [
          says("e-1", "Weather in Rome?"),
          says("e-2", "", { author: "weather", content: answer, timestamp: CONTRACT_TIME_MS + 1500 }),
          says("e-3", "", { author: "weather", content: call }),
          says("e-4", "Rome, partly", { partial: true }),
          says("e-5", "  "),
        ];
        await service.addSessionToMemory(sessionOf("s", events));
        expect(await service.searchMemory(SCOPE, "rome")).toEqual({
          memories: [
            {
              content: { role: "model", parts: [{ text: "Rome is warm" }] },
              author: "weather",
              timestamp: "2026-01-01T00:00:01.500Z",
              id: "e-2",
            },
            remembered("e-1", "Weather in Rome?"),
          ],
        });
        expect(await service.searchMemory(SCOPE, "sunny")).toEqual({ memories: [] });
      }),
    );

    it(
      "replaces what the same session added before",
      withService(async (service) => {
        await service.addSessionToMemory(sessionOf("s", [says("e-1", "apples"), says("e-2", "pears")]));
        await service.addSessionToMemory(sessionOf("t", [says("e-1", "apples too")]));
        await service.addSessionToMemory(sessionOf("s", [says("e-2", "plums"), says("e-3", "pears")]));
        expect(await service.searchMemory(SCOPE, "apples pears plums")).toEqual({
          memories: [remembered("e-1", "apples too"), remembered("e-2", "plums"), remembered("e-3", "pears")],
        });
        await service.addSessionToMemory(sessionOf("s", []));
        expect(await found(service, "apples pears plums")).toEqual(["e-1"]);
      }),
    );

    it(
      "adds entries as they are, and replaces one of the same id",
      withService(async (service) => {
        verifies("memory:entry:author-absent", "memory:entry:further-fields");
        const full: MemoryEntry = {
          content: { parts: [{ text: "likes tea" }] },
          author: "curator",
          timestamp: "2025-05-01T10:00:00+02:00",
          id: "fact",
          customMetadata: { source: ["a", null] },
        };
        await service.addMemoryEntries(SCOPE, [full, { content: { parts: [{ text: "tea at five" }] } }]);
        const { memories } = await service.searchMemory(SCOPE, "tea");
        // A store that waits for its keys makes the entries again, with new ids.
        const made = { content: { parts: [{ text: "tea at five" }] }, id: expect.stringMatching(/^id-\d+$/) };
        expect(memories).toEqual([made, full]);
        await service.addMemoryEntries(SCOPE, [{ id: "fact", content: { parts: [{ text: "likes coffee" }] } }]);
        expect(await found(service, "tea")).toEqual([memories[0]?.id]);
        expect(await found(service, "coffee")).toEqual(["fact"]);
      }),
    );

    it(
      "refuses an entry with a time that is none, and adds nothing",
      withService(async (service) => {
        const entries = [
          { content: { parts: [{ text: "tea" }] } },
          { content: { parts: [{ text: "tea" }] }, timestamp: "teatime" },
        ];
        await expect(service.addMemoryEntries(SCOPE, entries)).rejects.toMatchObject({ reason: "INVALID_FIELD" });
        expect(await found(service, "tea")).toEqual([]);
      }),
    );

    it(
      "forgets what came from one session and nothing else",
      withService(async (service) => {
        await service.addSessionToMemory(sessionOf("s", [says("e-1", "tea")]));
        await service.addSessionToMemory(sessionOf("t", [says("e-2", "tea")]));
        await service.addMemoryEntries(SCOPE, [{ id: "fact", content: { parts: [{ text: "tea" }] } }]);
        await service.deleteSessionMemory(SCOPE, "s");
        await service.deleteSessionMemory(SCOPE, "s");
        await service.deleteSessionMemory(SCOPE, "never");
        expect(await found(service, "tea")).toEqual(["e-2", "fact"]);
      }),
    );

    it(
      "keeps apps and users apart",
      withService(async (service) => {
        const others = [
          { appName: "app", userId: "other" },
          { appName: "other", userId: "user" },
          { appName: "app/user", userId: "x" },
          { appName: "app", userId: "user/x" },
          { appName: "App", userId: "user" },
        ];
        await service.addSessionToMemory(sessionOf("s", [says("mine", "tea")]));
        for (const [index, scope] of others.entries())
          await service.addSessionToMemory(sessionOf("s", [says(`theirs-${index}`, "tea")], scope));
        expect(await found(service, "tea")).toEqual(["mine"]);
        for (const [index, scope] of others.entries())
          expect(await found(service, "tea", scope)).toEqual([`theirs-${index}`]);
        await service.deleteSessionMemory(SCOPE, "s");
        expect(await found(service, "tea", others[0])).toEqual(["theirs-0"]);
        expect(await found(service, "tea", { appName: "nobody", userId: "user" })).toEqual([]);
      }),
    );

    it(
      "refuses what is not an identifier",
      withService(async (service) => {
        const refused = { reason: "INVALID_IDENTIFIER" };
        await expect(service.searchMemory({ appName: "", userId: "u" }, "x")).rejects.toMatchObject(refused);
        await expect(service.addMemoryEntries({ appName: "a", userId: "\u0000" }, [])).rejects.toMatchObject(refused);
        await expect(service.addSessionToMemory(sessionOf("a\nb", []))).rejects.toMatchObject(refused);
        await expect(service.deleteSessionMemory(SCOPE, "x".repeat(257))).rejects.toMatchObject(refused);
      }),
    );
  });

  describe("searching", () => {
    it(
      "puts entries with more of the query's words first, then newer ones, then by id",
      withService(async (service) => {
        verifies("memory:search-response:further-fields");
        await service.addSessionToMemory(
          sessionOf("s", [
            says("b", "red"),
            says("a", "red red red"),
            says("newer", "blue", { timestamp: CONTRACT_TIME_MS + 1 }),
            says("two", "red and blue", { timestamp: CONTRACT_TIME_MS - 1000 }),
            says("none", "green"),
          ]),
        );
        expect(await found(service, "blue RED red?")).toEqual(["two", "newer", "a", "b"]);
      }),
    );

    it(
      "compares letters without case or accents",
      withService(async (service) => {
        verifies("operations:memory:search-signature");
        await service.addSessionToMemory(
          sessionOf("s", [says("fr", "Le Café d'été"), says("el", "ΟΔΟΣ οδός"), says("de", "MÜNCHEN, Straße")]),
        );
        for (const query of ["cafe", "CAFÉ", "cafe\u0301", "ÉTÉ"]) expect(await found(service, query)).toEqual(["fr"]);
        for (const query of ["οδοσ", "ΟΔΌΣ"]) expect(await found(service, query)).toEqual(["el"]);
        for (const query of ["munchen", "straße"]) expect(await found(service, query)).toEqual(["de"]);
      }),
    );

    it(
      "finds words in scripts that do not separate them, and in those that do",
      withService(async (service) => {
        await service.addSessionToMemory(
          sessionOf("s", [
            says("ja", "明日は東京でラーメンを食べます"),
            says("zh", "我喜欢喝绿茶"),
            says("ko", "서울에서 김치를 먹었어요"),
            says("th", "ฉันชอบกินข้าวผัด"),
            says("hi", "मुझे चाय पसंद है"),
            says("ru", "Завтра будет дождь"),
            says("ar", "أحبُّ القهوةَ"),
          ]),
        );
        const expected = {
          東京: "ja",
          ラーメン: "ja",
          绿茶: "zh",
          茶: "zh",
          김치: "ko",
          ข้าว: "th",
          चाय: "hi",
          ДОЖДЬ: "ru",
          القهوة: "ar",
        };
        for (const [query, id] of Object.entries(expected))
          expect([query, await found(service, query)]).toEqual([query, [id]]);
        expect(await found(service, "चय")).toEqual([]);
      }),
    );

    it(
      "matches whole words only, split at everything that is not a letter or digit",
      withService(async (service) => {
        await service.addSessionToMemory(sessionOf("s", [says("e-1", "call get_weather(42) at foo@example.com")]));
        for (const query of ["weather", "Weather?", "42", "EXAMPLE", "(foo)"])
          expect(await found(service, query)).toEqual(["e-1"]);
        for (const query of ["weath", "4", "getweather"]) expect(await found(service, query)).toEqual([]);
      }),
    );

    it(
      "takes any text as a query",
      withService(async (service) => {
        await service.addSessionToMemory(sessionOf("s", [says("e-1", "near or not and column")]));
        await service.addSessionToMemory(
          sessionOf("s", [says("theirs", "near or not and words rowid")], { appName: "app", userId: "other" }),
        );
        const queries = [
          '"',
          "'",
          "*",
          "nothing*",
          "a OR b",
          "AND",
          "x NOT y",
          "NEAR(near or)",
          "words : near",
          "-near",
          "^near",
          '") OR ("near',
          "near') --",
        ];
        queries.push(
          "{words}: near",
          "s_1",
          "s_2 near",
          "_6e656172",
          "near\u0000x",
          "near \ud800",
          "",
          "   ",
          "?!…",
          "(",
          "near + ",
          "a".repeat(100_000),
        );
        for (const query of queries) {
          const { memories } = await service.searchMemory(SCOPE, query);
          const expected = /near|\bor\b|\band\b|\bnot\b/i.test(query.replaceAll("_", " ")) ? ["e-1"] : [];
          expect([query, memories.map(({ id }) => id)]).toEqual([query, expected]);
        }
        await service.searchMemory(SCOPE, Array.from({ length: 5000 }, (_, index) => `word${index}`).join(" "));
      }),
    );

    it(
      "finds a very long word by its beginning",
      withService(async (service) => {
        await service.addSessionToMemory(
          sessionOf("s", [says("e-1", "a".repeat(100_000)), says("e-2", "é".repeat(100_000))]),
        );
        expect(await found(service, "a".repeat(70))).toEqual(["e-1"]);
        expect(await found(service, "e".repeat(70))).toEqual(["e-2"]);
      }),
    );

    it(
      "answers at most 50 entries, the best",
      withService(async (service) => {
        const events = Array.from({ length: 120 }, (_, index) =>
          says(`e-${index}`, "tea", { timestamp: CONTRACT_TIME_MS + index }),
        );
        await service.addSessionToMemory(sessionOf("s", [...events, says("best", "green tea", { timestamp: 0 })]));
        const expected = ["best", ...Array.from({ length: 49 }, (_, index) => `e-${119 - index}`)];
        expect(await found(service, "green tea")).toEqual(expected);
      }),
    );
  });
}
