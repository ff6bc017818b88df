import { describe, expect, it } from '@jest/globals';
import { loadNodeTypes } from '@deckhand/nodes';
import { findNodeTypes } from '../../apps/console/src/features/editor/find-node-types.ts';

const types = [...(await loadNodeTypes()).values()];

/** What people type, and the node type that they mean. */
const WORDS: readonly (readonly [string, string])[] = [
  ['javascript', 'code'],
  ['script', 'code'],
  ['function', 'code'],
  ['delay', 'wait'],
  ['sleep', 'wait'],
  ['wait', 'wait'],
  ['cron', 'trigger.schedule'],
  ['timer', 'trigger.schedule'],
  ['schedule', 'trigger.schedule'],
  ['database', 'postgres'],
  ['sql', 'postgres'],
  ['postgres', 'postgres'],
  ['foreach', 'loop'],
  ['for each', 'loop'],
  ['for-each', 'loop'],
  ['while', 'loop'],
  ['iterate', 'loop'],
  ['loop', 'loop'],
  ['slack', 'http'],
  ['api', 'http'],
  ['REST', 'http'],
  ['rest api', 'http'],
  ['request', 'http'],
  ['email', 'email'],
  ['e-mail', 'email'],
  ['smtp', 'email'],
  ['bucket', 's3'],
  ['aws', 's3'],
  ['ftp', 'sftp'],
  ['ssh', 'sftp'],
  ['if', 'if'],
  ['condition', 'if'],
  ['else', 'if'],
  ['approve', 'approval'],
  ['approval', 'approval'],
  ['form', 'trigger.form'],
  ['human task', 'human'],
  ['webhook', 'trigger.webhook'],
  ['transform', 'set'],
  ['rename', 'set'],
  ['map', 'set'],
  ['filter', 'filter'],
  ['where', 'filter'],
  ['sum', 'aggregate'],
  ['group by', 'aggregate'],
  ['csv', 'csv'],
  ['excel', 'xlsx'],
  ['xml', 'xml'],
  ['date', 'dates'],
  ['join', 'merge'],
  ['merge', 'merge'],
  ['case', 'switch'],
  ['route', 'switch'],
  ['catch', 'try'],
  ['error handling', 'try'],
  ['error', 'fail'],
  ['throw', 'fail'],
  ['reply', 'respond'],
  ['mutex', 'lock'],
  ['sha256', 'hash'],
  ['signature', 'hmac'],
  ['sub-workflow', 'workflow'],
  ['start', 'trigger.manual'],
  ['subscribe', 'trigger.event'],
  ['batch', 'split'],
  ['order by', 'sort'],
  ['end', 'terminal'],
  ['resume', 'wait.event'],
  ['release', 'unlock'],
];

describe('the search for a node type', () => {
  it.each(WORDS)('finds for "%s" %s first', (word, type) => {
    expect(findNodeTypes(types, word)[0]?.type).toBe(type);
  });

  it('finds each type by its title, and by the beginning of it', () => {
    for (const { title, type } of types) {
      expect(findNodeTypes(types, title)[0]?.type).toBe(type);
      expect(findNodeTypes(types, title.slice(0, -1)).map((found) => found.type)).toContain(type);
    }
  });

  it('finds nothing for a word that no type knows, and all types without a word', () => {
    expect(findNodeTypes(types, 'zebra')).toEqual([]);
    expect(findNodeTypes(types, ' ')).toHaveLength(types.length);
  });

  it('knows words for each type, in lower case and each once', () => {
    for (const { type, keywords } of types) {
      expect({ type, isEmpty: keywords.length === 0 }).toEqual({ type, isEmpty: false });
      expect(keywords).toEqual([...new Set(keywords.map((word) => word.toLowerCase()))]);
    }
  });
});
