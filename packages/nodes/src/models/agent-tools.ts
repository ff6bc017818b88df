import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { JsonObject } from '@deckhand/contracts';
import { type AgentContext, type NodeContext, NodeError } from '@deckhand/engine';
import { ANSWER_TOOL } from './agent-answer.ts';
import { asksFirst, type Permission } from './call-question.ts';
import { usableSchema } from './structured-output.ts';

/** What a node says about a tool. */
export interface ToolSpec {
  readonly node: string;
  readonly description?: string;
  readonly inputSchema?: JsonObject;
  readonly permission?: Permission;
}

/** A tool that a model may call, and the schema of its arguments. */
export interface UsableTool {
  readonly offer: LanguageModelV4FunctionTool;
  readonly schema: JsonObject;
  /** Whether a person decides about its calls. */
  readonly asks: boolean;
}

const ANY_ARGUMENTS: JsonObject = { type: 'object', properties: {} };

/**
 * Returns the tools of an agent by the names that the model knows: the ids of their nodes.
 * @param outputSchema what the last answer has to fit; it is given by a tool of its own.
 * @throws NodeError PARAMETERS_INVALID for a schema that cannot be used, and for a tool that no node is.
 */
export async function usableTools(
  { tools: nodes, turns, readsData }: AgentContext,
  specs: readonly ToolSpec[],
  outputSchema: JsonObject | undefined,
  context: Pick<NodeContext, 'workspaceId' | 'services'>,
): Promise<Map<string, UsableTool>> {
  const tools = new Map<string, UsableTool>();
  const unknown = specs.findIndex(({ node }) => !nodes.some(({ nodeId }) => nodeId === node));
  if (unknown >= 0) throw invalid(`tools[${unknown}].node: the output body does not lead to "${specs[unknown]?.node}"`);
  const hasForeignText = readsData || turns.some(({ results }) => results.length > 0);
  for (const tool of nodes) {
    const { nodeId, title, description, isDisabled } = tool;
    const at = specs.findIndex(({ node }) => node === nodeId);
    const { inputSchema, permission, description: told = `${title}: ${description}` } = specs[at] ?? {};
    if (isDisabled || permission === 'forbidden') continue;
    const schema = inputSchema ? await usableSchema(inputSchema, context, `tools[${at}].inputSchema`) : ANY_ARGUMENTS;
    tools.set(nodeId, { ...offered(nodeId, told, schema), asks: asksFirst(tool, permission, hasForeignText) });
  }
  if (!outputSchema) return tools;
  if (tools.has(ANSWER_TOOL)) throw invalid(`outputSchema: the tool "${ANSWER_TOOL}" needs another id`);
  const schema = await usableSchema(outputSchema, context);
  const answer = offered(ANSWER_TOOL, 'Gives the final answer, and ends the work.', schema);
  return tools.set(ANSWER_TOOL, { ...answer, asks: false });
}

function offered(name: string, description: string, schema: JsonObject): Omit<UsableTool, 'asks'> {
  return { offer: { type: 'function', name, description, inputSchema: schema }, schema };
}

function invalid(problem: string): NodeError {
  return new NodeError('PARAMETERS_INVALID', `parameters.${problem}`, { isRetryable: false });
}
