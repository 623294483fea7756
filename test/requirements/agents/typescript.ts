import type { Requirement } from "#test/requirements/requirement.ts";

export const typescript: readonly Requirement[] = [
  { id: "typescript:async", line: 191, status: "verified", text: "Reactive results become promises.", decided: "Every method of a port that returns data returns a promise or an async iterable." },
  { id: "typescript:optional", line: 96, status: "verified", text: "Optional results become undefined.", decided: "Absent is `undefined`, in JSON a missing member; never null." },
  { id: "typescript:options-objects", line: 226, status: "verified", text: "Builders become options objects.", decided: "One constructor or factory argument with named, readonly members." },
  { id: "typescript:session-key-object", line: 191, status: "verified", text: "Positional app, user and id become one object.", decided: "A SessionKey object is the only form." },
  { id: "typescript:derived-reads", line: 51, status: "verified", text: "Derived reads become functions.", decided: "`finalResponse(event)`, `functionCalls(event)` …: events are plain data." },
  { id: "typescript:sets", line: 58, status: "verified", text: "Sets become arrays in JSON.", decided: "Each member once, in order of addition." },
  { id: "typescript:instants", line: 26, status: "verified", text: "Instants become numbers.", decided: "Integer milliseconds since the epoch inside the kit." },
  { id: "typescript:enums", line: 125, status: "verified", text: "Enums become objects of constant strings.", decided: "Their values equal the specification's names." },
  { id: "typescript:exceptions", line: 294, status: "verified", text: "Exceptions become subclasses of one error.", decided: "PlatformError with code, reason, message, details and cause." },
  { id: "typescript:errors-in-callbacks", line: 236, status: "verified", text: "Exceptions given to callbacks become values.", decided: "`Error`; anything else that was thrown arrives as its cause." },
  { id: "typescript:properties", line: 10, status: "verified", text: "Properties records become settings.", decided: "Named environment variables checked by a schema at start, all problems at the same time." },
  { id: "typescript:refused-options", line: 226, status: "verified", text: "An agent that is created without types may have options of the wrong kind.", decided: "It is refused at construction by name, with the fix: a bare function as a tool, a number as instruction, an option of `LlmAgent` that does not exist." },
];
