import {
  type Definition,
  type ValidationIssue,
  isJsonObject,
  type JsonValue,
  validationFailed,
} from '@deckhand/contracts';
import type { SealedSecrets } from '@deckhand/db';
import type { NodeTypes } from '@deckhand/engine';
import type { SecretBox } from '@deckhand/runtime';

/** Stands in a definition in place of a secret; sent back, it keeps the secret as it is. */
const SECRET_PLACEHOLDER = '********';

type Node = Definition['nodes'][number];

/** A definition without its secrets, and these. */
export interface SealedDefinition {
  readonly definition: Definition;
  readonly sealedSecrets: SealedSecrets;
}

/**
 * Takes the secrets out of a definition: those parameters that their node type's schema marks as `writeOnly`
 * (JSON Schema 2020-12, validation, 9.4). What is kept, read or run later has a placeholder in their place.
 * @param earlier the secrets of the version before, which placeholders stand for.
 * @throws DeckhandError VALIDATION_FAILED where a placeholder stands for nothing.
 */
export async function sealSecretParameters(
  definition: Definition,
  { nodeTypes, secretBox, earlier }: { nodeTypes: NodeTypes; secretBox: SecretBox; earlier: SealedSecrets },
): Promise<SealedDefinition> {
  const sealedSecrets: Record<string, Record<string, string>> = {};
  const issues: ValidationIssue[] = [];
  const nodes: Node[] = [];
  for (const [index, node] of definition.nodes.entries()) {
    const parameters: Record<string, JsonValue> = { ...node.parameters };
    for (const name of secretParameters(nodeTypes, node.type)) {
      const value = parameters[name];
      if (typeof value !== 'string') continue;
      const kept = earlier[node.id]?.[name];
      if (value === SECRET_PLACEHOLDER && kept === undefined) {
        const path = `definition.nodes[${index}].parameters.${name}`;
        issues.push({
          path,
          nodeId: node.id,
          message: 'stands for no secret that was saved before: send the secret itself',
        });
        continue;
      }
      const sealed =
        value === SECRET_PLACEHOLDER && kept !== undefined ? await keep(secretBox, kept) : await secretBox.seal(value);
      (sealedSecrets[node.id] ??= {})[name] = sealed;
      parameters[name] = SECRET_PLACEHOLDER;
    }
    nodes.push(node.parameters === undefined ? node : { ...node, parameters });
  }
  if (issues.length > 0) throw validationFailed(issues);
  return { definition: { ...definition, nodes }, sealedSecrets };
}

/**
 * An earlier secret as it is, or sealed anew where an old key sealed it: that key may be taken away while this is
 * saved.
 */
async function keep(secretBox: SecretBox, kept: string): Promise<string> {
  return secretBox.isSealedByPresentKey(kept) ? kept : secretBox.seal(await secretBox.open(kept));
}

/** The parameters of a node type that are secrets. */
function secretParameters(nodeTypes: NodeTypes, type: string): string[] {
  const properties: Readonly<Record<string, unknown>> = nodeTypes.get(type)?.parameters.properties ?? {};
  return Object.entries(properties).flatMap(([name, schema]) =>
    isJsonObject(schema) && schema.writeOnly === true ? [name] : [],
  );
}
