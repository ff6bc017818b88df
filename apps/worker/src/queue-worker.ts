import type { RunJobData } from '@deckhand/queue';
import { type Job, Worker, type WorkerOptions } from 'bullmq';

/** BullMQ's worker, which also tells of every answer that it gets when it asks for a job. */
export class QueueWorker extends Worker<RunJobData> {
  readonly #onTurn: () => void;

  /** @param onTurn told of each answer, with a job or without. */
  constructor(
    name: string,
    processor: (job: Job<RunJobData>) => Promise<void>,
    options: WorkerOptions & { onTurn: () => void },
  ) {
    // Begun by `run`, for BullMQ's own constructor would ask before this one is through.
    super(name, processor, { ...options, autorun: false });
    this.#onTurn = options.onTurn;
  }

  protected override async moveToActive(token: string, name?: string): ReturnType<Worker<RunJobData>['getNextJob']> {
    const job = await super.moveToActive(token, name);
    this.#onTurn();
    return job;
  }
}
