import { PlatformError } from "#kit/errors/platform-error.ts";
import { inTenant, type TenantScoped, tenantOf } from "#kit/names/tenant.ts";
import { currentCallScope } from "#shared/security/call-scope.ts";
import { assertReach, type Owner, type Principal } from "#shared/security/principal.ts";

/** The principal of the request that calls. Throws outside of a request's scope, so that guarded ports reach nothing. */
export function callingPrincipal(): Principal {
  const principal = currentCallScope()?.principal;
  if (principal === undefined) throw new PlatformError("INTERNAL", "A guarded port was called outside of a request.");
  return principal;
}

/** The name with the tenant of the calling request in place of its own: requests name no tenant. */
export function inCallersTenant<Name extends TenantScoped>(name: Name): Name {
  const { tenantId } = callingPrincipal();
  if (tenantOf(name) === tenantId) return name;
  const { tenantId: _, ...rest } = name;
  // Only the tenant differs from the given name.
  return { ...rest, ...inTenant(tenantId) } as Name;
}

/**
 * Where the first argument of a method names the data that a call reaches: the argument itself, or its member
 * `session`; `app` if it is the name of an app, whose definition belongs to no tenant.
 */
type NameOf<First> = First extends string
  ? "app"
  : First extends { readonly session: Owner }
    ? "session"
    : First extends Owner
      ? "itself"
      : never;

/**
 * For each method, where its first argument names the data that a call reaches. The compiler demands an entry for each
 * new method.
 */
export type PortNames<Port> = {
  readonly [Method in keyof Port]: Port[Method] extends (first: infer First, ...rest: never[]) => Promise<unknown>
    ? NameOf<First>
    : never;
};

/**
 * The port for requests. Each call gets its name in the caller's tenant, and rejects with `FOREIGN_OWNER` if the
 * request may not reach it.
 */
export function guardPort<Port extends object>(port: Port, names: PortNames<Port>): Port {
  const methods = Object.entries<NamePlace>(names as Readonly<Record<string, NamePlace>>).map(([name, place]) => {
    const guarded = async (first: unknown, ...rest: readonly unknown[]): Promise<unknown> =>
      (port as MethodsByName)[name]?.(admitted(first, place), ...rest);
    return [name, guarded] as const;
  });
  // The object has each method of the port, with the same arguments and result.
  return Object.fromEntries(methods) as Port;
}

type NamePlace = "itself" | "session" | "app";
type MethodsByName = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

/**
 * The first argument with its name in the caller's tenant. Throws `FOREIGN_OWNER`. `PortNames` guarantees the types
 * that are asserted here.
 */
function admitted(first: unknown, place: NamePlace): unknown {
  if (place === "app") {
    assertReach(callingPrincipal(), { tenantId: callingPrincipal().tenantId, appName: first as string });
    return first;
  }
  if (place === "session") {
    const named = first as { readonly session: Owner };
    const session = inCallersTenant(named.session);
    assertReach(callingPrincipal(), session);
    return session === named.session ? first : { ...named, session };
  }
  const name = inCallersTenant(first as Owner);
  assertReach(callingPrincipal(), name);
  return name;
}
