import {
  type Definition,
  type DraftDefinition,
  type ValidationIssue,
  isJsonObject,
  type JsonValue,
  validationFailed,
} from '@deckhand/contracts';
import type { SealedSecrets } from '@deckhand/db';
import type { NodeTypes } from '@deckhand/engine';
import type { SecretBox } from '@deckhand/runtime';

/** The placeholder for a secret in a definition; sent back, it keeps the secret. */
const SECRET_PLACEHOLDER = '********';
/**
 * The placeholder for a secret that was entered into a draft. It is never taken for the secret of the latest version:
 * a version with it is refused rather than saved with an earlier secret or without one.
 */
const SECRET_OF_DRAFT = '******** (enter it again)';

type Node = Definition['nodes'][number];

/** A definition without its secrets, and the secrets. */
export interface SealedDefinition {
  readonly definition: Definition;
  readonly sealedSecrets: SealedSecrets;
}

/**
 * Extracts the secrets of a definition: those parameters that the schema of the node type marks as `writeOnly` (JSON
 * Schema 2020-12, validation, 9.4). Everything stored, read or run later has a placeholder instead.
 * @param earlier the secrets of the previous version, which placeholders stand for.
 * @throws DeckhandError VALIDATION_FAILED for a placeholder without a secret.
 */
export async function sealSecretParameters(
  definition: Definition,
  { nodeTypes, secretBox, earlier }: { nodeTypes: NodeTypes; secretBox: SecretBox; earlier: SealedSecrets },
): Promise<SealedDefinition> {
  // A map, because an author may name a node `__proto__`: in an object, its secrets would become those of all objects.
  const sealedSecrets = new Map<string, Record<string, string>>();
  const issues: ValidationIssue[] = [];
  const nodes: Node[] = [];
  for (const [index, node] of definition.nodes.entries()) {
    const parameters: Record<string, JsonValue> = { ...node.parameters };
    for (const name of secretParameters(nodeTypes, node.type)) {
      const value = parameters[name];
      if (typeof value !== 'string') continue;
      const kept = Object.hasOwn(earlier, node.id) ? earlier[node.id]?.[name] : undefined;
      const message =
        value === SECRET_OF_DRAFT ? OF_DRAFT : value === SECRET_PLACEHOLDER && kept === undefined ? NEVER_SAVED : null;
      if (message !== null) {
        issues.push({ path: `definition.nodes[${index}].parameters.${name}`, nodeId: node.id, message });
        continue;
      }
      const sealed =
        value === SECRET_PLACEHOLDER && kept !== undefined ? await keep(secretBox, kept) : await secretBox.seal(value);
      sealedSecrets.set(node.id, { ...sealedSecrets.get(node.id), [name]: sealed });
      parameters[name] = SECRET_PLACEHOLDER;
    }
    nodes.push(node.parameters === undefined ? node : { ...node, parameters });
  }
  if (issues.length > 0) throw validationFailed(issues);
  return { definition: { ...definition, nodes }, sealedSecrets: Object.fromEntries(sealedSecrets) };
}

const NEVER_SAVED = 'is the placeholder of a secret that was never saved: send the secret itself';
const OF_DRAFT = 'was entered into a draft, which keeps no secrets: enter it again';

/**
 * Replaces the secrets of a draft by placeholders. Those of the latest version keep theirs.
 * @throws DeckhandError VALIDATION_FAILED for an unknown type of node, whose secrets are unknown, too.
 */
export function removeSecrets(definition: DraftDefinition, nodeTypes: NodeTypes): DraftDefinition {
  const issues: ValidationIssue[] = [];
  const nodes = definition.nodes.map((node, index) => {
    if (!nodeTypes.has(node.type)) {
      issues.push({ path: `definition.nodes[${index}].type`, nodeId: node.id, message: 'is no type of nodes' });
    }
    const { parameters } = node;
    if (parameters === undefined) return node;
    const secrets = secretParameters(nodeTypes, node.type).filter(
      (name) => Object.hasOwn(parameters, name) && parameters[name] !== SECRET_PLACEHOLDER,
    );
    const placeholders = Object.fromEntries(secrets.map((name) => [name, SECRET_OF_DRAFT]));
    return secrets.length === 0 ? node : { ...node, parameters: { ...parameters, ...placeholders } };
  });
  if (issues.length > 0) throw validationFailed(issues);
  return { ...definition, nodes };
}

/**
 * Returns an earlier secret, encrypted again if an old key encrypted it: that key may be removed while this is saved.
 */
async function keep(secretBox: SecretBox, kept: string): Promise<string> {
  return secretBox.isSealedByPresentKey(kept) ? kept : secretBox.seal(await secretBox.open(kept));
}

/** Returns the parameters of a node type that are secrets. */
function secretParameters(nodeTypes: NodeTypes, type: string): string[] {
  const properties: Readonly<Record<string, unknown>> = nodeTypes.get(type)?.parameters.properties ?? {};
  return Object.entries(properties).flatMap(([name, schema]) =>
    isJsonObject(schema) && schema.writeOnly === true ? [name] : [],
  );
}
