import { createClient } from "fairlead/client";
import { useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { ChatStore } from "./chat-store.ts";

const query = new URLSearchParams(location.search);
const store = new ChatStore(createClient({ baseUrl: query.get("server") ?? "http://localhost:8000" }));
const appName = query.get("app") ?? "weather";
localStorage.setItem(appName, await store.open(appName, localStorage.getItem(appName)));

function Chat() {
  const { messages, waitingCalls } = useSyncExternalStore(store.subscribe, store.read);
  const send = (form) => void store.send(form.get("text"));
  return (
    <main>
      <ol>
        {messages
          .filter(({ text }) => text !== "")
          .map(({ id, author, text }) => (
            <li key={id} className={author === "user" ? "user" : "agent"}>
              {text}
            </li>
          ))}
      </ol>
      {waitingCalls.length > 0 && (
        <p>
          {waitingCalls.map(({ args }) => args.originalFunctionCall?.name).join(", ")}:{" "}
          <button type="button" onClick={() => store.confirm(true)}>
            Approve
          </button>{" "}
          <button type="button" onClick={() => store.confirm(false)}>
            Reject
          </button>
        </p>
      )}
      <form action={send}>
        <input name="text" aria-label="Message" required /> <button type="submit">Send</button>
      </form>
    </main>
  );
}

createRoot(document.querySelector("#page")).render(<Chat />);
