import { expect, it } from "vitest";
import { userContent } from "#kit/events/content.ts";
import { createEvent } from "#kit/events/event.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { SequentialIds } from "#kit/testing/sequential-ids.ts";
import { InMemoryMemoryService } from "#ports/memory/in-memory-memory-service.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";

const KEY = { appName: "echo", userId: "u", id: "s" };
const said = createEvent({
  id: "e",
  invocationId: "i",
  author: "user",
  timestamp: 1,
  content: userContent("Rome is warm"),
});

it("adds a session to its user's memory, in either spelling of the field", async () => {
  const memoryService = new InMemoryMemoryService({ clock: new FixedClock(), ids: new SequentialIds() });
  await using world = await startGateway({ deps: { memoryService } });
  await world.store.createSession({ ...KEY, events: [said] });
  for (const payload of [{ sessionId: "s" }, { session_id: "s" }]) {
    const response = await world.gateway.inject({ method: "PATCH", url: "/apps/echo/users/u/memory", payload });
    expect([response.statusCode, response.body]).toEqual([200, "null"]);
  }
  const { memories } = await memoryService.searchMemory({ appName: "echo", userId: "u" }, "rome");
  expect(memories.map(({ content, author }) => ({ content, author }))).toEqual([
    { content: said.content, author: "user" },
  ]);
});

it("answers 404 for a session that the user does not have, and 422 without one", async () => {
  await using world = await startGateway();
  await world.store.createSession(KEY);
  const patch = (user: string, payload: object) =>
    world.gateway.inject({ method: "PATCH", url: `/apps/echo/users/${user}/memory`, payload });
  expect((await patch("other", { sessionId: "s" })).json()).toMatchObject({ status: 404, reason: "SESSION_NOT_FOUND" });
  expect((await patch("u", {})).json()).toMatchObject({ status: 422, detail: [{ loc: ["body", "sessionId"] }] });
});
