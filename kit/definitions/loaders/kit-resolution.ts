import { registerHooks } from "node:module";

/** Packages that an agent may use without having installed them: the schemas that tools accept. */
const OFFERED = /^(zod|typebox)(\/|$)/;

/**
 * Lets modules outside this package import `fairlead/kit`, and resolves it to the kit that runs them: classes of a
 * second copy would not be recognised. Returns a function that ends the resolution.
 */
export function resolveKitImports(): () => void {
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier.startsWith("fairlead/")) return nextResolve(specifier, fromHere(context));
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

/** Resolves as if this file imported it: a package can always resolve itself. */
function fromHere<Context extends object>(context: Context): Context & { parentURL: string } {
  return { ...context, parentURL: import.meta.url };
}
