import type { Content } from "#kit/events/content.ts";
import type { JsonObject } from "#kit/platform/json.ts";
import { ReadonlyState } from "#kit/sessions/readonly-state.ts";
import type { InvocationContext } from "./invocation-context.ts";

/** The parts of an invocation that instruction providers and toolsets may read. */
export class ReadonlyContext {
  readonly invocationContext: InvocationContext;

  constructor(invocationContext: InvocationContext) {
    this.invocationContext = invocationContext;
  }

  get appName(): string {
    return this.invocationContext.session.appName;
  }

  get userId(): string {
    return this.invocationContext.session.userId;
  }

  get sessionId(): string {
    return this.invocationContext.session.id;
  }

  get invocationId(): string {
    return this.invocationContext.invocationId;
  }

  get agentName(): string {
    return this.invocationContext.agent.name;
  }

  get userContent(): Content | undefined {
    return this.invocationContext.userContent;
  }

  /** Reads the current state; `readonlyState` has the same values as an object. */
  get state(): ReadonlyState {
    return new ReadonlyState(this.invocationContext.session.state);
  }

  /** All scopes of the current state, merged. */
  get readonlyState(): JsonObject {
    return this.invocationContext.session.state;
  }
}
