"""The live half of the agent "bench": its model answers each chunk of media with the same media, and each turn with "ok"."""

import asyncio
import contextlib

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.base_llm_connection import BaseLlmConnection
from google.adk.models.llm_response import LlmResponse
from google.genai import types


class BenchConnection(BaseLlmConnection):

  def __init__(self):
    self._waiting = asyncio.Queue()

  async def send_history(self, history):
    pass

  async def send_content(self, content):
    text = types.Part(text="ok")
    self._waiting.put_nowait(LlmResponse(content=types.Content(role="model", parts=[text])))
    self._waiting.put_nowait(LlmResponse(turn_complete=True))

  async def send_realtime(self, blob):
    media = types.Part(inline_data=blob)
    self._waiting.put_nowait(LlmResponse(content=types.Content(role="model", parts=[media]), partial=True))

  async def receive(self):
    while True:
      response = await self._waiting.get()
      if response is None:
        return
      yield response

  async def close(self):
    self._waiting.put_nowait(None)


class BenchModel(BaseLlm):

  async def generate_content_async(self, llm_request, stream=False):
    yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="ok")]))

  @contextlib.asynccontextmanager
  async def connect(self, llm_request):
    yield BenchConnection()


root_agent = LlmAgent(
    name="bench",
    description="For measurements: its model obeys words in the user's text.",
    model=BenchModel(model="bench"),
    instruction="Obey the words.",
)
