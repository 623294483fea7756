import { expect, it } from "vitest";
import { METERED_KINDS, STORAGE_LIMIT_NAMES, type StorageCount } from "#ports/storage-limits/storage-limits.ts";
import { readStoredLimits } from "./stored-limits.ts";

const NAMES = ["ada", "bob"];
const counts = NAMES.map((name): StorageCount => ({ scope: "user", name }));
const wanted = STORAGE_LIMIT_NAMES.flatMap((limit) => counts.map((count) => ({ limit, count })));

/** Each amount says of which kind, name and unit it is. */
const amount = (kind: number, { name }: StorageCount, unit: number): number =>
  100 * (kind + 1) + 10 * NAMES.indexOf(name) + unit;

const readers = {
  sessions: {
    readStorage: async (asked: readonly StorageCount[]) =>
      asked.map((count) => ({ sessions: amount(0, count, 1), storedBytes: amount(0, count, 2) })),
  },
  ...Object.fromEntries(
    METERED_KINDS.map((kind, index) => [
      kind,
      {
        readStored: async (asked: readonly StorageCount[]) =>
          asked.map((count) => ({ items: amount(index + 1, count, 1), bytes: amount(index + 1, count, 2) })),
      },
    ]),
  ),
};

it("reads each limit's own amount of each name, whatever their order", async () => {
  // sessions, storedBytes; versions and bytes of artifacts; entries and bytes of memory; bytes of evaluations.
  const expected = [101, 111, 102, 112, 201, 211, 202, 212, 301, 311, 302, 312, 402, 412];
  expect(await readStoredLimits(readers, wanted)).toEqual(expected);
  expect(await readStoredLimits(readers, wanted.toReversed())).toEqual(expected.toReversed());
});

it("has nothing of what is not counted, and does not ask for what is not wanted", async () => {
  expect(await readStoredLimits({}, wanted)).toEqual(wanted.map(() => 0));
  const refuse = { readStored: () => expect.unreachable(), readStorage: () => expect.unreachable() };
  const [first] = wanted;
  const only = { sessions: readers.sessions, artifacts: refuse, memory: refuse, evaluations: refuse };
  expect(await readStoredLimits(only, first === undefined ? [] : [first])).toEqual([101]);
});
