import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { retryHint } from "./retry-hints.ts";

const NOW = 1_795_867_106_000;

function hintOf(headers: Record<string, string>, body: unknown = undefined, message = ""): number | undefined {
  return retryHint({ headers: new Headers(headers), body, message, now: NOW });
}

describe("the pause that a provider asks for", () => {
  const inTwentySeconds = new Date(NOW + 20_000).toUTCString();

  it.each<[string, Record<string, string>, number | undefined]>([
    ["seconds", { "retry-after": "17" }, 17_000],
    ["parts of a second", { "retry-after": "0.25" }, 250],
    ["a date", { "retry-after": inTwentySeconds }, 20_000],
    [
      "a date by the server's own clock",
      { "retry-after": inTwentySeconds, date: new Date(NOW + 15_000).toUTCString() },
      5000,
    ],
    ["a date that has passed", { "retry-after": new Date(NOW - 5000).toUTCString() }, 0],
    ["milliseconds, which win", { "retry-after-ms": "1250.5", "retry-after": "9" }, 1251],
    ["no date", { "retry-after": "soon" }, undefined],
    [
      "a limit of OpenAI that is used up",
      { "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6m0s" },
      360_000,
    ],
    [
      "a limit of OpenAI with milliseconds",
      { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "350ms" },
      350,
    ],
    [
      "a limit that is not used up",
      { "x-ratelimit-remaining-tokens": "12", "x-ratelimit-reset-tokens": "6m0s" },
      undefined,
    ],
    [
      "a limit of Anthropic that is used up",
      {
        "anthropic-ratelimit-tokens-remaining": "0",
        "anthropic-ratelimit-tokens-reset": new Date(NOW + 9000).toISOString(),
      },
      9000,
    ],
  ])("is read from headers: %s", (_, headers, expected) => {
    verifies("errors:model:retry-hints");
    expect(hintOf(headers)).toBe(expected);
  });

  it.each<[string, number | undefined]>([
    ["Rate limit reached for gpt-5 on tokens per min. Please try again in 20s. Visit …", 20_000],
    ["Please try again in 1m2.5s.", 62_500],
    ["Please try again in 350ms.", 350],
    ["You exceeded your current quota. Please retry in 36.3s.", 36_300],
    ["Requests have exceeded the rate limit. Please retry after 30 seconds.", 30_000],
    ["Please try again later.", undefined],
    ["Please try again in a moment, in 20 lines.", undefined],
  ])("is read from the provider's text: %s", (message, expected) => {
    expect(hintOf({}, undefined, message)).toBe(expected);
  });

  it.each<[unknown, number | undefined]>([
    [{ details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "17s" }] }, 17_000],
    [{ details: [{ retryDelay: "0.5s" }] }, 500],
    [{ details: [{ retryDelay: "soon" }] }, undefined],
    [{ retry_after: 2.5 }, 2500],
    ["overloaded", undefined],
  ])("is read from the details of the error: %j", (body, expected) => {
    expect(hintOf({}, body)).toBe(expected);
  });
});
