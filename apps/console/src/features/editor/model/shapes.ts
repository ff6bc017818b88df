import {
  type Definition,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type NodeDefinition,
  type NodeTypeEntry,
} from '@deckhand/contracts';
import type { NodeTypes } from '../../../graph/handles.ts';
import type { Outcome } from './upstream.ts';

/** Returns the members of `$trigger` that are known without a run: those of all triggers of the workflow. */
export function shapeOfTrigger({ nodes }: Definition, types: NodeTypes): JsonObject {
  return Object.fromEntries(
    nodes.flatMap((node) => {
      const type = types.get(node.type);
      const shape = type?.isTrigger === true && type.outputSchema ? shapeOf(type.outputSchema) : null;
      return isJsonObject(shape) ? Object.entries(shape) : [];
    }),
  );
}

/**
 * Returns the members of a node's output that are known without a run; undefined if there are none.
 * @param outcome a failed node has another output
 */
export function shapeOfOutput(
  { nodes }: Definition,
  nodeId: string,
  { types, outcome }: { readonly types: NodeTypes; readonly outcome: Outcome },
): JsonValue | undefined {
  const node = nodes.find(({ id }) => id === nodeId);
  const type = node && types.get(node.type);
  if (!type) return undefined;
  const error = { ...(type.container === 'try' && { nodeId: '' }), message: '', code: '' };
  if (outcome === 'error') return { error };
  const own = shapeOfSuccess(node, type);
  return outcome === 'either' && (own === undefined || isJsonObject(own)) ? { ...own, error } : own;
}

/** Returns true for the output of a node whose failure was handled. */
export function isErrorOutput(output: JsonValue): boolean {
  if (!isJsonObject(output) || Object.keys(output).length !== 1) return false;
  const { error } = output;
  return error !== undefined && isJsonObject(error) && 'message' in error && 'code' in error;
}

function shapeOfSuccess(node: NodeDefinition, type: NodeTypeEntry): JsonValue | undefined {
  if (type.outputSchema) return shapeOf(type.outputSchema);
  const path = type.outputMembersOf?.split('.') ?? [];
  const named = path.reduce<JsonValue | undefined>(
    (value, name) => (isJsonObject(value) ? value[name] : undefined),
    path.length === 0 ? undefined : node.parameters,
  );
  // The values of expressions are unknown.
  return isJsonObject(named) ? Object.fromEntries(Object.keys(named).map((name) => [name, null])) : undefined;
}

/** Returns an example of a value with the required members of a schema; of one that may be anything, an object. */
function shapeOf(schema: JsonValue | undefined): JsonValue {
  if (schema === undefined || !isJsonObject(schema)) return {};
  const { properties, required } = schema;
  const choices: readonly JsonValue[] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  if (choices.length > 0) return shapeOf(choices[0]);
  switch (schema.type) {
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    default: {
      if (!isJsonObject(properties)) return {};
      const names = Array.isArray(required) ? required : [];
      return Object.fromEntries(
        Object.entries(properties).flatMap(([name, member]) => (names.includes(name) ? [[name, shapeOf(member)]] : [])),
      );
    }
  }
}
