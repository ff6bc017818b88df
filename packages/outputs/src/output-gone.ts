import { StoreError } from '@deckhand/db';

/** An output that a run refers to was deleted from its store. */
export class OutputGoneError extends StoreError {
  override readonly name = 'OutputGoneError';
  /** Reference to the output in the run. */
  readonly ref: string;

  constructor(ref: string) {
    super(`the large output ${ref} is gone`, 'row');
    this.ref = ref;
  }
}
