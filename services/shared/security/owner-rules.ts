import type { ServiceDefinition } from "@grpc/grpc-js";
import type { Owner } from "./principal.ts";

/**
 * Whose data a call's message names, so that the principal can be checked before the handler sees it:
 * a function that reads it (undefined for a message that names nothing, such as a later chunk);
 * `by-handler` when only the stored thing tells;
 * `nobody` for what belongs to no user.
 */
export type OwnerRule<Request> = ((request: Request) => Owner | undefined) | "by-handler" | "nobody";

/** A rule for each method of a service's generated definition, so that none can be forgotten. */
export type OwnerRules<Definition extends ServiceDefinition> = {
  readonly [Method in keyof Definition as string extends Method ? never : Method]: OwnerRule<
    // The library types what a method deserialises only this way round.
    ReturnType<Definition[Method]["requestDeserialize"]>
  >;
};

/** Rules of a process by path: `/package.Service/Method`. */
export type OwnerRulesByPath = ReadonlyMap<string, OwnerRule<unknown>>;

export function ownerRules<Definition extends ServiceDefinition>(
  definition: Definition,
  rules: OwnerRules<Definition>,
): OwnerRulesByPath {
  const byMethod = new Map(Object.entries<unknown>(rules));
  return new Map(
    Object.entries(definition).map(([method, { path }]) => {
      const rule = byMethod.get(method);
      if (rule === undefined) throw new TypeError(`${path} has no rule that says whose data it names.`);
      // Each rule was just checked against its method's own request.
      return [path, rule as OwnerRule<unknown>] as const;
    }),
  );
}
