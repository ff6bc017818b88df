import type { LanguageModelV4Content, LanguageModelV4ToolCall } from '@ai-sdk/provider';
import { isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';
import { type AgentTurn, maskSecrets, type NodeContext, NodeError, output } from '@deckhand/engine';
import { checkResultLength, excerpt, parseForeignJson } from '../text/limit.ts';
import { type Answer, ANSWER_TOOL, type AnswerPart, storeAnswer, textOf } from './agent-answer.ts';
import { exchangeOf, type MemoryUse, messagesOfMemory, recall, type Remembered } from './agent-memory.ts';
import { messagesOf } from './agent-prompt.ts';
import { type ToolSpec, type UsableTool, usableTools } from './agent-tools.ts';
import { questionProblem } from './call-question.ts';
import { modelCaller, type ModelResponse, type ModelSettings, type ModelUse } from './call-model.ts';
import { type Conversation, promptOf } from './prompt.ts';
import { checkedOutput } from './structured-output.ts';

/** Maximum number of calls of tools in one answer; the model is told that it asked for too many. */
const MAX_CALLS = 32;
/** Maximum length of an answer, in characters of JSON: each following request contains it. */
const MAX_ANSWER = 2_000_000;
/** Maximum number of parts in an answer: texts, reasoning and calls. */
const MAX_PARTS = 1_000;
/** Maximum length of all answers and results before the model is asked again, in characters of JSON. */
const MAX_CONVERSATION = 5_000_000;

/** What an agent is asked to do, and with which tools. */
export interface AgentTask extends Conversation {
  readonly model: string;
  readonly tools?: readonly ToolSpec[];
  readonly outputSchema?: JsonObject;
  readonly memory?: MemoryUse;
  readonly settings: Pick<ModelSettings, 'maxOutputTokens' | 'temperature' | 'reasoning'>;
}

/**
 * Asks the model of an agent for its next answer, and returns it as its record has it.
 * @throws NodeError as calls of models do; RESULT_TOO_LARGE for a long answer, TEXT_TOO_LARGE for a long
 * conversation, MODEL_OUTPUT_CUT for an answer by a schema that the provider cut.
 */
export async function askAgent(use: ModelUse, task: AgentTask, context: NodeContext): Promise<JsonObject> {
  const agent = context.agent ?? { place: '', tools: [], turns: [], readsData: true, call: undefined };
  const { turns } = agent;
  checkConversation(turns);
  // The author may name a file, but others may have written what is in it.
  const remembered = await recall(task.memory, context);
  const { exchanges = [] } = remembered ?? {};
  // What was said earlier came from outside, too.
  const readsData = agent.readsData || (task.files ?? []).length > 0 || exchanges.length > 0;
  const tools = await usableTools({ ...agent, readsData }, task.tools ?? [], task.outputSchema, context);
  const prompt = await promptOf({ ...task, messages: messagesOfMemory(exchanges) }, context.files);
  prompt.push(...turns.flatMap(messagesOf));
  // Models of Anthropic that reason refuse to be told to call a tool.
  const mustCall = task.outputSchema !== undefined && task.settings.reasoning === undefined;
  const response = await modelCaller(use, task.model, context)(
    prompt,
    {
      ...task.settings,
      outputSchema: undefined,
      stop: [],
      tools: [...tools.values()].map(({ offer }) => offer),
      mustCall,
    },
    0,
  );
  const memory = turns.length === 0 ? exchanges : [];
  const answer = storeAnswer({ ...(await answerFrom(response, tools, context)), memory });
  checkResultLength(JSON.stringify(answer).length, MAX_ANSWER);
  if (remembered && answer.isLast === true) await remember(remembered, task, { answer, use, context });
  return answer;
}

/** Adds the last answer to the memory of an agent, before it is recorded: a repetition replaces it. */
async function remember(
  { place }: Remembered,
  { prompt }: AgentTask,
  { answer, use, context }: { readonly answer: JsonObject; readonly use: ModelUse; readonly context: NodeContext },
): Promise<void> {
  // A server may send back the key that it received.
  const masked = maskSecrets(output(answer), [{ type: 'model', secret: use.secret }]);
  const said = masked.kind === 'output' ? masked.output : null;
  // An agent that was given up adds nothing: another try of it may have begun.
  context.signal().throwIfAborted();
  await context.services.agentMemories.write(place, exchangeOf(prompt, said));
}

/** @throws NodeError TEXT_TOO_LARGE */
function checkConversation(turns: readonly AgentTurn[]): void {
  const length = turns.reduce((sum, turn) => sum + JSON.stringify(turn).length, 0);
  if (length <= MAX_CONVERSATION) return;
  const message = `the answers and results so far have more than ${MAX_CONVERSATION} characters`;
  throw new NodeError('TEXT_TOO_LARGE', message, { isRetryable: false });
}

async function answerFrom(
  { content, finishReason, tokens, costMicroUsd, warnings }: ModelResponse,
  tools: ReadonlyMap<string, UsableTool>,
  context: NodeContext,
): Promise<Omit<Answer, 'memory'>> {
  if (content.length > MAX_PARTS) {
    const message = `the answer has more than ${MAX_PARTS} parts`;
    throw new NodeError('RESULT_TOO_LARGE', message, { isRetryable: false });
  }
  const read: AnswerPart[] = [];
  let count = 0;
  for (const part of content) {
    read.push(...(await partsOf(part, count, tools, context)));
    if (part.type === 'tool-call') count += 1;
  }
  const parts = withLateAnswer(read);
  const { inputTokens, outputTokens, cachedInputTokens } = tokens;
  const usage = { inputTokens, outputTokens, cachedInputTokens, costMicroUsd };
  const answer = { content: parts, finishReason, usage, warnings };
  const given = parts.find((part) => part.type === 'call' && part.tool === ANSWER_TOOL && part.problem === undefined);
  if (given?.type === 'call') return { ...answer, isLast: true, problem: null, output: given.arguments };
  const schema = tools.get(ANSWER_TOOL)?.schema;
  const isCut = finishReason === 'length' && schema !== undefined;
  const calls = parts.filter((part) => part.type === 'call');
  if (isCut && calls.some(({ tool, problem }) => tool === ANSWER_TOOL && problem !== undefined)) throw cut();
  if (calls.length > 0) return { ...answer, isLast: false, problem: null, output: null };
  if (!schema) return { ...answer, isLast: true, problem: null, output: null };
  // Some servers do not know that a tool has to be called.
  const { value, problem } = await checkedOutput(textOf(answer), schema, context);
  if (problem === undefined) return { ...answer, isLast: true, problem: null, output: value };
  if (isCut) throw cut();
  const told = `Give your answer by calling ${ANSWER_TOOL}. As JSON, it does not fit: ${problem}`;
  return { ...answer, isLast: false, problem: told, output: null };
}

/** Another answer would be cut at the same length. */
function cut(): NodeError {
  const message = 'the answer was cut at its maximum length, and does not fit outputSchema: raise maxOutputTokens';
  return new NodeError('MODEL_OUTPUT_CUT', message, { isRetryable: false });
}

/** Refuses a final answer that was given before the results of other calls are known. */
function withLateAnswer(parts: readonly AnswerPart[]): readonly AnswerPart[] {
  const areOthers = parts.some(
    (part) => part.type === 'call' && part.tool !== ANSWER_TOOL && part.problem === undefined,
  );
  if (!areOthers) return parts;
  const problem = 'call it alone, after the results of the others';
  return parts.map((part) =>
    part.type === 'call' && part.tool === ANSWER_TOOL && part.problem === undefined ? { ...part, problem } : part,
  );
}

async function partsOf(
  part: LanguageModelV4Content,
  calls: number,
  tools: ReadonlyMap<string, UsableTool>,
  context: NodeContext,
): Promise<AnswerPart[]> {
  if (part.type !== 'text' && part.type !== 'reasoning' && part.type !== 'tool-call') return [];
  const metadata = optionsOf(part.providerMetadata);
  const options = metadata === undefined ? {} : { options: metadata };
  if (part.type !== 'tool-call') {
    // Empty texts are refused; reasoning may be hidden in the options.
    return part.text === '' && (part.type === 'text' || !metadata)
      ? []
      : [{ type: part.type, text: part.text, ...options }];
  }
  const { toolCallId: id, toolName: tool } = part;
  if (calls >= MAX_CALLS) {
    const excess = `more than ${MAX_CALLS} calls at once: call it again`;
    return [{ type: 'call', id, tool, arguments: {}, problem: excess, ...options }];
  }
  const { schema, asks = false } = tools.get(tool) ?? {};
  const { value, problem = asks ? questionProblem(value) : undefined } = await readArguments(part, schema, context);
  if (problem !== undefined) return [{ type: 'call', id, tool, arguments: value, problem, ...options }];
  return [{ type: 'call', id, tool, arguments: value, ...(asks && { asks }), ...options }];
}

/** Returns the arguments of a call, and why the tool is not called with them; an object in any case. */
async function readArguments(
  { input, toolName }: Pick<LanguageModelV4ToolCall, 'input' | 'toolName'>,
  schema: JsonObject | undefined,
  { workspaceId, services }: NodeContext,
): Promise<{ readonly value: JsonObject; readonly problem?: string | undefined }> {
  let value: JsonValue;
  try {
    value = parseForeignJson(input.trim() === '' ? '{}' : input, 'the arguments');
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof NodeError)) throw error;
    return { value: {}, problem: excerpt(`the arguments are not JSON: ${error.message}`) };
  }
  if (!isJsonObject(value)) return { value: {}, problem: 'the arguments must be an object' };
  if (!schema) return { value, problem: excerpt(`there is no tool "${toolName}"`) };
  const misfit = await services.results.check({ workspaceId, schema, body: value });
  return { value, problem: misfit && excerpt(`the arguments do not fit: ${misfit}`) };
}

/** Returns what a provider wants to get back with a part, as JSON. */
function optionsOf(metadata: LanguageModelV4ToolCall['providerMetadata']): JsonObject | undefined {
  if (metadata === undefined) return undefined;
  const plain: unknown = JSON.parse(JSON.stringify(metadata));
  return isJsonObject(plain) && Object.keys(plain).length > 0 ? plain : undefined;
}
