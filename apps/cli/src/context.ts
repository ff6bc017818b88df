import { createOutput, type Output } from '@deckhand/terminal';
import { connect, type Connection, type GlobalOptions, resolveTarget, type Target } from './connection.ts';
import type { Environment } from './environment.ts';

/** What commands need of the invocation. Options are known once a command is acted on. */
export interface Context {
  readonly environment: Environment;
  readonly output: Output;
  readonly options: () => GlobalOptions;
  /** Returns where requests are sent, and with which key. @throws ExitError if there is none. */
  readonly target: () => Promise<Target>;
  /** @throws ExitError if there is no key. */
  readonly connect: () => Promise<Connection>;
}

/** Creates the context of an invocation. */
export function createContext(environment: Environment, options: () => GlobalOptions): Context {
  const target = (): Promise<Target> => resolveTarget(options(), environment);
  return {
    environment,
    output: createOutput(() => options().json === true),
    options,
    target,
    connect: async () => connect(await target()),
  };
}
