import { registerHooks } from "node:module";

/** Packages that an agent may use without having its own: the schemas that tools take. */
const OFFERED = /^(zod|typebox)(\/|$)/;

/**
 * Lets modules outside this package import `agentplane/kit`, and gives all of them the kit that runs them: agents of a second copy would
 * not be agents here. Returns what ends it.
 */
export function resolveKitImports(): () => void {
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier.startsWith("agentplane/")) return nextResolve(specifier, fromHere(context));
      if (!OFFERED.test(specifier)) return nextResolve(specifier, context);
      try {
        return nextResolve(specifier, context);
      } catch {
        return nextResolve(specifier, fromHere(context));
      }
    },
  });
  return () => hooks.deregister();
}

/** As if this file imported it: a package always finds itself. */
function fromHere<Context extends object>(context: Context): Context & { parentURL: string } {
  return { ...context, parentURL: import.meta.url };
}
