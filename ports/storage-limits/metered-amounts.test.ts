import { expect, it } from "vitest";
import { completeStorageLimits } from "./given-storage-limits.ts";
import { assertRoomFor, type MeteredAmounts, NOTHING_METERED } from "./metered-amounts.ts";
import {
  limitNamesOf,
  METERED_KINDS,
  METERED_LIMITS,
  SESSION_LIMIT_NAMES,
  STORAGE_SCOPES,
  type StorageCount,
  type StorageLimitName,
  type StorageScope,
  storageName,
} from "./storage-limits.ts";
import { storageExceeded } from "./storage-refusal.ts";
import { assertRoomForBytes, assertRoomForItem, countBytes, countItem, uncount } from "./stored-counts.ts";

const OWNER = { tenantId: "acme", appName: "shop", userId: "ada" };
const MOST = 10;

const limitsOf = (scope: StorageScope, limit: StorageLimitName) =>
  completeStorageLimits({ [scope]: { [limit]: MOST } }, [limit]);
const refused = (scope: StorageScope, limit: StorageLimitName) =>
  expect.objectContaining({ reason: "QUOTA_EXCEEDED", details: expect.objectContaining({ limit, scope, max: "10" }) });

const CASES = METERED_KINDS.flatMap((kind) =>
  STORAGE_SCOPES.flatMap((scope) =>
    (["items", "bytes"] as const).flatMap((member) => {
      const limit = METERED_LIMITS[kind][member];
      return limit === undefined ? [] : [{ kind, scope, member, limit }];
    }),
  ),
);

it.each(CASES)("$kind have room up to $limit of the $scope, and not beyond", ({ kind, scope, member, limit }) => {
  const asked: StorageCount[] = [];
  const change = (amount: number): MeteredAmounts => ({ ...NOTHING_METERED, [member]: amount });
  const assert = (amount: number, stored = 4) =>
    assertRoomFor({ kind, limits: limitsOf(scope, limit), owner: OWNER, changeOf: () => change(amount) }, (count) => {
      asked.push(count);
      return change(stored);
    });
  assert(MOST - 4);
  expect(() => assert(MOST - 3)).toThrow(refused(scope, limit));
  expect(asked).toEqual(Array(2).fill({ tenantId: "acme", scope, name: storageName(scope, OWNER) }));
  // What makes room is never refused, and what is not limited is not looked at.
  assert(0, 99);
  assert(-1, 99);
  expect(asked).toHaveLength(2);
});

it("data without a user counts for no user", () => {
  const { userId: _, ...app } = OWNER;
  const limits = limitsOf("user", "memoryEntries");
  const question = { kind: "memory" as const, limits, owner: app, changeOf: () => ({ items: 99, bytes: 0 }) };
  assertRoomFor(question, () => expect.unreachable());
  expect(limitNamesOf("evaluations")).toEqual(["evalBytes"]);
});

it.each(STORAGE_SCOPES)("sessions and their bytes have room up to the limits of the %s", (scope) => {
  const counts = { stored: () => ({ sessions: 9, storedBytes: 4 }), addStored: () => {} };
  assertRoomForItem(counts, limitsOf(scope, "sessions"), OWNER, 1);
  const full = { ...counts, stored: () => ({ sessions: 10, storedBytes: 4 }) };
  expect(() => assertRoomForItem(full, limitsOf(scope, "sessions"), OWNER, 0)).toThrow(refused(scope, "sessions"));
  const bytes = limitsOf(scope, "storedBytes");
  assertRoomForItem(full, bytes, OWNER, 6);
  expect(() => assertRoomForItem(full, bytes, OWNER, 7)).toThrow(refused(scope, "storedBytes"));
  // A session that was not counted yet needs room for all that it has.
  const item = { key: OWNER, storedBytes: 5, countedIn: [scope] };
  assertRoomForBytes(full, bytes, item, 6);
  expect(() => assertRoomForBytes(full, bytes, { ...item, countedIn: [] }, 2)).toThrow(refused(scope, "storedBytes"));
  assertRoomForBytes(full, bytes, { ...item, countedIn: [] }, 1);
});

it("a session is counted where something is limited, and uncounted where it was counted", () => {
  const changes: unknown[] = [];
  const counts = {
    stored: () => expect.unreachable(),
    addStored: ({ scope }: StorageCount, change: object, exact: boolean) => void changes.push([scope, change, exact]),
  };
  const limits = completeStorageLimits({ user: { sessions: 1 }, tenant: { storedBytes: 1 } });
  const item = { key: OWNER, storedBytes: 3, countedIn: [] as readonly StorageScope[] };
  countItem(counts, limits, item);
  expect(item.countedIn).toEqual(["user", "tenant"]);
  // Only a limited number of sessions has to be exact.
  expect(changes.splice(0)).toEqual([
    ["user", { sessions: 1, storedBytes: 0 }, true],
    ["tenant", { sessions: 1, storedBytes: 0 }, false],
  ]);
  item.countedIn = ["user"];
  countBytes(counts, limits, item, 4);
  expect([item.storedBytes, item.countedIn]).toEqual([7, ["user", "tenant"]]);
  expect(changes.splice(0)).toEqual([
    ["user", { sessions: 0, storedBytes: 4 }, false],
    ["tenant", { sessions: 1, storedBytes: 7 }, false],
  ]);
  uncount(counts, item);
  expect(changes).toEqual(["user", "tenant"].map((scope) => [scope, { sessions: -1, storedBytes: -7 }, false]));
});

it.each([
  [[...SESSION_LIMIT_NAMES, "artifactVersions", "memoryEntries", "evalBytes"], "tenant"],
  [["artifactBytes", "memoryBytes"], "app"],
] as const)("a refusal names the limit, its unit and what to delete: %j", (limits, scope) => {
  const shown = limits.map((limit) => {
    const { message, details } = storageExceeded(scope, limit, 5);
    return [
      details["unit"],
      /Delete (.*) to make room/.exec(message)?.[1],
      message.includes(`this ${scope}`),
      details["max"],
    ];
  });
  const expected = {
    sessions: ["sessions", "sessions"],
    storedBytes: ["bytes", "sessions"],
    artifactVersions: ["versions", "artifacts or sessions"],
    artifactBytes: ["bytes", "artifacts or sessions"],
    memoryEntries: ["entries", "sessions that are in memory"],
    memoryBytes: ["bytes", "sessions that are in memory"],
    evalBytes: ["bytes", "evaluation sets or cases"],
  };
  expect(shown).toEqual(limits.map((limit) => [...expected[limit], true, "5"]));
});
