import type { JsonObject, JsonValue } from '@deckhand/contracts';
import { type NodeContext, NodeError } from '@deckhand/engine';
import { excerpt, parseForeignJson } from '../text/limit.ts';

type Checks = Pick<NodeContext, 'workspaceId' | 'services'>;

/** Returns a schema without the name of its version: checkers refuse those that they do not know, such as draft 7. */
export function withoutDialect(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema'));
}

/**
 * Returns a schema as it is sent and checked. @param name of the parameter that has it.
 * @throws NodeError PARAMETERS_INVALID for what cannot be used as a JSON Schema.
 */
export async function usableSchema(
  schema: JsonObject,
  { workspaceId, services }: Checks,
  name = 'outputSchema',
): Promise<JsonObject> {
  const usable = withoutDialect(schema);
  const problem = await services.results.check({ workspaceId, schema: usable });
  if (problem === undefined) return usable;
  throw new NodeError('PARAMETERS_INVALID', `parameters.${name}: ${excerpt(problem)}`, { isRetryable: false });
}

/** Parses and checks a response that has to be JSON. @returns its value, or what is wrong with it. */
export async function checkedOutput(
  text: string,
  schema: JsonObject,
  { workspaceId, services }: Checks,
): Promise<{ readonly value: JsonValue; readonly problem?: string | undefined }> {
  let value: JsonValue;
  try {
    value = parseForeignJson(withoutFence(text), 'the response');
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { value: null, problem: excerpt(`it is not JSON: ${error.message}`) };
  }
  const misfit = await services.results.check({ workspaceId, schema, body: value });
  return { value, problem: misfit && excerpt(misfit) };
}

/** Returns what a model wrote between the lines of a Markdown fence, as many do around JSON. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  const begin = trimmed.indexOf('\n');
  const isFenced = trimmed.startsWith('```') && trimmed.endsWith('```') && begin >= 0;
  return isFenced ? trimmed.slice(begin, -3) : trimmed;
}
