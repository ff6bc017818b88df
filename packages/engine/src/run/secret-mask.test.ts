import { describe, expect, it } from '@jest/globals';
import { createSecretMask } from './secret-mask.ts';

const PASSWORD = 'p@ss"word\\9';

describe('the mask of a node', () => {
  it('hides secrets in outputs, names of members included, and in failures', () => {
    const { hide, mask } = createSecretMask();
    hide({ type: 'basic', secret: { username: 'ada', password: PASSWORD } });
    const encoded = Buffer.from(`ada:${PASSWORD}`).toString('base64');
    const output = { text: `a ${PASSWORD} b ${PASSWORD}`, list: [encoded, 1, null], [PASSWORD]: { user: 'ada' } };
    expect(mask({ kind: 'output', output })).toEqual({
      kind: 'output',
      output: { text: 'a ******** b ********', list: ['********', 1, null], '********': { user: 'ada' } },
    });
    const details = { body: { echoed: PASSWORD } };
    const failure = { code: 'X', message: `refused ${PASSWORD}`, isRetryable: true, details };
    expect(mask({ kind: 'failure', failure })).toEqual({
      kind: 'failure',
      failure: { ...failure, message: 'refused ********', details: { body: { echoed: '********' } } },
    });
  });

  it('hides a connection string as a whole, and its password however it is written', () => {
    const { hide, mask } = createSecretMask();
    const connectionString = 'postgres://ada:very%20secret@db.example/shop';
    hide({ type: 'postgres', secret: { connectionString } });
    const output = [connectionString, 'very%20secret', 'very secret', 'db.example'];
    expect(mask({ kind: 'output', output })).toEqual({
      kind: 'output',
      output: ['********', '********', '********', 'db.example'],
    });
  });

  it('hides the spellings of JSON and URLs, and the beginning of one where a message breaks off', () => {
    const { hide, mask } = createSecretMask();
    hide({ type: 'bearer', secret: { token: 'say "friend" & enter' } });
    const message = (text: string) =>
      mask({ kind: 'failure', failure: { code: 'X', message: text, isRetryable: false } });
    const masked = (text: string) => ({ kind: 'failure', failure: { code: 'X', message: text, isRetryable: false } });
    expect(message('{"a":"say \\"friend\\" & enter"}')).toEqual(masked('{"a":"********"}'));
    expect(message('?a=say%20%22friend%22%20%26%20enter')).toEqual(masked('?a=********'));
    expect(message('got say "friend…')).toEqual(masked('got ********…'));
    expect(message('got say…')).toEqual(masked('got say…'));
  });

  it('leaves alone what is too short to be told from chance, and outcomes of nodes that asked for no credential', () => {
    const { hide, mask } = createSecretMask();
    const outcome = { kind: 'output', output: 'a b c' } as const;
    expect(mask(outcome)).toBe(outcome);
    hide({ type: 'bearer', secret: { token: 'a' } });
    expect(mask(outcome)).toBe(outcome);
  });
});
