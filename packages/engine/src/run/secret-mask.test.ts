import { describe, expect, it } from '@jest/globals';
import { maskSecrets } from './secret-mask.ts';

const PASSWORD = 'p@ss"word\\9';

describe('the mask of a node', () => {
  it('hides secrets in outputs, names of members included, and in failures', () => {
    const credential = { type: 'basic', secret: { username: 'ada', password: PASSWORD } } as const;
    const encoded = Buffer.from(`ada:${PASSWORD}`).toString('base64');
    const output = { text: `a ${PASSWORD} b ${PASSWORD}`, list: [encoded, 1, null], [PASSWORD]: { user: 'ada' } };
    expect(maskSecrets({ kind: 'output', output }, [credential])).toEqual({
      kind: 'output',
      output: { text: 'a ******** b ********', list: ['********', 1, null], '********': { user: 'ada' } },
    });
    const details = { body: { echoed: PASSWORD } };
    const failure = { code: 'X', message: `refused ${PASSWORD}`, isRetryable: true, details };
    expect(maskSecrets({ kind: 'failure', failure }, [credential])).toEqual({
      kind: 'failure',
      failure: { ...failure, message: 'refused ********', details: { body: { echoed: '********' } } },
    });
  });

  it('hides a connection string as a whole, and its password however it is written', () => {
    const connectionString = 'postgres://ada:very%20secret@db.example/shop';
    const output = [connectionString, 'very%20secret', 'very secret', 'db.example'];
    expect(maskSecrets({ kind: 'output', output }, [{ type: 'postgres', secret: { connectionString } }])).toEqual({
      kind: 'output',
      output: ['********', '********', '********', 'db.example'],
    });
  });

  it('hides the spellings of JSON and URLs, and the beginning of one where a message breaks off', () => {
    const credential = { type: 'bearer', secret: { token: 'say "friend" & enter' } } as const;
    const masked = (text: string) =>
      ({ kind: 'failure', failure: { code: 'X', message: text, isRetryable: false } }) as const;
    const message = (text: string) => maskSecrets(masked(text), [credential]);
    expect(message('{"a":"say \\"friend\\" & enter"}')).toEqual(masked('{"a":"********"}'));
    expect(message('?a=say%20%22friend%22%20%26%20enter')).toEqual(masked('?a=********'));
    expect(message('got say "friend…')).toEqual(masked('got ********…'));
    expect(message('got say…')).toEqual(masked('got say…'));
  });

  it('leaves alone what is too short to be told from chance, and outcomes of nodes that asked for no credential', () => {
    const outcome = { kind: 'output', output: 'a b c' } as const;
    expect(maskSecrets(outcome, [])).toBe(outcome);
    expect(maskSecrets(outcome, [{ type: 'bearer', secret: { token: 'a' } }])).toBe(outcome);
  });
});
