import type { CredentialType, ValidationIssue, NodeDefinition } from '@deckhand/contracts';
import type { NodeType } from '../node-type.ts';

/** Returns the types of credentials that a node may name with these parameters. */
export function credentialTypesOf(node: NodeDefinition, type: NodeType): readonly CredentialType[] {
  const needed = type.credential?.needed?.(node.parameters ?? {}) ?? [];
  return needed.length > 0 ? needed : (type.credential?.types ?? []);
}

/** Returns the issues of a node's credential that are known without reading it. */
export function checkCredential(node: NodeDefinition, type: NodeType, path: string): ValidationIssue[] {
  const { credentialId } = node;
  if (credentialId !== undefined && !type.credential) {
    return [{ path: `${path}.credentialId`, message: `nodes of type ${node.type} use no credential` }];
  }
  const needed = type.credential?.needed?.(node.parameters ?? {}) ?? [];
  if (credentialId === undefined && needed.length > 0) {
    return [{ path: `${path}.credentialId`, message: `is required: a credential of type ${needed.join(' or ')}` }];
  }
  return [];
}
