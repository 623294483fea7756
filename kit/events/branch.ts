/** Not permitted in an agent's name, so a segment with it is the work of one call of an agent that serves as a tool. */
const CALL_MARK = "@";

/** The branch of an agent that works for one call: below the caller's, and closed to it (see `seesBranch`). */
export function toolBranch(callerBranch: string | undefined, agentName: string, callId: string): string {
  // A dot would end the segment.
  const segment = `${agentName}${CALL_MARK}${callId.replaceAll(/[.@]/g, "_")}`;
  return callerBranch === undefined ? segment : `${callerBranch}.${segment}`;
}

/**
 * Whether an agent on a branch sees the events of another branch. It sees those of the trunk and of ancestors, but not
 * of siblings. The work for a tool call is separate in both directions: its only input are the call's arguments, and
 * its only output is its response.
 */
export function seesBranch(branch: string | undefined, eventBranch: string | undefined): boolean {
  if (eventBranch === branch) return true;
  if (toolScope(eventBranch) !== toolScope(branch)) return false;
  if (eventBranch === undefined || branch === undefined) return true;
  // The dot keeps `a1` from matching `a10`.
  return branch.startsWith(`${eventBranch}.`);
}

/** Whether the event belongs to the work for a tool call, and not to the conversation. */
export function isToolBranch(branch: string | undefined): boolean {
  return branch?.includes(CALL_MARK) === true;
}

/** The branch up to its innermost tool call. */
function toolScope(branch: string | undefined): string | undefined {
  const mark = branch?.lastIndexOf(CALL_MARK) ?? -1;
  if (branch === undefined || mark === -1) return undefined;
  const end = branch.indexOf(".", mark);
  return end === -1 ? branch : branch.slice(0, end);
}
