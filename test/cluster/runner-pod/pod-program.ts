import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/**
 * A program of this folder as one module for `node --input-type=module -` in the folder of the product's sources: it
 * has the parts of the tests in it, and imports the product's own, which images have.
 */
export async function podProgram(name: "attacker" | "sign-own-run"): Promise<string> {
  await using build = await rolldown({
    cwd: ROOT,
    input: `test/cluster/runner-pod/${name}.ts`,
    platform: "node",
    tsconfig: false,
    external: (id) => !/^(?:[./\0]|#test\/)/.test(id),
  });
  const { output } = await build.generate({ format: "esm" });
  return output[0].code;
}

/** The arguments of Node that make it run such a program from its standard input. */
export function podArguments(argument: unknown): readonly string[] {
  return ["--input-type=module", "-", JSON.stringify(argument)];
}
