import {
  type Definition,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type NodeDefinition,
} from '@deckhand/contracts';

/** What nodes read of the input, such as `$trigger.customer.name`; not the methods that they call on it. */
const READS = /\$trigger((?:\??\.[A-Za-z_]\w*(?![\w(]))+)/g;
/** Members of lists and texts. */
const OWN_MEMBERS: readonly string[] = ['length'];
const MAX_DEPTH = 8;

/**
 * Returns an input to begin with: what the schema of the trigger suggests or, without one, the members that nodes read,
 * which are null.
 */
export function sampleInput(definition: Definition, trigger: NodeDefinition | undefined): JsonObject {
  const schema = trigger?.parameters?.inputSchema;
  const suggested = isJsonObject(schema) ? sampleOf(schema, 0) : undefined;
  if (isJsonObject(suggested)) return suggested;
  const texts = definition.nodes.map(({ parameters }) => JSON.stringify(parameters ?? {}));
  return toObject(readsOf(texts.join('\n')));
}

function sampleOf(schema: JsonObject, depth: number): JsonValue {
  const { default: usual, examples, properties, type } = schema;
  const choices = schema.enum;
  if (usual !== undefined) return usual;
  const example = firstOf(examples) ?? firstOf(choices);
  if (example !== undefined) return example;
  if (isJsonObject(properties) && depth < MAX_DEPTH) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, inner]) => [
        name,
        isJsonObject(inner) ? sampleOf(inner, depth + 1) : null,
      ]),
    );
  }
  switch (type) {
    case 'object':
      return {};
    case 'array':
      return [];
    case 'string':
      return '';
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    default:
      return depth === 0 ? {} : null;
  }
}

function firstOf(list: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(list) || typeof list !== 'object' ? undefined : list?.[0];
}

/** A tree of names. */
type Names = Map<string, Names>;

function readsOf(text: string): Names {
  const root = new Map<string, Names>();
  for (const [, path = ''] of text.matchAll(READS)) {
    let names = root;
    for (const name of path.split(/\??\./).slice(1, MAX_DEPTH)) {
      if (OWN_MEMBERS.includes(name)) break;
      const inner = names.get(name) ?? new Map<string, Names>();
      names.set(name, inner);
      names = inner;
    }
  }
  return root;
}

function toObject(names: Names): JsonObject {
  return Object.fromEntries([...names].map(([name, inner]) => [name, inner.size === 0 ? null : toObject(inner)]));
}
