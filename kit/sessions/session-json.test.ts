import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { createEvent } from "../events/event.ts";
import { lastUpdateTimeAsDouble, setLastUpdateTimeSeconds } from "./session.ts";
import { sessionFromJson, sessionKeyFromJson } from "./session-json.ts";

const KEY = { appName: "app", userId: "ada", id: "talk" };
const said = createEvent({ id: "e", invocationId: "i", author: "user", timestamp: 1_787_140_000_250 });

describe("sessionFromJson", () => {
  it("reads a session in the form that the server returns", () => {
    verifies("wire:session:last-update-time", "session:json:parse-session");
    const wire = {
      ...KEY,
      state: { city: "Rome", "app:x": [1] },
      events: [said],
      lastUpdateTime: 1_787_140_000.25,
    };
    expect(sessionFromJson(JSON.stringify(wire))).toEqual({
      ...wire,
      lastUpdateTime: 1_787_140_000_250,
      revision: 1,
    });
  });

  it("reads the kit's additional members of a session, and accepts that optional ones are absent", () => {
    verifies("wire:session:last-update-time");
    const closed = { ...KEY, state: {}, events: [], lastUpdateTime: 2e12, revision: 7, closedTime: 2e12 };
    expect(sessionFromJson(JSON.stringify(closed))).toEqual(closed);
    const bare = { ...KEY, state: null, unknown: 1 };
    expect(sessionFromJson(JSON.stringify(bare))).toEqual({
      ...KEY,
      state: {},
      events: [],
      lastUpdateTime: 0,
      revision: 0,
    });
  });

  it.each([
    [{ ...KEY, id: undefined }, "INVALID_FIELD", "id is missing."],
    [{ ...KEY, state: [] }, "INVALID_FIELD", "state must be an object."],
    [{ ...KEY, events: [said, { ...said, author: 1 }] }, "INVALID_FIELD", "events[1].author must be a string."],
    [{ ...KEY, userId: "" }, "INVALID_IDENTIFIER", "userId is empty. Give it at least one character."],
  ])("names what is wrong in %j", (value, reason, message) => {
    expect(() => sessionFromJson(JSON.stringify(value))).toThrowError(expect.objectContaining({ reason, message }));
  });
});

describe("sessionKeyFromJson", () => {
  it("reads the triple and nothing else", () => {
    verifies("session:json:parse-session-key");
    expect(sessionKeyFromJson(JSON.stringify({ ...KEY, state: {} }))).toEqual(KEY);
  });

  it.each([
    ["{", "MALFORMED_JSON", "The session key is not valid JSON."],
    ["null", "INVALID_FIELD", "the value must be an object."],
    ['{"appName":"a","userId":"u"}', "INVALID_FIELD", "id is missing."],
    ['{"appName":"a","userId":5,"id":"s"}', "INVALID_FIELD", "userId must be a string."],
  ])("refuses %s", (json, reason, message) => {
    expect(() => sessionKeyFromJson(json)).toThrowError(expect.objectContaining({ reason, message }));
  });
});

it("gives and takes the last update in seconds with a fraction", () => {
  verifies("session:last-update-time:as-seconds");
  const session = sessionFromJson(JSON.stringify(KEY));
  setLastUpdateTimeSeconds(session, 1_787_140_000.25);
  expect([session.lastUpdateTime, lastUpdateTimeAsDouble(session)]).toEqual([1_787_140_000_250, 1_787_140_000.25]);
});
