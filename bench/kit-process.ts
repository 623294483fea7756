import { KIT_CASES, measureKitCase } from "./kit/kit-cases.ts";
import { measureKitMemory } from "./kit/kit-memory.ts";
import { type KitSubject, readKitOrder } from "./kit/kit-subject.ts";
import { createOwnSubject } from "./kit/own-subject.ts";

// One measurement of one kit in a process of its own: `kit-process.ts <own|peer> <case>`. Prints its figures as JSON.

const [subjectName, caseName] = process.argv.slice(2);
const subject = subjectName === "peer" ? await createPeerSubject() : createOwnSubject();
const kitCase = KIT_CASES.find(({ name }) => name === caseName);
const figures =
  kitCase === undefined ? await measureKitMemory(subject) : { "CPU µs/turn": await measureKitCase(subject, kitCase) };
process.stdout.write(JSON.stringify(figures));

/** The peer has its own packages, whose types the compiler does not have. */
async function createPeerSubject(): Promise<KitSubject> {
  const module: unknown = await import(new URL("peer/kit-subject.js", import.meta.url).href);
  // The file at this path exports exactly this.
  const { createPeerSubject: create } = module as { createPeerSubject: (readOrder: unknown) => KitSubject };
  return create(readKitOrder);
}
