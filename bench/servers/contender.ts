import type { ServerCommand } from "./server-process.ts";

/** One of the servers that are measured in turn. */
export interface Contender {
  readonly name: string;
  readonly command: ServerCommand;
}
