import { OPERATIONS, type Operations } from "./operations.ts";

/**
 * US dollars for one operation, without free quotas and discounts: Firestore (Standard edition, multi-region `nam5`) and
 * Cloud Storage (Standard class, one region of the US). Memorystore bills the size of its instances, not commands.
 */
const PRICES = {
  reads: 0.06 / 100_000,
  writes: 0.18 / 100_000,
  deletes: 0.02 / 100_000,
  classA: 0.005 / 1000,
  classB: 0.0004 / 1000,
};

const MILLION = 1_000_000;

/** The table of docs/capacity.md: operations of each kind of request, and what a million of them cost. */
export function operationsTable(): string {
  return [
    "| request | documents read | written | deleted | class A | class B | commands of Redis | bytes of them | $ a million |",
    "| --- | --: | --: | --: | --: | --: | --: | --: | --: |",
    ...Object.entries(OPERATIONS).map(([kind, operations]) => rowOf(kind, operations)),
  ].join("\n");
}

function rowOf(kind: string, operations: Operations): string {
  const { reads, writes, deletes, classA, classB, commands, bytes } = operations;
  const counts = [reads, writes, deletes, classA, classB, commands, bytes].map((count) => count.toLocaleString("en"));
  return `| ${[kind, ...counts, dollarsOfMillion(operations).toFixed(2)].join(" | ")} |`;
}

function dollarsOfMillion({ reads, writes, deletes, classA, classB }: Operations): number {
  const documents = reads * PRICES.reads + writes * PRICES.writes + deletes * PRICES.deletes;
  return (documents + classA * PRICES.classA + classB * PRICES.classB) * MILLION;
}
