import { randomBytes } from 'node:crypto';
import { type ValidationIssue, isJsonObject, type JsonObject, type JsonValue } from '@deckhand/contracts';

/** A definition for another workflow, and how it differs from the original. */
export interface DuplicatedDefinition {
  readonly definition: JsonValue;
  readonly warnings: readonly ValidationIssue[];
}

/**
 * Creates the definition of a duplicate. Its webhooks get new URLs. If the original requires a secret, the duplicate
 * gets a new random one that nobody knows, so that its webhook is never unprotected. @param isElsewhere whether the
 * duplicate is in another workspace.
 */
export function duplicateDefinition(definition: unknown, isElsewhere: boolean): DuplicatedDefinition {
  if (!isJsonObject(definition) || !Array.isArray(definition.nodes)) return { definition: {}, warnings: [] };
  const warnings: ValidationIssue[] = [];
  const originals: readonly JsonValue[] = definition.nodes;
  const nodes = originals.map((node, index) => {
    if (!isJsonObject(node) || !isJsonObject(node.parameters)) return node;
    const warn = (name: string, message: string): void => {
      const nodeId = typeof node.id === 'string' ? { nodeId: node.id } : {};
      warnings.push({ path: `definition.nodes[${index}].parameters.${name}`, ...nodeId, message });
    };
    if (node.type === 'workflow' && isElsewhere) {
      warn('workflowId', "is not in this workspace: name one that is, for the node fails with the original's");
    }
    if (node.type !== 'trigger.webhook') return node;
    return { ...node, parameters: duplicateWebhook(node.parameters, warn) };
  });
  return { definition: { ...definition, nodes }, warnings };
}

function duplicateWebhook(
  { path: _, secret, nextSecret, ...parameters }: JsonObject,
  warn: (name: string, message: string) => void,
): JsonObject {
  if (secret === undefined && nextSecret === undefined) return parameters;
  warn('secret', 'is a new random one: set your own before the webhook is used');
  return { ...parameters, secret: randomBytes(32).toString('base64url') };
}
