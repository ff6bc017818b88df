import { randomBytes } from 'node:crypto';
import {
  type DefinitionWarning,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type WarningCode,
  warningOf,
} from '@deckhand/contracts';

/** A definition for another workflow, and how it differs from the original. */
export interface DuplicatedDefinition {
  readonly definition: JsonValue;
  readonly warnings: readonly DefinitionWarning[];
}

/**
 * Creates the definition of a duplicate. Its webhooks and forms get new URLs. If the original requires a secret, the
 * duplicate gets a new random one that nobody knows, so that its webhook is never unprotected.
 * @param isElsewhere whether the duplicate is in another workspace.
 */
export function duplicateDefinition(definition: unknown, isElsewhere: boolean): DuplicatedDefinition {
  if (!isJsonObject(definition) || !Array.isArray(definition.nodes)) return { definition: {}, warnings: [] };
  const warnings: DefinitionWarning[] = [];
  const originals: readonly JsonValue[] = definition.nodes;
  const nodes = originals.map((node, index) => {
    if (!isJsonObject(node) || !isJsonObject(node.parameters)) return node;
    const warn = (code: WarningCode, name: string, message: string): void => {
      const nodeId = typeof node.id === 'string' ? { nodeId: node.id } : {};
      const path = `definition.nodes[${index}].parameters.${name}`;
      warnings.push(warningOf(code, { path, ...nodeId, message }));
    };
    if (node.type === 'workflow' && isElsewhere) {
      const message = 'The workflow that it starts is not in this workspace, so the node fails.';
      warn('WORKFLOW_NOT_FOUND', 'workflowId', message);
    }
    if (node.type === 'trigger.form') return { ...node, parameters: withoutPath(node.parameters) };
    if (node.type !== 'trigger.webhook') return node;
    return { ...node, parameters: duplicateWebhook(node.parameters, warn) };
  });
  return { definition: { ...definition, nodes }, warnings };
}

function withoutPath({ path: _, ...parameters }: JsonObject): JsonObject {
  return parameters;
}

function duplicateWebhook(
  { path: _, secret, nextSecret, ...parameters }: JsonObject,
  warn: (code: WarningCode, name: string, message: string) => void,
): JsonObject {
  if (secret === undefined && nextSecret === undefined) return parameters;
  warn('SECRET_REPLACED', 'secret', 'The secret is a new random one that nobody knows.');
  return { ...parameters, secret: randomBytes(32).toString('base64url') };
}
