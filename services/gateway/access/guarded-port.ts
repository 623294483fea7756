import { PlatformError } from "#kit/errors/platform-error.ts";
import { currentCallScope } from "#shared/security/call-scope.ts";
import { assertReach, type Owner, type Principal } from "#shared/security/principal.ts";

/** The principal of the request that calls. Throws outside of a request's scope, so that guarded ports reach nothing. */
export function callingPrincipal(): Principal {
  const principal = currentCallScope()?.principal;
  if (principal === undefined) throw new PlatformError("INTERNAL", "A guarded port was called outside of a request.");
  return principal;
}

/** For each method, the owner of the data that a call with these arguments reaches. A new method must be added. */
export type PortOwners<Port> = {
  readonly [Method in keyof Port]: Port[Method] extends (...args: infer Args) => Promise<unknown>
    ? (...args: Args) => Owner
    : never;
};

/** The port for requests: each call rejects with `FOREIGN_OWNER` if its data is not the request's to reach. */
export function guardPort<Port extends object>(port: Port, owners: PortOwners<Port>): Port {
  const methods = Object.entries<(...args: readonly unknown[]) => Owner>(owners as OwnersByName).map(
    ([name, ownerOf]) => {
      const guarded = async (...args: readonly unknown[]): Promise<unknown> => {
        assertReach(callingPrincipal(), ownerOf(...args));
        return (port as MethodsByName)[name]?.(...args);
      };
      return [name, guarded] as const;
    },
  );
  // It has each method of the port, with its arguments and its result.
  return Object.fromEntries(methods) as Port;
}

// The type of `owners` has checked the names and arguments of the methods.
type OwnersByName = Readonly<Record<string, (...args: readonly unknown[]) => Owner>>;
type MethodsByName = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
