import { describe, expect, it } from '@jest/globals';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import node from './terminal.ts';

describe('terminal', () => {
  it('makes its body the result, or its input when it has none', () => {
    const input = { a: 1 };
    expect(node.run({ body: null }, nodeContext({ input }))).toMatchObject({ result: { body: null } });
    expect(node.run({}, nodeContext({ input }))).toEqual({
      kind: 'result',
      result: { body: input, statusCode: 200, headers: {} },
    });
  });

  it('says how a webhook is answered', () => {
    const headers = { 'x-a': 'b' };
    expect(node.run({ body: 1, statusCode: 418, headers }, nodeContext())).toEqual({
      kind: 'result',
      result: { body: 1, statusCode: 418, headers },
    });
  });

  it.each(['NEL', 'Report-To', 'Reporting-Endpoints', 'Clear-Site-Data', 'Service-Worker-Allowed'])(
    'sets no %s, which would reach beyond the answer',
    (name) => {
      const issues = node.check?.({ headers: { [name]: 'x' } });
      expect(issues).toEqual([{ path: `headers.${name}`, message: 'is set by the service' }]);
    },
  );

  it('refuses what is not a final status', () => {
    expect(node.validate({ statusCode: 100 })).toMatchObject([{ path: 'statusCode' }]);
    expect(node.validate({ statusCode: 600 })).toMatchObject([{ path: 'statusCode' }]);
  });
});
