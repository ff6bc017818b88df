import { isJsonObject, type JsonObject, parseJson } from '@deckhand/contracts';
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { stopLater } from './cleanup.ts';

/** What a client of a test connects to. */
export interface McpTarget {
  /** The address of the gateway. */
  readonly url: string;
  readonly key: string;
  /** The query of the endpoint. */
  readonly query?: string;
}

/** The newest revision of the protocol, and one that clients still use. */
export type McpEra = 'modern' | 'legacy';

/** Connects a client of the protocol's own SDK to the endpoint. `stopAll` closes it. */
export async function connectMcp(
  { url, key, query = '' }: McpTarget,
  era: McpEra = 'modern',
  options: ClientOptions = {},
): Promise<Client> {
  const client = new Client(
    { name: 'deckhand-tests', version: '1' },
    { ...options, versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  );
  const requestInit = { headers: { 'x-api-key': key } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), { requestInit }));
  stopLater({ stop: () => client.close() });
  return client;
}

/** The JSON of a tool's result, and whether it is an error. */
export interface McpResult {
  readonly isError: boolean;
  readonly value: JsonObject;
}

/** Calls a tool whose result is a JSON object. */
export async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<McpResult> {
  const { content, isError = false } = await client.callTool({ name, arguments: args });
  const [part] = content;
  if (part?.type !== 'text') throw new Error(`${name} returned no text`);
  const value = parseJson(part.text);
  if (!isJsonObject(value)) throw new Error(`${name} returned ${part.text}`);
  return { isError, value };
}
