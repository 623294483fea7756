import type { ServiceDefinition } from "@grpc/grpc-js";
import type { Owner } from "./principal.ts";

/**
 * How the owner of a call's data is found, so that the principal can be checked before the handler runs: a function
 * reads it from the message (undefined for a message that names none, such as a later chunk); `by-handler` if only the
 * stored data has the owner; `no-user` for data of no user.
 */
export type OwnerRule<Request> = ((request: Request) => Owner | undefined) | "by-handler" | "no-user";

/** A rule for each method of a service's generated definition, so that none can be forgotten. */
export type OwnerRules<Definition extends ServiceDefinition> = {
  readonly [Method in keyof Definition as string extends Method ? never : Method]: OwnerRule<
    // The library declares the request type only on this function.
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
      if (rule === undefined) throw new TypeError(`${path} has no rule for the owner of its data.`);
      // The types have checked each rule against its method's own request.
      return [path, rule as OwnerRule<unknown>] as const;
    }),
  );
}
