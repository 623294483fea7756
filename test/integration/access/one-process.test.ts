import { describe, expect, it } from "vitest";
import { verifies } from "#test/helpers/verifies.ts";
import { AccessMatrix, SHOWING } from "./access-matrix.ts";
import { rulesFile } from "./closed-app.ts";
import { attackCursors } from "./cursors.ts";
import { ROUNDS } from "./matrix-rounds.ts";
import { startOneProcess } from "./one-process-server.ts";

describe("what callers may do in one process", () => {
  it.each(ROUNDS)("is the same for every operation, in spelling %i", async (round) => {
    verifies("authentication:tenants", "authentication:foreign-user", "authentication:scopes", "authentication:apps");
    await using server = await startOneProcess();
    const matrix = await AccessMatrix.of(server, { round });
    await matrix.useAll(round % 2 === 0 ? "owner" : "admin");
    expect(await matrix.plant()).toEqual(SHOWING);
    const before = await matrix.snapshot();
    await matrix.attack();
    expect(await matrix.compareWithAbsent()).toBeGreaterThan(20);
    await matrix.attackFromTenant();
    expect(await matrix.compareWithAbsent("foreignAdmin")).toBeGreaterThan(10);
    // All operations with the same names in the other tenant, and its deletions.
    const twin = await AccessMatrix.of(server, { round });
    await twin.useAll("twin");
    await twin.deleteAll("twin");
    expect(await matrix.changesSince(before)).toEqual([]);
    await matrix.deleteAll(round % 2 === 0 ? "admin" : "owner");
  });

  it("is the same for requests that leave out the name of the default app", async () => {
    verifies("authentication:foreign-user", "authentication:scopes", "authentication:apps");
    await using server = await startOneProcess({ DEFAULT_APP_NAME: "weather" });
    const matrix = await AccessMatrix.of(server, { round: 0, hasDefaultApp: true });
    await matrix.useAll("owner");
    expect(await matrix.plant()).toEqual(SHOWING);
    await matrix.attack();
    expect(await matrix.compareWithAbsent()).toBeGreaterThan(20);
    await matrix.attackFromTenant();
    await matrix.deleteAll("owner");
  });

  it("is nothing with cursors and page tokens of another user", async () => {
    verifies("authentication:foreign-user");
    await using server = await startOneProcess();
    const { covered, offered } = await attackCursors(server);
    expect(covered).toEqual(offered);
  });

  it.each(ROUNDS)(
    "is nothing with an app that is closed to them, as with none of its name, in spelling %i",
    async (round) => {
      verifies("authentication:apps");
      await using server = await startOneProcess(rulesFile());
      const matrix = await AccessMatrix.of(server, { round });
      for (const caller of ["owner", "admin", "eve", "foreignAdmin"] as const)
        expect(await matrix.compareClosedWithAbsent(caller)).toBeGreaterThan(20);
    },
  );
});
