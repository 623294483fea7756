import { expect, it } from "vitest";
import { FixedClock } from "#kit/testing/fixed-clock.ts";
import { startGateway } from "#test/helpers/worlds/gateway-world.ts";
import { quotasOf } from "#test/helpers/worlds/quotas-of.ts";
import { UsageError } from "./parse-arguments.ts";
import { usage } from "./usage.ts";

it("shows what is used, open and left of each quota, as a table and as JSON", async () => {
  const clock = new FixedClock();
  const quotas = quotasOf(
    "{ defaults: { tenant: { requestsPerMinute: 9, usdPerDay: 2.5 }, app: { openStreams: 3 } } }",
    {
      clock,
    },
  );
  await using world = await startGateway({ clock, deps: { quotas } });
  const defaultUrl = await world.listen();
  const table = await usage({ typed: ["--app", "echo"], defaultUrl });
  expect(table.split("\n").map((line) => line.split(/ {2,}/))).toEqual([
    ["OF", "NAME", "LIMIT", "USED", "OPEN", "LEFT", "MAX", "RESET"],
    ["app", "echo", "openStreams", "0", "0", "3", "3", "-"],
    ["tenant", "-", "requestsPerMinute", "1", "0", "8", "9", "1m"],
    ["tenant", "-", "usdPerDay", "0", "0", "2.5", "2.5", "1d"],
  ]);
  const lines = JSON.parse(await usage({ typed: ["--json"], defaultUrl }));
  expect(lines[0]).toEqual({
    ...{ scope: "tenant", limit: "requestsPerMinute", window: "minute", unit: "requests" },
    ...{ max: 9, used: 2, reserved: 0, remaining: 7, resetSeconds: 60 },
  });
});

it("reports that there are no quotas, and refuses wrong arguments", async () => {
  await using world = await startGateway();
  const defaultUrl = await world.listen();
  expect(await usage({ typed: [], defaultUrl })).toBe("No quotas.");
  for (const typed of [["--month"], ["more"], ["--url", "nowhere"]])
    await expect(usage({ typed, defaultUrl })).rejects.toThrow(UsageError);
});
