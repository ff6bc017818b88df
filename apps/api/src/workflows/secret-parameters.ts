import {
  type Definition,
  type DraftDefinition,
  type ValidationIssue,
  isJsonObject,
  type JsonValue,
  SECRET_OF_DRAFT,
  SECRET_PLACEHOLDER,
  validationFailed,
} from '@deckhand/contracts';
import type { NewSecrets, SealedSecrets } from '@deckhand/db';
import type { NodeTypes } from '@deckhand/engine';
import type { SecretBox } from '@deckhand/runtime';

/** What a draft keeps in place of a secret. */
const KEPT_IN_DRAFTS: ReadonlySet<unknown> = new Set([SECRET_PLACEHOLDER, '']);

type Node = Definition['nodes'][number];

/** A definition without its secrets, and the secrets. */
export interface SealedDefinition {
  readonly definition: Definition;
  readonly secrets: NewSecrets;
}

/** A secret parameter of a node. */
interface SecretParameter {
  readonly nodeId: string;
  readonly name: string;
  readonly path: string;
  /** Encrypted; null if the latest version's is kept. */
  readonly sealed: string | null;
}

/**
 * Extracts the secrets of a definition: those parameters that the schema of the node type marks as `writeOnly` (JSON
 * Schema 2020-12, validation, 9.4). Everything stored, read or run later has a placeholder instead. Those that were
 * sent are encrypted here, because other saves wait while those of the latest version are read.
 * @throws DeckhandError VALIDATION_FAILED for a placeholder of a draft.
 */
export async function sealSecretParameters(
  definition: Definition,
  { nodeTypes, secretBox }: { nodeTypes: NodeTypes; secretBox: SecretBox },
): Promise<SealedDefinition> {
  const found: SecretParameter[] = [];
  const issues: ValidationIssue[] = [];
  const nodes: Node[] = [];
  for (const [index, node] of definition.nodes.entries()) {
    const parameters: Record<string, JsonValue> = { ...node.parameters };
    for (const name of secretParameters(nodeTypes, node.type)) {
      const value = parameters[name];
      if (typeof value !== 'string') continue;
      const path = `definition.nodes[${index}].parameters.${name}`;
      if (value === SECRET_OF_DRAFT) issues.push({ path, nodeId: node.id, message: OF_DRAFT });
      const sealed = value === SECRET_PLACEHOLDER ? null : await secretBox.seal(value);
      found.push({ nodeId: node.id, name, path, sealed });
      parameters[name] = SECRET_PLACEHOLDER;
    }
    nodes.push(node.parameters === undefined ? node : { ...node, parameters });
  }
  if (issues.length > 0) throw validationFailed(issues);
  const areKept = found.every(({ sealed }) => sealed === null);
  return {
    definition: { ...definition, nodes },
    secrets: { areKept, seal: (latest) => sealAll(found, latest, secretBox) },
  };
}

async function sealAll(
  found: readonly SecretParameter[],
  latest: SealedSecrets,
  secretBox: SecretBox,
): Promise<SealedSecrets> {
  // A map, because an author may name a node `__proto__`: in an object, its secrets would become those of all objects.
  const sealedSecrets = new Map<string, Record<string, string>>();
  const issues: ValidationIssue[] = [];
  for (const { nodeId, name, path, sealed } of found) {
    const earlier = Object.hasOwn(latest, nodeId) ? latest[nodeId]?.[name] : undefined;
    const secret = sealed ?? (earlier === undefined ? undefined : await keep(secretBox, earlier));
    if (secret === undefined) issues.push({ path, nodeId, message: NEVER_SAVED });
    else sealedSecrets.set(nodeId, { ...sealedSecrets.get(nodeId), [name]: secret });
  }
  if (issues.length > 0) throw validationFailed(issues);
  return Object.fromEntries(sealedSecrets);
}

const NEVER_SAVED = 'is the placeholder of a secret that was never saved: send the secret itself';
const OF_DRAFT = 'was entered into a draft, which keeps no secrets: enter it again';

/**
 * Replaces the secrets of a draft by placeholders. Those of the latest version keep theirs, and an empty text is none.
 * @throws DeckhandError VALIDATION_FAILED for an unknown type of node, whose secrets are unknown, too.
 */
export function removeSecrets(definition: DraftDefinition, nodeTypes: NodeTypes): DraftDefinition {
  const issues: ValidationIssue[] = [];
  const nodes = definition.nodes.map((node, index) => {
    if (!nodeTypes.has(node.type)) {
      issues.push({ path: `definition.nodes[${index}].type`, nodeId: node.id, message: 'is not a type of nodes' });
    }
    const { parameters } = node;
    if (parameters === undefined) return node;
    const secrets = secretParameters(nodeTypes, node.type).filter(
      (name) => Object.hasOwn(parameters, name) && !KEPT_IN_DRAFTS.has(parameters[name]),
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
