import { AssistantRuntimeProvider, ComposerPrimitive, MessagePrimitive, ThreadPrimitive } from "@assistant-ui/react";
import { createAdkSessionAdapter, createAdkStream, useAdkRuntime } from "@assistant-ui/react-google-adk";
import { createRoot } from "react-dom/client";

const query = new URLSearchParams(location.search);
const server = query.get("server") ?? "http://localhost:8000";
const user = { appName: query.get("app") ?? "weather", userId: "me" };
const { adapter, load } = createAdkSessionAdapter({ apiUrl: server, ...user });
const stream = createAdkStream({ api: server, ...user });

function Message() {
  return (
    <MessagePrimitive.Root>
      <p>
        <MessagePrimitive.Parts />
      </p>
    </MessagePrimitive.Root>
  );
}

function Assistant() {
  const runtime = useAdkRuntime({ stream, sessionAdapter: adapter, load });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages components={{ Message }} />
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" /> <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

createRoot(document.querySelector("#page")).render(<Assistant />);
