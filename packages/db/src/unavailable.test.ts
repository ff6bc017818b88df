import { describe, expect, it } from '@jest/globals';
import { isDatabaseUnavailable } from './unavailable.js';

/** An error as Prisma makes it of one of the driver adapter's. */
function prismaError(code: string, cause: object): Error {
  return Object.assign(new Error('Raw query failed'), {
    code,
    meta: { driverAdapterError: new Error('adapter', { cause }) },
  });
}

describe('the database is unavailable', () => {
  it.each([
    ['a refused connection', prismaError('P2010', { kind: 'DatabaseNotReachable', host: 'db', port: 5432 })],
    ['a session ended by the server', prismaError('P2010', { kind: 'postgres', originalCode: '57P01' })],
    ['a model query without a server', Object.assign(new Error('…'), { code: 'P1001' })],
    ['no free connection for a transaction', Object.assign(new Error('…'), { code: 'P2028' })],
    ['a connection that broke', new Error('Connection terminated unexpectedly')],
    ['a socket that broke', Object.assign(new Error('read'), { code: 'ECONNRESET' })],
    ['such an error as the cause', new Error('outer', { cause: new Error('Connection terminated unexpectedly') })],
  ])('after %s', (_what, error) => expect(isDatabaseUnavailable(error)).toBe(true));
});

describe('the database is there', () => {
  it.each([
    ['a duplicate', prismaError('P2002', { kind: 'UniqueConstraintViolation', originalCode: '23505' })],
    ['a bad statement', prismaError('P2010', { kind: 'postgres', originalCode: '42601' })],
    ['an error that only talks about connections', new Error('no Connection terminated here')],
    ['what is no error', 'ECONNRESET'],
  ])('after %s', (_what, error) => expect(isDatabaseUnavailable(error)).toBe(false));
});
