import type { WireRequest } from "#test/helpers/servers/wire-server.ts";

/** What a fake model says: a text in pieces, or a call of a tool. */
export type Said =
  | { readonly kind: "text"; readonly pieces: readonly string[] }
  | { readonly kind: "call"; readonly name: string; readonly args: Readonly<Record<string, unknown>> };

/** A provider's published format: what its requests have, and how it answers. */
export interface ProviderFormat {
  /** What is wrong with a request; undefined if the provider would take it. */
  problemOf(request: WireRequest): string | undefined;
  isStreamed(request: WireRequest): boolean;
  readonly streamType: string;
  whole(said: Said): object;
  stream(said: Said): readonly (string | Uint8Array)[];
}

export const textOfSaid = (said: Said): string => (said.kind === "text" ? said.pieces.join("") : "");

/** Members of JSON of a request, whatever it has. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> => Object(value);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The first problem of a list. */
export function firstProblem(...checks: readonly (readonly [isRight: boolean, problem: string])[]): string | undefined {
  return checks.find(([isRight]) => !isRight)?.[1];
}
