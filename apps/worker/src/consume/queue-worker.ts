import type { RunJobData } from '@deckhand/queue';
import { Worker, type WorkerOptions } from 'bullmq';

/** BullMQ's worker, which also tells of every answer that it gets when it asks for a job. */
export class QueueWorker extends Worker<RunJobData> {
  readonly #onTurn: () => void;

  /** @param onTurn told of each answer, with a job or without. */
  constructor(name: string, options: WorkerOptions & { onTurn: () => void }) {
    // Without a processor: who takes jobs asks for each.
    super(name, null, options);
    this.#onTurn = options.onTurn;
  }

  protected override async moveToActive(token: string, name?: string): ReturnType<Worker<RunJobData>['getNextJob']> {
    const job = await super.moveToActive(token, name);
    this.#onTurn();
    return job;
  }
}
