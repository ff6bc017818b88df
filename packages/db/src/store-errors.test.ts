import { describe, expect, it } from '@jest/globals';
import { classifyStoreError, isStoreError, isStoreUnavailable, StoreError } from './store-errors.ts';

// The errors of real stores and drivers are tested by tests/e2e/faults/store-errors.test.ts.

/** An error of the driver adapter, as Prisma wraps it. */
function prismaError(code: string, cause: object): Error {
  return Object.assign(new Error('Raw query failed'), {
    name: 'PrismaClientKnownRequestError',
    code,
    meta: { driverAdapterError: Object.assign(new Error('adapter', { cause }), { name: 'DriverAdapterError' }) },
  });
}
const sqlstate = (code: string, message = '-'): Error => Object.assign(new Error(message), { code, severity: 'ERROR' });
const systemError = (code: string, syscall = 'connect'): Error =>
  Object.assign(new Error(`${syscall} ${code}`), { code, syscall, errno: -1 });
const named = (name: string, message: string): Error => Object.assign(new Error(message), { name });

describe('an error of a store that the values of a row cause is classified as such', () => {
  it.each([
    ...['22001', '22003', '22021', '22P02', '22P05', '23502', '23503', '23505', '23514', '21000', '44000', 'P0001'],
    ...['54000', '54001'],
  ])('for SQLSTATE %s', (code) => {
    expect(classifyStoreError(sqlstate(code))).toBe('row');
    expect(classifyStoreError(prismaError('P2010', { kind: 'postgres', originalCode: code }))).toBe('row');
  });
  it.each([
    ['a value that Prisma refuses', Object.assign(named('PrismaClientKnownRequestError', '-'), { code: 'P2033' })],
    ['a value above 1 GB', sqlstate('XX000', 'invalid memory alloc request size 1073741824')],
    ['a text too long for a string', Object.assign(new Error('-'), { code: 'ERR_STRING_TOO_LONG' })],
    ['compressed data that is damaged', Object.assign(new Error('-'), { code: 'Z_DATA_ERROR', errno: -3 })],
    ['text that is not JSON', new SyntaxError('Unexpected token')],
    ['a store that says so', new StoreError('gone', 'row')],
    ['such an error as the cause', new Error('outer', { cause: sqlstate('22P05') })],
  ])('for %s', (_what, error) => expect(classifyStoreError(error)).toBe('row'));
});

describe('an error of a store that the deployment causes is classified as such', () => {
  it.each(['42P01', '42703', '42501', '42601', '42883', '0A000', '28P01', '28000', '3D000', '3F000', '54011'])(
    'for SQLSTATE %s',
    (code) => {
      expect(classifyStoreError(sqlstate(code))).toBe('deployment');
      expect(classifyStoreError(prismaError('P2010', { kind: 'postgres', originalCode: code }))).toBe('deployment');
    },
  );
  it.each([
    ['a table that Prisma misses', Object.assign(named('PrismaClientKnownRequestError', '-'), { code: 'P2021' })],
    ['a user whom Redis refuses', named('ReplyError', 'NOAUTH Authentication required.')],
    ['a command that Redis does not permit', named('ReplyError', "NOPERM User u has no permissions to run 'eval'")],
  ])('for %s', (_what, error) => expect(classifyStoreError(error)).toBe('deployment'));
});

describe('any other error of a store is transient', () => {
  it.each([
    ...['25006', '25P02', '25P03', '40001', '40P01', '53000', '53100', '53200', '53300', '55P03', '55006', '57014'],
    ...['57P01', '57P02', '57P03', '57P05', '58030', '08006', '08P01', 'XX000', 'XX001', '26000', '42P05', '99999'],
  ])('for SQLSTATE %s', (code) => {
    for (const error of [sqlstate(code), prismaError('P2010', { kind: 'postgres', originalCode: code })]) {
      expect([classifyStoreError(error), isStoreUnavailable(error)]).toEqual(['transient', true]);
    }
  });
  it.each(['EAI_AGAIN', 'ENOTFOUND', 'ENETUNREACH', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EMFILE'])(
    'for %s of the network',
    (code) => {
      for (const error of [systemError(code), new Error('outer', { cause: systemError(code) })]) {
        expect([classifyStoreError(error), isStoreUnavailable(error)]).toEqual(['transient', true]);
      }
    },
  );
  it.each([
    ['a refused connection', prismaError('P2010', { kind: 'DatabaseNotReachable', host: 'db', port: 5432 })],
    ['a lost connection', Object.assign(named('PrismaClientKnownRequestError', '-'), { code: 'P1017' })],
    ['a transaction that took too long', Object.assign(named('PrismaClientKnownRequestError', '-'), { code: 'P2028' })],
    ['a connection that broke', new Error('Connection terminated unexpectedly')],
    ['no free connection', new Error('timeout exceeded when trying to connect')],
    ['no response to a statement', new Error('Query read timeout')],
    ['a plan that a migration made stale', sqlstate('0A000', 'cached plan must not change result type')],
    ['a store that says so', new StoreError('away', 'transient')],
  ])('for %s', (_what, error) =>
    expect([classifyStoreError(error), isStoreUnavailable(error)]).toEqual(['transient', true]),
  );
  it.each([
    ['an unknown error', new Error('what is this?')],
    ['what is not an error', 'ECONNRESET'],
    ['a Redis without memory', named('ReplyError', "OOM command not allowed when used memory > 'maxmemory'.")],
  ])('for %s', (_what, error) => expect(classifyStoreError(error)).toBe('transient'));
});

describe('an error that no store reported', () => {
  it.each([
    ['an error of the program', new TypeError('x is not a function')],
    ['an error that only talks about connections', new Error('no Connection terminated here')],
    ['an error of the file system', systemError('ENOENT', 'open')],
    ['what is not an error', 'ECONNRESET'],
  ])('is none of a store: %s', (_what, error) =>
    expect([isStoreError(error), isStoreUnavailable(error)]).toEqual([false, false]),
  );
});
