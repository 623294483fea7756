import type { FastifyReply, FastifyRequest } from "fastify";
import { expect, it } from "vitest";
import { PlatformError } from "#kit/errors/platform-error.ts";
import { incoming } from "#test/helpers/identity/incoming.ts";
import { EVERYBODY } from "../identity/caller.ts";
import { askToSignIn, type PageHookOptions } from "./ask-to-sign-in.ts";
import { PageAddress } from "./page-address.ts";

const address = new PageAddress({ publicUrl: "", path: "/team" }, []);
const nobody = { authenticate: () => undefined };
const somebody = { authenticate: () => EVERYBODY };
const broken = {
  authenticate: () => {
    throw new PlatformError("UNAUTHENTICATED", "The credentials have expired.");
  },
};

/** Where a request for a page is redirected to. */
async function asked(options: Partial<PageHookOptions>, url = "/team/console?a=1&b=2"): Promise<unknown> {
  const redirects: unknown[] = [];
  const hook = askToSignIn({ authenticators: [nobody], address, mountPath: "", ...options });
  // What the hook uses of them.
  const request = { raw: incoming([]), url } as unknown as FastifyRequest;
  const reply = { redirect: (...to: readonly unknown[]) => void redirects.push(to) } as unknown as FastifyReply;
  await (hook as (request: FastifyRequest, reply: FastifyReply) => Promise<void>)(request, reply);
  return redirects;
}

it("leads who has not signed in to the login page, and from there back", async () => {
  const login = "/team/auth/login?next=%2Fteam%2Fconsole%3Fa%3D1%26b%3D2";
  expect(await asked({})).toEqual([[login, 302]]);
  // Wrong credentials are like none.
  expect(await asked({ authenticators: [broken] })).toEqual([[login, 302]]);
  // The path of a program that has mounted the routes is not part of their addresses.
  expect(await asked({ mountPath: "/mine" }, "/mine/docs")).toEqual([["/team/auth/login?next=%2Fdocs", 302]]);
});

it("shows the page to who has signed in, and to everybody where pages cannot sign in", async () => {
  expect(await asked({ authenticators: [nobody, somebody] })).toEqual([]);
  expect(await asked({ address: undefined })).toEqual([]);
});
