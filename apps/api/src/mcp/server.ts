import { DeckhandError, isJsonObject, type JsonObject, validationFailed, workflowsOfScopes } from '@deckhand/contracts';
import { listWorkspaces } from '@deckhand/db';
import { VERSION } from '@deckhand/runtime';
import {
  type CallToolResult,
  createMcpHandler,
  createRequestStateCodec,
  type InputRequiredResult,
  McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import type { Request } from 'express';
import { hasScope, requireScope } from '../auth/authenticate.ts';
import type { KeyCaller } from '../auth/caller.ts';
import { errorBody, logFailure, toDeckhandError } from '../http/errors.ts';
import type { McpContext } from '../contexts.ts';
import { fileLinksOf, registerFiles } from './file-resources.ts';
import type { Tool, ToolAnswer } from './tool.ts';
import { approvalTools } from './tools/approvals.ts';
import { authoringTools } from './tools/authoring.ts';
import { listExposedWorkflows } from './tools/exposed-workflows.ts';
import { fileTools } from './tools/files.ts';
import { findTools } from './tools/find.ts';
import { runTools } from './tools/runs.ts';

/** Tools that every instance has. */
const BUILT_IN_TOOLS: readonly Tool[] = [...findTools, ...runTools, ...fileTools, ...approvalTools, ...authoringTools];

const INSTRUCTIONS =
  'Deckhand runs workflows. Tools without the prefix deckhand_ are workflows: a call starts a run and returns its result. A run that is not finished in time goes on: call deckhand_wait_for_run with its executionId. Decisions on approvals are for people: ask before you submit one.';

/** How long a person may take to answer a question, in seconds. The approval stays open, and can be submitted later. */
const STATE_SECONDS = 86_400;

/** A message of a client, and who sent it. */
interface McpRequest {
  readonly request: Request;
  readonly caller: KeyCaller;
  readonly message: JsonObject;
  /** Checks a part of the message that is not data of runs. @throws DeckhandError VALIDATION_FAILED. */
  readonly check: (part: unknown) => void;
  readonly signal: AbortSignal;
}

/** Answers a message. @param web the request with the headers of the protocol alone. */
export async function handleMessage(
  mcp: McpContext,
  mcpRequest: McpRequest,
  web: globalThis.Request,
): Promise<globalThis.Response> {
  const { message: parsedBody, request, check } = mcpRequest;
  // Not by the handler, which would hide an error of the database from callers and from the log.
  const tools = await toolsFor(mcp, mcpRequest);
  check(tools.some(({ takesData }) => takesData === true) ? withoutArguments(parsedBody) : parsedBody);
  const handler = createMcpHandler(() => createServer(mcp, mcpRequest, tools), {
    // Lists of tools are not watched: another replica may know of a change, and this one would not.
    maxSubscriptions: 0,
    onerror: (err) => mcp.runs.logger.debug({ err, requestId: request.id }, 'refused a message of an MCP client'),
  });
  return handler.fetch(web, { parsedBody });
}

function withoutArguments({ params, ...message }: JsonObject): object {
  return { ...message, params: isJsonObject(params) ? { ...params, arguments: null } : params };
}

/** Creates the server for one message, with the tools that the message is about. */
function createServer(mcp: McpContext, mcpRequest: McpRequest, tools: readonly Tool[]): McpServer {
  const { caller, message } = mcpRequest;
  const { name: called } = isJsonObject(message.params) ? message.params : {};
  const codec = createRequestStateCodec<{ executionId: string }>({
    key: mcp.settings.stateKey,
    ttlSeconds: STATE_SECONDS,
    // Another key, or a call of another tool, cannot continue the run.
    bind: () => JSON.stringify([caller.apiKeyId, called]),
  });
  const server = new McpServer(
    { name: 'deckhand', title: 'Deckhand', version: VERSION },
    {
      capabilities: { tools: { listChanged: false }, resources: { listChanged: false } },
      instructions: INSTRUCTIONS,
      // Clients of earlier revisions cannot be asked: there is no connection on which to send them a request.
      inputRequired: { legacyShim: false },
      requestState: { verify: (state, context) => codec.verify(state, context) },
    },
  );
  registerFiles(server, mcp.runs, caller);
  const stateOf = (context: ServerContext) => (executionId: string) => codec.mint({ executionId }, context);
  for (const tool of tools) {
    const { title, description, annotations, input } = tool;
    server.registerTool(tool.name, { title, description, annotations, inputSchema: toSchema(input) }, (args, context) =>
      callTool(mcp, mcpRequest, { tool, args, context, stateOf: stateOf(context) }),
    );
  }
  return server;
}

/** Returns all tools that the key may use for a list, and the called one for a call. */
async function toolsFor(mcp: McpContext, { request, caller, message }: McpRequest): Promise<readonly Tool[]> {
  const { method, params } = message;
  if (method === 'tools/list') {
    const all = [...BUILT_IN_TOOLS, ...(await exposedWorkflows(mcp, request, caller))];
    return all.filter((tool) => mayUse(caller, tool));
  }
  if (method !== 'tools/call' || !isJsonObject(params)) return [];
  const isCalled = ({ name }: Tool): boolean => name === params.name;
  const builtIn = BUILT_IN_TOOLS.filter(isCalled);
  return builtIn.length > 0 ? builtIn : (await exposedWorkflows(mcp, request, caller)).filter(isCalled);
}

async function exposedWorkflows(mcp: McpContext, request: Request, caller: KeyCaller): Promise<readonly Tool[]> {
  const workspaceId = await chosenWorkspace(mcp, request, caller);
  return workspaceId === undefined ? [] : listExposedWorkflows(mcp.starts, caller, workspaceId);
}

function mayUse(caller: KeyCaller, { needed, workflowId }: Tool): boolean {
  if (hasScope(caller, needed, workflowId)) return true;
  // It starts runs of any workflow, and the key may start those of some.
  return needed.startsRuns === true && workflowId === undefined && workflowsOfScopes(caller.scopes).length > 0;
}

/** Returns the workspace of the key or of the URL, or the only one of the owner; undefined if there are several. */
async function chosenWorkspace(
  { runs }: McpContext,
  { query }: Request,
  caller: KeyCaller,
): Promise<string | undefined> {
  if (caller.boundTo !== null) return caller.boundTo;
  if (typeof query.workspaceId === 'string') return query.workspaceId.toLowerCase();
  const { data, hasMore } = await listWorkspaces(runs.db, caller, { limit: 1, offset: 0, includeTotal: false });
  return hasMore ? undefined : data[0]?.workspaceId;
}

/** Arguments are checked by the tool, whose errors are those of the API. */
function toSchema(input: object): StandardSchemaWithJSON {
  const schema = (): Record<string, unknown> => ({ ...input });
  return {
    '~standard': {
      version: 1,
      vendor: 'deckhand',
      validate: (value) => ({ value }),
      jsonSchema: { input: schema, output: schema },
    },
  };
}

interface Called {
  readonly tool: Tool;
  readonly args: unknown;
  readonly context: ServerContext;
  readonly stateOf: (executionId: string) => Promise<string>;
}

/** Calls a tool. Its errors are results that the model can read, and the same as those of the API. */
async function callTool(
  mcp: McpContext,
  { request, caller, signal }: McpRequest,
  { tool, args, context, stateOf }: Called,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    requireScope(caller, tool.needed, tool.workflowId ?? workflowNamed(args));
    const answer = await tool.call(
      {
        ...mcp,
        request,
        caller,
        context,
        signal,
        continued: context.mcpReq.requestState<{ executionId: string }>()?.executionId,
        stateOf,
        may: (scope) => hasScope(caller, { scope }),
        async workspace(named) {
          const workspaceId = named?.toLowerCase() ?? (await chosenWorkspace(mcp, request, caller));
          if (workspaceId !== undefined) return workspaceId;
          throw validationFailed([{ path: 'workspaceId', message: 'is required: the key is for several workspaces' }]);
        },
      },
      args,
    );
    return toResult(answer, revisionOf(request));
  } catch (error) {
    const known = signal.aborted ? new DeckhandError('SERVICE_UNAVAILABLE', { cause: error }) : toDeckhandError(error);
    if (!signal.aborted) logFailure(mcp.runs.logger, error, known, request.id);
    return { content: [{ type: 'text', text: JSON.stringify(errorBody(known, request.id)) }], isError: true };
  }
}

function workflowNamed(args: unknown): string | undefined {
  return isJsonObject(args) && typeof args.workflowId === 'string' ? args.workflowId : undefined;
}

/** Returns the revision of the protocol that a client speaks; undefined for one before that sent none. */
function revisionOf({ headers }: Request): string | undefined {
  const revision = headers['mcp-protocol-version'];
  return typeof revision === 'string' ? revision : undefined;
}

function toResult(answer: ToolAnswer, revision: string | undefined): CallToolResult | InputRequiredResult {
  switch (answer.kind) {
    case 'json':
      return { content: [{ type: 'text', text: answer.text }] };
    case 'outcome': {
      const { value, isError } = answer;
      const content = [{ type: 'text' as const, text: JSON.stringify(value) }, ...fileLinksOf(value, revision)];
      return { content, structuredContent: value, ...(isError && { isError }) };
    }
    case 'questions':
      return answer.result;
  }
}
