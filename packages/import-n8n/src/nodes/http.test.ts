import { parseOwnJson } from '@deckhand/contracts';
import { compileWorkflow } from '@deckhand/engine';
import { loadNodeTypes } from '@deckhand/nodes';
import { expect, it } from '@jest/globals';
import { connect, convertN8n, node, START } from '../../../../tests/harness/import-n8n.ts';

it('sends names that are expressions', async () => {
  const named = {
    parameters: [
      { name: '={{ $json.name }}', value: '={{ $json.value }}' },
      { name: 'b', value: '1' },
    ],
  };
  const parameters = {
    ...{ method: 'POST', url: 'https://example.com', sendQuery: true, queryParameters: named },
    ...{ sendHeaders: true, headerParameters: named, sendBody: true, contentType: 'form-urlencoded' },
    bodyParameters: named,
  };
  const nodes = [START, node('Request', 'httpRequest', parameters)];
  const { definition } = convertN8n(parseOwnJson(JSON.stringify({ nodes, connections: connect('Start > Request') })));
  const fields = '{ [$nodes.start.output?.name]: $nodes.start.output?.value, "b": "1" }';
  expect(definition.nodes.find(({ id }) => id === 'request')?.parameters).toMatchObject({
    query: `{{ ${fields} }}`,
    headers: `{{ { ...${fields}, ...{"content-type":"application/x-www-form-urlencoded"} } }}`,
    body: `{{ ${fields} }}`,
  });
  expect(compileWorkflow(definition, await loadNodeTypes())).not.toHaveProperty('issues');
});
