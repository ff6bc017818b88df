/** An output that a run refers to is not in its store, and never will be: somebody deleted it there. */
export class OutputGoneError extends Error {
  override readonly name = 'OutputGoneError';
  /** What the run refers to it by. */
  readonly ref: string;

  constructor(ref: string) {
    super(`the large output ${ref} is gone`);
    this.ref = ref;
  }
}
