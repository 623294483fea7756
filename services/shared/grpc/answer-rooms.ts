import {
  ResponderBuilder,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServerInterceptor,
  ServerListenerBuilder,
} from "@grpc/grpc-js";
import { toStatus } from "#adapters/grpc/channel/error-status.ts";
import { tenantKey } from "#kit/names/tenant.ts";
import type { AnswerAccount, Room } from "../answers/answer-account.ts";
import type { OwnerRulesByPath } from "../security/owner-rules.ts";
import type { Owner } from "../security/principal.ts";
import type { AnswerBoundsByPath } from "./answer-bounds.ts";

export interface AnswerRoomsOptions {
  readonly account: AnswerAccount;
  readonly bounds: AnswerBoundsByPath;
  /** Whose part of the account an answer is of. */
  readonly owners: OwnerRulesByPath;
}

/**
 * Takes room for each large answer before its handler runs, and gives it back when the connection has taken the last
 * message, or the caller has left. Calls with small answers pass as they are.
 */
export function answerRooms({ account, bounds, owners }: AnswerRoomsOptions): ServerInterceptor {
  return ({ path }, call) => {
    const bound = bounds.get(path);
    // The library calls only what both types have.
    if (bound === undefined) return call as ServerInterceptingCall;
    const rule = owners.get(path);
    const ownerOf = (message: unknown): Owner | undefined => (typeof rule === "function" ? rule(message) : undefined);
    const take = (message: unknown): Room | Promise<Room> => {
      const bytes = typeof bound === "number" ? bound : bound(message);
      const owner = nameOf(ownerOf(message));
      return account.take(owner, bytes) ?? account.wait(owner, bytes);
    };
    return new AnswerWithRoom(call, take).call;
  };
}

/** Identifiers have no control characters, so that no two owners share a name. */
function nameOf({ tenantId, userId = "" }: Owner = {}): string {
  return tenantKey(`\n${userId}`, tenantId);
}

/** One call: it has its room from its first message to its end. */
class AnswerWithRoom {
  readonly call: ServerInterceptingCall;
  readonly #next: ServerInterceptingCallInterface;
  readonly #take: (message: unknown) => Room | Promise<Room>;
  #room: Room | undefined;
  #isAsked = false;
  #isOver = false;

  constructor(next: ServerInterceptingCallInterface, take: (message: unknown) => Room | Promise<Room>) {
    this.#next = next;
    this.#take = take;
    const listener = new ServerListenerBuilder()
      .withOnReceiveMessage((message: unknown, pass) => this.#receive(message, pass))
      .withOnCancel(() => this.#end())
      .build();
    const responder = new ResponderBuilder()
      .withStart((start) => start(listener))
      // Messages are passed on one after the other, each when the connection has taken the one before.
      .withSendStatus((status, pass) => {
        this.#end();
        pass(status);
      })
      .build();
    this.call = new ServerInterceptingCall(next, responder);
  }

  #receive(message: unknown, pass: (message: unknown) => void): void {
    if (this.#isAsked) return pass(message);
    this.#isAsked = true;
    const room = this.#take(message);
    if (!(room instanceof Promise)) {
      this.#room = room;
      return pass(message);
    }
    room.then(
      (taken) => {
        this.#room = taken;
        if (this.#isOver) this.#end();
        else pass(message);
      },
      (error: unknown) => this.#next.sendStatus(toStatus(error)),
    );
  }

  #end(): void {
    this.#isOver = true;
    this.#room?.[Symbol.dispose]();
    this.#room = undefined;
  }
}
