import type { BasePlanner, ChunkReader } from "#kit/core/base-planner.ts";
import type { CallbackContext } from "#kit/core/context/callback-context.ts";
import type { Part } from "#kit/events/content.ts";
import { PLAN_TAGS, SectionStream, splitSections } from "./plan-sections.ts";

/**
 * Instructs the model to write a plan, carry it out and correct it, with tags that separate planning from the answer.
 * Works with any model. Planning is marked as thought; the answer is the text after the final-answer tag.
 */
export class PlanReActPlanner implements BasePlanner {
  buildPlanningInstruction(): string {
    return INSTRUCTION;
  }

  /**
   * Keeps the parts before the first group of calls, and that group: a model writes parts after its calls without their
   * results.
   */
  processPlanningResponse(_context: CallbackContext, parts: readonly Part[]): readonly Part[] {
    const kept: Part[] = [];
    let calling = false;
    for (const part of parts) {
      if (part.functionCall === undefined) {
        if (calling) break;
        kept.push(...(part.text === undefined || part.thought === true ? [part] : splitSections(part)));
      } else if ((part.functionCall.name ?? "") !== "") {
        calling = true;
        kept.push(part);
      }
    }
    return kept;
  }

  createChunkReader(): ChunkReader {
    const sections = new SectionStream();
    return (parts) =>
      parts.flatMap((part) => (part.text === undefined || part.thought === true ? [part] : sections.push(part.text)));
  }
}

const INSTRUCTION = `Work on the user's question in three steps: plan, carry the plan out with your tools, answer. Put each kind of text behind its tag.

${PLAN_TAGS.planning} comes first. Write a short numbered list of what has to be found out or done, so that together it settles the whole question. Each entry should be something that one or more of your tools can do, with what you already know as a start.

${PLAN_TAGS.action} introduces the calls of tools that carry out the next entry of the plan. Call only tools that you were given, by their names and with arguments that fit. Never make up what a tool would return.

${PLAN_TAGS.reasoning} follows the results. Say in a few sentences what they show, what is still open and which entry is next.

${PLAN_TAGS.replanning} replaces the plan when results show that it cannot work: write the new numbered list, without what is done already.

${PLAN_TAGS.finalAnswer} comes last and once. Behind it stands the answer alone, complete in itself, in the form that the user asked for. The user reads nothing else.

If the question cannot be settled with what you know and your tools, say so in the final answer, and ask for what is missing. If it needs no tools, plan in a line and answer.`;
