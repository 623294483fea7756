import { expect, it } from "vitest";
import { placeOf, sessionOf, settingsOf } from "./live-query.ts";

it.each([
  ["proactive_audio", "proactiveAudio", { proactivity: { proactiveAudio: true } }],
  ["enable_affective_dialog", "enableAffectiveDialog", { enableAffectiveDialog: true }],
  ["save_live_blob", "saveLiveBlob", { saveLiveBlob: true }],
  ["explicit_vad_signal", "explicitVadSignal", { explicitVadSignal: true }],
])("%s and %s are one setting", (python, typescript, setting) => {
  for (const name of [python, typescript]) {
    expect([name, settingsOf({ [name]: true })]).toEqual([name, setting]);
    expect([name, settingsOf({ [name]: false })]).toEqual([name, {}]);
  }
});

it.each([
  ["modalities", "audio", ["AUDIO"]],
  ["modalities", ["TEXT", "video"], ["TEXT", "VIDEO"]],
  ["responseModalities", "text", ["TEXT"]],
])("%s=%j is what the model answers with", (name, given, responseModalities) => {
  expect(settingsOf({ [name]: given })).toEqual({ responseModalities });
});

it("names the session in both spellings, and takes the default app", () => {
  const session = { appName: "a", userId: "u", id: "s" };
  expect(sessionOf({ app_name: "a", user_id: "u", session_id: "s" }, "other")).toEqual(session);
  expect(sessionOf({ appName: "a", userId: "u", sessionId: "s" }, "other")).toEqual(session);
  expect(sessionOf({ userId: "u", sessionId: "s" }, "a")).toEqual(session);
  expect(() => sessionOf({ userId: "u", sessionId: "s" }, "")).toThrow("app_name is required");
  for (const missing of [{ userId: "u" }, { sessionId: "s" }, { userId: " ", sessionId: "s" }])
    expect(() => sessionOf(missing, "a")).toThrow(expect.objectContaining({ reason: "INVALID_FIELD" }));
});

it.each([
  [{ run_id: "r", after_sequence: 4, next: 3 }, undefined],
  [{ resumable: false, run_id: "r" }, undefined],
  [{ resumable: true }, { runId: undefined, after: 0, next: 1 }],
  [
    { resumable: true, run_id: "r", after_sequence: 4, next: 3 },
    { runId: "r", after: 4, next: 3 },
  ],
  // Messages are counted from 1.
  [
    { resumable: true, run_id: "r", next: 0 },
    { runId: "r", after: 0, next: 1 },
  ],
])("the place of a client with %j", (query, place) => {
  expect(placeOf(query)).toEqual(place);
});
