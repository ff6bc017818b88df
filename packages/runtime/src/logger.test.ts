import { describe, expect, it } from '@jest/globals';
import { createLogger } from './logger.ts';

describe('a log line', () => {
  it('holds no secret, whatever is logged', () => {
    const lines: string[] = [];
    const logger = createLogger({
      name: 'test',
      level: 'info',
      destination: { write: (line) => void lines.push(line) },
    });
    const headers = {
      authorization: 'Bearer sesame',
      cookie: 'session=sesame',
      'x-api-key': 'dk_sesame',
      'x-webhook-secret': 'sesame',
      'user-agent': 'curl',
    };
    logger.info({ req: { headers } }, 'a request');
    logger.info(
      { body: { password: 'sesame', token: 'sesame', secret: 'sesame', key: 'sesame', name: 'Ada' } },
      'a body',
    );
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toContain('sesame');
    expect(lines.join('')).toContain('curl');
    expect(lines.join('')).toContain('Ada');
  });
});
