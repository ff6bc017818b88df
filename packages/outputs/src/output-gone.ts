import { StoreError } from '@deckhand/db';

/** An output that a run refers to is not in its store, and never will be: somebody deleted it there. */
export class OutputGoneError extends StoreError {
  override readonly name = 'OutputGoneError';
  /** What the run refers to it by. */
  readonly ref: string;

  constructor(ref: string) {
    super(`the large output ${ref} is gone`, 'row');
    this.ref = ref;
  }
}
