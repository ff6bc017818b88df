import { describe, expect, it } from '@jest/globals';
import { nodeContext } from '../../../../tests/harness/node-context.ts';
import node from './trigger-webhook.ts';

describe('a webhook', () => {
  it('needs no parameters, and takes all that the contract names', () => {
    const all = {
      path: 'orders-7f3a9c',
      method: 'PUT',
      secret: 's3cret',
      payloadType: 'form',
      rawBody: true,
      responseMode: 'onCompletion',
      responseCode: 202,
      allowedOrigins: ['https://example.com', 'http://localhost:3000'],
      allowedMethods: ['PUT', 'OPTIONS'],
      authentication: 'basic',
    };
    expect(node.validate({})).toEqual([]);
    expect(node.validate(all)).toEqual([]);
    expect(node.check?.(all)).toEqual([]);
  });

  it.each([
    ['path', '../admin'],
    ['path', 'short'],
    ['method', 'HEAD'],
    ['responseCode', 199],
    ['responseMode', 'later'],
    ['authentication', 'digest'],
    ['payloadType', 'xml'],
  ])('refuses %s: %p', (name, value) => {
    expect(node.validate({ [name]: value })).toMatchObject([{ path: name }]);
  });

  it.each([['https://example.com/path'], ['example.com'], ['null']])('refuses what is not an origin: %p', (origin) => {
    expect(node.validate({ allowedOrigins: [origin] })).toMatchObject([{ path: 'allowedOrigins[0]' }]);
  });

  it('refuses expressions, which nothing could give a value to', () => {
    const parameters = { secret: '{{ $vars.secret }}', allowedOrigins: ['*', '{{ $vars.origin }}'] };
    expect(node.check?.(parameters)).toMatchObject([{ path: 'secret' }, { path: 'allowedOrigins[1]' }]);
  });

  it('stores files for runs, without the body as it was sent', () => {
    expect(node.check?.({ files: 'stored' })).toEqual([]);
    expect(node.check?.({ files: 'stored', rawBody: true })).toMatchObject([{ path: 'rawBody' }]);
    const event = { name: 'order' };
    expect(node.check?.({ files: 'stored', mode: 'signal', event })).toMatchObject([{ path: 'files' }]);
  });

  it("evaluates the sender's id of a request, of which only `$trigger` is known", () => {
    const issuesOf = (idempotencyKey: string) => node.check?.({ idempotencyKey });
    expect(issuesOf("{{ $trigger.headers['x-github-delivery'] }}")).toEqual([]);
    for (const text of ['{{ $nodes.a.output }}', '{{ $now }}', '{{ $vars.a }}', '{{ $trigger. }}']) {
      expect(issuesOf(text)).toMatchObject([{ path: 'idempotencyKey' }]);
    }
  });

  it('passes on the request that started it', () => {
    const trigger = { body: { id: 1 }, headers: {}, query: {}, method: 'POST', path: 'orders-7f3a9c' };
    expect(node.run({}, nodeContext({ trigger }))).toEqual({ kind: 'output', output: trigger });
  });
});
