import {
  addUpdate,
  addUserMessage,
  conversationOf,
  createClient,
  createConfirmation,
  EMPTY_CONVERSATION,
} from "fairlead/client";

const query = new URLSearchParams(location.search);
const client = createClient({ baseUrl: query.get("server") ?? "http://localhost:8000" });
const appName = query.get("app") ?? "weather";
const find = (selector) => document.querySelector(selector);
let conversation = EMPTY_CONVERSATION;
let session;
let runId;

/** Continues the conversation of this browser, and its active run if there is one. */
async function open() {
  const id = localStorage.getItem(appName);
  const key = { appName, userId: "me", id };
  session = await (id === null ? client.sessions.create({ appName, userId: "me" }) : client.sessions.get(key));
  localStorage.setItem(appName, session.id);
  conversation = conversationOf(session.events);
  show("");
  const [newest] = (await client.runs.list({ session, pageSize: 1 })).runs;
  const isActive = newest?.status === "running" || newest?.status === "pending";
  // Events that the session has already are recognised by their ids.
  if (isActive) await follow(client.runs.stream(newest.runId));
}

async function send(newMessage) {
  conversation = addUserMessage(conversation, newMessage);
  show("");
  await follow(await client.stream({ session, newMessage }));
}

async function follow(stream) {
  runId = stream.runId;
  find("#stop").disabled = false;
  for await (const update of stream.updates()) {
    conversation = addUpdate(conversation, update);
    show(update.kind === "reconnecting" ? "Reconnecting…" : "");
  }
}

function show(status) {
  const items = conversation.messages.filter(({ text, error }) => text !== "" || error !== undefined);
  find("#messages").replaceChildren(
    ...items.map(({ author, text, error, isPartial }) => {
      const item = Object.assign(document.createElement("li"), { textContent: error?.message ?? text });
      item.className = `${author === "user" ? "user" : "agent"}${isPartial ? " partial" : ""}`;
      return item;
    }),
  );
  find("[role=status]").textContent = status;
}

/** Two buttons that answer all waiting requests of confirmation: answers of one run are sent together. */
function confirmations() {
  const calls = conversation.waitingCalls.filter(({ name }) => name === "adk_request_confirmation");
  if (calls.length === 0) return [];
  const question = calls.map(({ args }) => args.toolConfirmation?.hint ?? args.originalFunctionCall?.name).join(", ");
  const answer = (confirmed) => () => run(() => send(calls.map((call) => createConfirmation(call, { confirmed }))));
  return [
    question,
    Object.assign(document.createElement("button"), { textContent: "Approve", onclick: answer(true) }),
    Object.assign(document.createElement("button"), { textContent: "Reject", onclick: answer(false) }),
  ];
}

/** One run at a time: the next message can be sent when the work is done. */
async function run(work) {
  find("#send").disabled = true;
  find("#waiting").replaceChildren();
  try {
    await work();
  } catch (error) {
    show(error.reason === "RUN_CANCELLED" ? "Stopped." : `${error.message} (${error.reason})`);
  } finally {
    runId = undefined;
    find("#send").disabled = false;
    find("#stop").disabled = true;
    find("#waiting").replaceChildren(...confirmations());
  }
}

find("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = new FormData(event.target).get("text");
  event.target.reset();
  void run(() => send(text));
});
find("#stop").addEventListener("click", () => void client.runs.cancel(runId));
void run(open);
