import { expect, it } from '@jest/globals';
import type { Connectors, OperationName } from '@deckhand/engine';
import { connectorsOf } from '../../../../tests/harness/connectors.ts';
import { findConnectorIssues } from './connector-issues.ts';

it('looks an operation up once, however many nodes call it, and has the issues of each node', async () => {
  const asked: string[] = [];
  const tracker = connectorsOf();
  const connectors: Connectors = {
    find(workspaceId: string, name: OperationName) {
      asked.push(name.operation);
      return tracker.find(workspaceId, name);
    },
  };
  const nodes = ['issue.list', 'issue.create', 'issue.list', 'issue.close', 'issue.close'].map((operation, index) => ({
    id: `call${index}`,
    type: 'connector',
    parameters: { connector: 'tracker', version: '1.0.0', operation, values: { query: { page: 1 } } },
  }));
  const issues = await findConnectorIssues({ nodes, edges: [] }, 'workspace', {
    connectors,
    credentialTypes: new Map(),
  });
  expect(asked).toEqual(['issue.list', 'issue.create', 'issue.close']);
  expect([...new Set(issues.map(({ nodeId }) => nodeId))]).toEqual(nodes.map(({ id }) => id));
});
