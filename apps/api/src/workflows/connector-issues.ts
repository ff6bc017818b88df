import { type CredentialType, type Definition, isJsonObject, type ValidationIssue } from '@deckhand/contracts';
import { type ConnectorOperation, type Connectors, issuesOfFixed, type OperationName } from '@deckhand/engine';

/**
 * Returns the issues of nodes that call connectors: operations that the workspace does not have, values that do not fit
 * the operation, and credentials of another type than the connector takes. What is an expression is known only when the
 * node runs.
 * @param credentialTypes of the credentials of the definition, by id.
 */
export async function findConnectorIssues(
  definition: Definition,
  workspaceId: string,
  { connectors, credentialTypes }: { connectors: Connectors; credentialTypes: ReadonlyMap<string, CredentialType> },
): Promise<ValidationIssue[]> {
  const issues: ValidationIssue[] = [];
  const find = findOnce(connectors, workspaceId);
  for (const [index, { id: nodeId, type, parameters = {}, credentialId }] of definition.nodes.entries()) {
    const { connector, version, operation, values = {} } = parameters;
    if (type !== 'connector' || !isFixed(connector) || !isFixed(version) || !isFixed(operation)) continue;
    const at = `definition.nodes[${index}]`;
    const found = await find({ connector, version, operation });
    if (!found) {
      const message = `"${operation}" is not an operation of a connector ${connector} ${version} of this workspace`;
      issues.push({ path: `${at}.parameters.operation`, nodeId, message });
      continue;
    }
    if (parameters.allPages === true && !found.paging)
      issues.push({ path: `${at}.parameters.allPages`, nodeId, message: 'needs an operation with pages' });
    const ofValues = isJsonObject(values) ? issuesOfFixed(values, await found.check(values)) : [];
    issues.push(
      ...ofValues.map(({ path, message }) => ({
        path: `${at}.parameters.values${path === '' ? '' : `.${path}`}`,
        nodeId,
        message,
      })),
    );
    const credential = credentialTypes.get(credentialId?.toLowerCase() ?? '');
    const types = found.credentials.map((each) => each.type);
    if (credential === undefined || types.length === 0 || types.some((each) => each === credential)) continue;
    const message = `is a credential of type ${credential}; this connector takes ${types.join(', ')}`;
    issues.push({ path: `${at}.credentialId`, nodeId, message });
  }
  return issues;
}

/** Returns a finder that looks each operation up once, however many nodes of the definition call it. */
function findOnce(connectors: Connectors, workspaceId: string) {
  const found = new Map<string, Promise<ConnectorOperation | undefined>>();
  return (name: OperationName): Promise<ConnectorOperation | undefined> => {
    const key = `${name.connector} ${name.version} ${name.operation}`;
    const known = found.get(key) ?? connectors.find(workspaceId, name);
    found.set(key, known);
    return known;
  };
}

function isFixed(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('{{');
}
