import type { ClientBase, Connection, Submittable } from 'pg';

/**
 * Returns the OIDs of the types of a statement's parameters, without running it. @throws errors of the driver, such as
 * that of a statement which the server cannot parse.
 */
export function describeParameters(client: ClientBase, text: string): Promise<readonly number[]> {
  return new Promise((resolve, reject) => {
    client.query(new Description(text, { resolve, reject }));
  });
}

/** A request to the driver, which calls its methods as the server responds. */
class Description implements Submittable {
  readonly #text: string;
  readonly #caller: { resolve(oids: readonly number[]): void; reject(error: unknown): void };
  #oids: readonly number[] = [];

  constructor(text: string, caller: { resolve(oids: readonly number[]): void; reject(error: unknown): void }) {
    this.#text = text;
    this.#caller = caller;
  }

  submit(connection: Connection): void {
    connection.once('parameterDescription', ({ dataTypeIDs }: { dataTypeIDs: readonly number[] }) => {
      this.#oids = dataTypeIDs;
    });
    connection.parse({ name: '', text: this.#text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription(): void {
    // The statement is not run.
  }

  handleError(error: unknown): void {
    this.#caller.reject(error);
  }

  handleReadyForQuery(): void {
    this.#caller.resolve(this.#oids);
  }
}
