import { describe, it } from "vitest";
import { platformSuite } from "./suite/platform-suite.ts";
import { chooseTarget } from "./targets/open-target.ts";

const { name, open, missing } = chooseTarget(process.env);

if (missing === undefined) platformSuite(`the platform on ${name}`, open);
else {
  process.stderr.write(`The tests of ${name} are skipped: ${missing}\n`);
  describe(name, () => it.skip(`cannot be reached: ${missing}`, () => {}));
}
