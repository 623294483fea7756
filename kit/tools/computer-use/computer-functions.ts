import type { BaseComputer, ComputerState } from "./base-computer.ts";
import type { ComputerArguments } from "./computer-arguments.ts";

export interface ComputerFunction {
  readonly description: string;
  /** The function opens a page, so the earlier content of the screen does not matter. */
  readonly opensPage?: true;
  readonly call: (computer: BaseComputer, args: ComputerArguments) => Promise<ComputerState>;
}

const SECONDS_OF_A_WAIT = 5;
/** The longest wait of one call, in seconds. */
const MAX_WAIT_SECONDS = 30;
/** The distance of a scroll without `magnitude`, which the model's provider defines. */
const DEFAULT_SCROLL = 800;

/** The functions that a model for computer use calls, under the names that the model knows. */
export const COMPUTER_FUNCTIONS: Readonly<Record<string, ComputerFunction>> = {
  open_web_browser: {
    description: "Opens the web browser.",
    opensPage: true,
    call: (computer) => computer.openWebBrowser(),
  },
  navigate: {
    description: "Opens an address.",
    opensPage: true,
    call: (computer, args) => computer.navigate(args.text("url")),
  },
  search: {
    description: "Opens the start page of a search engine.",
    opensPage: true,
    call: (computer) => computer.search(),
  },
  click_at: {
    description: "Clicks at a point.",
    call: (computer, args) => computer.clickAt(...args.point()),
  },
  hover_at: {
    description: "Moves the pointer to a point.",
    call: (computer, args) => computer.hoverAt(...args.point()),
  },
  type_text_at: {
    description: "Clicks at a point and types a text.",
    call: (computer, args) =>
      computer.typeTextAt(...args.point(), {
        text: args.text("text"),
        pressEnter: args.flag("press_enter", true),
        clearBeforeTyping: args.flag("clear_before_typing", true),
      }),
  },
  scroll_document: {
    description: "Scrolls the page by one screen.",
    call: (computer, args) => computer.scrollDocument(args.direction()),
  },
  scroll_at: {
    description: "Scrolls what is at a point.",
    call: (computer, args) =>
      computer.scrollAt(...args.point(), args.direction(), args.number("magnitude", DEFAULT_SCROLL)),
  },
  drag_and_drop: {
    description: "Drags what is at a point to another point.",
    call: (computer, args) => computer.dragAndDrop(...args.point(), ...args.point("destination_x", "destination_y")),
  },
  key_combination: {
    description: "Presses keys together.",
    call: (computer, args) => computer.keyCombination(args.keys()),
  },
  go_back: { description: "Goes back to the page before.", call: (computer) => computer.goBack() },
  go_forward: { description: "Goes forward to the next page.", call: (computer) => computer.goForward() },
  wait: {
    description: "Waits some seconds.",
    call: (computer, args) =>
      computer.wait(Math.min(Math.max(args.number("seconds", SECONDS_OF_A_WAIT), 0), MAX_WAIT_SECONDS)),
  },
  wait_5_seconds: { description: "Waits five seconds.", call: (computer) => computer.wait(SECONDS_OF_A_WAIT) },
  current_state: { description: "Shows the screen as it is.", call: (computer) => computer.currentState() },
};
