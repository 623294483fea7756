import { GrpcPeer, type PeerOptions } from "#adapters/grpc/channel/grpc-peer.ts";
import { HOSTILE, type LoadedMethod, METHODS, type Target } from "#test/helpers/security/hostile-requests.ts";
import type { AttackOrder, OwnRun } from "./attack-order.ts";

export type CalledService = keyof typeof METHODS;

/** The signed texts that a call shows. */
interface Shown {
  readonly principal?: string;
  readonly grant?: string;
}

interface Called {
  readonly options: PeerOptions;
  readonly serviceToken: string;
}

export const CREDENTIALS = [
  ...["nothing", "its grant", "the start of its run", "the cancellation of its run", "both of its run"],
  ...["its grant as a principal", "the start as a grant", "a changed grant", "a changed start"],
  ...["its signed grant", "its signed grant as a principal", "a changed signed grant"],
] as const;

/** The two forms of the own run's grant: for the session service alone, and for all services. */
export interface OwnGrants {
  readonly grant: string;
  readonly signed: string;
}

function shownAs(name: (typeof CREDENTIALS)[number], { start, cancel }: OwnRun, { grant, signed }: OwnGrants): Shown {
  const all: Readonly<Record<typeof name, Shown>> = {
    nothing: {},
    "its grant": { grant },
    "the start of its run": { principal: start },
    "the cancellation of its run": { principal: cancel },
    "both of its run": { principal: start, grant },
    "its grant as a principal": { principal: grant },
    "the start as a grant": { grant: start },
    "a changed grant": { grant: changed(grant) },
    "a changed start": { principal: changed(start) },
    "its signed grant": { grant: signed },
    "its signed grant as a principal": { principal: signed },
    "a changed signed grant": { grant: changed(signed) },
  };
  return all[name];
}

/** Sends every call of the service for every victim, with everything that the runner can show. */
export async function callAll(
  service: CalledService,
  called: Called,
  { own, victims, secret, grants }: Pick<AttackOrder, "own" | "victims" | "secret"> & { readonly grants: OwnGrants },
): Promise<{ readonly calls: number; readonly reached: readonly string[] }> {
  const reached: string[] = [];
  let calls = 0;
  for (const name of CREDENTIALS) {
    const texts = shownAs(name, own, grants);
    await using peer = openPeer(service, called, texts);
    for (const method of METHODS[service])
      for (const target of victims) {
        if (isOfOwnUser(method, target, own)) continue;
        calls += 1;
        const answer = await answerOf(peer, method, { target, texts });
        if (answer.includes(secret)) reached.push(`${method.path} with ${name}: ${answer}`);
      }
  }
  return { calls, reached };
}

/** The answer to one call of the service for the runner's own run. */
export async function callForOwn(
  service: CalledService,
  called: Called,
  { own, grant, name }: { readonly own: OwnRun; readonly grant: string; readonly name: string },
): Promise<string> {
  const method = METHODS[service].find(({ path }) => path.endsWith(`/${name}`));
  if (method === undefined) throw new TypeError(`The ${service} service has no ${name}.`);
  const texts = { grant };
  await using peer = openPeer(service, called, texts);
  return await answerOf(peer, method, { target: { ...own, holder: "" }, texts });
}

function openPeer(service: CalledService, { options, serviceToken }: Called, texts: Shown) {
  return new GrpcPeer({
    ...{ ...options, name: service, facts: () => ({ serviceToken, ...texts }) },
    methods: Object.fromEntries(METHODS[service].map((method) => [method.path, method])) as never,
  });
}

/** Calls for the memory and the credentials of a user and app, which all sessions of the user share. */
export const OF_OWN_USER: readonly string[] = [
  ...["AddMemoryEntries", "SearchMemory", "LoadCredential", "SaveCredential", "DeleteCredential"],
];

function isOfOwnUser({ path }: LoadedMethod, { session }: Target, { session: own }: OwnRun): boolean {
  const isOwn = session.tenantId === own.tenantId && session.appName === own.appName && session.userId === own.userId;
  return isOwn && OF_OWN_USER.some((name) => path.endsWith(`/${name}`));
}

/** The same text with one claim changed, under the same signature. */
function changed(text: string): string {
  const [header, body = "", signature] = text.split(".");
  // The claims of a principal or grant.
  const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as Record<string, unknown>;
  const other = Buffer.from(JSON.stringify({ ...claims, user: "bob" })).toString("base64url");
  return [header, other, signature].join(".");
}

/** The answer as text, or the error's message. Requests on shared streams carry the texts themselves. */
async function answerOf(
  peer: GrpcPeer,
  method: LoadedMethod,
  { target, texts }: { readonly target: Target; readonly texts: Shown },
): Promise<string> {
  const name = method.path.split("/").at(-1) ?? "";
  const build = HOSTILE[name];
  if (build === undefined) throw new TypeError(`${method.path} has no hostile request: add one.`);
  const messages = build(target).map((message) => withTexts(message, texts));
  const call = async (): Promise<unknown> => {
    if (method.requestStream && method.responseStream) return await Array.fromAsync(peer.exchange(method, messages));
    if (method.requestStream) return await peer.clientStream(method, messages);
    if (method.responseStream) return await Array.fromAsync(peer.serverStream(method, messages[0] ?? {}));
    return await peer.unary(method, messages[0] ?? {});
  };
  return call().then(
    textOf,
    (error: Error & { readonly details?: unknown }) => `${error.message} ${textOf(error.details)}`,
  );
}

function withTexts(message: object, texts: Shown): object {
  if (!("requests" in message) || !Array.isArray(message.requests)) return message;
  return { requests: message.requests.map((request: object) => ({ ...request, ...texts })) };
}

/** All texts and bytes in a value. */
function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.map(textOf).join(" ");
  if (typeof value === "object" && value !== null) return Object.values(value).map(textOf).join(" ");
  return String(value);
}
