import type { Credential, Definition, JsonObject, JsonValue } from '@deckhand/contracts';
import { isJsonObject, parseOwnJson } from '@deckhand/contracts';
import type { HttpResponse, ModelCall, NodeServices } from '@deckhand/engine';
import { edges } from './engine.ts';

/** What a model says in one turn: a text, or calls of tools by their names. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly calls?: readonly { readonly tool: string; readonly arguments: JsonValue | string }[];
}

/** A credential of the provider that a scripted model plays. */
export const SCRIPTED_CREDENTIAL: Credential = {
  type: 'model',
  secret: { provider: 'openaiCompatible', baseUrl: 'https://models.example.com/v1' },
};

/** A request as the model got it. */
export interface AskedTurn {
  /** How many answers the conversation has. */
  readonly turn: number;
  readonly messages: readonly JsonObject[];
  readonly json: JsonObject;
}

/**
 * Creates a model that answers by the number of its answers in the conversation, in the chat completions of OpenAI.
 * Past the script, it says "done".
 */
export function createScriptedModel(script: readonly ScriptedTurn[]) {
  const asked: AskedTurn[] = [];
  const counted: ModelCall[] = [];
  /** Answers a request with this body. */
  const answer = (text: string): HttpResponse => {
    const { json, messages } = readRequest(text);
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    asked.push({ turn, messages, json });
    return completion(script[turn] ?? { text: 'done' }, turn);
  };
  const services: Pick<NodeServices, 'http' | 'modelCalls'> = {
    http: { request: ({ body }) => Promise.resolve(answer(typeof body === 'string' ? body : '{}')) },
    modelCalls: {
      begin: (call) => Promise.resolve(String(counted.push(call))),
      settle: () => Promise.resolve(1_000),
      withdraw: () => Promise.resolve(),
    },
  };
  return { asked, counted, services, answer };
}

function readRequest(text: string): { json: JsonObject; messages: JsonObject[] } {
  const json = parseOwnJson<JsonValue>(text);
  const { messages } = isJsonObject(json) ? json : {};
  return {
    json: isJsonObject(json) ? json : {},
    messages: Array.isArray(messages) ? messages.filter(isJsonObject) : [],
  };
}

function completion({ text, calls = [] }: ScriptedTurn, turn: number): HttpResponse {
  const toolCalls = calls.map(({ tool, arguments: given }, index) => ({
    id: `call_${turn}_${index}`,
    type: 'function',
    function: { name: tool, arguments: typeof given === 'string' ? given : JSON.stringify(given) },
  }));
  const message = { role: 'assistant', content: text ?? null, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) };
  const choice = { index: 0, message, finish_reason: toolCalls.length > 0 ? 'tool_calls' : 'stop' };
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const body = { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage };
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    setCookies: [],
    body: Buffer.from(JSON.stringify(body)),
  };
}

/** Returns a definition with an agent named `agent`, whose tools are these nodes, and `after` behind it. */
export function agentDefinition(
  parameters: JsonObject,
  tools: Definition['nodes'],
  {
    inside = [],
    agent = {},
    isFree = true,
  }: {
    inside?: readonly string[];
    agent?: Partial<Definition['nodes'][number]>;
    /** Whether its tools may be called at once, unless the parameters say it of any. */
    isFree?: boolean;
  } = {},
): Definition {
  const entered = new Set(inside.map((text) => text.split(' -> ')[1]));
  const listed = Array.isArray(parameters.tools) ? parameters.tools.filter(isJsonObject) : [];
  const others = tools.filter(({ id }) => !entered.has(id) && !listed.some(({ node }) => node === id));
  const free = [...listed, ...others.map(({ id }) => ({ node: id }))].map((tool) => ({ permission: 'free', ...tool }));
  return {
    nodes: [
      { id: 'start', type: 'trigger.manual' },
      {
        id: 'agent',
        type: 'agent',
        credentialId: '01890a5d-ac96-774b-bcce-b302099a8057',
        parameters: { model: 'm', prompt: 'Work.', ...parameters, ...(isFree && { tools: free }) },
        ...agent,
      },
      ...tools,
      { id: 'after', type: 'set', parameters: { fields: { said: '{{ $input.text }}' } } },
    ],
    edges: edges(
      'start -> agent',
      ...tools.filter(({ id }) => !entered.has(id)).map(({ id }) => `agent.body -> ${id}`),
      ...inside,
      'agent.done -> after',
    ),
  };
}
