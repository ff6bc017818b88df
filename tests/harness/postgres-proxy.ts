import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopLater } from './cleanup.ts';
import {
  bodyOf,
  cancelRequest,
  createMessageReader,
  errorMessage,
  idleMessage,
  isCancelRequest,
  queryMessage,
  statementName,
  textsOf,
  type WireMessage,
} from './postgres-messages.ts';

/** A statement on its way to PostgreSQL. */
export interface PassingStatement {
  /**
   * See `statementName`. A commit is named after the statement before it: `commit after executions.claim-limited`. A
   * new session is `connect`.
   */
  readonly name: string;
  readonly isInTransaction: boolean;
  /** Whether its text or its parameters contain the given text, such as the id of a run. */
  mentions(text: string): boolean;
}

/**
 * What happens to a statement. `sqlstate` is what the client is told; `cut` resets its connection instead. SQLSTATEs
 * that end a session end it.
 * - `before`: it is not executed, and rolls its transaction back.
 * - `after`: it is executed and committed, and the client is told that it failed. Inside a transaction the connection
 *   is cut after it.
 * - `slow`: it is executed later.
 * - `late`: the connection is cut at once, and it is executed later, as of a client that gave up on it.
 * - `cancelled`: the server cancels it after it has run for a while (57014).
 */
export type Fault =
  | { readonly kind: 'before' | 'after'; readonly sqlstate: string }
  | { readonly kind: 'slow' | 'late'; readonly ms: number }
  | { readonly kind: 'cancelled' };

/** Decides for each statement whether it is met by a fault. */
export type FaultPlan = (statement: PassingStatement) => Fault | undefined;

/** What lies between processes and PostgreSQL, and reads along. */
export interface PostgresProxy {
  /** The database's URL as seen through the proxy. */
  readonly url: string;
  /** How often each statement passed or was met by a fault, by name. */
  readonly seen: ReadonlyMap<string, number>;
  /** From now on statements are met by these faults; by none without a plan. */
  inject(plan: FaultPlan | undefined): void;
  stop(): Promise<void>;
}

/** SQLSTATEs after which the server closes the connection, or never opens it. */
const ENDS_SESSION = /^(57P0[123]|53300|08\w{3})$/;
/** How long a cancelled statement has run, in ms. */
const CANCELLED_AFTER_MS = 50;
/** Messages by which a client asks for something, up to the one that ends the request. */
const REQUEST = /^[PBDECQHS]$/;
/** Messages of a response that do not say that the statement was done. */
const BEFORE_COMPLETION = /^[12tTnNS]$/;

/**
 * Starts a proxy before a database. Faults are met by whole requests: what a client sends up to a Sync, or a simple
 * Query.
 */
export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl);
  const seen = new Map<string, number>();
  const sockets = new Set<Socket>();
  let plan: FaultPlan | undefined;

  function decide(statement: PassingStatement): Fault | undefined {
    seen.set(statement.name, (seen.get(statement.name) ?? 0) + 1);
    return plan?.(statement);
  }

  function open(client: Socket): void {
    const server = connect(Number(target.port), target.hostname);
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
      sockets.add(socket);
    }
    passSession({ client, server, decide, cancel: (key) => connect(Number(target.port), target.hostname).end(key) });
  }

  const listener = createServer(open);
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(0, '127.0.0.1', resolve);
  });
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(address.port);
  return stopLater({
    url: url.href,
    seen,
    inject: (given) => void (plan = given),
    async stop() {
      const closing = new Promise<void>((resolve) => listener.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closing;
    },
  });
}

interface Session {
  readonly client: Socket;
  readonly server: Socket;
  readonly decide: (statement: PassingStatement) => Fault | undefined;
  readonly cancel: (request: Buffer) => void;
}

/** The handling of the response to the request in progress: `pass` forwards it, `drop` withholds it. */
interface PendingResponse {
  readonly handling: 'pass' | 'drop' | 'dropCompletion';
  /** Called with the transaction status of its ReadyForQuery, which is withheld if it returns true. */
  readonly onReady: (status: string) => boolean;
}

function passSession({ client, server, decide, cancel }: Session): void {
  const fromClient = createMessageReader();
  const fromServer = createMessageReader();
  const textByName = new Map<string, string>();
  let statementByPortal = new Map<string, string>();
  let request: WireMessage[] = [];
  let isStarted = false;
  let status = 'I';
  let lastName = '';
  let backendKey: Buffer = Buffer.alloc(8);
  let pending: PendingResponse | undefined;
  /** Requests are handled one after another, also those that are held back. */
  let handled = Promise.resolve();

  const later = (act: () => void | Promise<void>): void => {
    handled = handled.then(act);
  };
  const cut = (): void => {
    client.resetAndDestroy();
    server.destroy();
  };

  function start(bytes: Buffer): void {
    isStarted = true;
    if (isCancelRequest(bytes)) {
      server.write(bytes);
      return;
    }
    const fault = decide({ name: 'connect', isInTransaction: false, mentions: () => false });
    if (fault?.kind === 'before' || fault?.kind === 'after') {
      if (fault.sqlstate === 'cut') {
        cut();
        return;
      }
      client.end(errorMessage('FATAL', fault.sqlstate));
      server.destroy();
      return;
    }
    server.write(bytes);
  }

  client.on('data', (bytes: Buffer) => {
    if (!isStarted) {
      start(bytes);
      return;
    }
    for (const message of fromClient.take(bytes)) {
      if (!REQUEST.test(message.type)) {
        later(() => void server.write(message.bytes));
        continue;
      }
      request.push(message);
      if (message.type !== 'S' && message.type !== 'Q') continue;
      const whole = request;
      request = [];
      later(() => handle(whole));
    }
  });
  // Data that the client has sent reaches the server even if the client disconnects, as on a real network.
  client.on('close', () => later(() => void server.end()));

  server.on('data', (bytes: Buffer) => {
    for (const message of fromServer.take(bytes)) {
      if (message.type === 'K') backendKey = bodyOf(message);
      if (message.type === 'Z') {
        status = bodyOf(message).toString('latin1');
        const isWithheld = pending?.onReady(status) ?? false;
        pending = undefined;
        if (isWithheld) continue;
      } else if (isDropped(message.type)) continue;
      if (client.writable) client.write(message.bytes);
    }
  });
  server.on('close', () => client.end());

  function isDropped(type: string): boolean {
    if (!pending || pending.handling === 'pass') return false;
    return pending.handling === 'drop' || !BEFORE_COMPLETION.test(type);
  }

  /** Makes the server respond, and resolves afterwards. */
  function ask(
    bytes: Buffer,
    handling: PendingResponse['handling'],
    onReady?: (status: string) => boolean,
  ): Promise<void> {
    return new Promise((resolve) => {
      if (!server.writable) {
        resolve();
        return;
      }
      server.once('close', resolve);
      pending = {
        handling,
        onReady: (given) => {
          server.off('close', resolve);
          resolve();
          return onReady?.(given) ?? false;
        },
      };
      server.write(bytes);
    });
  }

  function describe(messages: readonly WireMessage[]): PassingStatement {
    let sql = '';
    for (const message of messages) {
      const [first = '', second = ''] = textsOf(message, 2);
      if (message.type === 'Q') sql = first;
      if (message.type === 'P') textByName.set(first, second);
      if (message.type === 'B') statementByPortal.set(first, second);
      if (message.type === 'E') sql = textByName.get(statementByPortal.get(first) ?? '') ?? '';
    }
    statementByPortal = new Map();
    const own = statementName(sql);
    const name = own === 'commit' || own === 'rollback' ? `${own} after ${lastName}` : own;
    if (own !== 'commit' && own !== 'rollback') lastName = own;
    const all = Buffer.concat(messages.map(({ bytes }) => bytes));
    return { name, isInTransaction: status !== 'I', mentions: (text) => all.includes(text) };
  }

  async function handle(messages: readonly WireMessage[]): Promise<void> {
    const bytes = Buffer.concat(messages.map((message) => message.bytes));
    const statement = describe(messages);
    // A session that is aborted already has nothing left to lose, and a rollback cannot fail.
    const canFail = status !== 'E' && !statement.name.startsWith('rollback');
    const fault = canFail ? decide(statement) : undefined;
    if (!fault) return ask(bytes, 'pass');
    switch (fault.kind) {
      case 'slow':
        await sleep(fault.ms);
        return ask(bytes, 'pass');
      case 'late':
        client.resetAndDestroy();
        await sleep(fault.ms);
        return ask(bytes, 'drop');
      case 'cancelled': {
        if (statement.name.startsWith('commit')) return failBefore(statement, '57014');
        const isCancelled = ask(queryMessage('SELECT pg_sleep(60)'), 'pass');
        await sleep(CANCELLED_AFTER_MS);
        cancel(cancelRequest(backendKey));
        return isCancelled;
      }
      case 'before':
        return failBefore(statement, fault.sqlstate);
      case 'after':
        return failAfter(statement, bytes, fault.sqlstate);
    }
  }

  async function failBefore(statement: PassingStatement, sqlstate: string): Promise<void> {
    if (sqlstate === 'cut') {
      cut();
      return;
    }
    if (ENDS_SESSION.test(sqlstate)) {
      client.end(errorMessage('FATAL', sqlstate));
      server.destroy();
      return;
    }
    if (statement.name.startsWith('commit')) {
      return ask(queryMessage('ROLLBACK'), 'drop', () => {
        client.write(Buffer.concat([errorMessage('ERROR', sqlstate), idleMessage()]));
        return true;
      });
    }
    // The server itself reports the error, so that the client sees the real state of its transaction.
    return ask(
      queryMessage(`DO $$ BEGIN RAISE EXCEPTION 'injected fault ${sqlstate}' USING ERRCODE = '${sqlstate}'; END $$`),
      'pass',
    );
  }

  async function failAfter(statement: PassingStatement, bytes: Buffer, sqlstate: string): Promise<void> {
    await ask(bytes, 'dropCompletion', (ready) => {
      const isDone = ready === 'I';
      if (sqlstate === 'cut' || !isDone) cut();
      else if (ENDS_SESSION.test(sqlstate)) {
        client.end(errorMessage('FATAL', sqlstate));
        server.destroy();
      } else client.write(Buffer.concat([errorMessage('ERROR', sqlstate), idleMessage()]));
      return true;
    });
  }
}
