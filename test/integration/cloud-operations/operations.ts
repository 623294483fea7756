/** What the stores do for one request, as they bill it. */
export interface Operations {
  /** Documents of Firestore. A missing document, and a query without results, are billed as one read. */
  readonly reads: number;
  readonly writes: number;
  readonly deletes: number;
  /** Requests to Cloud Storage that create or list objects. */
  readonly classA: number;
  /** Requests to Cloud Storage that read an object or its metadata. */
  readonly classB: number;
  /** Commands for Redis. */
  readonly commands: number;
  /** Bytes of these commands. */
  readonly bytes: number;
}

const NONE = { reads: 0, writes: 0, deletes: 0, classA: 0, classB: 0, commands: 0, bytes: 0 };

/**
 * The operations of each kind of turn on a session that the runner has in memory, and of other requests.
 * `operations.test.ts` counts them, and `capacity-page.test.ts` compares docs/capacity.md with them: a change that adds
 * one to a turn changes this table and the page.
 */
export const OPERATIONS = {
  "session created": { ...NONE, reads: 3, writes: 1 },
  "first turn of a session": { ...NONE, reads: 4, writes: 6, commands: 4, bytes: 2700 },
  "short text turn": { ...NONE, reads: 4, writes: 6, commands: 4, bytes: 2700 },
  "streamed turn of 10 chunks": { ...NONE, reads: 4, writes: 6, commands: 14, bytes: 8500 },
  "turn with one tool call": { ...NONE, reads: 4, writes: 10, commands: 6, bytes: 5800 },
  "turn with 8 parallel tool calls": { ...NONE, reads: 4, writes: 10, commands: 6, bytes: 13_400 },
  "turn that saves and loads an artifact": {
    ...NONE,
    reads: 4,
    writes: 10,
    classA: 3,
    classB: 2,
    commands: 6,
    bytes: 5800,
  },
  "turn that asks for a confirmation": { ...NONE, reads: 4, writes: 9, commands: 5, bytes: 5150 },
  "confirmation that resumes the turn": { ...NONE, reads: 4, writes: 10, commands: 5, bytes: 4250 },
  "short text turn that compacts": { ...NONE, reads: 4, writes: 9, commands: 5, bytes: 3150 },
  "session of 10 events read": { ...NONE, reads: 14 },
  "list of 3 sessions": { ...NONE, reads: 5 },
  "session of 10 events deleted": { ...NONE, reads: 18, writes: 3, deletes: 16, classA: 1, commands: 1, bytes: 39 },
} as const satisfies Readonly<Record<string, Operations>>;

export type OperationKind = keyof typeof OPERATIONS;
