import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { KnownApps } from "./known-apps.ts";

it("asks once a second at most, and keeps the last list while runners cannot be asked", async () => {
  const clock = new FixedClock();
  let asked = 0;
  let answer: readonly string[] | undefined;
  const listApps = async () => {
    asked += 1;
    if (answer === undefined) throw new PlatformError("SERVICE_UNAVAILABLE", "No runner.");
    return answer;
  };
  const apps = new KnownApps({ listApps }, clock);
  const names = async () => [...(await apps.names())];
  await expect(apps.names()).rejects.toMatchObject({ reason: "SERVICE_UNAVAILABLE" });
  answer = ["weather"];
  expect(await Promise.all([names(), names()])).toEqual([["weather"], ["weather"]]);
  answer = ["weather", "expenses"];
  clock.advance(999);
  expect([await names(), asked]).toEqual([["weather"], 2]);
  clock.advance(1);
  expect([await names(), asked]).toEqual([["weather", "expenses"], 3]);
  answer = undefined;
  clock.advance(1000);
  expect([await names(), await names(), asked]).toEqual([["weather", "expenses"], ["weather", "expenses"], 4]);
});
